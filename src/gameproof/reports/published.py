"""Put published values beside measured ones: the same data set, metric and check, never in one column."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gameproof.audits.result import AuditResult, CheckRow, CorrelationRow, MetricResult
from gameproof.datasets.loaders.table import PUBLIC
from gameproof.datasets.published import PublishedValue, names_of_metric, values
from gameproof.reports.markdown_text import markdown_table, safe_markdown
from gameproof.reports.tables import Table
from gameproof.reports.words import check_title, format_effect, format_interval

__all__ = ["Beside", "published_beside", "published_markdown", "published_table", "why_none"]

EFFECTS = frozenset({"p1_table10_degradation_smd", "p1_table11_manipulation_smd"})
CORRELATIONS = "p1_table06_human_correlation"
FLAGS = frozenset({"p1_table07_degradation_failures", "p1_table08_manipulation_failures"})
# What table 6 correlates with: SummEval's is the mean over dimensions, the others have one rating each.
MEAN = "mean"
POOLED = "pooled"
RATINGS = "correlation with ratings"
LABEL = (
    "Measured is what stands under 'here'; what stands under 'published' was copied from the paper and not measured. The paper "
    "used about 200 texts of each data set, one reference, and models of its own, so equal numbers are not expected."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """One measured value, and the published one of the same data set, metric and check."""

    metric: str
    check: str | None  # None: the correlation with ratings
    here: float
    here_low: float | None  # for checks the paper's own interval, computed here
    here_high: float | None
    here_verdict: str | None  # by the paper's rule
    n: int
    published_metric: str
    published: float
    published_low: float | None
    published_high: float | None
    published_verdict: str | None  # where the paper flags the metric
    source: str

    @property
    def difference(self) -> float:
        """Return how far the measured value lies above the published one."""
        return self.here - self.published

    @property
    def overlap(self) -> bool | None:
        """Say whether the two intervals have a point in common; None where one of them is not there."""
        ends = (self.here_low, self.here_high, self.published_low, self.published_high)
        low, high, other_low, other_high = ends
        if low is None or high is None or other_low is None or other_high is None:
            return None
        return low <= other_high and other_low <= high


def published_beside(result: AuditResult) -> tuple[Beside, ...]:
    """Return every measured value that has a published twin."""
    return tuple(beside for metric in result.metrics for beside in _of_metric(metric, _paper_name(result)))


def why_none(result: AuditResult) -> str:
    """Say why nothing published stands beside a result."""
    if _paper_name(result) is None:
        papers = ", ".join(row.name for row in PUBLIC.values() if row.paper)
        return (
            "no published values: the data was not read as one of the papers' data sets "
            f"({papers}; for example summeval:FILE)"
        )
    return "no published values: the papers have none for these metrics on this data set"


def published_table(result: AuditResult) -> Table:
    """Return published values beside measured ones as plain values."""
    return Table(
        title="published values",
        columns=(
            "metric", "check", "here", "here_low", "here_high", "here_verdict", "n", "published", "published_low",
            "published_high", "published_verdict", "published_metric", "difference", "intervals_overlap", "source",
        ),
        rows=tuple(
            (
                row.metric, row.check or RATINGS, row.here, row.here_low, row.here_high, row.here_verdict, row.n,
                row.published, row.published_low, row.published_high, row.published_verdict, row.published_metric,
                row.difference, None if row.overlap is None else "yes" if row.overlap else "no", row.source,
            )
            for row in published_beside(result)
        ),
    )  # fmt: skip


def published_markdown(result: AuditResult) -> str:
    """Return a section of Markdown: published values beside measured ones, or why there are none."""
    rows = published_beside(result)
    if not rows:
        return f"## Published values\n\n{safe_markdown(why_none(result))}."
    columns = ["metric", "check", "here", "interval here", "verdict here"]
    columns += ["published", "published interval", "published verdict"]
    table = markdown_table(
        [*columns, "difference", "intervals overlap", "source"],
        [
            [
                f"`{row.metric}`",
                check_title(row.check) if row.check else RATINGS,
                format_effect(row.here),
                format_interval(row.here_low, row.here_high),
                row.here_verdict or "",
                format_effect(row.published),
                format_interval(row.published_low, row.published_high),
                row.published_verdict or "",
                format_effect(row.difference),
                "" if row.overlap is None else "yes" if row.overlap else "no",
                safe_markdown(f"{row.source}: {row.published_metric}"),
            ]
            for row in rows
        ],
    )
    return f"## Published values\n\n{safe_markdown(LABEL)}\n\n{table}"


def _paper_name(result: AuditResult) -> str | None:
    public = PUBLIC.get(str(result.run.get("public")))
    return None if public is None else public.paper


def _of_metric(metric: MetricResult, dataset: str | None) -> Iterator[Beside]:
    names = names_of_metric(metric.metric, metric.signature)
    if dataset is None or not names:
        return
    found = [value for value in values() if value.dataset == dataset and value.metric in names]
    flags = {value.check: value for value in found if value.table in FLAGS}
    flagged = any(value.metric in names for value in values() if value.table in FLAGS)
    for value in found:
        if value.value is None:
            continue
        if value.table == CORRELATIONS:
            yield from _correlation(metric, value)
        elif value.table in EFFECTS:
            row = next((row for row in metric.checks if row.check == value.check), None)
            if row is not None and row.effect is not None:
                yield _effect(metric, row, value, flags if flagged else None)


def _correlation(metric: MetricResult, value: PublishedValue) -> Iterator[Beside]:
    row = _pooled(metric.correlation)
    if row is None or row.rho is None or value.value is None:
        return
    yield Beside(
        metric=metric.metric,
        check=None,
        here=row.rho,
        here_low=row.low,
        here_high=row.high,
        here_verdict=None,
        n=row.n,
        published_metric=value.metric,
        published=value.value,
        published_low=None,
        published_high=None,
        published_verdict=None,
        source=value.source,
    )


def _pooled(rows: Sequence[CorrelationRow]) -> CorrelationRow | None:
    """Return the pooled correlation: the mean over dimensions, or the only one."""
    pooled = [row for row in rows if row.level == POOLED]
    means = [row for row in pooled if row.dimension == MEAN]
    return means[0] if means else pooled[0] if len(pooled) == 1 else None


def _effect(
    metric: MetricResult, row: CheckRow, value: PublishedValue, flags: dict[str | None, PublishedValue] | None
) -> Beside:
    # The paper's interval is computed here too; like stands beside like.
    has_parity = row.parity_low is not None and row.parity_high is not None
    published, half = value.value or 0.0, value.half_width
    verdict = None if flags is None else "fail" if row.check in flags else "pass"
    return Beside(
        metric=metric.metric,
        check=row.check,
        here=row.effect or 0.0,
        here_low=row.parity_low if has_parity else row.low,
        here_high=row.parity_high if has_parity else row.high,
        here_verdict=row.parity_verdict,
        n=row.n,
        published_metric=value.metric,
        published=published,
        published_low=None if half is None else published - half,
        published_high=None if half is None else published + half,
        published_verdict=verdict,
        source=value.source,
    )
