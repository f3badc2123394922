"""Metric objects of other people's making: what they return is checked before anything is computed from it."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from gameproof.errors import BudgetError, EndpointError, InputError, SpecError
from gameproof.metrics.base import STRANGERS_FAILURES, Metric, failure_reason, own_copy, scores_from
from gameproof.records import Contrast, FloatArray, Item, Scores

__all__ = ["welcome"]

OWN_PACKAGE = "gameproof"
FACTS = (("name", str, "text"), ("higher_is_better", bool, "True or False"), ("needs", AbstractSet, "a set"))
CONTRACT = "`score` returns `Scores` with a finite number, or NaN with a reason, for each item."


@dataclass(frozen=True, slots=True, kw_only=True)
class _GuestMetric:
    """A metric object that keeps its name and its numbers; what is not as it must be becomes an error."""

    inner: Metric
    name: str
    needs: frozenset[str]
    higher_is_better: bool

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what the metric says about the data, if it says anything."""
        return tuple(map(str, cast("Sequence[object]", getattr(self.inner, "notes", ()))))

    def signature(self) -> str:
        return str(self.inner.signature())

    async def prepare(self, pool: Sequence[Item]) -> "_GuestMetric":
        try:
            prepared = cast("object", await self.inner.prepare([own_copy(item) for item in pool]))
        except (EndpointError, BudgetError):
            raise
        except STRANGERS_FAILURES as error:
            raise InputError(f"the metric {self.name} cannot prepare: {failure_reason(error)}.") from error
        if not isinstance(prepared, Metric):
            raise InputError(
                f"the metric {self.name}: `prepare` returned {type(prepared).__name__}, not a metric.",
                hint="Return the metric to score with, at least `self`.",
            )
        return replace(self, inner=prepared)

    async def score(self, items: Sequence[Item]) -> Scores:
        try:
            found = cast("object", await self.inner.score([own_copy(item) for item in items]))
        except (EndpointError, BudgetError):
            raise  # no further call can work
        except STRANGERS_FAILURES as error:
            return scores_from(self.signature(), items, [failure_reason(error)] * len(items))
        if not isinstance(found, Scores):
            raise self._broken(f"`score` returned {type(found).__name__}, not Scores")
        try:
            return self._checked(found, tuple(item.id for item in items))
        except (TypeError, ValueError, AttributeError) as error:
            raise self._broken(f"what `score` returned cannot be read ({failure_reason(error)})") from error

    def _checked(self, found: Scores, ids: tuple[str, ...]) -> Scores:
        """Return the scores in the order of the items, NaN exactly where there is a reason."""
        if sorted(found.item_ids) != sorted(ids):
            raise self._broken(f"`score` returned {len(found.item_ids):,} scores that are not of its items")
        values = self._column(found.values, len(ids))
        if found.contrast is not None:
            self._check_contrast(found.contrast, len(ids))
        place_of = {item_id: place for place, item_id in enumerate(found.item_ids)}
        scores = replace(found, values=values).take([place_of[item_id] for item_id in ids])
        reasons = {item_id: str(reason) for item_id, reason in scores.reasons.items()}
        for item_id, value in zip(ids, scores.values.tolist(), strict=True):
            if not np.isfinite(value):
                reasons.setdefault(item_id, f"the metric returned {value}")
        missing = np.array([item_id in reasons for item_id in ids], dtype=np.bool_)
        return replace(
            scores,
            signature=self.signature(),
            values=np.where(missing, np.nan, scores.values),
            reasons=reasons,
        )

    def _column(self, values: object, n_items: int) -> FloatArray:
        try:
            column = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise self._broken("the values of `score` are not numbers") from error
        if column.shape != (n_items,):
            raise self._broken(f"the values of `score` have the shape {column.shape}, not ({n_items},)")
        return column

    def _check_contrast(self, contrast: Contrast, n_items: int) -> None:
        shape = contrast.negatives.shape
        fits = (
            len(shape) == 2
            and shape[0] == n_items
            and contrast.negative_tasks.shape == shape
            and contrast.matched.shape == (n_items,)
        )
        if not fits or contrast.negative_tasks.max(initial=-1) >= len(contrast.tasks):
            raise self._broken("the contrast of `score` does not fit its items")

    def _broken(self, what: str) -> InputError:
        return InputError(f"the metric {self.name}: {what}.", hint=CONTRACT)


def welcome(metric: Metric) -> Metric:
    """Return a metric that can be relied on: our own as they are, a guest behind checks.

    Raises:
        SpecError: Its name, signature, needs or direction is not what it must be.
    """
    if type(metric).__module__.partition(".")[0] == OWN_PACKAGE:
        return metric
    for fact, kind, allowed in FACTS:
        value = cast("object", getattr(metric, fact))
        if not isinstance(value, kind):
            raise SpecError(f"{fact}: found {type(value).__name__}; allowed: {allowed}")
    try:
        signature = cast("object", metric.signature())
    except STRANGERS_FAILURES as error:
        raise SpecError(f"signature: found {failure_reason(error)}; allowed: text") from error
    if not isinstance(signature, str):
        raise SpecError(f"signature: found {type(signature).__name__}; allowed: text")
    return _GuestMetric(
        inner=metric,
        name=metric.name,
        needs=frozenset(metric.needs),
        higher_is_better=metric.higher_is_better,
    )
