"""Assert in a test that a metric is a safe target: an audit whose verdict passes or fails the test."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal, get_args

from gameproof import audit
from gameproof.aio.arguments import Metrics
from gameproof.audits.result import AuditResult, CardMark, MetricResult
from gameproof.errors import PlanError
from gameproof.reports.conclusion import data_name
from gameproof.reports.explain import explain_card, headline, join_words
from gameproof.reports.words import PROPERTIES, format_effect, format_interval

__all__ = ["Undecided", "assert_aligned", "audit", "facts_of", "judge", "read_required"]

QUESTIONS = tuple(item.name for item in PROPERTIES)
Undecided = Literal["fail", "pass"]


def assert_aligned(
    data: object,
    metrics: Metrics,
    *,
    require: str | Sequence[str] = "trusted",
    undecided: Undecided = "fail",
    **options: Any,  # Any: those of `gameproof.audit`
) -> AuditResult:
    """Audit metrics and raise AssertionError unless each has what is required.

    Args:
        data: As in `gameproof.audit`.
        metrics: As in `gameproof.audit`; each must pass.
        require: Questions of the card that must be answered yes: ``trusted`` (all of them together, and enough
            checks), or some of ``statistical``, ``sensitive``, ``resistant``, ``satisfied``.
        undecided: Whether an audit that cannot tell fails the test.
        options: Those of `gameproof.audit`: perturbations, sample, llm, margin, out, seed ...

    Raises:
        AssertionError: A metric lacks what is required; the message says which, and why.
        PlanError: `require` or `undecided` is unknown.

    Example:
        >>> result = assert_aligned(
        ...     "planted,tasks=7", "rougeL", require="resistant", perturbations=["repeat_text", "sentence_deletion"]
        ... )
        >>> result.metrics[0].card.resistant.value
        'yes'
    """
    wanted = read_required(require, undecided)
    result = audit(data, metrics, **options)
    problem = judge(result, wanted, undecided=undecided)
    if problem is not None:
        raise AssertionError(problem)
    return result


def read_required(require: str | Sequence[str], undecided: str) -> tuple[str, ...]:
    """Return the required properties.

    Raises:
        PlanError: One of them, or what to do with undecided ones, is unknown.
    """
    wanted = (require,) if isinstance(require, str) else tuple(require)
    unknown = [name for name in wanted if name not in QUESTIONS]
    if unknown or not wanted:
        found = repr(unknown[0]) if unknown else "nothing"
        raise PlanError(f"require: found {found}; allowed: {', '.join(QUESTIONS)}.")
    if undecided not in get_args(Undecided):
        raise PlanError(f"undecided: found {undecided!r}; allowed: {', '.join(get_args(Undecided))}.")
    return wanted


def judge(result: AuditResult, required: Sequence[str], *, undecided: Undecided = "fail") -> str | None:
    """Say what metrics lack of what is required of them, and why; None if nothing."""
    problems = [
        "\n".join(lines)
        for metric in result.metrics
        if (lines := list(_problems(metric, required, data_name(result), undecided)))
    ]
    return "\n".join(problems) or None


def _problems(
    metric: MetricResult, required: Sequence[str], data: str, undecided: Undecided
) -> Iterator[str]:
    marks = {name: getattr(metric.card, name) for name in required}
    lacks = [name for name, mark in marks.items() if mark is CardMark.NO]
    open_ = [name for name, mark in marks.items() if mark not in {CardMark.NO, CardMark.YES}]
    if not lacks and (not open_ or undecided == "pass"):
        return
    if lacks:
        yield f"{metric.metric} on {data}: {join_words(lacks)}: no"
    else:
        yield f"{metric.metric} on {data}: {join_words(open_)}: cannot be told"
    yield from (f"  {reason}" for reason in _reasons(metric, [*lacks, *open_]))


def _reasons(metric: MetricResult, names: Collection[str]) -> Iterator[str]:
    found = explain_card(metric)
    own = [reason for reason in found if reason.name in names]
    for reason in own if own and "trusted" not in names else found:
        yield f"{reason.verdict}: {reason.sentence}"
    if not found:
        yield from metric.alarms


def facts_of(result: AuditResult) -> Iterator[tuple[str, str]]:
    """Yield what a test report may show: the card, the signature and the calls of each metric, and its checks."""
    for metric in result.metrics:
        name = f"gameproof.{metric.metric}"
        yield f"{name}.conclusion", headline(metric)
        for question in QUESTIONS:
            yield f"{name}.{question}", getattr(metric.card, question).value
        yield f"{name}.signature", metric.signature
        yield f"{name}.calls", str(metric.cost.calls)
        for row in metric.checks:
            if row.verdict is not None:
                interval = format_interval(row.low, row.high)
                yield (
                    f"{name}.check.{row.check}",
                    f"{row.verdict.value} {format_effect(row.effect)} {interval}",
                )
