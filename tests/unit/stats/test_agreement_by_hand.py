"""Agreement in cases that can be counted by hand, and its intervals."""

import krippendorff
import numpy as np
import pytest

from gameproof.errors import InputError
from gameproof.stats import agreement
from gameproof.stats.agreement import FEW_CLUSTERS, alpha_draws, krippendorff_alpha
from gameproof.stats.bootstrap import percentile_bounds, resample_counts

MARKS = [[1, 1, 2], [2, 2, None], [3, 1, 3], [3, 3, 3], [None, 2, None], [1, 2, 1], [2, 2, 3], [4, 3, 4]]


def test_percent_agreement_weighs_every_value_of_a_unit():
    # By hand: (1, 1, 2) has 2 of 6 ordered pairs equal and 3 values: 3 x 2/6 = 1; (2, 2) 2 x 1 = 2; 3 of 5 values.
    found = krippendorff_alpha([[1, 1, 2], [2, 2, None], [None, 5, None]])
    assert found.percent_agreement == pytest.approx(3 / 5)
    assert (found.n_units, found.n_values, found.n_clusters) == (2, 5, 2)


def test_nominal_alpha_by_hand():
    # Values 1, 1, 2, 2, 2 in the units (1, 1, 2) and (2, 2): D_o = (4 / 2) / 5 = .4, D_e = 2 x 2 x 3 / 20 = .6.
    assert krippendorff_alpha([[1, 1, 2], [2, 2, None]]).alpha == pytest.approx(1 - 0.4 / 0.6)


def test_what_is_missing_may_be_none_or_any_nan():
    tables = [[[1, missing], [1, 1], [2, 2]] for missing in (None, float("nan"), np.float32("nan"), np.nan)]
    for table in tables:
        found = krippendorff_alpha(table)
        assert (found.n_units, found.n_values, found.alpha) == (2, 4, 1.0)


def test_names_and_numbers_may_stand_in_one_table_of_names():
    # 1 and "1" are two answers: D_o = 1/2, all four values: two of each of two kinds, D_e = 8/12.
    assert krippendorff_alpha([[1, "1"], [1, "1"]]).alpha == pytest.approx(1 - 1 / (8 / 12))


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_crossed_clusters_count_a_unit_as_often_as_both_are_drawn(level):
    people, texts = list("ppqqrrps"), list("12123431")
    crossed = krippendorff_alpha(
        MARKS, level=level, clusters=people, crossed=texts, n_resamples=80, confidence_level=0.8, seed=3
    )
    kept = [place for place, row in enumerate(MARKS) if sum(mark is not None for mark in row) >= 2]
    numbers = [
        {label: number for number, label in enumerate(dict.fromkeys(kind[place] for place in kept))}
        for kind in (people, texts)
    ]
    counts = [resample_counts(len(names), 80, seed=3 + place) for place, names in enumerate(numbers)]
    draws = []
    for of_people, of_texts in zip(*counts, strict=True):
        rows = [
            MARKS[place]
            for place in kept
            for _ in range(
                int(of_people[numbers[0][people[place]]]) * int(of_texts[numbers[1][texts[place]]])
            )
        ]
        values = np.array(rows, dtype=float).reshape(-1, 3)
        if len(np.unique(values[~np.isnan(values)])) > 1:
            # krippendorff 0.9.0, one call a resample
            draws.append(krippendorff.alpha(reliability_data=values.T, level_of_measurement=level))
    low, high = percentile_bounds(np.array(draws)[None, :], 0.8)[:, 0]
    assert (crossed.interval.low, crossed.interval.high) == pytest.approx((low, high), abs=1e-12)
    assert crossed.n_clusters == 4
    assert crossed.detail == "only 4 clusters: the interval is too short"


def test_every_unit_is_its_own_cluster_unless_said_otherwise():
    kwargs = {"n_resamples": 60, "seed": 1}
    numbered = krippendorff_alpha(MARKS, clusters=range(8), **kwargs)
    assert krippendorff_alpha(MARKS, **kwargs) == numbered
    assert numbered.n_clusters == 7  # one unit has a single value
    draws = alpha_draws(MARKS, **kwargs)
    assert draws == pytest.approx(alpha_draws(MARKS, clusters=range(8), **kwargs), nan_ok=True)


@pytest.mark.parametrize(
    ("n", "detail"), [(FEW_CLUSTERS - 1, "only 39 clusters: the interval is too short"), (FEW_CLUSTERS, None)]
)
def test_forty_clusters_are_enough_to_say_nothing(n, detail):
    table = np.random.default_rng(0).integers(0, 2, size=(n, 2)).astype(float)
    assert krippendorff_alpha(table, n_resamples=99).detail == detail


def test_two_clusters_have_an_interval_and_one_has_none():
    table = [[1, 1], [1, 2], [2, 2], [2, 1]]
    assert krippendorff_alpha(table, clusters=[1, 1, 2, 2], n_resamples=99).interval is not None
    one = krippendorff_alpha(table, clusters=[1, 1, 1, 1], n_resamples=99)
    assert (one.interval, one.detail) == (None, "no interval: it needs at least 2 clusters")


def test_an_interval_needs_half_of_the_resamples():
    # One odd unit of two clusters: a quarter of resamples misses it; of twelve single units, (11/12)^12 = 35% do.
    table = [[1, 1]] * 11 + [[1, 2]]
    assert krippendorff_alpha(table, n_resamples=499).interval is not None
    # A unit of 2s and one of 1s: half of the resamples of two have no variation; three of four do with a third.
    two = krippendorff_alpha([[1, 1], [2, 2]], n_resamples=499, seed=0)
    defined = int((resample_counts(2, 499, seed=0).max(axis=1) == 1).sum())
    assert (two.interval is None) is (defined < 499 / 2)
    assert two.alpha == 1.0
    none = krippendorff_alpha([[1, 1]] * 30 + [[1, 2]], clusters=[0] * 30 + [1], n_resamples=3, seed=1)
    drawn = int((resample_counts(2, 3, seed=1)[:, 1] > 0).sum())
    assert (none.interval is None) is (drawn < 2)


def test_a_table_of_equal_units_has_no_interval_that_means_anything():
    found = krippendorff_alpha([[1, 1]] * 3 + [[2, 2]], clusters=[0, 0, 0, 1], n_resamples=1)
    # one resample is never enough for two ends
    assert (found.interval, found.detail) == (None, "no interval: most resamples have no variation")


def test_sides_that_are_swapped_are_the_same_units():
    swap = {"a": "b", "b": "a"}
    found = krippendorff_alpha(
        [["a", "a"], ["a", "b"], ["n", "n"]], swapped=swap, clusters=["p", "p", "q"], crossed=[1, 2, 3]
    )
    # Counted once: 3 units with 6 values, of 2 annotators and 3 texts. With their copies: D_o = 4/12, four values
    # each of n, and of a and b: 2 + 1 + 1 each; D_e = (144 - 3 x 16) / (12 x 11).
    assert (found.n_units, found.n_values, found.n_clusters) == (3, 6, 2)
    assert found.alpha == pytest.approx(1 - (4 / 12) / (96 / 132))
    assert found.percent_agreement == pytest.approx(2 / 3)


def test_no_table_has_no_agreement():
    for nothing in ([], [[None, None]], [[1, None], [None, 2]]):
        found = krippendorff_alpha(nothing)
        assert (found.alpha, found.percent_agreement, found.n_units, found.n_values, found.n_clusters) == (
            None, None, 0, 0, 0,
        )  # fmt: skip
        assert found.detail == "no unit has two values"


def test_equal_values_say_how_many_there_were():
    found = krippendorff_alpha([[2, 2, 2], [2, 2, None]], clusters=["a", "a"])
    assert (found.n_units, found.n_values, found.n_clusters, found.percent_agreement) == (2, 5, 1, 1.0)
    assert found.detail == "no variation: all values are the same, so agreement by chance is certain"


def test_two_zeros_do_not_differ_at_level_ratio():
    # ((0 - 1) / (0 + 1))^2 = 1, so zeros and ones are nominal: values 0, 0, 0, 1, D_o = 2/4, D_e = 6/12.
    assert krippendorff_alpha([[0, 0], [0, 1]], level="ratio").alpha == pytest.approx(0.0)


def test_interval_alpha_keeps_its_digits_far_from_zero():
    table = np.array([[1.0, 1, 2], [2, 2, 3], [4, 4, 3]])
    near, far = (krippendorff_alpha(table + offset, level="interval").alpha for offset in (0.0, 1e9))
    assert far == pytest.approx(near, abs=1e-9)
    tiny = krippendorff_alpha(table * 1e-9, level="interval").alpha
    assert tiny == pytest.approx(near, abs=1e-9)


def test_blocks_of_resamples_change_nothing(monkeypatch):
    whole = alpha_draws(MARKS, level="ordinal", n_resamples=50, seed=2)
    monkeypatch.setattr(agreement, "BLOCK_ENTRIES", 64)
    assert alpha_draws(MARKS, level="ordinal", n_resamples=50, seed=2) == pytest.approx(whole, nan_ok=True)
    monkeypatch.setattr(agreement, "BLOCK_ENTRIES", 1)
    assert alpha_draws(MARKS, level="ordinal", n_resamples=50, seed=2) == pytest.approx(whole, nan_ok=True)


@pytest.mark.parametrize(
    ("values", "options", "message", "hint"),
    [
        (
            [[1, 2], [1], [1, 2, 3]], {}, "`values` must be a table; its rows have 1 and 2 and 3 entries.",
            "Write None or NaN where a rater gave no value.",
        ),
        (
            [[1, "b"], [3, "a"]], {"level": "interval"},
            "`values` holds 'a', and alpha at level 'interval' needs numbers.",
            "Use level='nominal', or replace the names by numbers in their order.",
        ),
        (
            [[-1.5, 2], [-3, 1]], {"level": "ratio"},
            "`values` must be 0 or more at level 'ratio'; the smallest is -3.",
            "Use level='interval' for marks that may be negative.",
        ),
        ([[1, 2]], {"crossed": [1, 2, 3]}, "`clusters` has 3 entries for 1 units; it needs one each.", None),
        ([[1, np.inf]], {"level": "ratio"}, "`values` must be finite; NaN stands for a missing value.", None),
    ],
)  # fmt: skip
def test_a_refusal_says_what_was_given_and_what_to_do(values, options, message, hint):
    with pytest.raises(InputError) as caught:
        krippendorff_alpha(values, **options)
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_zero_is_allowed_at_level_ratio_and_names_at_level_nominal():
    assert krippendorff_alpha([[0, 0], [1, 1]], level="ratio").alpha == 1.0
    assert krippendorff_alpha([["x", "x"], [1, 1]]).alpha == 1.0


def test_draws_of_names_are_those_of_any_other_names():
    names = [["a", "a"], ["a", "b"], ["b", "b"], ["c", "a"]]
    numbers = [["abc".index(name) for name in row] for row in names]
    options = {"n_resamples": 30, "seed": 1}
    assert alpha_draws(names, **options) == pytest.approx(alpha_draws(numbers, **options), nan_ok=True)
