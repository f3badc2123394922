import json
from collections import defaultdict

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameproof.errors import InputError
from gameproof.stats.agreement import LEVELS_OF_MEASUREMENT, alpha_draws, krippendorff_alpha
from gameproof.stats.bootstrap import resample_counts
from gameproof.stats.results import State

NONE = None
# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C: four raters, twelve units.
FOUR_RATERS = [
    [1, 1, NONE, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [NONE, 5, 5, 5], [NONE, NONE, 1, 1], [NONE, NONE, 3, NONE],
]  # fmt: skip


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_alpha_is_that_of_the_published_example(level, published):
    found = krippendorff_alpha(FOUR_RATERS, level=level)
    assert round(found.alpha, 3) == published
    assert (found.n_units, found.n_values) == (11, 40)


def test_two_raters_with_three_answers():
    # By hand: D_o = .3; 9 values are A, 9 B and 2 N, so D_e = (400 - 81 - 81 - 4) / (20 * 19) = .61579 and D_o / D_e is
    # .48718, which leaves an alpha of .51282.
    found = krippendorff_alpha(list(zip("AABBABNABA", "ABBBAANBBA", strict=True)))
    assert round(found.alpha, 10) == 0.5128205128


def test_symmetrised_alpha_does_not_depend_on_which_side_is_called_a():
    # Without "neither": 1 - (1 - agreement) / (.5 * 4n / (4n - 1)), since both labels are equally frequent.
    swap = {"A": "B", "B": "A"}
    units = [("A", "A")] * 6 + [("A", "B")] * 2 + [("B", "B")]
    sides_swapped = [(swap[x], swap[y]) if place < 3 else (x, y) for place, (x, y) in enumerate(units)]
    expected = 1 - (2 / 9) / (0.5 * 36 / 35)
    for same in (units, sides_swapped):
        assert krippendorff_alpha(same, swapped=swap).alpha == pytest.approx(expected, abs=1e-12)
    assert krippendorff_alpha(units).alpha < krippendorff_alpha(sides_swapped).alpha - 0.1


@given(
    table=st.lists(
        st.lists(st.sampled_from([NONE, 1, 2, 3, 5]), min_size=3, max_size=3), min_size=2, max_size=12
    ),
    level=st.sampled_from(LEVELS_OF_MEASUREMENT),
)
def test_alpha_equals_the_krippendorff_package(table, level):
    found = krippendorff_alpha(table, level=level, n_resamples=2)
    values = np.array(table, dtype=float)
    paired = values[(~np.isnan(values)).sum(axis=1) >= 2]
    if len(np.unique(paired[~np.isnan(paired)])) < 2:
        assert found.alpha is None
        assert found.state is State.UNDEFINED
        return
    # krippendorff 0.9.0
    theirs = krippendorff.alpha(reliability_data=paired.T, level_of_measurement=level)
    assert found.alpha == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("level", LEVELS_OF_MEASUREMENT)
def test_every_resample_equals_the_package_on_the_repeated_units(level):
    rng = np.random.default_rng(3)
    values = rng.integers(1, 6, size=(60, 3)).astype(float)
    values[rng.random(values.shape) < 0.2] = np.nan
    values = values[(~np.isnan(values)).sum(axis=1) >= 2]
    clusters = rng.integers(0, 12, size=len(values))
    draws = alpha_draws(values, level=level, clusters=clusters.tolist(), n_resamples=50, seed=4)
    numbers = {label: number for number, label in enumerate(dict.fromkeys(clusters.tolist()))}
    counts = resample_counts(len(numbers), 50, seed=4)
    for drawn, count in zip(draws, counts, strict=True):
        repeats = [int(count[numbers[label]]) for label in clusters.tolist()]
        repeated = np.repeat(values, repeats, axis=0)
        # krippendorff 0.9.0, one call a resample
        theirs = krippendorff.alpha(reliability_data=repeated.T, level_of_measurement=level)
        assert drawn == pytest.approx(theirs, abs=1e-12)


def test_case_50_one_odd_value_has_an_alpha_and_a_percent_agreement():
    # With a single odd value among two raters, nominal alpha is exactly 0.
    found = krippendorff_alpha([[2, 2]] * 5 + [[2, 4]])
    assert found.alpha == pytest.approx(0.0, abs=1e-12)
    assert found.percent_agreement == pytest.approx(5 / 6)


def test_case_50_equal_values_are_undefined_with_their_percent_agreement():
    found = krippendorff_alpha([[2, 2]] * 5)
    assert (found.alpha, found.percent_agreement, found.state) == (None, 1.0, State.UNDEFINED)
    assert "no variation" in found.detail


def test_case_50_one_rater_is_undefined():
    found = krippendorff_alpha([[2], [3]])
    assert (found.alpha, found.detail) == (None, "no unit has two values")


def test_one_cluster_has_no_interval_and_few_have_a_warning():
    units = list(zip("AABBABNABA", "ABBBAANBBA", strict=True))
    assert krippendorff_alpha(units, clusters=["one"] * 10).interval is None
    found = krippendorff_alpha(units, clusters=[f"annotator {place % 5}" for place in range(10)])
    assert found.interval.low < found.alpha < found.interval.high
    assert found.detail == "only 5 clusters: the interval is too short"


def test_clusters_widen_the_interval_where_units_of_a_cluster_go_together():
    rng = np.random.default_rng(0)
    disagrees = np.repeat(rng.random(50) < 0.4, 20)  # a whole cluster agrees or not
    first = rng.integers(0, 2, size=1000)
    units = np.stack([first, np.where(disagrees, 1 - first, first)], axis=1).astype(float)
    alone = krippendorff_alpha(units).interval
    together = krippendorff_alpha(units, clusters=np.repeat(np.arange(50), 20).tolist()).interval
    assert together.high - together.low > 3 * (alone.high - alone.low)  # sqrt(20) = 4.5 if all go together


@pytest.mark.parametrize(
    ("values", "options", "said"),
    [
        ([[1, 2], [1]], {}, "rows have 1 and 2 entries"),
        ([["a", "b"]], {"level": "ordinal"}, "'a', and alpha at level 'ordinal' needs numbers"),
        ([[-1, 2]], {"level": "ratio"}, "must be 0 or more"),
        ([[1, 2]], {"clusters": [1, 2]}, "`clusters` has 2 entries for 1 units"),
        ([[1, float("inf")]], {"level": "interval"}, "must be finite"),
    ],
)
def test_values_that_cannot_be_used_are_named(values, options, said):
    with pytest.raises(InputError, match=said):
        krippendorff_alpha(values, **options)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("file", "published"),
    [
        ("news_pairwise/news_pairwise.jsonl", 0.085),
        ("pandalm/pandalm.jsonl", 0.861),
        ("lfqa_eval_experts/lfqa_eval_experts.jsonl", 0.534),
    ],
)
def test_alpha_between_raters_of_the_rated_sets(shared_folder, file, published):
    # The values are those that the data sets' own descriptions give.
    judgements = defaultdict(dict)
    for line in (shared_folder / "data" / file).read_text().splitlines():
        row = json.loads(line)
        pair = (row["task_id"], row["candidate_a"], row["candidate_b"])
        judgements[pair][row["annotator"]] = row["preference"]
    raters = sorted({rater for marks in judgements.values() for rater in marks})
    units = [[marks.get(rater) for rater in raters] for marks in judgements.values()]
    assert round(krippendorff_alpha(units, n_resamples=99).alpha, 3) == published
