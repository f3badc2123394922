"""Components, their errors and designs by hand and by enumeration."""

import math

import numpy as np
import pytest

from gameproof.errors import InputError
from gameproof.stats.variance import (
    Components,
    Cost,
    Design,
    Repeats,
    best_within,
    cheapest_for_item,
    cheapest_for_mean,
    estimate,
    standard_errors,
)

RNG = np.random.default_rng(31)
REPEATS = Repeats(matched=RNG.normal(size=(6, 3, 2)), negatives=RNG.normal(size=(6, 4, 3, 2)))
PARTS = Components(
    item=0.5, negatives=0.4, decomposition=0.12, decomposition_of_negatives=0.24, oracle=0.36,
    oracle_of_negatives=0.48, n_items=9,
)  # fmt: skip


def _nested(units):
    """Estimate both components of (decompositions, samples) tables by mean squares (Searle et al. 1992, chapter 5)."""
    sample = np.mean([row.var(ddof=1) for table in units for row in table])
    return np.mean([table.mean(axis=1).var(ddof=1) for table in units]) - sample / units[0].shape[1], sample


def test_the_components_are_those_of_nested_mean_squares():
    found = estimate(REPEATS)
    own = _nested(list(REPEATS.matched))
    foreign = _nested([table for item in REPEATS.negatives for table in item])
    assert (found.decomposition, found.oracle) == pytest.approx(own)
    assert (found.decomposition_of_negatives, found.oracle_of_negatives) == pytest.approx(foreign)
    means = REPEATS.negatives.mean(axis=(2, 3))
    between = np.mean([row.var(ddof=1) for row in means]) - foreign[0] / 3 - foreign[1] / 6
    assert found.negatives == pytest.approx(between)
    scores = REPEATS.matched.mean(axis=(1, 2)) - means.mean(axis=1)
    error = own[0] / 3 + own[1] / 6 + (between + foreign[0] / 3 + foreign[1] / 6) / 4
    assert found.item == pytest.approx(scores.var(ddof=1) - error)
    assert found.n_items == 6


def test_without_negatives_only_own_references_count():
    found = estimate(Repeats(matched=REPEATS.matched, negatives=np.zeros((6, 0, 3, 2))))
    own = _nested(list(REPEATS.matched))
    assert (found.negatives, found.decomposition_of_negatives, found.oracle_of_negatives) == (0.0, 0.0, 0.0)
    assert found.item == pytest.approx(
        REPEATS.matched.mean(axis=(1, 2)).var(ddof=1) - own[0] / 3 - own[1] / 6
    )


def test_one_negative_has_no_variance_of_its_own():
    found = estimate(Repeats(matched=REPEATS.matched, negatives=REPEATS.negatives[:, :1]))
    foreign = _nested([item[0] for item in REPEATS.negatives])
    # nothing is seen between negatives, so what is within them is all there is: 0 less what repeating explains
    assert found.negatives == pytest.approx(-foreign[0] / 3 - foreign[1] / 6)


def test_one_sample_of_each_decomposition_leaves_decompositions():
    found = estimate(Repeats(matched=REPEATS.matched[:, :, :1], negatives=REPEATS.negatives[..., :1]))
    assert found.oracle == 0.0
    assert found.decomposition == pytest.approx(np.mean([row[:, 0].var(ddof=1) for row in REPEATS.matched]))


def test_four_items_are_the_fewest():
    four = Repeats(matched=REPEATS.matched[:4], negatives=REPEATS.negatives[:4])
    assert estimate(four).n_items == 4
    three = Repeats(matched=REPEATS.matched[:3], negatives=REPEATS.negatives[:3])
    with pytest.raises(InputError, match="only 3 items have all their repeats; 4 are needed") as caught:
        estimate(three)
    assert caught.value.hint == "Use more tasks."


def test_standard_errors_are_those_of_the_jackknife():
    # Tukey: (n - 1) / n times the sum of squares of the estimates without each item.
    found = standard_errors(REPEATS, ["oracle", "negatives"])
    assert list(found) == ["oracle", "negatives"]
    for name, error in found.items():
        without = np.array([
            getattr(
                estimate(
                    Repeats(
                        matched=REPEATS.matched[np.arange(6) != i], negatives=REPEATS.negatives[np.arange(6) != i]
                    )
                ),
                name,
            )
            for i in range(6)
        ])  # fmt: skip
        assert error == pytest.approx(math.sqrt(5 / 6 * ((without - without.mean()) ** 2).sum()))


def test_the_standard_error_of_a_mean_of_variances_is_the_ordinary_one():
    # Without decompositions the oracle's component is a mean over items, whose jackknife error is sd / sqrt(n).
    repeats = Repeats(matched=REPEATS.matched[:, :1], negatives=np.zeros((6, 0, 1, 2)))
    variances = REPEATS.matched[:, 0].var(axis=1, ddof=1)
    found = standard_errors(repeats, ["oracle"])["oracle"]
    assert found == pytest.approx(variances.std(ddof=1) / math.sqrt(6))


def test_five_complete_items_have_standard_errors_and_four_have_none():
    matched, negatives = REPEATS.matched.copy(), REPEATS.negatives.copy()
    matched[0, 0, 0] = np.nan
    assert standard_errors(Repeats(matched=matched, negatives=negatives), ["oracle"])["oracle"] > 0
    negatives[3, 0, 0, 0] = np.nan
    found = standard_errors(Repeats(matched=matched, negatives=negatives), ["oracle", "item"])
    assert list(found) == ["oracle", "item"]
    assert all(math.isnan(error) for error in found.values())


def test_what_each_source_adds_by_hand():
    # .4/3; .12/2 + .24/(2 x 3); .36/8 + .48/(8 x 3)
    design = Design(decompositions=2, samples=4, negatives=3)
    found = PARTS.by_source(design)
    assert found == {
        "negatives": pytest.approx(0.4 / 3),
        "decomposition": pytest.approx(0.06 + 0.04),
        "oracle": pytest.approx(0.045 + 0.02),
    }
    assert PARTS.error(design) == pytest.approx(0.4 / 3 + 0.1 + 0.065)


def test_a_direct_score_has_the_error_of_its_own_references():
    assert PARTS.by_source(Design(decompositions=2, samples=4, negatives=0)) == {
        "negatives": 0.0,
        "decomposition": pytest.approx(0.06),
        "oracle": pytest.approx(0.045),
    }


def test_an_estimate_below_zero_adds_nothing():
    below = Components(
        item=0.0, negatives=-0.4, decomposition=-1.0, decomposition_of_negatives=-1.0, oracle=-1.0,
        oracle_of_negatives=0.5, n_items=9,
    )  # fmt: skip
    assert below.by_source(Design(decompositions=1, samples=1, negatives=1)) == {
        "negatives": 0.0, "decomposition": 0.0, "oracle": 0.5,
    }  # fmt: skip


def test_calls_by_hand():
    # m (c0 + D (1 + n) c1) + D c2 = 3 (5 + 2 x 5 x 7) + 2 x 11
    cost = Cost(each_sample=5.0, each_reference=7.0, each_decomposition=11.0)
    assert cost.calls(Design(decompositions=2, samples=3, negatives=4)) == 3 * (5 + 70) + 22
    assert Cost().calls(Design(decompositions=2, samples=3, negatives=4)) == 30  # one call a reference


COST = Cost(each_sample=0.3, each_reference=1.0, each_decomposition=0.7)
FREE = Design(decompositions=3, samples=4, negatives=5)
EVERY = [
    Design(decompositions=d, samples=m, negatives=n)
    for d in range(1, 4)
    for m in range(1, 5)
    for n in range(1, 6)
]


def test_the_cheapest_design_is_the_most_exact_of_the_cheapest():
    for error in (0.3, 0.5, 0.9):
        suffice = [design for design in EVERY if PARTS.error(design) <= error]
        best = min(suffice, key=lambda design: (COST.calls(design), PARTS.error(design)))
        assert cheapest_for_item(PARTS, COST, error=error, free=FREE) == best
    # an error that a design has to the last digit is reached
    exact = PARTS.error(EVERY[17])
    assert PARTS.error(cheapest_for_item(PARTS, COST, error=exact, free=FREE)) <= exact


def test_the_best_design_within_a_budget_is_the_cheapest_of_the_most_exact():
    for calls in (4.0, 20.0, 45.0):
        within = [design for design in EVERY if COST.calls(design) <= calls]
        best = min(within, key=lambda design: (PARTS.error(design), COST.calls(design)))
        assert best_within(PARTS, COST, calls=calls, free=FREE) == best
    assert best_within(PARTS, COST, calls=1.0, free=FREE) is None
    least = COST.calls(EVERY[0])
    assert best_within(PARTS, COST, calls=least, free=FREE) == EVERY[0]


def test_equal_errors_are_had_for_fewer_calls_and_equal_calls_for_less_error():
    # Nothing but negatives varies: further decompositions and samples cost calls alone.
    only = Components(
        item=0.0, negatives=1.0, decomposition=0.0, decomposition_of_negatives=0.0, oracle=0.0,
        oracle_of_negatives=0.0, n_items=9,
    )  # fmt: skip
    assert best_within(only, COST, calls=1e9, free=FREE) == Design(decompositions=1, samples=1, negatives=5)
    # Nothing costs anything: the most exact is taken.
    nothing = Cost(each_reference=0.0)
    assert cheapest_for_item(PARTS, nothing, error=9.0, free=FREE) == EVERY[-1]


def test_no_more_than_eight_decompositions_sixteen_samples_and_128_negatives_are_tried():
    wide = Design(decompositions=99, samples=99, negatives=999)
    found = best_within(PARTS, COST, calls=1e9, free=wide)
    assert found == Design(decompositions=8, samples=16, negatives=128)


def test_a_direct_score_is_given_no_negatives():
    direct = Design(decompositions=3, samples=2, negatives=0)
    assert best_within(PARTS, COST, calls=1e9, free=direct) == direct
    assert cheapest_for_item(PARTS, COST, error=9.0, free=direct).negatives == 0


def test_the_mean_is_halved_by_the_cheapest_of_all_pairs():
    now = Design(decompositions=1, samples=2, negatives=1)
    wanted = (0.5 + PARTS.error(now)) / 40 / 4
    pairs = [(math.ceil((0.5 + PARTS.error(design)) / wanted - 1e-9), design) for design in EVERY]
    n_items, design = min(pairs, key=lambda pair: (pair[0] * COST.calls(pair[1]), pair[0]))
    assert cheapest_for_mean(PARTS, COST, now=now, n_items=40, free=FREE) == (design, n_items)


def test_where_repeating_changes_nothing_four_times_the_items_are_taken():
    # No error at all but that of items: (.5 + 0) / (n / 4).
    only = Components(
        item=0.5, negatives=0.0, decomposition=0.0, decomposition_of_negatives=0.0, oracle=0.0,
        oracle_of_negatives=0.0, n_items=9,
    )  # fmt: skip
    found = cheapest_for_mean(only, COST, now=EVERY[30], n_items=7, free=FREE)
    assert found == (Design(decompositions=1, samples=1, negatives=1), 28)


def test_a_mean_without_any_error_stays_as_it_is():
    nothing = Components(
        item=-0.5, negatives=0.0, decomposition=0.0, decomposition_of_negatives=0.0, oracle=0.0,
        oracle_of_negatives=0.0, n_items=9,
    )  # fmt: skip
    assert cheapest_for_mean(nothing, COST, now=EVERY[30], n_items=7, free=FREE) == (EVERY[30], 7)


def test_one_item_is_the_fewest():
    # Negatives alone vary: 128 of them on 1 item beat the quarter of the variance of 1 negative on 2 items.
    only = Components(
        item=0.0, negatives=1.0, decomposition=0.0, decomposition_of_negatives=0.0, oracle=0.0,
        oracle_of_negatives=0.0, n_items=9,
    )  # fmt: skip
    free = Design(decompositions=1, samples=1, negatives=128)
    found = cheapest_for_mean(only, Cost(each_sample=100.0), now=EVERY[0], n_items=2, free=free)
    # wanted: 1 / 2 / 4 = 1/8; one item with 8 negatives costs 109 calls, two with 4 cost 210
    assert found == (Design(decompositions=1, samples=1, negatives=8), 1)
