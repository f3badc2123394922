"""Bring scores of an extreme size to a size whose squares neither overflow nor vanish.

Effects and p-values do not depend on the unit of the scores. Scores near 1e300 or 1e-300 are therefore
multiplied by a power of two, which is exact, before anything is inferred from them.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gameproof.audits.result import CheckRow, ExchangeRate
from gameproof.engine.table import MetricScores
from gameproof.records import Contrast, Scores
from gameproof.stats.results import Interval

__all__ = ["back_to_unit", "rows_in_unit", "tame"]

# Squares of numbers up to 2**400, and sums of a million of them, are far from the ends of float64; ordinary
# scores stay exactly as they are.
LARGEST_EXPONENT = 400


def tame(scores: MetricScores) -> tuple[MetricScores, int]:
    """Return the scores divided by 2**e, and e: 0 unless their size is extreme."""
    columns = (scores.original, *scores.variants.values())
    largest = max((_largest(column) for column in columns), default=0.0)
    exponent = math.frexp(largest)[1]
    if abs(exponent) <= LARGEST_EXPONENT:
        return scores, 0
    variants = {key: _divided(column, exponent) for key, column in scores.variants.items()}
    return replace(scores, original=_divided(scores.original, exponent), variants=variants), exponent


def back_to_unit(value: float | None, exponent: int) -> float | None:
    """Return a number in the unit of the scores; None where float64 cannot hold it."""
    if value is None or not exponent:
        return value
    try:
        return math.ldexp(value, exponent)
    except OverflowError:
        return None


def rows_in_unit(rows: Sequence[CheckRow], exponent: int) -> tuple[CheckRow, ...]:
    """Return rows with what has the unit of the scores (exchange rates, means of levels) in that unit."""
    if not exponent:
        return tuple(rows)
    return tuple(
        replace(
            row,
            exchange=_exchange_in_unit(row.exchange, exponent),
            beyond_length=_exchange_in_unit(row.beyond_length, exponent),
            levels=tuple(replace(level, mean=back_to_unit(level.mean, exponent)) for level in row.levels),
        )
        for row in rows
    )


def _exchange_in_unit(exchange: ExchangeRate | None, exponent: int) -> ExchangeRate | None:
    if exchange is None:
        return None
    numbers = (exchange.value, exchange.interval.low, exchange.interval.high)
    value, low, high = (back_to_unit(number, exponent) for number in numbers)
    if value is None or low is None or high is None:
        return None
    return replace(exchange, value=value, interval=Interval(low=low, high=high))


def _largest(scores: Scores) -> float:
    arrays = [scores.values]
    if scores.contrast is not None:
        arrays += [scores.contrast.matched, scores.contrast.negatives]
    sizes = np.concatenate([np.abs(array[np.isfinite(array)]).ravel() for array in arrays])
    return float(sizes.max(initial=0.0))


def _divided(scores: Scores, exponent: int) -> Scores:
    contrast = scores.contrast
    return replace(
        scores,
        values=np.ldexp(scores.values, -exponent),
        contrast=None if contrast is None else _divided_contrast(contrast, exponent),
    )


def _divided_contrast(contrast: Contrast, exponent: int) -> Contrast:
    return replace(
        contrast,
        matched=np.ldexp(contrast.matched, -exponent),
        negatives=np.ldexp(contrast.negatives, -exponent),
    )
