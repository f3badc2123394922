"""What an audit found, as values: the shape of ``result.json``."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gameproof.stats.results import Interval, Note, State, Verdict

__all__ = [
    "AuditResult",
    "Card",
    "CardMark",
    "CheckRow",
    "CorrelationRow",
    "Cost",
    "ExchangeRate",
    "LevelRow",
    "MetricResult",
    "SentenceRatio",
]

RESULT_SCHEMA = "gameproof.result/1"


class CardMark(StrEnum):
    """The answer to one question of the card."""

    YES = "yes"
    NO = "no"
    INCONCLUSIVE = "inconclusive"
    NOT_MEASURED = "not_measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelationRow:
    """Spearman correlation of a metric with one rating dimension at one level."""

    dimension: str  # a rating's name, or "mean" for the mean over dimensions
    level: str  # "pooled", "within_task" or "system"
    rho: float | None
    low: float | None  # task-clustered bootstrap interval, 95%
    high: float | None
    n: int  # items (pooled), tasks (within_task) or systems (system) that entered
    state: State | None = None
    state_detail: str | None = None  # "constant scores", "fewer than 3 systems" ...
    ceiling: float | None = None  # one rater against the mean of the others, same dimension and level
    n_tied: float | None = None  # share of items that share their score with another item


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeRate:
    """Change under the manipulation plus lambda times the change under losing one sentence."""

    value: float
    interval: Interval
    verdict: Verdict  # pass if it is shown to be below 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRow:
    """One level of a ladder."""

    level: int
    n: int  # texts with a score
    mean: float | None  # score
    effect: float | None = None  # change from the originals by s_av, text by text, where it was inferred
    low: float | None = None
    high: float | None = None
    pvalue_inside: float | None = None  # of "the effect is within .20", not corrected


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceRatio:
    """A change in units of what deleting one random sentence costs: -1 is a drop as large."""

    value: float
    low: float | None
    high: float | None
    verdict: Verdict  # pass if it is shown to lie within half a sentence, fail if shown to lie outside


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow:
    """One check of one metric."""

    check: str  # perturbation name
    family: str  # degradation, manipulation, ladder, crossing, probe
    expect: str  # decrease, no_increase, increase, stable, none
    suite: str
    extra: bool = (
        False  # a probe beyond the papers' principles: it can fail a metric, but does not count as coverage
    )
    effect: float | None  # standardised mean difference by s_av; for ladders the mean slope, standardised
    low: float | None
    high: float | None
    effect_original: float | None = None  # SMD by the originals' standard deviation
    pvalue_zero: float | None = None
    pvalue_zero_adjusted: float | None = None  # Holm within metric and data set
    pvalue_margin: float | None = None
    pvalue_margin_adjusted: float | None = None
    verdict: Verdict | None = None
    note: Note | None = None
    state: State | None = None
    detail: str | None = None  # one sentence where verdict and state need words
    parity_verdict: str | None = None  # the papers' rule: "pass", "fail", or "undefined"
    parity_low: float | None = None  # the papers' interval: d +- t * sd(diff)/(sqrt(n) s_av)
    parity_high: float | None = None
    parity_pvalue: float | None = None  # two-sided paired t
    sign_flip_pvalue: float | None = None  # two-sided sign-flip on task means: robustness only
    n: int = 0  # pairs that entered
    n_tasks: int = 0
    n_missing: int = 0
    missing: Mapping[str, int] = field(default_factory=dict[str, int])  # reason -> count
    smallest_detectable: float | None = None  # SMD this data would show with 80% power
    rho: float | None = None  # ladders: the papers' rho
    match_rate: float | None = None  # ladders: the papers' M
    share_right: float | None = None  # ladders: share of documents that move the expected way
    share_low: float | None = None
    share_high: float | None = None
    artefacts: tuple[str, ...] = ()  # ladders: what is wrong with rho and M here
    levels: tuple[LevelRow, ...] = ()  # ladders: level by level, the originals among them
    exchange: ExchangeRate | None = None
    beyond_length: ExchangeRate | None = (
        None  # distractors: change minus that under as many words of its own again
    )
    sentence_ratio: SentenceRatio | None = None  # lengths: of the level that is shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The answers to the five questions of the card."""

    statistical: CardMark
    sensitive: CardMark
    resistant: CardMark
    satisfied: CardMark
    trusted: CardMark


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What scoring asked of models."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricResult:
    """Everything an audit says about one metric."""

    metric: str
    signature: str
    higher_is_better: bool
    card: Card
    correlation: tuple[CorrelationRow, ...] = ()
    checks: tuple[CheckRow, ...] = ()
    alarms: tuple[str, ...] = ()
    cost: Cost = Cost()
    summary: Mapping[str, float | None] = field(default_factory=dict[str, float | None])
    # `summary`: n, n_missing, mean, sd, distinct, tie_share, floor (mean on mismatched pairs),
    # rho_length (Spearman with candidate length), seconds (scoring time of this run)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditResult:
    """One audit: the run, and a result for each metric."""

    run: Mapping[str, object]  # data, n_items, n_tasks, n_groups, seed, margin, suite, gate, version ...
    metrics: tuple[MetricResult, ...]
    schema: str = RESULT_SCHEMA

    @property
    def gate(self) -> str | None:
        """The metric that alone decides the exit code; None where all of them do, as in runs of before."""
        gate = self.run.get("gate")
        return gate if isinstance(gate, str) else None

    def __str__(self) -> str:
        """Show the verdicts and their reasons as plain text."""
        return str(importlib.import_module("gameproof.reports.terminal").verdicts_text(self))

    def _repr_html_(self) -> str:
        """Show the verdicts as a table in a notebook."""
        # How results look is known a layer above this one; it is looked up when a notebook asks.
        return str(importlib.import_module("gameproof.reports.notebook").html_table(self))
