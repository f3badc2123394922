"""What ElicitationGPT fixes on the originals of a run: the points of each cluster, and what its references say of them."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gameproof.llm.asking import Asker, Unread, ask_together
from gameproof.llm.replies import MISSING
from gameproof.metrics.elicitation_oracles import answers_question, points_question, rubric_question
from gameproof.metrics.reference_pool import used_references
from gameproof.prompts.points import Point
from gameproof.records import BoolArray, FloatArray, Item

__all__ = [
    "Cluster",
    "Clusters",
    "Said",
    "ask_about_points",
    "find_clusters",
    "prepare_clusters",
    "rubric_batches",
]

MIN_TASKS = 5  # a group with fewer shares the cluster of the whole data
BATCH_TEXTS = 40  # ground-truth texts whose points go into one question
MIN_SHARE = 1 / 2  # of the points that must have a verdict

ALONE = "no prior: no other task of its cluster has references"
NO_POINTS = "no points were found in the references of its cluster"
NO_SIDES = "no reference of its cluster takes a side on any point"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What one text says of the points of its cluster, shape (n_points,)."""

    values: FloatArray  # 1, 0, or NaN where it says nothing
    there: BoolArray  # whether there is a verdict at all


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Tasks whose references share a rubric."""

    name: str | None  # the group; None for the whole data
    tasks: frozenset[str]
    texts: tuple[str, ...]  # ground truths, each once, sorted
    counts: tuple[int, ...]  # how many tasks have each
    points: tuple[Point, ...] = ()
    priors: FloatArray | None = None  # (n_points,): the share of ground truths that agree
    said: Mapping[str, Said | str] | None = None  # ground truth -> its verdicts, or why there are none
    reason: str | None = None  # why no candidate of it can be scored


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """All clusters of a run."""

    clusters: tuple[Cluster, ...]
    of_task: Mapping[str, int]
    n_fallback: int  # tasks in groups too small for a cluster of their own
    unread: Mapping[str, str] = field(
        default_factory=dict[str, str]
    )  # ground truth -> why its points are not known

    def notes(self) -> Iterator[str]:
        """Say what a reader of the scores must know."""
        if self.n_fallback:
            yield (
                f"{self.n_fallback:,} of {len(self.of_task):,} tasks are in groups of fewer than {MIN_TASKS} tasks;"
                " their points and priors are those of the whole data"
            )
        for reason, count in Counter(self.unread.values()).items():
            n_texts = len({text for cluster in self.clusters for text in cluster.texts})
            yield f"{count:,} of {n_texts:,} references have no part in the points: {reason}"
        for cluster in self.clusters:
            if cluster.reason is not None:
                yield f"{_named(cluster)}: {cluster.reason}"
        found = [cluster for cluster in self.clusters if cluster.said is not None]
        said = [each for cluster in found for each in (cluster.said or {}).values()]
        answers = [each for each in said if not isinstance(each, str)]
        if len(answers) < len(said):
            yield f"{len(said) - len(answers):,} of {len(said):,} references dropped: no verdicts on their points"
        if answers:
            silent = np.concatenate([np.isnan(each.values[each.there]) for each in answers]).mean()
            n_points = [len(cluster.points) for cluster in found]
            shown = (
                f"{min(n_points)} to {max(n_points)}" if min(n_points) < max(n_points) else str(n_points[0])
            )
            yield (
                f"{shown} points for each cluster; references say nothing of {silent:.0%} of them, where every"
                " report earns 1/2"
            )


def find_clusters(items: Iterable[Item], *, refs: str) -> Clusters:
    """Put tasks into clusters: their groups, and the whole data for those of small groups."""
    texts: dict[str, set[str]] = {}
    groups: dict[str, str] = {}
    for item in sorted(items, key=lambda item: (item.task_id, item.id)):
        references = used_references(item, refs)
        if references:
            groups.setdefault(item.task_id, item.group)
            texts.setdefault(item.task_id, set()).update(references)
    members: dict[str, list[str]] = {}
    for task, group in groups.items():
        members.setdefault(group, []).append(task)
    large = {group: tasks for group, tasks in members.items() if len(tasks) >= MIN_TASKS}
    fallback = [task for group, tasks in members.items() if group not in large for task in tasks]
    clusters = [_cluster(group, tasks, texts) for group, tasks in sorted(large.items())]
    of_task = {task: place for place, cluster in enumerate(clusters) for task in cluster.tasks}
    if fallback:
        of_task |= dict.fromkeys(fallback, len(clusters))
        clusters.append(_cluster(None, list(groups), texts))
    return Clusters(clusters=tuple(clusters), of_task=of_task, n_fallback=len(fallback))


async def prepare_clusters(clusters: Clusters, *, limit: int, prior: str, asker: Asker) -> Clusters:
    """Find the points of every cluster, ask what its ground truths say of them, and take the priors.

    Args:
        clusters: As they were found.
        limit: Most points of a cluster.
        prior: ``known`` for the share among ground truths that take a side, ``all`` for that among all.
        asker: Who asks the summarisation and the question-answering oracle.
    """
    asked = [cluster for cluster in clusters.clusters if cluster.reason is None]
    texts = sorted({text for cluster in asked for text in cluster.texts})
    answers = await asker.ask([points_question(text, asker) for text in texts])
    made = dict(zip(texts, answers, strict=True))
    rubrics = await ask_together([_find_rubric(cluster, made, limit, asker) for cluster in asked])
    found = {cluster.name: rubric for cluster, rubric in zip(asked, rubrics, strict=True)}
    told = [
        (text, points)
        for cluster in asked
        if not isinstance(points := found[cluster.name], str)
        for text in cluster.texts
    ]
    said = iter(await ask_about_points(told, asker))
    prepared: list[Cluster] = []
    for cluster in clusters.clusters:
        rubric = cluster.reason or found[cluster.name]
        if isinstance(rubric, str):
            prepared.append(replace(cluster, reason=rubric))
        else:
            verdicts = {text: next(said) for text in cluster.texts}
            prepared.append(_with_priors(cluster, rubric, verdicts, prior=prior))
    unread = {text: answer.reason for text, answer in made.items() if isinstance(answer, Unread)}
    return replace(clusters, clusters=tuple(prepared), unread=unread)


def rubric_batches(n_texts: int) -> int:
    """Return how many questions make one rubric of the points of so many texts.

    Example:
        >>> rubric_batches(40), rubric_batches(41)
        (1, 3)
    """
    n_batches = math.ceil(n_texts / BATCH_TEXTS)
    return n_batches + (n_batches > 1)


async def ask_about_points(asked: Sequence[tuple[str, Sequence[Point]]], asker: Asker) -> list[Said | str]:
    """Ask what texts say of points; those that get no verdict are asked about once more.

    A text with verdicts on fewer than half of its points is a failure, given as its reason.
    """
    found = await asker.ask(
        [answers_question(text, dict(enumerate(points)), asker) for text, points in asked]
    )
    values = [{} if isinstance(answer, Unread) else dict(answer.values) for answer in found]
    lacking = [
        place
        for place, (_, points) in enumerate(asked)
        if not isinstance(found[place], Unread) and len(values[place]) < len(points)
    ]
    again = [
        answers_question(
            asked[place][0],
            {n: point for n, point in enumerate(asked[place][1]) if n not in values[place]},
            asker,
        )
        for place in lacking
    ]
    for place, more in zip(lacking, await asker.ask(again), strict=True):
        if not isinstance(more, Unread):
            values[place] |= more.values
    return [
        answer.reason if isinstance(answer, Unread) else _said(given, len(points))
        for answer, given, (_, points) in zip(found, values, asked, strict=True)
    ]


def _said(given: Mapping[int, float], n_points: int) -> Said | str:
    if len(given) < MIN_SHARE * n_points:
        return MISSING
    return Said(
        values=np.array([given.get(place, math.nan) for place in range(n_points)]),
        there=np.array([place in given for place in range(n_points)]),
    )


async def _find_rubric(
    cluster: Cluster, made: Mapping[str, tuple[Point, ...] | Unread], limit: int, asker: Asker
) -> tuple[Point, ...] | str:
    """Ask what the points of a cluster have in common, batch by batch and then over the batches."""
    reasons = [answer.reason for text in cluster.texts if isinstance(answer := made[text], Unread)]
    if len(reasons) == len(cluster.texts):
        return f"the points of its references: {reasons[0]}"
    points: list[Point] = []
    parts = [
        [point for text in cluster.texts[start : start + BATCH_TEXTS] for point in _points_of(made[text])]
        for start in range(0, len(cluster.texts), BATCH_TEXTS)
    ]
    while parts:
        questions = [rubric_question(part, limit=limit, asker=asker) for part in parts if part]
        points.clear()
        for rubric in await asker.ask(questions):
            if isinstance(rubric, Unread):
                return f"the points of its cluster: {rubric.reason}"
            points += rubric
        parts = [points[:]] if len(questions) > 1 else []
    return tuple(points) or NO_POINTS


def _points_of(made: tuple[Point, ...] | Unread) -> tuple[Point, ...]:
    return () if isinstance(made, Unread) else made


def _with_priors(
    cluster: Cluster, points: tuple[Point, ...], said: Mapping[str, Said | str], *, prior: str
) -> Cluster:
    """Take the share of ground truths that agree with each point; points without any share are left out."""
    answers = [each for each in said.values() if not isinstance(each, str)]
    if not answers:
        return replace(cluster, reason=f"its references: {next(iter(said.values()))}")
    n_tasks = dict(zip(cluster.texts, cluster.counts, strict=True))
    weights = np.array([n_tasks[text] for text, each in said.items() if not isinstance(each, str)])[:, None]
    values = np.stack([each.values for each in answers])
    counted = ~np.isnan(values) if prior == "known" else np.stack([each.there for each in answers])
    n_counted = (weights * counted).sum(axis=0)
    kept = n_counted > 0
    if not kept.any():
        return replace(cluster, reason=NO_SIDES)
    return replace(
        cluster,
        points=tuple(point for point, is_kept in zip(points, kept.tolist(), strict=True) if is_kept),
        priors=np.nansum(weights * values, axis=0)[kept] / n_counted[kept],
        said={
            text: each if isinstance(each, str) else Said(values=each.values[kept], there=each.there[kept])
            for text, each in said.items()
        },
    )


def _cluster(name: str | None, tasks: Iterable[str], texts: Mapping[str, set[str]]) -> Cluster:
    members = frozenset(tasks)
    counts = Counter(text for task in members for text in texts[task])
    found = sorted(counts)
    return Cluster(
        name=name,
        tasks=members,
        texts=tuple(found),
        counts=tuple(counts[text] for text in found),
        reason=ALONE if len(members) == 1 else None,
    )


def _named(cluster: Cluster) -> str:
    return "the cluster of the whole data" if cluster.name is None else f"cluster {cluster.name}"
