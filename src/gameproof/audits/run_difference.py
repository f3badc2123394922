"""Compare two runs: which verdicts changed, and by how much effects and correlations differ on what they share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gameproof.audits.correlate import collect_ratings
from gameproof.audits.result import AuditResult, CardMark, CheckRow, MetricResult
from gameproof.audits.run_difference_result import (
    Change,
    CheckChange,
    CorrelationChange,
    MetricChange,
    PropertyChange,
    RunDifference,
)
from gameproof.audits.shared_scores import SharedScores, share_scores
from gameproof.engine.table import MetricScores, VariantKey
from gameproof.errors import PlanError
from gameproof.records import Item
from gameproof.stats.dimensions import Estimate, rank, subtract
from gameproof.stats.effect_difference import EffectDifference, infer_effect_difference
from gameproof.stats.levels import Level
from gameproof.stats.multiple import holm
from gameproof.stats.ranks import spearman
from gameproof.stats.results import Verdict

__all__ = ["RunSide", "compare_runs"]

PROPERTIES = ("statistical", "sensitive", "resistant", "satisfied", "trusted")
LEVELS: tuple[Level, ...] = ("within_task", "pooled", "system")
RANKS: Mapping[object, int] = {
    Verdict.PASS: 2,
    Verdict.INCONCLUSIVE: 1,
    Verdict.INSENSITIVE: 1,
    Verdict.FAIL: 0,
    Verdict.WRONG_WAY: 0,
    CardMark.YES: 2,
    CardMark.INCONCLUSIVE: 1,
    CardMark.NO: 0,
}
TOLD = ("data", "margin", "seed", "suite", "version")  # settings that are named where they differ


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSide:
    """One of the two runs: what it found, and what from."""

    result: AuditResult
    items: Sequence[Item]
    scores: Mapping[str, MetricScores]
    texts: Mapping[tuple[str, VariantKey], str]  # of the variants


def compare_runs(
    before: RunSide, after: RunSide, *, pairs: Sequence[tuple[str, str]] = (), seed: int = 0
) -> RunDifference:
    """Compare the metrics that both runs have.

    Args:
        before: The first run.
        after: The second.
        pairs: Metrics of different names that are to be taken for one before and after. Where each run has one
            metric that the other lacks, and both are of a kind (``judge`` and ``judge,scale=5``; two functions of one
            module), these two are.
        seed: Of the resamples.

    Raises:
        PlanError: The runs share no text or no metric, or a pair names a metric that is not there.
    """
    counterparts = _pair_metrics(before.result, after.result, pairs)
    shared = _shared_items(before, after)
    first = {metric.metric: metric for metric in before.result.metrics}
    second = {metric.metric: metric for metric in after.result.metrics}
    metrics: list[MetricChange] = []
    for one, two in counterparts.items():
        scores = share_scores(
            shared,
            (before.scores[one], after.scores[two]),
            lambda item, key: _same_text(before.texts, after.texts, item, key),
        )
        metrics.append(_compare_metric(first[one], second[two], scores, shared, seed))
    return RunDifference(
        before=before.result.run,
        after=after.result.run,
        n_shared=len(shared),
        metrics=tuple(metrics),
        only_before=tuple(name for name in first if name not in counterparts),
        only_after=tuple(name for name in second if name not in counterparts.values()),
        notes=tuple(_notes(before, after, len(shared))),
    )


def _pair_metrics(
    before: AuditResult, after: AuditResult, pairs: Sequence[tuple[str, str]]
) -> dict[str, str]:
    one, two = ([metric.metric for metric in result.metrics] for result in (before, after))
    for old, new in pairs:
        for name, names, which in ((old, one, "first"), (new, two, "second")):
            if name not in names:
                raise PlanError(f"the {which} run has no metric {name!r}; it has {', '.join(names)}.")
    found = {name: name for name in one if name in two}
    found.update(pairs)
    left = [name for name in one if name not in found]
    right = [name for name in two if name not in found.values()]
    if len(left) == len(right) == 1 and _kind(left[0]) == _kind(right[0]):
        found[left[0]] = right[0]
    if not found:
        raise PlanError(
            f"the runs share no metric: the first has {', '.join(one)}; the second {', '.join(two)}.",
            hint="Say which are one metric before and after: --pair OLD::NEW.",
        )
    return {name: found[name] for name in one if name in found}


def _kind(metric: str) -> str:
    """Return what two metrics of different names have in common where they may be one before and after a change.

    Example:
        >>> _kind("judge,scale=5"), _kind("my_judge:stricter"), _kind("TV+fvar+statement+overlap,neg=4")
        ('judge', 'my_judge', 'TV+fvar+statement+overlap')
    """
    return metric.partition(",")[0].partition(":")[0]


def _shared_items(before: RunSide, after: RunSide) -> list[Item]:
    """Return the items that both runs have with the same texts; with the ratings of the second run."""
    known = {item.id: item for item in before.items}
    shared = [item for item in after.items if item.id in known and _texts(item) == _texts(known[item.id])]
    if not shared:
        n_ids = sum(item.id in known for item in after.items)
        why = f"{n_ids:,} ids are the same, but not their texts" if n_ids else "no id of a text is the same"
        names = " and ".join(str(side.result.run.get("data")) for side in (before, after))
        raise PlanError(
            f"the runs ({names}) share no text: {why}.",
            hint="`gameproof compare` is for two runs on the same data, such as a metric before and after a change.",
        )
    return shared


def _texts(item: Item) -> tuple[object, ...]:
    return item.task_id, item.candidate, item.references, item.source


def _same_text(
    before: Mapping[tuple[str, VariantKey], str],
    after: Mapping[tuple[str, VariantKey], str],
    item: str,
    key: VariantKey,
) -> bool:
    text = before.get((item, key))
    return text is not None and text == after.get((item, key))


def _notes(before: RunSide, after: RunSide, n_shared: int) -> Iterator[str]:
    for key in TOLD:
        one, two = (side.result.run.get(key) for side in (before, after))
        if one != two:
            yield f"{key} differs: {one} before, {two} after"
    for side, which in ((before, "first"), (after, "second")):
        left = len(side.items) - n_shared
        if left:
            yield f"{left:,} of {len(side.items):,} texts of the {which} run are not in the other one: left out of differences"
    known = {item.id: item for item in before.items}
    n_rated = sum(item.id in known and item.ratings != known[item.id].ratings for item in after.items)
    if n_rated:
        yield f"{n_rated:,} texts have other ratings in the second run: correlations are compared on those ratings"


def _compare_metric(
    before: MetricResult, after: MetricResult, scores: SharedScores, items: Sequence[Item], seed: int
) -> MetricChange:
    one, two = scores.originals
    both = ~np.isnan(one) & ~np.isnan(two)
    return MetricChange(
        metric=before.metric,
        metric_after=after.metric,
        signature_before=before.signature,
        signature_after=after.signature,
        n=int(both.sum()),
        n_changed=int((one[both] != two[both]).sum()),
        spearman=spearman(one[both], two[both]) if both.sum() > 2 else None,
        properties=tuple(
            PropertyChange(
                name=name,
                before=(old := getattr(before.card, name)),
                after=(new := getattr(after.card, name)),
                change=_change(old, new),
            )
            for name in PROPERTIES
        ),
        checks=tuple(_adjusted([_compare_check(*rows, scores, seed) for rows in _rows(before, after)])),
        correlations=tuple(_compare_correlations(scores, items, seed)),
    )


def _rows(before: MetricResult, after: MetricResult) -> Iterator[tuple[CheckRow, CheckRow]]:
    """Yield the checks of which at least one run knows something."""
    first = {row.check: row for row in before.checks}
    for row in after.checks:
        old = first.get(row.check)
        if old is not None and any(one.verdict is not None or one.effect is not None for one in (old, row)):
            yield old, row


def _compare_check(before: CheckRow, after: CheckRow, scores: SharedScores, seed: int) -> CheckChange:
    samples = scores.samples(after)
    found = EffectDifference(first=None, second=None, difference=None, detail=scores.why_not(after))
    n = 0
    if samples is not None:
        n = samples[0].tasks.size
        found = infer_effect_difference(*samples, seed=seed)
    return CheckChange(
        check=after.check,
        family=after.family,
        expect=after.expect,
        verdict_before=before.verdict,
        verdict_after=after.verdict,
        state_before=before.state,
        state_after=after.state,
        change=_change(before.verdict, after.verdict),
        effect_before=before.effect,
        effect_after=after.effect,
        n=n,
        difference=found.difference,
        low=found.interval.low if found.interval else None,
        high=found.interval.high if found.interval else None,
        pvalue=found.pvalue,
        pvalue_adjusted=None,
        detail=found.detail,
    )


def _adjusted(changes: Sequence[CheckChange]) -> list[CheckChange]:
    """Correct the p-values for how many differences were asked about."""
    adjusted = holm([change.pvalue for change in changes])
    return [replace(change, pvalue_adjusted=value) for change, value in zip(changes, adjusted, strict=True)]


def _change(before: object, after: object) -> Change:
    if before == after:
        return "same"
    if before not in RANKS or after not in RANKS:
        return "unclear"
    if RANKS[before] == RANKS[after]:
        return "same"  # inconclusive or insensitive, fail or wrong way: as bad as before
    return "better" if RANKS[after] > RANKS[before] else "worse"


def _compare_correlations(
    scores: SharedScores, items: Sequence[Item], seed: int
) -> Iterator[CorrelationChange]:
    ratings = collect_ratings(items)
    one, two = scores.originals
    both = ~np.isnan(one) & ~np.isnan(two)
    if not ratings.dimensions or not bool(both.any()):
        return
    for level in LEVELS:
        first, second = (
            rank(column, ratings.dimensions, ratings.clusters, level, only=both, seed=seed)
            for column in (one, two)
        )
        differences = subtract(second, first)
        for dimension in sorted(differences, key=lambda name: name != "mean"):
            yield _correlation(
                dimension,
                level,
                first.estimates[dimension],
                second.estimates[dimension],
                differences[dimension],
            )


def _correlation(
    dimension: str, level: Level, before: Estimate, after: Estimate, difference: Estimate
) -> CorrelationChange:
    return CorrelationChange(
        dimension=dimension,
        level=level,
        before=before.value,
        after=after.value,
        difference=difference.value,
        low=difference.interval.low if difference.interval else None,
        high=difference.interval.high if difference.interval else None,
        n=after.n,
        detail=difference.detail if difference.value is None else None,
    )
