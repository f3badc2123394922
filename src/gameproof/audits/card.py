"""The card: five questions about one metric, and the exit code they lead to."""

from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.audits.checks import ALPHA, GATE, MIN_RHO, MIN_RUN_SHARE, MIN_TASKS, lacks_too_much
from gameproof.audits.result import Card, CardMark, CheckRow, CorrelationRow, MetricResult
from gameproof.errors import InputError
from gameproof.stats.results import State, Verdict

__all__ = [
    "EXIT_FAILED",
    "EXIT_INCONCLUSIVE",
    "EXIT_TRUSTED",
    "Coverage",
    "count_coverage",
    "exit_code",
    "has_no_score",
    "make_card",
]

EXIT_TRUSTED = 0
EXIT_FAILED = 3
EXIT_INCONCLUSIVE = 4

CONSTANT_SCORES = "constant scores"  # how a correlation says that the metric tells nothing apart
FAILED = frozenset({Verdict.FAIL, Verdict.WRONG_WAY})


def make_card(checks: Sequence[CheckRow], correlation: Sequence[CorrelationRow]) -> Card:
    """Answer the five questions from a metric's rows.

    Statistically aligned: the within-task correlation (mean over dimensions) is at least .10 and its
    interval lies above 0. Sensitive: every degradation that was measured passes. Resistant: every
    manipulation passes by its raw p-value, an intersection-union test. Satisfied: every reader test passes.
    In each, a failure fails; else anything undecided leaves it inconclusive. Trusted: every measured
    property holds, and at least half of the applicable checks ran, extra probes not counted.
    """
    strategic = [row for row in checks if row.suite != "satisfaction"]
    degradations = [row for row in strategic if row.family == "degradation"]
    manipulations = [row for row in strategic if row.family == "manipulation"]
    statistical = _statistical(correlation)
    sensitive = _all_pass(degradations)
    resistant = _resistant(manipulations, degradations)
    satisfied = _all_pass([row for row in checks if row.suite == "satisfaction"])
    return Card(
        statistical=statistical,
        sensitive=sensitive,
        resistant=resistant,
        satisfied=satisfied,
        trusted=_trusted([statistical, sensitive, resistant, satisfied], checks),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many of the checks that make sense for the texts could run, extra probes left out."""

    n_ran: int
    n_applicable: int


def count_coverage(checks: Sequence[CheckRow]) -> Coverage:
    """Count the checks that reached a verdict among those that make sense for the texts.

    Extra probes do not count: they need no language model, so a metric would seem well examined although none
    of the rewrites that games are made of was tried.
    """
    core = [row for row in checks if not row.extra]
    n_ran = sum(row.verdict is not None for row in core)
    missed = sum(row.state is State.NOT_MEASURED and row.expect != "none" for row in core)
    return Coverage(n_ran=n_ran, n_applicable=n_ran + missed)


def exit_code(results: Sequence[MetricResult], gate: str | None = None) -> int:
    """Return 0 if every metric is trusted, 3 if a property of one failed, 2 if one scored no text at all, else 4.

    Args:
        results: The metrics of an audit.
        gate: Let only the metric of this name decide.
    """
    judged = [result for result in results if gate is None or result.metric == gate]
    marks = [result.card.trusted for result in judged]
    if CardMark.NO in marks:
        return EXIT_FAILED
    if any(map(has_no_score, judged)):
        return InputError.exit_code  # a metric that cannot be used is no metric that nothing is shown of
    return EXIT_TRUSTED if marks and set(marks) == {CardMark.YES} else EXIT_INCONCLUSIVE


def has_no_score(result: MetricResult) -> bool:
    """Say whether a metric gave no score for any original."""
    return result.summary.get("n") == 0


def _statistical(correlation: Sequence[CorrelationRow]) -> CardMark:
    rows = [row for row in correlation if row.level == "within_task" and row.dimension == "mean"]
    if not rows:
        return CardMark.NOT_MEASURED
    row = rows[0]
    if row.rho is None:
        constant = (row.state_detail or "").startswith(CONSTANT_SCORES)  # the metric's own doing
        return CardMark.NO if constant else CardMark.NOT_MEASURED
    if row.low is not None and row.low > 0 and row.rho >= MIN_RHO:
        return CardMark.YES
    shown_to_be_weak = row.high is not None and row.high < MIN_RHO
    return CardMark.NO if shown_to_be_weak else CardMark.INCONCLUSIVE


def _all_pass(rows: Sequence[CheckRow]) -> CardMark:
    verdicts = [row.verdict for row in rows if row.verdict is not None]
    if not verdicts:
        return CardMark.NOT_MEASURED
    if any(verdict in FAILED for verdict in verdicts):
        return CardMark.NO
    return CardMark.YES if set(verdicts) == {Verdict.PASS} else CardMark.INCONCLUSIVE


def _resistant(manipulations: Sequence[CheckRow], degradations: Sequence[CheckRow]) -> CardMark:
    """Combine manipulations: to resist them all, each must resist by itself, so no correction is needed."""
    mark = _all_pass(manipulations)
    if mark is not CardMark.INCONCLUSIVE or not _gate_met([*manipulations, *degradations]):
        return mark
    decided = [row for row in manipulations if row.verdict is not None]
    holds = all(row.verdict is Verdict.PASS or _passes_uncorrected(row) for row in decided)
    return CardMark.YES if holds else CardMark.INCONCLUSIVE


def _gate_met(rows: Sequence[CheckRow]) -> bool:
    passed = any(row.family == "manipulation" and row.verdict is Verdict.PASS for row in rows)
    gate = [row for row in rows if row.check == GATE and not lacks_too_much(row.n, row.n_missing)]
    return passed or any(row.pvalue_margin is not None and row.pvalue_margin <= ALPHA for row in gate)


def _passes_uncorrected(row: CheckRow) -> bool:
    """Say whether only the correction for many checks stands between a manipulation and its pass."""
    return (
        row.verdict is Verdict.INCONCLUSIVE
        and row.pvalue_margin is not None
        and row.pvalue_margin <= ALPHA
        and row.n_tasks >= MIN_TASKS
        and not lacks_too_much(row.n, row.n_missing)
    )


def _trusted(marks: Sequence[CardMark], checks: Sequence[CheckRow]) -> CardMark:
    measured = [mark for mark in marks if mark is not CardMark.NOT_MEASURED]
    if CardMark.NO in measured:
        return CardMark.NO
    coverage = count_coverage(checks)
    enough = coverage.n_ran > 0 and coverage.n_ran >= MIN_RUN_SHARE * coverage.n_applicable
    holds = bool(measured) and all(mark is CardMark.YES for mark in measured)
    return CardMark.YES if enough and holds else CardMark.INCONCLUSIVE
