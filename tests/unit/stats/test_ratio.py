import numpy as np
import pytest

from gameproof.stats.bootstrap import studentise
from gameproof.stats.paired import PairedSample
from gameproof.stats.ratio import infer_loss_ratio

TASKS = np.arange(12)
RNG = np.random.default_rng(8)
SCORES = RNG.normal(size=12)
MOVES = {"half": -0.5 + 0.3 * RNG.normal(size=12), "loss": -1.0 + 0.2 * RNG.normal(size=12)}


def _sample(moves, tasks=TASKS):
    original = SCORES[: len(moves)]
    return PairedSample(tasks=tasks, original=original, variant=original + np.asarray(moves, float))


def _pseudo_values(theta):
    """Apply Tukey's jackknife to a function of the moves that are left: G theta - (G - 1) theta_without."""
    places = np.arange(12)
    return np.array([12 * theta(places) - 11 * theta(places[places != out]) for out in places])


def test_ratio_and_tests_are_the_recipe_written_as_loops():
    # methods.md 6.1: pseudo-values of change / -loss for the interval, of change -+ margin x loss for the tests.
    moved, lost = MOVES["half"], MOVES["loss"]
    thetas = [
        lambda kept: moved[kept].mean() - 0.4 * lost[kept].mean(),
        lambda kept: moved[kept].mean() + 0.4 * lost[kept].mean(),
        lambda kept: moved[kept].mean() / -lost[kept].mean(),
    ]
    means = studentise(
        np.stack([_pseudo_values(theta) for theta in thetas], axis=1),
        n_resamples=499, confidence_level=0.9, seed=3,
    )  # fmt: skip

    found = infer_loss_ratio(
        _sample(moved), _sample(lost), margin=0.4, alpha=0.05, n_resamples=499, confidence_level=0.9, seed=3
    )

    assert found.value == pytest.approx(moved.mean() / -lost.mean())
    assert (found.at_loss.below, found.at_loss.above) == (means.below[0], means.above[0])
    assert (found.at_gain.below, found.at_gain.above) == (means.below[1], means.above[1])
    assert found.interval.low == pytest.approx(means.low[2])
    assert found.interval.high == pytest.approx(means.high[2])
    assert found.detail is None


def test_a_gain_is_positive_and_a_drop_as_large_as_the_loss_is_minus_one():
    loss = _sample(MOVES["loss"])
    assert infer_loss_ratio(loss, loss, margin=0.5, alpha=0.05).value == pytest.approx(-1.0)
    gain = infer_loss_ratio(_sample(-MOVES["loss"]), loss, margin=0.5, alpha=0.05)
    assert gain.value == pytest.approx(1.0)
    # A gain of a whole sentence lies above half of one, and far above half a loss.
    assert gain.at_gain.above < 0.001 < gain.at_gain.below
    assert gain.at_loss.above < 0.001


def test_the_same_ratio_in_every_task_has_no_interval():
    loss = _sample(MOVES["loss"])
    found = infer_loss_ratio(_sample(MOVES["loss"] / 2), loss, margin=0.25, alpha=0.05)
    assert found.value == pytest.approx(-0.5)
    assert found.interval is None


def test_a_difference_that_is_the_same_in_every_task_has_no_test():
    # The change is half the loss in every task: change + -.5 x loss is 0 throughout.
    loss = _sample(MOVES["loss"])
    found = infer_loss_ratio(_sample(MOVES["loss"] / 2), loss, margin=0.5, alpha=0.05)
    assert found.at_loss is None
    assert found.at_gain is not None


def test_a_loss_that_is_not_shown_is_no_unit():
    # Up in six tasks and down in six by the same: the mean loss is 0.
    none = _sample(np.tile([1.0, -1.1], 6))
    found = infer_loss_ratio(_sample(MOVES["half"]), none, margin=0.5, alpha=0.05)
    assert (found.value, found.interval, found.at_loss, found.at_gain) == (None,) * 4
    assert found.detail == "losing one sentence is not shown to cost anything"


def test_a_loss_is_shown_at_the_level_that_is_asked_for():
    # The smallest p-value of 99 resamples is .01.
    arguments = (_sample(MOVES["half"]), _sample(MOVES["loss"]))
    shown = infer_loss_ratio(*arguments, margin=0.5, alpha=0.01, n_resamples=99)
    assert shown.value is not None
    assert infer_loss_ratio(*arguments, margin=0.5, alpha=0.009, n_resamples=99).value is None


@pytest.mark.parametrize(("step", "value"), [(-1.0, MOVES["half"].mean()), (1.0, None), (0.0, None)])
def test_a_loss_that_is_the_same_in_every_task_is_one_by_its_sign(step, value):
    found = infer_loss_ratio(_sample(MOVES["half"]), _sample(np.full(12, step)), margin=0.5, alpha=0.05)
    assert found.value == (None if value is None else pytest.approx(value))


def test_two_tasks_are_the_fewest():
    two = _sample([-1.0, -0.5], np.array([0, 1]))
    one = _sample([-1.0, -0.5], np.array([0, 0]))
    # Two values bound nothing, so the loss is not shown; one task is not even tried.
    assert infer_loss_ratio(two, two, margin=0.5, alpha=0.05).detail.startswith("losing one sentence")
    assert infer_loss_ratio(two, two, margin=0.5, alpha=1.0).value == pytest.approx(-1.0)
    for pair in ((one, two), (two, one)):
        found = infer_loss_ratio(*pair, margin=0.5, alpha=1.0)
        assert (found.value, found.detail) == (None, "fewer than 2 tasks")


def test_intervals_are_of_95_percent_unless_said_otherwise():
    arguments = (_sample(MOVES["half"]), _sample(MOVES["loss"]))
    options = {"margin": 0.5, "alpha": 0.05, "n_resamples": 199}
    assert infer_loss_ratio(*arguments, **options) == infer_loss_ratio(
        *arguments, **options, confidence_level=0.95
    )
