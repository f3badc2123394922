"""Say in words what an audit lets one conclude: a headline, and the reasons in a few sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from gameproof.audits.card import count_coverage
from gameproof.audits.result import AuditResult, CardMark, CheckRow, CorrelationRow, MetricResult
from gameproof.reports.explain import explain_card, join_words
from gameproof.reports.words import MARKS, PROPERTIES, check_title, format_effect

__all__ = [
    "Conclusion",
    "Point",
    "conclude",
    "data_name",
    "mean_within_task",
    "short_name",
    "worst_manipulation",
]

LONGEST_NAME = 60
NAMED = 4  # metrics in one sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One thing that was found, with its term in front."""

    term: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What to conclude."""

    headline: str
    points: tuple[Point, ...]


def conclude(result: AuditResult) -> Conclusion:
    """Sum up an audit for somebody who reads nothing else."""
    points = [*_points(result.metrics), *_gate(result)]
    return Conclusion(headline=_headline(result), points=tuple(points))


def data_name(result: AuditResult) -> str:
    """Return the name of the data as a title has it: without folders and endings, and not too long.

    Example:
        >>> data_name(AuditResult(run={"data": "../rated/summeval.jsonl"}, metrics=()))
        'summeval'
    """
    return short_name(str(result.run.get("data") or "this data"))


def short_name(name: str) -> str:
    """Return the name of data without folders and endings, and not too long."""
    if "/" in name or name.endswith((".jsonl", ".csv", ".json", ".parquet", ".gz", ".tsv")):
        name = PurePath(name).name
        for ending in (".gz", ".jsonl", ".json", ".csv", ".tsv", ".parquet"):
            name = name.removesuffix(ending)
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"


def mean_within_task(metric: MetricResult) -> CorrelationRow | None:
    """Return the correlation that decides whether a metric follows the ratings."""
    rows = (row for row in metric.correlation if row.dimension == "mean" and row.level == "within_task")
    return next(rows, None)


def worst_manipulation(metric: MetricResult) -> CheckRow | None:
    """Return the manipulation with the largest effect; None where none has one."""
    rows = [row for row in metric.checks if row.family == "manipulation" and row.effect is not None]
    return max(rows, key=lambda row: row.effect or 0.0, default=None)


def _headline(result: AuditResult) -> str:
    metrics, data = result.metrics, data_name(result)
    if not metrics:
        return "No metric was audited"
    return _headline_of_one(metrics[0], data) if len(metrics) == 1 else _headline_of_many(metrics, data)


def _headline_of_many(metrics: Sequence[MetricResult], data: str) -> str:
    n = len(metrics)
    trusted, failed = (_with_mark(metrics, mark) for mark in (CardMark.YES, CardMark.NO))
    if len(trusted) == n:
        return f"All {n} metrics can be trusted as a target on {data}"
    if trusted:
        return f"{len(trusted)} of {n} metrics can be trusted as a target on {data}: {_some(trusted)}"
    if len(failed) == n:
        return f"None of the {n} metrics can be trusted as a target on {data}"
    if failed:
        return (
            f"None of the {n} metrics is shown to be a safe target on {data}: "
            f"{len(failed)} {'fails' if len(failed) == 1 else 'fail'}, {n - len(failed)} undecided"
        )
    return f"Nothing failed on {data}, but it cannot show that any of the {n} metrics can be trusted"


def _headline_of_one(metric: MetricResult, data: str) -> str:
    name = metric.metric[:LONGEST_NAME]
    if metric.card.trusted is CardMark.YES:
        return f"{name} can be trusted as a target on {data}"
    if metric.card.trusted is CardMark.NO:
        return f"{name} cannot be trusted as a target on {data}"
    return f"Nothing failed, but {data} cannot show that {name} can be trusted as a target"


def _with_mark(metrics: Sequence[MetricResult], mark: CardMark, name: str = "trusted") -> list[MetricResult]:
    return [metric for metric in metrics if getattr(metric.card, name) is mark]


def _some(metrics: Sequence[MetricResult], notes: Sequence[str] | None = None) -> str:
    """Name a few metrics, each with what is said of it."""
    said = [
        metric.metric[:LONGEST_NAME] + (f" ({notes[number]})" if notes and notes[number] else "")
        for number, metric in enumerate(metrics)
    ]
    if len(said) > NAMED + 1:
        said = [*said[:NAMED], f"{len(said) - NAMED} more"]
    return join_words(said)


def _points(metrics: Sequence[MetricResult]) -> Iterator[Point]:
    for item in PROPERTIES[:-1]:
        failed = _with_mark(metrics, CardMark.NO, item.name)
        if failed:
            yield Point(term=item.failure, sentence=_some(failed, [_worst(one, item.name) for one in failed]))
    undecided = [
        metric for metric in metrics if metric.card.trusted in {CardMark.INCONCLUSIVE, CardMark.NOT_MEASURED}
    ]
    if undecided:
        yield Point(term="undecided", sentence=f"{_some(undecided)}{_what_is_missing(undecided)}")
    best = _best(metrics)
    if best is not None:
        yield best


def _gate(result: AuditResult) -> Iterator[Point]:
    gated = [metric for metric in result.metrics if metric.metric == result.gate]
    if gated and len(result.metrics) > 1:
        mark = MARKS[gated[0].card.trusted]
        yield Point(term="gate", sentence=f"{_some(gated)} alone decides the exit code; trusted: {mark.word}")


def _worst(metric: MetricResult, name: str) -> str:
    """Name the largest fault of a metric in one property."""
    if name == "statistical":
        row = mean_within_task(metric)
        return format_effect(row.rho) if row is not None and row.rho is not None else "constant scores"
    if name == "resistant":
        check = worst_manipulation(metric)
        return "" if check is None else f"{format_effect(check.effect)} by {check_title(check.check)}"
    return ""


def _what_is_missing(metrics: Sequence[MetricResult]) -> str:
    """Say what stands between undecided metrics and trust, where it is the same for most of them."""
    short = [metric for metric in metrics if _lacks_checks(metric)]
    if not short:
        return ""
    coverage = count_coverage(short[0].checks)
    if any(count_coverage(metric.checks) != coverage for metric in short):
        return ": too few checks could run; have the missing rewrites written (--rewriter) or give them (--variants)"
    return (
        f": only {coverage.n_ran} of {coverage.n_applicable} checks could run; have the missing rewrites written "
        "(--rewriter) or give them (--variants)"
    )


def _lacks_checks(metric: MetricResult) -> bool:
    return any(reason.name == "trusted" for reason in explain_card(metric))


def _best(metrics: Sequence[MetricResult]) -> Point | None:
    rated = [
        (row.rho, metric)
        for metric in metrics
        if (row := mean_within_task(metric)) is not None and row.rho is not None
    ]
    if len(rated) < 2:
        return None
    rho, metric = max(rated, key=lambda pair: pair[0])
    trick = worst_manipulation(metric)
    more = ""
    if trick is not None:
        more = f"; the worst trick, {check_title(trick.check)}, moves it by {format_effect(trick.effect)}"
    name = metric.metric[:LONGEST_NAME]
    return Point(
        term="closest to the ratings", sentence=f"{name}, within-task correlation {format_effect(rho)}{more}"
    )
