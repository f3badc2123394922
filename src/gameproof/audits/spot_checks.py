"""Alarms for a column of scores that nobody audits: what it says of itself, and what scoring a few texts more shows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from gameproof.audits.alarms import MISMATCH_KEY, Inspection, inspect, missing_alarm
from gameproof.audits.rescoring import rescore
from gameproof.engine.summary import ScoreSummary
from gameproof.engine.table import MetricScores
from gameproof.errors import BudgetError, EndpointError
from gameproof.metrics.base import Metric
from gameproof.records import IntArray, Item, Scores
from gameproof.seeds import rng_for

__all__ = ["MOST", "Drawn", "SpotChecks", "with_alarms"]

FEWEST, MOST, SHARE = 10, 32, 0.1  # texts that are scored again: a tenth of them, within these
TRIED = 8  # texts that may be of another task
# What these adapters call may ask a model or a server that costs money.
COSTLY = ("autoevals:", "command:", "deepeval:", "http:", "https:", "inspect:", "promptfoo:", "ragas:")
MATCHED = frozenset({"references", "source", "persona", "query"})  # what another task's text does not fit


class SpotChecks(StrEnum):
    """For which metrics some texts are scored again."""

    LOCAL = "local"  # those that ask no model and no server
    ALL = "all"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Texts of a data set and how one metric scored them."""

    items: Sequence[Item]
    scores: Scores
    n_all: int  # texts that they were drawn from


async def with_alarms(
    summary: ScoreSummary, metric: Metric, drawn: Drawn, *, checks: SpotChecks, seed: int
) -> ScoreSummary:
    """Return a summary with its alarms and the facts that they come from.

    Some texts, a tenth of them, 10 to 32, are scored again: in another order and among other texts, and each against
    what belongs to a text of another task. A metric that asks a language model answers its questions anew.

    Args:
        summary: Counts over all texts.
        metric: As it scored them.
        drawn: The texts, or a draw of them where there are many.
        checks: For which metrics texts are scored again.
        seed: Of the draws.
    """
    table = MetricScores(
        metric=summary.metric,
        signature=summary.signature,
        higher_is_better=metric.higher_is_better,
        original=drawn.scores,
        variants={},
    )
    stopped: list[str] = []
    if checks is SpotChecks.ALL or (checks is SpotChecks.LOCAL and not _is_costly(metric)):
        try:
            table = await _score_more(drawn.items, metric, table, seed=seed)
        except (BudgetError, EndpointError) as error:
            stopped.append(f"spot checks stopped: {error.message}")
    found = inspect(drawn.items, table)
    return replace(summary, alarms=(*_alarms(summary, found, drawn), *stopped), facts=found.summary)


def _is_costly(metric: Metric) -> bool:
    return "llm" in metric.needs or metric.name.startswith(COSTLY)


async def _score_more(
    items: Sequence[Item], metric: Metric, table: MetricScores, *, seed: int
) -> MetricScores:
    most = min(MOST, max(FEWEST, int(SHARE * len(items))))
    table = await rescore(items, metric, table, seed=seed, most=most, anew=True)
    if not metric.needs & MATCHED:
        return table
    mismatched = _mismatched(items, table.original, most, seed)
    if not mismatched:
        return table
    return replace(table, variants={**table.variants, MISMATCH_KEY: await metric.score(mismatched)})


def _mismatched(items: Sequence[Item], scores: Scores, most: int, seed: int) -> list[Item]:
    """Give some items the text of another task, inside their group where it has one."""
    rng = rng_for(seed, "mismatched")
    present = np.flatnonzero(~np.isnan(scores.values))
    found: list[Item] = []
    for item in _drawn(items, present, rng):
        others = [other for other in _drawn(items, present, rng, most=TRIED) if other.task_id != item.task_id]
        near = [other for other in others if other.group == item.group]
        if others:
            found.append(item.with_candidate((near or others)[0].candidate))
        if len(found) == most:
            break
    return found


def _drawn(
    items: Sequence[Item], rows: IntArray, rng: np.random.Generator, *, most: int | None = None
) -> list[Item]:
    """Return the items of some rows in random order."""
    return [items[int(row)] for row in rng.permutation(rows)[:most]]


def _alarms(summary: ScoreSummary, found: Inspection, drawn: Drawn) -> list[str]:
    """Return the alarms; what is missing is counted over all texts, the rest over those that were drawn."""
    if drawn.n_all == len(drawn.items):
        return list(found.alarms)
    rest = [alarm for alarm in found.alarms if not alarm.startswith("missing: ")]
    said = f" (of {len(drawn.items):,} texts drawn from {drawn.n_all:,})"
    return [
        *missing_alarm(summary.missing, summary.n + summary.n_missing),
        *(f"{alarm}{said}" for alarm in rest),
    ]
