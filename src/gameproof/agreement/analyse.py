"""Hold metrics against people's choices between two texts."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from gameproof.agreement.decide import decide, threshold_of
from gameproof.agreement.result import (
    AgreementResult,
    ChoiceFigure,
    MetricAgreement,
    MetricDifference,
    RaterAgreement,
)
from gameproof.errors import PlanError
from gameproof.metrics.base import Metric
from gameproof.records import Comparisons, FloatArray, IntArray, Scores
from gameproof.stats.agreement import FEW_CLUSTERS, Alpha, krippendorff_alpha
from gameproof.stats.choices import ChoiceSample, Estimate, accuracy, auc, estimate_difference, make_sample
from gameproof.stats.resampling import Resampling, make_resampling
from gameproof.stats.sign_flip import sign_flip_pvalue
from gameproof.stats.sums import sum_by
from gameproof.stats.tie_model import information_gain

__all__ = ["CLUSTERS", "ClusterBy", "analyse_agreement"]

ClusterBy = Literal["annotator", "group", "task", "choice", "both"]
CLUSTERS: tuple[ClusterBy, ...] = get_args(ClusterBy)

N_RESAMPLES = 10_000
CODES: Mapping[str, int] = {"a": 1, "tie": 0, "b": -1}
SWAPPED: Mapping[Hashable, Hashable] = {1: -1, -1: 1}
MIN_CLUSTERS = 2
BOTH = "both"
KINDS = ("annotator", "group", "task")
CROSSED = 1.5  # annotators of a pair, on average, from which pairs are more than their annotators' own
CHANCE = 0.5
LOPSIDED = 0.75  # of the choices on one side: then the order of the file is no accident


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """The choices as arrays, and what is resampled."""

    comparisons: Comparisons
    choices: IntArray
    kinds: Mapping[str, Sequence[str]]  # one or two kinds of clusters -> the cluster of each choice
    resampling: Resampling
    seed: int


def analyse_agreement(
    comparisons: Comparisons,
    metrics: Sequence[Metric],
    scores: Sequence[Scores],
    *,
    thresholds: Mapping[str, float] | None = None,
    cluster: ClusterBy | None = None,
    seed: int = 0,
) -> AgreementResult:
    """Say how far each metric agrees with people, and how much better one is than another.

    Args:
        comparisons: Texts and choices.
        metrics: Their names and directions.
        scores: One column a metric, in the order of the texts.
        thresholds: Metric -> differences below which it decides neither, instead of the published ones.
        cluster: What is resampled: ``annotator``, ``group``, ``task``, ``choice``, or ``both``: annotators and
            groups (tasks where there is one group), for data in which they cross. By default both where pairs have
            several annotators; else the annotator, the group or the task, whichever has at least two values.
        seed: Of the resamples.

    Raises:
        PlanError: Choices do not say what they should be clustered by.
    """
    kinds = _kinds(comparisons, cluster)
    frame = _Frame(
        comparisons=comparisons,
        choices=np.array([CODES[judgement.choice] for judgement in comparisons.judgements], dtype=np.int64),
        kinds=kinds,
        resampling=make_resampling(*kinds.values()),
        seed=seed,
    )
    found = [
        _agree(frame, metric, column, thresholds or {})
        for metric, column in zip(metrics, scores, strict=True)
    ]
    return AgreementResult(
        data=comparisons.name,
        n_choices=len(comparisons.judgements),
        n_pairs=len({frozenset((judgement.a, judgement.b)) for judgement in comparisons.judgements}),
        n_texts=len(comparisons.items),
        clusters=tuple(kinds),
        n_clusters=frame.resampling.sizes,
        people=_people(frame),
        metrics=tuple(agreement for agreement, _ in found),
        differences=tuple(_difference(one, two) for one, two in combinations(found, 2)),
        notes=(*comparisons.notes, *_notes(frame)),
    )


_Estimates = tuple[Estimate, Estimate]  # accuracy and AUC, with their resamples


def _agree(
    frame: _Frame, metric: Metric, scores: Scores, thresholds: Mapping[str, float]
) -> tuple[MetricAgreement, _Estimates]:
    value_of = dict(zip(scores.item_ids, scores.values.tolist(), strict=True))
    sign = 1.0 if metric.higher_is_better else -1.0
    judgements = frame.comparisons.judgements
    differences = sign * np.array([value_of[each.a] - value_of[each.b] for each in judgements])
    known = ~np.isnan(differences)
    sample = make_sample(differences, frame.choices, frame.resampling)
    estimates = (
        accuracy(sample, n_resamples=N_RESAMPLES, seed=frame.seed),
        auc(sample, n_resamples=N_RESAMPLES, seed=frame.seed),
    )
    gain = information_gain(
        differences[known],
        frame.choices[known],
        frame.resampling.take(np.flatnonzero(known)),
        n_resamples=N_RESAMPLES,
        seed=frame.seed,
    )
    threshold = threshold_of(metric.name, thresholds)
    decisions = decide(differences[known], threshold)
    decided = decisions[decisions != 0]
    units = np.stack([decisions, frame.choices[known]], axis=1).tolist()
    first, *crossed = (
        [labels[place] for place in np.flatnonzero(known).tolist()] for labels in frame.kinds.values()
    )
    second = crossed[0] if crossed else None
    printed = krippendorff_alpha(units, clusters=first, crossed=second, seed=frame.seed)
    symmetric = krippendorff_alpha(units, clusters=first, crossed=second, swapped=SWAPPED, seed=frame.seed)
    agreement = MetricAgreement(
        metric=metric.name,
        signature=metric.signature(),
        accuracy=_figure(estimates[0]),
        auc=_figure(estimates[1]),
        pvalue=_bootstrap_pvalue(estimates[0].draws),
        pvalue_sign_flip=_sign_flip(sample, frame.seed),
        information=_figure(gain),
        alpha=_alpha_figure(symmetric),
        alpha_as_printed=_alpha_figure(printed),
        threshold=threshold,
        decided=float((decisions != 0).mean()) if decisions.size else None,
        first_share=float((decided > 0).mean()) if decided.size else None,
        n_missing=int((~known).sum()),
        missing=dict(Counter(scores.reasons.values())),
    )
    return agreement, estimates


def _bootstrap_pvalue(draws: FloatArray) -> float | None:
    defined = draws[~np.isnan(draws)]
    if defined.size < draws.size / 2 or not defined.size or defined.min() == defined.max():
        return None
    below, above = (1 + int(side.sum()) for side in (defined <= CHANCE, defined >= CHANCE))
    return min(1.0, 2.0 * min(below, above) / (defined.size + 1))


def _sign_flip(sample: ChoiceSample, seed: int) -> float | None:
    """Test "right as often as wrong" with whole clusters as what flips: those of the kind that has more."""
    resampling = sample.resampling
    kind = int(np.argmax(resampling.sizes))
    clusters = resampling.factors[kind][resampling.cells]
    excess = sum_by(clusters, np.sign(sample.agreements), resampling.sizes[kind])
    present = np.bincount(clusters, minlength=resampling.sizes[kind]) > 0
    if int(present.sum()) < MIN_CLUSTERS:
        return None
    return sign_flip_pvalue(excess[present], n_resamples=N_RESAMPLES, seed=seed)


def _people(frame: _Frame) -> RaterAgreement:
    marks: dict[frozenset[str], dict[str, int]] = defaultdict(dict)
    first_side: dict[frozenset[str], str] = {}
    for place, judgement in enumerate(frame.comparisons.judgements):
        pair = frozenset((judgement.a, judgement.b))
        turned = -1 if first_side.setdefault(pair, judgement.a) != judgement.a else 1
        marks[pair][judgement.annotator or f"choice {place}"] = turned * CODES[judgement.choice]
    shared = [
        one == two for codes in marks.values() for one, two in combinations(codes.values(), 2) if one and two
    ]
    # Alpha does not ask who gave a value: a row needs only as many places as the pair has choices.
    widest = max(len(codes) for codes in marks.values())
    units = [[*codes.values(), *([None] * (widest - len(codes)))] for codes in marks.values()]
    symmetric = krippendorff_alpha(units, swapped=SWAPPED, seed=frame.seed)
    decided = frame.choices[frame.choices != 0]
    return RaterAgreement(
        alpha=_alpha_figure(symmetric),
        alpha_as_printed=_alpha_figure(krippendorff_alpha(units, seed=frame.seed)),
        percent_agreement=symmetric.percent_agreement,
        ceiling=float(np.mean(shared)) if shared else None,
        first_share=float((decided > 0).mean()) if decided.size else None,
        tie_share=float((frame.choices == 0).mean()),
    )


def _difference(
    one: tuple[MetricAgreement, _Estimates], two: tuple[MetricAgreement, _Estimates]
) -> MetricDifference:
    figures: list[ChoiceFigure] = []
    for first, second in zip(one[1], two[1], strict=True):
        found = estimate_difference(first, second)
        n = min(first.n, second.n)
        figures.append(
            ChoiceFigure(value=None, n=n, detail="one of them has no value")
            if found is None
            else ChoiceFigure(value=found[0], interval=found[1], n=n)
        )
    return MetricDifference(first=one[0].metric, second=two[0].metric, accuracy=figures[0], auc=figures[1])


def _notes(frame: _Frame) -> list[str]:
    notes: list[str] = []
    for kind, size in zip(frame.kinds, frame.resampling.sizes, strict=True):
        if size < MIN_CLUSTERS:
            others = [other for other in frame.kinds if other != kind]
            notes.append(
                f"all choices are of one {kind}: intervals are over {others[0]}s alone"
                if others and max(frame.resampling.sizes) >= MIN_CLUSTERS
                else f"no intervals: all choices are of one {kind}, and they need at least {MIN_CLUSTERS}"
            )
        elif size < FEW_CLUSTERS:
            notes.append(
                f"intervals over {size} clusters ({kind}): with fewer than {FEW_CLUSTERS} they are too short"
            )
    decided = frame.choices[frame.choices != 0]
    share = float((decided > 0).mean()) if decided.size else 0.5
    if not 1 - LOPSIDED <= share <= LOPSIDED:
        notes.append(
            f"{share:.0%} of the decided choices are for side a: the order of the pairs is no accident, and alpha"
            " as printed depends on it"
        )
    return notes


def _kinds(comparisons: Comparisons, cluster: ClusterBy | None) -> dict[str, Sequence[str]]:
    """Return what is resampled, one or two kinds of clusters."""
    if cluster is not None and cluster != BOTH:
        return {cluster: _labels(comparisons, cluster)}
    named = None not in {judgement.annotator for judgement in comparisons.judgements}
    able = KINDS if named else KINDS[1:]
    several = [kind for kind in able if len(set(_labels(comparisons, kind))) >= MIN_CLUSTERS]
    texts = next((kind for kind in several if kind != "annotator"), None)
    if cluster == BOTH or ("annotator" in several and texts is not None and _crosses(comparisons)):
        return {kind: _labels(comparisons, kind) for kind in ("annotator", texts or "task")}
    first = several[0] if several else "choice"
    return {first: _labels(comparisons, first)}


def _crosses(comparisons: Comparisons) -> bool:
    """Say whether pairs have several annotators each, as a rule."""
    raters: dict[frozenset[str], set[str | None]] = defaultdict(set)
    for judgement in comparisons.judgements:
        raters[frozenset((judgement.a, judgement.b))].add(judgement.annotator)
    return float(np.mean([len(names) for names in raters.values()])) >= CROSSED


def _labels(comparisons: Comparisons, cluster: str) -> list[str]:
    """Return what each choice is clustered by."""
    if cluster == "choice":
        return [str(place) for place in range(len(comparisons.judgements))]
    if cluster == "annotator":
        named = [judgement.annotator for judgement in comparisons.judgements]
        if None in named:
            raise PlanError(
                f"--cluster annotator: {named.count(None):,} choices do not say whose they are.",
                hint="Use --cluster task, or --map annotator=COLUMN.",
            )
        return [str(name) for name in named]
    items = {item.id: item for item in comparisons.items}
    firsts = [items[judgement.a] for judgement in comparisons.judgements]
    return [item.group if cluster == "group" else item.task_id for item in firsts]


def _figure(estimate: Estimate) -> ChoiceFigure:
    detail = None if estimate.value is not None else "no pair was both decided by people and scored"
    return ChoiceFigure(value=estimate.value, interval=estimate.interval, n=estimate.n, detail=detail)


def _alpha_figure(found: Alpha) -> ChoiceFigure:
    return ChoiceFigure(value=found.alpha, interval=found.interval, n=found.n_units, detail=found.detail)
