"""Correct p-values for how many were looked at."""

from collections.abc import Sequence

__all__ = ["holm"]


def holm(pvalues: Sequence[float | None]) -> list[float | None]:
    """Adjust p-values by Holm's step-down method, in the order given.

    An adjusted value at or below alpha is rejected with a chance of at most alpha of any false rejection in
    the family (Holm 1979). Questions without a p-value (None) stay None and are no part of the family.

    Example:
        >>> holm([0.01, None, 0.04, 0.03])
        [0.03, None, 0.06, 0.06]
    """
    asked = sorted((value, place) for place, value in enumerate(pvalues) if value is not None)
    adjusted: list[float | None] = [None] * len(pvalues)
    largest = 0.0
    for step, (value, place) in enumerate(asked):
        largest = max(largest, min(1.0, (len(asked) - step) * value))
        adjusted[place] = largest
    return adjusted
