"""Evidence at its edges, by hand."""

import math

import numpy as np
import pytest

from gameproof.errors import InputError
from gameproof.stats.sequential import evidence, first_settled


def _by_formula(values, g):
    n = len(values)
    t2 = n * np.mean(values) ** 2 / np.var(values, ddof=1)
    ratio = (1 + t2 / (n - 1)) / (1 + t2 / ((n - 1) * (1 + n * g)))
    return (1 + n * g) ** -0.5 * ratio ** (n / 2)


@pytest.mark.parametrize("g", [0.25, 1.0])
def test_evidence_is_the_formula_of_the_docstring_at_every_look(g):
    values = np.random.default_rng(3).normal(0.5, 1.0, 20)
    found = evidence(values, effect_variance=g)
    assert found[:7].tolist() == [1.0] * 7
    assert found[7:] == pytest.approx([_by_formula(values[:n], g) for n in range(8, 21)])


def test_rows_are_looked_at_one_by_one():
    values = np.random.default_rng(3).normal(0.5, 1.0, (3, 12))
    assert evidence(values) == pytest.approx(np.stack([evidence(row) for row in values]))


def test_overwhelming_evidence_is_infinite_without_a_warning():
    # t^2 of 1e3 tasks at 1 +- 1e-4 makes a ratio of 1 + n g to the power 500: log is 500 x 5.5 > 709.
    values = 1.0 + 1e-4 * np.random.default_rng(0).normal(size=1_000)
    assert evidence(values)[-1] == math.inf


def test_a_share_of_rounding_is_no_spread_and_a_little_more_is_one():
    # Eight values of 1 with a wobble: sum of squares about the mean below 1e-12 of the sum of squares is none.
    wobble = np.tile([1.0, -1.0], 4)
    assert evidence(1.0 + 1e-7 * wobble)[-1] == math.inf
    assert evidence(1.0 + 1e-5 * wobble)[-1] < math.inf


def test_the_first_look_that_settles_is_counted_from_one():
    values = np.random.default_rng(4).normal(1.0, 1.0, 60)
    found = evidence(values)
    for alpha in (0.05, 0.001):
        n = first_settled(values, alpha=alpha)
        assert found[n - 1] >= 1 / alpha
        assert (found[: n - 1] < 1 / alpha).all()


def test_evidence_of_exactly_one_over_alpha_settles():
    values = np.random.default_rng(4).normal(1.0, 1.0, 20)
    assert (
        first_settled(values, alpha=1 / float(evidence(values).max())) == int(evidence(values).argmax()) + 1
    )


def test_the_refusal_names_the_argument():
    for bad in (0.0, -1.0):
        with pytest.raises(InputError, match=r"^effect_variance: expected a number above 0\.$"):
            evidence(np.ones(3), effect_variance=bad)
    assert evidence(np.arange(9.0), effect_variance=0.5).shape == (9,)
