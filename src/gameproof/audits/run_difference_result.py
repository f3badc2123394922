"""What changed between two runs, as values: the shape of what ``compare --json`` prints."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gameproof.audits.result import CardMark
from gameproof.stats.results import State, Verdict

__all__ = [
    "EXIT_UNCLEAR",
    "EXIT_WORSE",
    "Change",
    "CheckChange",
    "CorrelationChange",
    "MetricChange",
    "PropertyChange",
    "RunDifference",
]

COMPARISON_SCHEMA = "gameproof.compare/1"
EXIT_SAME, EXIT_WORSE, EXIT_UNCLEAR = 0, 3, 4

Change = Literal["same", "better", "worse", "unclear"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyChange:
    """One question of the card, before and after."""

    name: str
    before: CardMark
    after: CardMark
    change: Change  # "unclear" where it is not measured on one side

    @property
    def is_worse(self) -> bool:
        """Say whether it fails now and did not before, or was trusted and no longer is."""
        fails_now = self.after is CardMark.NO and self.before in {CardMark.YES, CardMark.INCONCLUSIVE}
        return fails_now or (
            self.name == "trusted" and self.before is CardMark.YES and self.after is not CardMark.YES
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckChange:
    """One check, before and after."""

    check: str
    family: str
    expect: str
    verdict_before: Verdict | None
    verdict_after: Verdict | None
    state_before: State | None
    state_after: State | None
    change: Change  # of the verdict
    effect_before: float | None  # as each run reported it
    effect_after: float | None
    n: int  # texts whose original and variant both runs have scored, with the same words
    difference: float | None  # of the effects on these texts, after minus before
    low: float | None  # 95% interval, tasks as the unit
    high: float | None
    pvalue: float | None  # of "no difference", two-sided
    pvalue_adjusted: float | None  # Holm within the metric
    detail: str | None = None  # why there is no difference


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelationChange:
    """One correlation with ratings, before and after, on the texts that both runs scored."""

    dimension: str
    level: str
    before: float | None
    after: float | None
    difference: float | None
    low: float | None  # percentile interval over resampled tasks, both runs on the same resamples
    high: float | None
    n: int
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricChange:
    """One metric before and after."""

    metric: str
    metric_after: str  # the same name, unless two names were paired
    signature_before: str
    signature_after: str
    n: int  # originals that both runs scored
    n_changed: int  # of them, with another score
    spearman: float | None  # of the two columns of scores
    properties: tuple[PropertyChange, ...]
    checks: tuple[CheckChange, ...]
    correlations: tuple[CorrelationChange, ...]

    @property
    def changed_checks(self) -> tuple[CheckChange, ...]:
        """Return the checks whose verdict changed."""
        return tuple(check for check in self.checks if check.change != "same")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDifference:
    """Two runs."""

    before: Mapping[str, object]  # as in `AuditResult.run`
    after: Mapping[str, object]
    n_shared: int  # texts that both runs have, word for word
    metrics: tuple[MetricChange, ...]
    only_before: tuple[str, ...]  # metrics without a counterpart
    only_after: tuple[str, ...]
    notes: tuple[str, ...]
    schema: str = COMPARISON_SCHEMA

    @property
    def worse(self) -> tuple[tuple[str, PropertyChange], ...]:
        """Return what is shown to fail now and was not before, and what was trusted and no longer is."""
        return tuple(
            (metric.metric, item) for metric in self.metrics for item in metric.properties if item.is_worse
        )

    @property
    def unclear(self) -> tuple[tuple[str, PropertyChange], ...]:
        """Return what was shown before, and is now neither shown to hold nor to fail."""
        return tuple(
            (metric.metric, item)
            for metric in self.metrics
            for item in metric.properties
            if item.before is CardMark.YES and item.after is not CardMark.YES and not item.is_worse
        )

    @property
    def exit_code(self) -> int:
        """Return 3 if something got worse, 4 if something can no longer be shown or told, else 0."""
        if self.worse:
            return EXIT_WORSE
        return EXIT_UNCLEAR if self.unclear or self.only_before else EXIT_SAME

    def __str__(self) -> str:
        """Show what changed as plain text."""
        # How results look is known a layer above this one; it is looked up when somebody prints.
        return str(importlib.import_module("gameproof.reports.run_difference_text").difference_text(self))
