"""ElicitationGPT: a candidate is paid like a witness, for what it says of the points of its cluster.

Y. Wu and J. Hartline, "ElicitationGPT: Text Elicitation Mechanisms via Language Models", 2024. The tasks of a group
share a rubric: a dozen points that their references make. Of each point, and of each text by itself, a language
model says whether the text agrees, disagrees or says nothing; a proper scoring rule compares the candidate's
answers with those of its reference, given how many references of the cluster agree. There is no negative
reference: the prior stands in its place.
"""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from gameproof.errors import PlanError
from gameproof.llm.asking import Asker
from gameproof.metrics.base import missing_before_scoring, scores_from
from gameproof.metrics.elicitation_clusters import (
    Cluster,
    Clusters,
    Said,
    ask_about_points,
    find_clusters,
    prepare_clusters,
    rubric_batches,
)
from gameproof.metrics.elicitation_oracles import points_question, prompt_labels
from gameproof.metrics.elicitation_rule import Aggregation, aggregate
from gameproof.metrics.lexical import Order
from gameproof.metrics.llm_calls import CHARACTERS_PER_TOKEN, CallSize, size_of
from gameproof.metrics.reference_pool import used_references
from gameproof.metrics.spec_text import join_spec, split_spec
from gameproof.records import Item, Scores

__all__ = ["Elicitation", "ElicitationOptions", "build_elicitation", "elicitation_wording"]

NEEDS = frozenset({"references", "pool", "llm"})
UNKNOWN_TASK = "its task is not in the data the metric was prepared on"
UNKNOWN_REFERENCE = "its references are not in the data the metric was prepared on"
NOTHING_KNOWN = "no point has a verdict on both texts"

# Tokens of prompts and replies, roughly: for estimates before a run.
TOKENS_OF_POINT = 30
TOKENS_OF_INSTRUCTION = 300
TOKENS_OF_VERDICT = 15
POINTS_OF_TEXT = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ElicitationOptions:
    """How points are found and answers are paid."""

    agg: Aggregation
    limit: int  # points of a cluster
    prior: str  # known or all
    refs: str  # mean or first


@dataclass(frozen=True, slots=True, kw_only=True)
class Elicitation:
    """ElicitationGPT with a language model, before or after it knows its clusters."""

    name: str
    full_name: str
    options: ElicitationOptions
    asker: Asker
    pinned: str | None = None  # digest of the references that a signature names
    prepared: Clusters | None = field(default=None, repr=False)  # large
    higher_is_better: bool = True
    needs: frozenset[str] = NEEDS
    estimated: str | None = None  # its calls are known beforehand

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the scores must know of clusters and calls."""
        clusters = () if self.prepared is None else self.prepared.notes()
        return (*clusters, *self.asker.notes())

    def signature(self) -> str:
        """Return the name with every option, the wordings, the model and, once prepared, the references."""
        spec = split_spec(self.full_name)
        pool = self.pinned if self.prepared is None else _digest(self.prepared)
        return join_spec(spec.head, {**spec.options, **({} if pool is None else {"pool": pool})})

    async def prepare(self, pool: Sequence[Item]) -> "Elicitation":
        """Find points and priors on the originals of a run.

        Raises:
            PlanError: The metric's text is a signature that names the references of other data.
        """
        clusters = find_clusters(pool, refs=self.options.refs)
        found = _digest(clusters)
        if self.pinned not in {None, found}:
            raise PlanError(
                f"pool: the signature names references {self.pinned}, and those of this data are {found}.",
                hint="Use the data of that run, or leave pool= out to prepare on this data.",
            )
        prepared = await prepare_clusters(
            clusters, limit=self.options.limit, prior=self.options.prior, asker=self.asker
        )
        return replace(self, prepared=prepared)

    async def score(self, items: Sequence[Item]) -> Scores:
        """Score items of the tasks the metric was prepared on."""
        clusters = self.prepared
        if clusters is None:
            raise PlanError(
                f"{self.name} takes its points from all tasks and must see them first.",
                hint="Call `metric = await metric.prepare(originals)`; gameproof.score and gameproof.audit do.",
            )
        plans = [missing_before_scoring(item, NEEDS) or self._plan(item, clusters) for item in items]
        asked = [
            (item.candidate, plan.cluster.points)
            for item, plan in zip(items, plans, strict=True)
            if not isinstance(plan, str)
        ]
        said = iter(await ask_about_points(asked, self.asker))
        values = [plan if isinstance(plan, str) else self._pay(next(said), plan) for plan in plans]
        return scores_from(self.signature(), items, values)

    async def planned_calls(self, pool: Sequence[Item], items: Sequence[Item]) -> Mapping[Hashable, CallSize]:
        """Return the calls of a run: points of every reference, one rubric a cluster, answers of every text."""
        return dict(self._planned(find_clusters(pool, refs=self.options.refs), items))

    def _planned(self, clusters: Clusters, items: Sequence[Item]) -> Iterator[tuple[Hashable, CallSize]]:
        asker, limit = self.asker, self.options.limit
        answers_out = TOKENS_OF_VERDICT * limit
        texts: dict[int, dict[str, None]] = {}
        for place, cluster in enumerate(clusters.clusters):
            if cluster.reason is not None:
                continue
            for text in cluster.texts:
                request = points_question(text, asker).request
                size = size_of(request, tokens_out=2 * TOKENS_OF_POINT * POINTS_OF_TEXT)
                yield (asker.name, request.digest("")), size
            tokens = TOKENS_OF_INSTRUCTION + TOKENS_OF_POINT * POINTS_OF_TEXT * len(cluster.texts)
            for number in range(rubric_batches(len(cluster.texts))):
                key = (asker.name, "elicitation rubric", cluster.texts, limit, number)
                yield key, CallSize("elicitation rubric", tokens, TOKENS_OF_POINT * limit)
            texts[place] = dict.fromkeys(cluster.texts)
        for item in items:
            place = clusters.of_task.get(item.task_id)
            if place in texts and missing_before_scoring(item, NEEDS) is None:
                texts[place][item.candidate] = None
        for place, found in texts.items():
            for text in found:
                tokens = TOKENS_OF_INSTRUCTION + TOKENS_OF_POINT * limit + len(text) // CHARACTERS_PER_TOKEN
                key = (asker.name, "elicitation answers", clusters.clusters[place].texts, limit, text)
                yield key, CallSize("elicitation answers", tokens, answers_out)

    def _plan(self, item: Item, clusters: Clusters) -> "_Plan | str":
        place = clusters.of_task.get(item.task_id)
        if place is None:
            return UNKNOWN_TASK
        cluster = clusters.clusters[place]
        if cluster.reason is not None or cluster.said is None:
            return cluster.reason or UNKNOWN_TASK
        truths = [
            cluster.said.get(text, UNKNOWN_REFERENCE) for text in used_references(item, self.options.refs)
        ]
        if UNKNOWN_REFERENCE in truths:
            return UNKNOWN_REFERENCE
        there = tuple(truth for truth in truths if not isinstance(truth, str))
        return _Plan(cluster=cluster, truths=there) if there else f"its references: {truths[0]}"

    def _pay(self, said: Said | str, plan: "_Plan") -> float | str:
        """Return the mean over references of what the answers of a candidate earn."""
        if isinstance(said, str):
            return said
        priors = plan.cluster.priors
        assert priors is not None  # noqa: S101 - a fact the type checker cannot see
        paid: list[float] = []
        for truth in plan.truths:
            both = said.there & truth.there
            if both.any():
                paid.append(
                    aggregate(said.values[both], truth.values[both], priors[both], agg=self.options.agg)
                )
        return math.fsum(paid) / len(paid) if paid else NOTHING_KNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What a candidate is held against."""

    cluster: Cluster
    truths: tuple[Said, ...]


def build_elicitation(order: Order) -> Elicitation:
    """Build the metric from a complete order."""
    if order.asker is None:
        raise PlanError("elicitation needs a language model.")
    get = order.options
    name = split_spec(order.name)
    return Elicitation(
        name=join_spec(name.head, {key: value for key, value in name.options.items() if key != "pool"}),
        full_name=order.signature,
        options=ElicitationOptions(
            agg=cast("Aggregation", get["agg"]),  # the catalogue has checked it
            limit=int(get["points"]),
            prior=get["prior"],
            refs=get["refs"],
        ),
        asker=order.asker,
        pinned=get.get("pool"),
    )


def elicitation_wording() -> dict[str, str]:
    """Return the prompts as signatures pin them."""
    return {f"prompt_{name}": label for name, label in prompt_labels().items()}


def _digest(clusters: Clusters) -> str:
    from gameproof.files import digest_of  # noqa: PLC0415 - signatures of other metrics do not need it

    return digest_of(
        [
            [cluster.name, sorted(cluster.tasks), cluster.texts, cluster.counts]
            for cluster in clusters.clusters
        ]
    )[:8]
