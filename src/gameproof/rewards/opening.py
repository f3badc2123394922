"""Make a reward's metric ready: built, prepared on the training set, its direction checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from gameproof.audits.preparing import prepare_for_audit
from gameproof.errors import InputError
from gameproof.files.aliases import list_columns
from gameproof.llm.pool import ModelPool
from gameproof.metrics.base import Metric, missing_before_scoring
from gameproof.metrics.catalogue import MetricLike, build_metrics
from gameproof.rewards.self_check import SelfCheck, check_direction
from gameproof.rewards.settings import Settings
from gameproof.rewards.training_set import TrainingSet

__all__ = ["Opened", "open_metric"]

OF_ITEMS = ("references", "source", "query", "persona", "requirements")
ANY_TEXT = "x"  # a candidate that is there, where only the rest of an item is looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A metric that can score, and what was found while it was made ready."""

    metric: Metric
    models: ModelPool
    check: SelfCheck
    notes: tuple[str, ...]


async def open_metric(wanted: MetricLike, training: TrainingSet, settings: Settings) -> Opened:
    """Prepare a metric once for the whole training: references, negatives, decompositions.

    Raises:
        InputError: The training set lacks what the metric needs, or its direction is unknown or wrong.
    """
    models = ModelPool(settings.llm, cache=settings.cache, limits=settings.limits)
    await models.__aenter__()
    try:
        metric = build_metrics([wanted], seed=settings.seed, llm=models)[0]
        lacking = _check_needs(metric, training)
        prepared = (await prepare_for_audit([metric], training.items))[0]
        check = (
            await check_direction(prepared, training.items)
            if settings.self_check
            else SelfCheck(verified=False, said="direction as declared; the self-check was left out")
        )
    except BaseException:
        await models.__aexit__()
        raise
    told = tuple(map(str, cast("Sequence[object]", getattr(prepared, "notes", ()))))
    return Opened(metric=prepared, models=models, check=check, notes=(*lacking, *told))


def _check_needs(metric: Metric, training: TrainingSet) -> tuple[str, ...]:
    """Refuse a training set that lacks what the metric needs; say how many rows do."""
    notes: list[str] = []
    n = len(training.items)
    for need in OF_ITEMS:
        if need not in metric.needs:
            continue
        wanted = frozenset({need})
        n_without = sum(
            missing_before_scoring(item.with_candidate(ANY_TEXT), wanted) is not None
            for item in training.items
        )
        if n_without == n:
            hint = "Say which column it is: reference='COLUMN'." if need == "references" else None
            raise InputError(
                f"the metric {metric.name} needs {need}, and no row of the training set has any "
                f"(columns: {list_columns(training.columns)}).",
                hint=hint or f"Say which column it is: rename={{{need!r}: 'COLUMN'}}.",
            )
        if n_without:
            notes.append(f"{n_without:,} of {n:,} prompts have no {need}: their completions get no reward")
    return tuple(notes)
