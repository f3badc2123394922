"""Base rates as a control variate, and the two forms that look like it and can be gamed."""

import numpy as np
import pytest

from gameproof.fmi.base_rates import correct, cross_fitted_slopes

# Shares of supported statements, (own reference, other tasks' references): an honest text, and the same text
# stuffed with what fits everywhere. Stuffing gains .15 on the own reference and costs .20 on the others.
HONEST, STUFFED = (0.6, 0.1), (0.75, 0.3)
BASE_RATE = 0.1  # of every statement: all other tasks' texts are honest


def contrast(shares):
    return shares[0] - shares[1]


def corrected(shares, slope):
    return float(correct(np.array(shares[0]), np.array(BASE_RATE), slope)) - float(
        correct(np.array(shares[1]), np.array(BASE_RATE), slope)
    )


def test_contrast_makes_stuffing_lose():
    assert contrast(HONEST) == pytest.approx(0.5)
    assert contrast(STUFFED) == pytest.approx(0.45)


@pytest.mark.parametrize("slope", [0.0, 0.5, 1.0, 3.0])
def test_the_correction_keeps_the_contrast_whatever_its_slope(slope):
    assert corrected(HONEST, slope) == pytest.approx(0.5)
    assert corrected(STUFFED, slope) == pytest.approx(0.45)


def test_base_rates_without_negatives_make_stuffing_win():
    assert HONEST[0] - BASE_RATE == pytest.approx(0.5)
    assert STUFFED[0] - BASE_RATE == pytest.approx(0.65)


def test_regressing_out_a_texts_own_negatives_makes_stuffing_win():
    # Honest texts whose luck on foreign statements has nothing to do with their own: the slope of m - n on n is -1,
    # and what is left after the regression is m itself, by construction of the balanced design below.
    matched, negative = np.array([0.5, 0.5, 0.7, 0.7]), np.array([0.05, 0.15, 0.05, 0.15])
    slope = np.polyfit(negative, matched - negative, 1)[0]
    assert slope == pytest.approx(-1.0)

    def residual(shares):
        return contrast(shares) - slope * (shares[1] - negative.mean())

    assert residual(STUFFED) - residual(HONEST) == pytest.approx(0.15)  # .75 - .6: the penalty is gone


def test_the_slope_of_a_task_does_not_know_its_own_score():
    scores, differences = np.array([1.0, 3.0, 5.0, 7.0, 9.0, 0.0]), np.arange(6.0)
    slopes = cross_fitted_slopes(scores, differences)
    changed = cross_fitted_slopes(np.array([1.0, 3.0, 5.0, 7.0, 9.0, 99.0]), differences)
    assert slopes[5] == changed[5] == pytest.approx(2.0)
    assert slopes[0] != changed[0]


def test_slopes_are_those_of_least_squares_on_the_other_tasks():
    rng = np.random.default_rng(5)
    scores, differences = rng.normal(size=9), rng.normal(size=9)
    expected = [np.polyfit(np.delete(differences, g), np.delete(scores, g), 1)[0] for g in range(9)]
    assert cross_fitted_slopes(scores, differences) == pytest.approx(expected)


def test_missing_tasks_tell_nothing_and_few_tasks_tell_no_slope():
    nan = np.nan
    scores, differences = np.array([1.0, 3.0, 5.0, 7.0, 9.0, nan]), np.array([0.0, 1, 2, 3, 4, 9])
    assert cross_fitted_slopes(scores, differences) == pytest.approx([2.0] * 6)
    assert cross_fitted_slopes(scores[:4], differences[:4]).tolist() == [0.0] * 4
    assert cross_fitted_slopes(np.arange(6.0), np.full(6, 0.3)).tolist() == [0.0] * 6


def test_the_correction_takes_the_slope_times_the_base_rate_off():
    # .4 - .5 x 1 and -.1 - .5 x .2, by hand
    found = correct(np.array([0.4, -0.1]), np.array([1.0, 0.2]), 0.5)
    assert found == pytest.approx([-0.1, -0.2])


def test_differences_that_are_alike_to_rounding_tell_no_slope():
    # a third of a million is no binary fraction: the sums of its squares differ by rounding, which is no evidence
    assert cross_fitted_slopes(np.arange(7.0), np.full(7, 1e6 / 3)).tolist() == [0.0] * 7


@pytest.mark.parametrize(("size", "slope"), [(6e-7, 3.0), (4e-7, 0.0)])
def test_differences_below_a_millionth_tell_no_slope(size, slope):
    # the four others of the last task are at +-size, about 0: 4 x size^2 is 1.44e-12 and 6.4e-13; the limit is 1e-12
    differences = size * np.array([1.0, -1.0, 1.0, -1.0, 0.0])
    assert cross_fitted_slopes(3 * differences, differences)[4] == pytest.approx(slope)


def test_five_tasks_are_the_fewest_that_tell_a_slope():
    assert cross_fitted_slopes(2 * np.arange(5.0), np.arange(5.0)) == pytest.approx([2.0] * 5)
    assert cross_fitted_slopes(2 * np.arange(4.0), np.arange(4.0)).tolist() == [0.0] * 4
