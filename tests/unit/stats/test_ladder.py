import numpy as np
import pytest

from gameproof.stats.ladder import LadderSample, infer_ladder
from gameproof.stats.parity import level_test
from gameproof.stats.results import State

LEVELS = np.arange(4.0)


def _falling(n=30, noise=0.3, slope=-1.0, seed=0):
    rng = np.random.default_rng(seed)
    return LadderSample(
        tasks=np.arange(n), levels=LEVELS, scores=slope * LEVELS + noise * rng.normal(size=(n, 4))
    )


def test_a_falling_ladder_is_shown_to_fall():
    result = infer_ladder(_falling(), expect="decrease")
    assert result.zero.below == 1e-4
    assert result.share_right == 1.0
    assert result.interval.high < 0


def test_the_slope_is_for_one_standard_deviation_of_the_level():
    result = infer_ladder(_falling(noise=0.001), expect="decrease")
    assert result.slope == pytest.approx(-LEVELS.std(), abs=0.01)


def test_every_document_has_a_slope_of_its_own():
    # Every document rises by one a level, but those with all levels start lower: the level means fall.
    scores = np.array(
        [[9.0, 10, np.nan, np.nan], [9.1, 10.2, np.nan, np.nan], [1, 2, 3, 4.1], [0.5, 1.5, 2.5, 3.5]]
    )
    sample = LadderSample(tasks=np.arange(4), levels=LEVELS, scores=scores)
    result = infer_ladder(sample, expect="increase")
    assert result.share_right == 1.0
    assert result.slope > 0
    # Level means 4.9, 5.925, 2.75, 3.8 have ranks 3, 4, 1, 2.
    assert result.parity.rho == pytest.approx(-0.6)


def test_a_share_of_all_documents_is_bounded_by_the_binomial_law():
    result = infer_ladder(_falling(n=30), expect="decrease")
    # .025^(1/30): the smallest share under which 30 of 30 is not unlikely.
    assert result.share_interval.low == pytest.approx(0.025 ** (1 / 30))
    opposite = infer_ladder(_falling(n=30, slope=1.0), expect="decrease")
    assert (opposite.share_right, opposite.share_interval.low) == (0.0, 0.0)


def test_a_mixed_share_is_bounded_by_resampled_tasks():
    result = infer_ladder(_falling(noise=3.0), expect="decrease")
    assert 0 < result.share_interval.low < result.share_right < result.share_interval.high < 1


@pytest.mark.parametrize(
    ("scores", "tasks", "state", "detail"),
    [
        (np.zeros((0, 4)), [], State.UNDEFINED, "no item has two levels"),
        (np.ones((3, 4)), [0, 1, 2], State.NO_CHANGE, "every score is unchanged"),
        ([[1.0, 0, 0, 1], [2, 1, 1, 2]], [0, 1], State.NO_CHANGE, "every slope is 0"),
        ([[0.0, 1, 2, 4]], [0], State.UNDEFINED, "fewer than 2 tasks"),
        ([[0.0, 1, 2, 3], [5, 6, 7, 8]], [0, 1], State.DETERMINISTIC, "every score moves by the same"),
        (
            [[0.0, 1, 2, 3], [3, 2, 1, 0], [1, 2, 3, 4], [4, 3, 2, 1]],
            [0, 0, 1, 1],
            State.UNDEFINED,
            "the same in every task",
        ),
    ],
)
def test_what_cannot_be_inferred_has_a_named_state(scores, tasks, state, detail):
    sample = LadderSample(tasks=np.array(tasks, int), levels=LEVELS, scores=np.asarray(scores, float))
    result = infer_ladder(sample, expect="increase")
    assert result.state is state
    assert detail in result.detail
    assert result.zero is None


def test_scores_that_do_not_vary_between_documents_have_no_standardised_slope():
    scores = np.array([[0.0, 1.0, np.nan, np.nan], [np.nan, 1.0, 3.0, np.nan]])
    sample = LadderSample(tasks=np.arange(2), levels=LEVELS, scores=scores)
    result = infer_ladder(sample, expect="increase")
    assert result.effect is None
    assert result.interval is None
    assert result.zero is not None


def test_levels_that_no_two_documents_share_have_no_spread():
    scores = np.array([[0.0, 1.0, np.nan, np.nan], [np.nan, np.nan, 1.0, 3.0]])
    sample = LadderSample(tasks=np.arange(2), levels=LEVELS, scores=scores)
    assert infer_ladder(sample, expect="increase").effect is None


def test_shared_negatives_widen_the_interval_of_a_slope():
    rng = np.random.default_rng(2)
    n = 30
    drawn = (np.arange(n)[:, None] + np.array([1, 5, 11])) % n
    response = rng.normal(size=n)
    negatives = response[drawn][:, None, :] * LEVELS[None, :, None]
    scores = -negatives.mean(axis=2) + 0.01 * rng.normal(size=(n, 4))
    alone = LadderSample(tasks=np.arange(n), levels=LEVELS, scores=scores)
    shared = LadderSample(
        tasks=np.arange(n), levels=LEVELS, scores=scores, negative_tasks=drawn, negatives=negatives
    )
    errors = [infer_ladder(sample, expect="decrease").standard_error for sample in (shared, alone)]
    assert errors[0] > 1.3 * errors[1]


def test_the_papers_rho_is_undefined_for_two_levels_and_its_sign_is_told():
    result = level_test(np.array([0.0, 1.0]), np.array([0.5, 0.7]), expect="stable")
    assert result.rho is None
    assert "+1" in result.rho_detail
    assert result.match_rate == 0.0  # .2 is more than 5% of .5


def test_the_papers_rho_is_undefined_for_constant_means():
    result = level_test(LEVELS, np.ones(4), expect="stable")
    assert (result.rho, result.rho_detail, result.match_rate) == (None, "constant level means", 1.0)


def test_a_single_level_is_no_ladder():
    assert level_test(np.zeros(1), np.ones(1), expect="decrease").match_rate is None


def test_steps_count_only_if_they_go_the_expected_way():
    means = np.array([0.9, 0.5, 0.5, 0.4])
    assert level_test(LEVELS, means, expect="decrease").match_rate == pytest.approx(2 / 3)
    assert level_test(LEVELS, means, expect="increase").match_rate == 0.0


def test_a_stable_step_is_measured_against_a_floor_where_the_baseline_is_near_zero():
    # 5% of max(|0|, .01) is .0005.
    means = np.array([0.0, 0.0004, 0.0010])
    assert level_test(np.arange(3.0), means, expect="stable").match_rate == 0.5
