"""Planted worlds with readers: two readers for every task, texts for each of them, and whom they would choose.

What a reader values is a utility of its own: importances drawn for the reader, nothing for what is known already,
diminishing returns, a cost of length, a penalty for wrong facts, and noise. No metric is told any of it: the persona
says in coarse words which kinds of facts matter, and what the reader knows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import exp
from typing import Literal

from gameproof.datasets.planted.banks import load_wording
from gameproof.datasets.planted.compose import plan_candidate
from gameproof.datasets.planted.design import LONG_WORDS, SHORT_WORDS, Factors
from gameproof.datasets.planted.draws import Draws
from gameproof.datasets.planted.needs import Needs, write_needs
from gameproof.datasets.planted.plan import Subject, TaskContext, fact_sentence
from gameproof.datasets.planted.render import render
from gameproof.datasets.planted.truth import BLAME, CREDIT, Truth, truth_of
from gameproof.datasets.planted.world import PlantedTask, WorldSpec, make_tasks
from gameproof.records import Choice, Comparisons, Dataset, Item, Judgement, Persona

__all__ = ["ReaderSpec", "ReaderWorld", "make_reader_world"]

ROLES = ("a planner", "a visitor")
DOMAINS = (
    "summaries",
    "answers",
)  # a review's source holds no opinion, so it lacks half of what readers need
SYSTEMS = ("for-one", "for-two", "general-one", "general-two")  # two texts for a reader each, two for nobody
N_ESSENTIAL, N_USEFUL = 2, 2
KNOWN_CHANCE = 0.25  # that a needed fact is known already
OWN_CHANCE, OTHER_CHANCE = (
    0.85,
    0.25,
)  # that a text for a reader states a fact that the reader needs, or another
GENERAL_CHANCE = 0.5
WORST_SHARE, BEST_SHARE = 0.6, 0.95  # chance that a stated fact is right
SATURATION, WRONG_COST = 2.2, 0.35
FREE_WORDS, LENGTH_COST = 60, 0.0018
NOISE = 0.12  # standard deviation of what decides a choice besides utility
TIE = 0.04  # a smaller difference is no preference
NOTES = (
    "planted world with readers: texts, readers and choices are made from fact tables, nothing is human",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSpec:
    """What a planted world with readers is to be like.

    Attributes:
        seed: Everything follows from it.
        tasks_per_domain: Tasks of each of the two domains, spread over its three groups.
        readers: Whether the two readers of a task need different things, or the same (a control).
        knowledge: Whether readers know some of what they need, or nothing (a control).
    """

    seed: int = 0
    tasks_per_domain: int = 24
    readers: Literal["different", "identical"] = "different"
    knowledge: Literal["some", "none"] = "some"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderWorld:
    """Texts for readers, and their choices."""

    comparisons: Comparisons  # every text with every reader of its task, and the choices between texts
    dataset: Dataset  # only the texts that were written for a reader, each with that reader
    utilities: Mapping[
        str, float
    ]  # item of the comparisons -> what the text is worth to the reader, without noise


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    persona: Persona
    importances: tuple[float, ...]  # of the facts of the task; they sum to 1
    known: frozenset[int]
    needed: frozenset[int]


def make_reader_world(spec: ReaderSpec) -> ReaderWorld:
    """Make a world.

    Example:
        >>> world = make_reader_world(ReaderSpec(seed=1, tasks_per_domain=3))
        >>> len(world.dataset.items), len(world.comparisons.items), len(world.comparisons.judgements)
        (12, 48, 72)
    """
    items: list[Item] = []
    written: list[Item] = []
    judgements: list[Judgement] = []
    utilities: dict[str, float] = {}
    world = WorldSpec(
        seed=spec.seed,
        tasks_per_domain=spec.tasks_per_domain,
        systems=1,
        near_copies=False,
        variants=frozenset(),
    )
    for task in make_tasks(world):
        if task.group.domain not in DOMAINS:
            continue
        context = TaskContext(
            table=task.table,
            group=task.group,
            wording=load_wording(),
            own_bank="paraphrase",
            generic_facts=True,
        )
        readers = _readers(spec, task, context)
        texts = dict(_texts(spec, task, context, readers))
        for place, reader in enumerate(readers):
            own = [_item(task, system, place, reader, text) for system, (text, _) in texts.items()]
            values = [_utility(reader, truth) for _, truth in texts.values()]
            utilities |= {item.id: value for item, value in zip(own, values, strict=True)}
            items += own
            written.append(replace(own[place], system="writer"))
            judgements += _choices(spec, task.task_id, place, own, values)
    name = f"planted-readers,seed={spec.seed}"
    return ReaderWorld(
        comparisons=Comparisons(name=name, items=tuple(items), judgements=tuple(judgements), notes=NOTES),
        dataset=Dataset(name=name, items=tuple(written), notes=NOTES),
        utilities=utilities,
    )


def _readers(spec: ReaderSpec, task: PlantedTask, context: TaskContext) -> list[_Reader]:
    found: list[_Reader] = []
    for place, role in enumerate(ROLES):
        # Identical readers share every draw: only their role tells them apart.
        stream = place if spec.readers == "different" else 0
        draws = Draws(spec.seed, "reader", task.task_id, stream)
        facts = draws.shuffled(range(len(task.table.facts)))
        essential, useful = facts[:N_ESSENTIAL], facts[N_ESSENTIAL : N_ESSENTIAL + N_USEFUL]
        raw = [0.02] * len(task.table.facts)
        for index in essential:
            raw[index] = 0.7 + 0.6 * draws.uniform()
        for index in useful:
            raw[index] = 0.2 + 0.3 * draws.uniform()
        known = [index for index in (*essential, *useful) if draws.chance(KNOWN_CHANCE)]
        known = known if spec.knowledge == "some" else []
        said = [
            replace(fact_sentence(context, index, context.own_bank, draws), subject=Subject.FULL)
            for index in known
        ]
        keys = [task.group.fact_type(fact.kind).key for fact in task.table.facts]
        persona = Persona(
            role=role,
            needs=write_needs(
                Needs(
                    essential=tuple(keys[index] for index in essential),
                    useful=tuple(keys[index] for index in useful),
                )
            ),
            query=f"What should I know about the {task.table.name} {task.table.kind}?",
            knows=tuple(render(said, context)),
        )
        found.append(
            _Reader(
                persona=persona,
                importances=tuple(weight / sum(raw) for weight in raw),
                known=frozenset(known),
                needed=frozenset((*essential, *useful)) - frozenset(known),
            )
        )
    return found


def _texts(
    spec: ReaderSpec, task: PlantedTask, context: TaskContext, readers: Sequence[_Reader]
) -> Iterator[tuple[str, tuple[str, Truth]]]:
    """Yield the texts of a task by system: one written for each reader, then texts for nobody."""
    for place, system in enumerate(SYSTEMS):
        draws = Draws(spec.seed, "text for a reader", task.task_id, system)
        reader = readers[place] if place < len(readers) else None
        stated = [
            index for index in range(len(task.table.facts)) if draws.chance(_chance_of(index, reader))
        ] or [draws.below(len(task.table.facts))]
        long = draws.chance(0.5)
        factors = Factors(
            system=place,
            right_share=WORST_SHARE + (BEST_SHARE - WORST_SHARE) * draws.uniform(),
            long=long,
            ornate=draws.chance(0.5),
            topical=draws.chance(0.5),
            near=draws.chance(0.5),
            target_words=LONG_WORDS if long else SHORT_WORDS,
        )
        plan = plan_candidate(context, factors, draws, stated=stated)
        sentences = render(plan, context)
        truth = truth_of(f"{task.task_id}/{system}", None, plan, task.table, sentences)
        yield system, (" ".join(sentences), truth)


def _chance_of(index: int, reader: _Reader | None) -> float:
    if reader is None:
        return GENERAL_CHANCE
    return OWN_CHANCE if index in reader.needed else OTHER_CHANCE


def _item(task: PlantedTask, system: str, place: int, reader: _Reader, text: str) -> Item:
    shell = task.items[0]
    return replace(
        shell,
        id=f"{task.task_id}/{system}/reader-{place + 1}",
        candidate=text,
        system=system,
        ratings={},
        raters={},
        persona=reader.persona,
        query=None,
    )


def _utility(reader: _Reader, truth: Truth) -> float:
    """Return what a text is worth: what is known already adds nothing, what is wrong costs either way."""
    parts = list(zip(reader.importances, truth.states, strict=True))
    new = sum(
        weight * CREDIT.get(state, 0.0)
        for index, (weight, state) in enumerate(parts)
        if index not in reader.known
    )
    blamed = sum(weight * BLAME.get(state, 0.0) for weight, state in parts)
    length = LENGTH_COST * max(truth.n_words - FREE_WORDS, 0)
    return 1 - exp(-SATURATION * new) - WRONG_COST * blamed - length


def _choices(
    spec: ReaderSpec, task_id: str, place: int, items: Sequence[Item], values: Sequence[float]
) -> Iterator[Judgement]:
    draws = Draws(spec.seed, "choices", task_id, place)
    for first, second in combinations(range(len(items)), 2):
        if draws.chance(0.5):
            first, second = second, first  # noqa: PLW2901 - which text stands on which side is drawn
        gap = values[first] - values[second] + NOISE * draws.normal()
        choice: Choice = "tie" if abs(gap) < TIE else "a" if gap > 0 else "b"
        yield Judgement(
            a=items[first].id, b=items[second].id, choice=choice, annotator=f"{task_id}/reader-{place + 1}"
        )
