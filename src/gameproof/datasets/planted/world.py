"""Make planted worlds: any number of tasks from a seed, one by one or all together."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from gameproof.datasets.planted.banks import DOMAINS, Group, load_groups, load_wording
from gameproof.datasets.planted.compose import plan_candidate, plan_reference, plan_source
from gameproof.datasets.planted.design import Factors, draw_factors
from gameproof.datasets.planted.draws import Draws
from gameproof.datasets.planted.facts import Fact, FactTable, draw_value, near_miss
from gameproof.datasets.planted.perturb import CONTROLS, PERTURBATIONS, PlanChange
from gameproof.datasets.planted.plan import Plan, TaskContext
from gameproof.datasets.planted.ratings import DIMENSIONS, draw_importances, rate
from gameproof.datasets.planted.render import render
from gameproof.datasets.planted.truth import Truth, VariantKey, truth_of
from gameproof.records import Dataset, Item, Variant

__all__ = [
    "MOST_TEXTS",
    "SYSTEMS",
    "PlantedTask",
    "PlantedWorld",
    "WorldSpec",
    "digest",
    "make_tasks",
    "make_world",
]

SYSTEMS = ("alder", "birch", "cedar", "dogwood", "elm", "fir", "gorse", "hazel")  # best first
MOST_TEXTS = 32  # of a system for one task
FEWEST_FACTS, MOST_FACTS = 4, 7
DUPLICATE_CHANCE = 0.08  # that a task is a copy of an earlier one with one value changed
MOST_REFERENCES = 3
UNCHANGED = "unchanged"  # there is nothing in the text that the perturbation could change
NOTE = "planted world: the texts are made from fact tables, and the ratings are planted, not human"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldSpec:
    """What a planted world is to be like.

    Attributes:
        seed: Everything follows from it.
        tasks_per_domain: Tasks of each of the three domains, spread over its three groups.
        systems: How many systems of falling quality write a candidate for each task, at most eight.
        candidates: How many of them are drawn for a task; all where None.
        texts: How many texts each of them writes for a task, at most 32: with eight systems, 256 texts a task.
        best: Take the best of them instead of drawing.
        confounded: Better systems write longer, more ornately and with more topic vocabulary.
        generic_facts: References and candidates contain statements that fit every task of the group.
        near_copies: Some tasks repeat an earlier one with one value changed.
        held_out: Wordings that differ from the references' come from the held-out part of the bank.
        variants: The names of the perturbations to make; all where None.
        controls: Also make the control variants that show what a metric is blind to.
    """

    seed: int = 0
    tasks_per_domain: int = 24
    systems: int = 4
    candidates: int | None = None
    best: bool = False
    texts: int = 1
    confounded: bool = False
    generic_facts: bool = True
    near_copies: bool = True
    held_out: bool = False
    variants: frozenset[str] | None = None
    controls: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedTask:
    """One task with all its texts, and what is true about them."""

    task_id: str
    table: FactTable
    group: Group
    items: tuple[Item, ...]
    variants: tuple[Variant, ...]
    truths: tuple[Truth, ...]  # of the items, then of the variants, in their order
    factors: tuple[Factors, ...]  # of the items
    reference_facts: tuple[tuple[int | None, ...], ...]  # reference, sentence: the fact it states
    copy_of: str | None  # the task that this one nearly repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedWorld:
    """A data set, and the truth about it."""

    dataset: Dataset
    truths: Mapping[tuple[str, VariantKey | None], Truth]
    tasks: Mapping[str, PlantedTask]

    def truth(self, item_id: str, variant: str | None = None, level: int | None = None) -> Truth:
        """Return what a candidate, or a variant of it, states."""
        return self.truths[item_id, (variant, level) if variant is not None else None]


def make_world(spec: WorldSpec, *, name: str = "planted") -> PlantedWorld:
    """Make a whole world.

    Example:
        >>> world = make_world(WorldSpec(seed=1, tasks_per_domain=3))
        >>> len(world.dataset.items)
        36
    """
    tasks = list(make_tasks(spec))
    dataset = Dataset(
        name=name,
        items=tuple(item for task in tasks for item in task.items),
        variants=tuple(variant for task in tasks for variant in task.variants),
        notes=(NOTE,),
    )
    truths = {(truth.item_id, truth.key): truth for task in tasks for truth in task.truths}
    return PlantedWorld(dataset=dataset, truths=truths, tasks={task.task_id: task for task in tasks})


def make_tasks(spec: WorldSpec) -> Iterator[PlantedTask]:
    """Make the tasks of a world one by one; nothing is kept in memory.

    A task depends on the seed, its group and its number only: a larger world begins with the same tasks.
    """
    for domain in DOMAINS:
        groups = [group for group in load_groups() if group.domain == domain]
        for number in range(spec.tasks_per_domain):
            yield _make_task(spec, groups[number % len(groups)], number // len(groups))


def digest(world: PlantedWorld) -> str:
    """Return a digest of every text, rating and truth of a world."""
    check = hashlib.sha256()
    for item in world.dataset.items:
        row = [
            item.id,
            item.task_id,
            item.group,
            item.domain,
            item.system,
            item.candidate,
            item.source,
            item.query,
        ]
        row += [list(item.references), {rater: dict(marks) for rater, marks in item.raters.items()}]
        check.update(json.dumps(row, sort_keys=True).encode())
    for variant in world.dataset.variants:
        check.update(json.dumps([variant.item_id, variant.name, variant.level, variant.text]).encode())
    for truth in world.truths.values():
        check.update(json.dumps([truth.item_id, truth.key, [str(state) for state in truth.states]]).encode())
    return check.hexdigest()


def _make_task(spec: WorldSpec, group: Group, number: int) -> PlantedTask:
    task_id = f"{group.name}-{number + 1:03d}"
    origin = _origin(spec.seed, group, number) if spec.near_copies else number
    table = _table(spec.seed, group, origin)
    if origin != number:
        table = _copy_with_one_change(table, group, Draws(spec.seed, "change", group.name, number))
    context = TaskContext(
        table=table,
        group=group,
        wording=load_wording(),
        own_bank="held_out" if spec.held_out else "paraphrase",
        generic_facts=spec.generic_facts,
    )
    draws = Draws(spec.seed, "references", group.name, origin)
    plans = [plan_reference(context, draws) for _ in range(draws.between(1, MOST_REFERENCES))]
    shell = Item(
        id=task_id,
        task_id=task_id,
        candidate="",
        references=tuple(" ".join(render(plan, context)) for plan in plans),
        source=_source(context, Draws(spec.seed, "source", group.name, number)),
        group=group.name,
        domain=group.domain,
        query=group.query.format(name=table.name, kind=table.kind) if group.query else None,
    )
    texts = _Texts(spec, context, shell, number)
    return PlantedTask(
        task_id=task_id,
        table=table,
        group=group,
        items=tuple(texts.items),
        variants=tuple(texts.variants),
        truths=(*texts.item_truths, *texts.variant_truths),
        factors=tuple(texts.factors),
        reference_facts=tuple(
            tuple(sentence.index if sentence.role == "fact" else None for sentence in plan) for plan in plans
        ),
        copy_of=f"{group.name}-{origin + 1:03d}" if origin != number else None,
    )


class _Texts:
    """Collect the candidates of a task and their variants."""

    def __init__(self, spec: WorldSpec, context: TaskContext, shell: Item, number: int) -> None:
        self.items: list[Item] = []
        self.variants: list[Variant] = []
        self.item_truths: list[Truth] = []
        self.variant_truths: list[Truth] = []
        self.factors: list[Factors] = []
        self._spec, self._context, self._shell = spec, context, shell
        self._place = (context.group.name, number)
        self._importances = draw_importances(
            len(context.table.facts), Draws(spec.seed, "importances", *self._place)
        )
        # The next text of a system is written as its text for the next task would be: the factors stay crossed.
        factors = [
            draw_factors(
                spec.seed,
                context.group.name,
                number + turn,
                n_systems=spec.systems,
                confounded=spec.confounded,
            )
            for turn in range(spec.texts)
        ]
        count = min(spec.candidates or spec.systems, spec.systems)
        draws = Draws(spec.seed, "systems", *self._place)
        for system in range(count) if spec.best else sorted(draws.sample(range(spec.systems), count)):
            for turn in range(spec.texts):
                self._add(factors[turn][system], turn)

    def _add(self, factors: Factors, turn: int) -> None:
        spec, context = self._spec, self._context
        system = SYSTEMS[factors.system]
        writer = (system, turn + 1) if turn else (system,)  # the first text is that of a world with one each
        plan = plan_candidate(context, factors, Draws(spec.seed, "candidate", *self._place, *writer))
        item_id = f"{self._shell.task_id}/{'-'.join(map(str, writer))}"
        text, truth = self._write(item_id, None, plan)
        raters = rate(truth, self._importances, Draws(spec.seed, "raters", *self._place, *writer))
        means = {
            dimension: sum(marks[dimension] for marks in raters.values()) / len(raters)
            for dimension in DIMENSIONS
        }
        self.items.append(
            replace(self._shell, id=item_id, candidate=text, system=system, ratings=means, raters=raters)
        )
        self.item_truths.append(truth)
        self.factors.append(factors)
        for change in self._changes():
            if context.domain not in change.domains:
                continue
            draws = Draws(spec.seed, "variant", *self._place, *writer, change.name)
            changed = change.make(plan, context, draws)
            if changed == plan:
                failed = Variant(item_id=item_id, name=change.name, level=change.level, reason=UNCHANGED)
                self.variants.append(failed)
                continue
            text, truth = self._write(item_id, (change.name, change.level), changed)
            self.variants.append(Variant(item_id=item_id, name=change.name, level=change.level, text=text))
            self.variant_truths.append(truth)

    def _changes(self) -> tuple[PlanChange, ...]:
        wanted = self._spec.variants
        changes = tuple(change for change in PERTURBATIONS if wanted is None or change.name in wanted)
        return changes + CONTROLS if self._spec.controls else changes

    def _write(self, item_id: str, variant: VariantKey | None, plan: Plan) -> tuple[str, Truth]:
        sentences = render(plan, self._context)
        return " ".join(sentences), truth_of(item_id, variant, plan, self._context.table, sentences)


def _origin(seed: int, group: Group, number: int) -> int:
    """Return the number of the task whose facts this one has: its own, or for a near copy the one before."""

    def drawn(place: int) -> bool:
        return Draws(seed, "duplicate", group.name, place).chance(DUPLICATE_CHANCE)

    if number > 0 and drawn(number) and not (number > 1 and drawn(number - 1)):
        return number - 1
    return number


def _table(seed: int, group: Group, number: int) -> FactTable:
    wording = load_wording()
    draws = Draws(seed, "facts", group.name, number)
    stem = wording.stems.draw(draws)
    name = group.name_pattern.format(stem=stem, root=stem.rstrip("aeo"), code=draws.pick(wording.codes))
    kinds = draws.sample(range(len(group.fact_types)), draws.between(FEWEST_FACTS, MOST_FACTS))
    lead_kinds = [kind for kind in kinds if group.fact_types[kind].slot.form != "pole"]
    facts: list[Fact] = []
    for kind in [*kinds, -1] if group.verdict is not None else kinds:
        fact_type = group.fact_type(kind)
        value = draw_value(fact_type.slot, wording.stems, draws)
        second = draw_value(fact_type.second, wording.stems, draws) if fact_type.second is not None else None
        facts.append(Fact(kind, value, second))
    return FactTable(
        name=name.lower() if group.name_lower else name,
        kind=draws.pick(group.kinds),
        facts=tuple(facts),
        lead=kinds.index(lead_kinds[0]),
    )


def _copy_with_one_change(table: FactTable, group: Group, draws: Draws) -> FactTable:
    index = draws.below(len(table.facts))
    fact = table.facts[index]
    value = near_miss(group.fact_type(fact.kind).slot, fact.value, load_wording().stems, draws)
    facts = (*table.facts[:index], replace(fact, value=value), *table.facts[index + 1 :])
    return replace(table, facts=facts)


def _source(context: TaskContext, draws: Draws) -> str:
    table = context.table
    title = context.group.title.format(name=table.name, kind=table.kind)
    body = " ".join(render(plan_source(context, draws), context))
    return f"{title[0].upper()}{title[1:]}. {body}"
