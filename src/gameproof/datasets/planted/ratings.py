"""Planted ratings: a separate, noisy utility, never the oracle's table."""

from collections.abc import Sequence
from math import exp

from gameproof.datasets.planted.draws import Draws
from gameproof.datasets.planted.truth import BLAME, CREDIT, FactState, Truth

__all__ = ["DIMENSIONS", "RATERS", "draw_importances", "rate"]

DIMENSIONS = ("quality", "accuracy")
RATERS = ("planted-1", "planted-2", "planted-3")
RATER_BIAS = (-0.05, 0.0, 0.07)  # how mild each rater is, in parts of the scale
RATER_NOISE = (0.18, 0.22, 0.26)  # standard deviations, in parts of the scale
TASTE_NOISE = 0.11  # what all raters share and no fact explains
SATURATION = 2.2  # diminishing returns: the first facts are worth most
FREE_WORDS, LENGTH_COST = 60, 0.0018  # each word beyond the free ones costs this part of the scale
WRONG_COST = 0.35
FLOOR = 0.08  # what a text without any fact is worth
POINTS = 5  # marks are 1 to 5


def draw_importances(n_facts: int, draws: Draws) -> tuple[float, ...]:
    """Draw what readers care about in a task: weights of its facts, summing to one."""
    raw = [0.4 + 1.6 * draws.uniform() ** 2 for _ in range(n_facts)]
    return tuple(weight / sum(raw) for weight in raw)


def rate(truth: Truth, importances: Sequence[float], draws: Draws) -> dict[str, dict[str, float]]:
    """Return every rater's marks of a candidate: rater, then dimension, then a mark from 1 to 5."""
    utilities = {"quality": _quality(truth, importances), "accuracy": _accuracy(truth)}
    taste = TASTE_NOISE * draws.normal()
    marks: dict[str, dict[str, float]] = {}
    for rater, bias, noise in zip(RATERS, RATER_BIAS, RATER_NOISE, strict=True):
        marks[rater] = {
            dimension: _mark(utilities[dimension] + taste + bias + noise * draws.normal())
            for dimension in DIMENSIONS
        }
    return marks


def _quality(truth: Truth, importances: Sequence[float]) -> float:
    gained = sum(
        weight * CREDIT.get(state, 0.0) for weight, state in zip(importances, truth.states, strict=True)
    )
    blamed = sum(
        weight * BLAME.get(state, 0.0) for weight, state in zip(importances, truth.states, strict=True)
    )
    length = LENGTH_COST * max(truth.n_words - FREE_WORDS, 0)
    return FLOOR + (1 - exp(-SATURATION * gained)) - WRONG_COST * blamed - length


def _accuracy(truth: Truth) -> float:
    stated = len(truth.states) - truth.count(FactState.OMITTED)
    if stated == 0:
        return 0.5
    credit = sum(CREDIT.get(state, 0.0) for state in truth.states)
    return 0.1 + 0.75 * credit / stated


def _mark(utility: float) -> float:
    return float(min(max(round(1 + (POINTS - 1) * utility), 1), POINTS))
