"""Attack one metric: search on one side, measure on the other, and everything that is reported with it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gameproof.attacks.goodhart import mean_ratings, texts_of_tasks
from gameproof.attacks.journal import Journal
from gameproof.attacks.measure import Measurement, infer_steps, measure
from gameproof.attacks.moves import blind, legal_moves
from gameproof.attacks.plan import Plan, budgets, draw_texts
from gameproof.attacks.probes import probe
from gameproof.attacks.proposals import ModelProposals
from gameproof.attacks.result import AttackResult, Example, Goodhart, MoveUse, Universal
from gameproof.attacks.scene import Stage
from gameproof.attacks.search import Allow, Arms, Found, Hunt, Limits, Search
from gameproof.attacks.sides import Scored, Side, split_tasks
from gameproof.attacks.universal import Addition, learn_addition
from gameproof.engine.progress import Progress, Silent
from gameproof.errors import InputError, PlanError
from gameproof.files.digest import digest_items, digest_of
from gameproof.llm.asking import Asker
from gameproof.metrics.base import Metric, is_pinned
from gameproof.records import FloatArray, Item
from gameproof.stats.gaming import infer_gaming

__all__ = ["Target", "attack_metric"]

MOST_EXAMPLES = 5
MEASUREMENT = 1  # the repetition of a judge's questions that the measurement asks; the search asks the 0th
FEWEST_TASKS = 4  # two on each side


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The metric that is attacked, twice, and what tells whether a text is any good.

    Attributes:
        search: As the attacker sees it.
        measure: The same metric with another seed, for the measurement.
        quality: Of another family.
        floor: A metric that an attacked text may lose at most one standard deviation in; None for no floor.
    """

    search: Metric
    measure: Metric
    quality: Metric
    floor: Metric | None = None
    higher_is_better: bool = True  # of the attacked metric, declared or measured


async def attack_metric(
    items: Sequence[Item],
    target: Target,
    plan: Plan,
    *,
    proposer: Asker | None = None,
    journal: Path | None = None,
    notes: Sequence[str] = (),
    progress: Progress | None = None,
) -> AttackResult:
    """Attack every text, and measure what it was worth.

    Args:
        items: The originals, of at least four tasks.
        target: The metric and the quality.
        plan: How.
        proposer: A language model that proposes half of the texts.
        journal: A file that keeps the search; an attack that finds its own goes on from there, unless the metric is a
            function without a version.
        notes: For readers of the result.
        progress: Told about every scored proposal.

    Raises:
        InputError: There are fewer than four tasks, or no original has a score.
        PlanError: No text has what the named moves need.
    """
    if len({item.task_id for item in items}) < FEWEST_TASKS:
        raise InputError(
            f"{len({item.task_id for item in items})} tasks: an attack is searched on some tasks' references and"
            f" measured on others', which takes {FEWEST_TASKS} at the least."
        )
    first, second = split_tasks(items, plan.seed)
    sign = 1.0 if target.higher_is_better else -1.0
    search = Side(metric=target.search, items=items, others=first, seed=plan.seed, sign=sign)
    measuring = Side(
        metric=target.measure, items=items, others=second, seed=plan.seed, sign=sign, repetition=MEASUREMENT
    )
    quality = Side(
        metric=target.quality,
        items=items,
        others=second,
        seed=plan.seed,
        sign=1.0 if target.quality.higher_is_better else -1.0,
    )
    attacked_items = draw_texts(items, plan.per_task, plan.seed)
    originals = await search.score(attacked_items)
    hunts = await _search(
        Stage(items, plan.access),
        _scored(attacked_items, originals, target.search.name),
        search,
        target,
        plan,
        proposer=proposer,
        journal=journal,
        progress=progress or Silent(),
    )
    attacked = {
        budget: [(hunt.item, hunt.best_within(budget).text) for hunt in hunts]
        for budget in budgets(plan.budget)
    }
    addition, n_learning = await _learn(attacked_items, search, plan)
    test = (
        [item for item in attacked_items if item.task_id in measuring.others] if addition is not None else []
    )
    added = [(item, addition.put(item.candidate)) for item in test] if addition is not None else []
    measurement = await measure(
        [
            *((item, item.candidate) for item in items),
            *(pair for pairs in attacked.values() for pair in pairs),
            *added,
        ],
        metric=measuring,
        quality=quality,
    )
    steps = infer_steps(measurement, attacked, margin=plan.margin, seed=plan.seed)
    winners = [(hunt, hunt.best_within(plan.budget)) for hunt in hunts]
    universal = (
        None
        if addition is None
        else _universal(addition, n_learning, added, measurement, search=search, plan=plan)
    )
    measured = measurement.originals(attacked_items)
    return AttackResult(
        metric=target.search.name,
        signature=target.search.signature(),
        quality=target.quality.name,
        access=plan.access,
        strategy=plan.strategy,
        box=plan.box if proposer is not None else None,
        budget=plan.budget,
        longest=plan.longest,
        n_items=len(hunts),
        n_tasks=len({hunt.item.task_id for hunt in hunts}),
        n_calls=sum(hunt.n_calls for hunt in hunts),
        n_measured=len(measurement.metric),
        steps=steps,
        moves=_moves(winners),
        examples=_examples(winners, measurement),
        probes=await probe(attacked_items, measuring, measured, seed=plan.seed),
        universal=universal,
        goodhart=_goodhart(items, measurement, target.quality.name, plan),
        failures=_failures(originals, hunts),
        notes=(*notes, *_notes(hunts, plan)),
    )


def _scored(items: Sequence[Item], originals: Scored, metric: str) -> list[tuple[Item, float]]:
    """Return the originals that have a score, with it."""
    entries = originals.entries()
    found: list[tuple[Item, float]] = [
        (item, score) for item, score in zip(items, entries, strict=True) if not isinstance(score, str)
    ]
    if not found:
        raise InputError(f"{metric}: no original has a score: {originals.reasons[0]}.")
    return found


async def _search(
    stage: Stage,
    scored: Sequence[tuple[Item, float]],
    side: Side,
    target: Target,
    plan: Plan,
    *,
    proposer: Asker | None,
    journal: Path | None,
    progress: Progress,
) -> list[Hunt]:
    """Search, or go on with a search that was stopped."""
    chosen = [item for item, _ in scored]
    moves = {item.id: legal_moves(blind(item, plan.access), plan.moves) for item in chosen}
    if proposer is None and not any(moves.values()):
        raise PlanError(
            f"moves: found {', '.join(plan.moves or ()) or 'none'}; no text has what they need.",
            hint="`gameproof list moves` says what each needs; --with-source lets moves see the source.",
        )
    # As with the scores in a run folder: what a function without a version found is not taken up again.
    pinned = all(is_pinned(each.signature()) for each in (target.search, target.floor) if each is not None)
    key = _key(chosen, side, target, plan, proposer)
    kept = Journal(path=journal, key=key) if journal is not None and pinned else None
    known = kept.recall(chosen) if kept is not None else None
    hunts, arms = known or ([_start(item, score) for item, score in scored], Arms())
    limits = Limits(budget=plan.budget, longest=plan.longest, allow=await _floor(chosen, target.floor))
    search = Search(
        name=target.search.name,
        scenes={item.id: stage.scene(item) for item in chosen},
        moves=moves,
        strategy=plan.row,
        score=lambda texts: _entries(side, texts),
        limits=limits,
        seed=plan.seed,
        propose=None if proposer is None else _proposals(proposer, target, plan),
    )
    progress.start("attack", plan.budget * len(hunts))
    done = sum(hunt.n_calls for hunt in hunts)
    progress.advance(done)

    def after_round(hunts: Sequence[Hunt], arms: Arms) -> None:
        nonlocal done
        now = sum(hunt.n_calls for hunt in hunts)
        progress.advance(now - done)
        done = now
        if kept is not None:
            kept.keep(hunts, arms)

    await search.run(hunts, arms, after_round)
    progress.done()
    return hunts


async def _entries(side: Side, texts: Sequence[Item]) -> list[float | str]:
    return (await side.score(texts)).entries() if texts else []


def _start(item: Item, score: float) -> Hunt:
    original = Found(text=item.candidate, score=score)
    return Hunt(item=item, kept=[original], record=[original])


def _proposals(proposer: Asker, target: Target, plan: Plan) -> ModelProposals:
    definition = target.search.signature() if plan.box == "grey" else None
    return ModelProposals(asker=proposer, definition=definition, longest=plan.longest)


async def _floor(items: Sequence[Item], floor: Metric | None) -> Allow | None:
    """Return what allows a text: its floor metric is at most one standard deviation below its original's."""
    if floor is None:
        return None
    prepared = await floor.prepare(items)
    sign = 1.0 if floor.higher_is_better else -1.0
    values: FloatArray = sign * (await prepared.score(items)).values
    lowest = dict(zip((item.id for item in items), values - np.nanstd(values), strict=True))

    async def allow(texts: Sequence[Item]) -> list[bool]:
        found = sign * (await prepared.score(texts)).values
        return [bool(value >= lowest[item.id]) for item, value in zip(texts, found, strict=True)]

    return allow


def _key(items: Sequence[Item], side: Side, target: Target, plan: Plan, proposer: Asker | None) -> str:
    """Return what a search depends on."""
    return digest_of(
        [
            target.search.signature(),
            None if target.floor is None else target.floor.signature(),
            [
                plan.strategy,
                plan.budget,
                plan.per_task,
                plan.longest,
                plan.access,
                plan.moves,
                plan.box,
                plan.seed,
            ],
            None if proposer is None else proposer.name,
            side.sign,
            digest_items(side.items),  # all of them: moves borrow from texts that nobody attacks
            [item.id for item in items],
        ]
    )


async def _learn(items: Sequence[Item], search: Side, plan: Plan) -> tuple[Addition | None, int]:
    """Learn one addition on the tasks of the searching side, where the plan has scores for it."""
    if plan.universal_budget <= 0:
        return None, 0
    training = [item for item in items if item.task_id in search.others]
    return await learn_addition(training, search, budget=plan.universal_budget, seed=plan.seed)


def _universal(
    addition: Addition,
    n_calls: int,
    pairs: Sequence[tuple[Item, str]],
    measurement: Measurement,
    *,
    search: Side,
    plan: Plan,
) -> Universal:
    sample, n_missing = measurement.sample(pairs)
    return Universal(
        place=addition.place,
        text=addition.text,
        parts=addition.parts,
        n_calls=n_calls,
        training_gain=addition.gain,
        n_training_tasks=len(search.others),
        result=infer_gaming(sample, margin=plan.margin, seed=plan.seed),
        n_missing=n_missing,
    )


def _goodhart(items: Sequence[Item], measurement: Measurement, quality: str, plan: Plan) -> Goodhart:
    metric = measurement.originals(items).values
    ratings = mean_ratings(items)
    if ratings is not None:
        return texts_of_tasks(items, metric, ratings, by="the ratings of the data", seed=plan.seed)
    return texts_of_tasks(items, metric, measurement.qualities(items), by=quality, seed=plan.seed)


def _moves(winners: Sequence[tuple[Hunt, Found]]) -> tuple[MoveUse, ...]:
    attacked = [found for _, found in winners if found.call]
    counts = Counter(move for found in attacked for move in set(found.moves))
    return tuple(
        MoveUse(move=move, share=count / len(attacked), n=count)
        for move, count in sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    )


def _examples(winners: Sequence[tuple[Hunt, Found]], measurement: Measurement) -> tuple[Example, ...]:
    """Return the texts that gained most on the measuring side, not on the one that was attacked."""
    found: list[tuple[float, Example]] = []
    for hunt, winner in winners:
        before, after = (measurement.of(hunt.item, text) for text in (hunt.item.candidate, winner.text))
        gain = after.metric - before.metric
        if np.isnan([gain, before.quality, after.quality]).any() or gain <= 0:
            continue
        example = Example(
            item=hunt.item.id,
            original=hunt.item.candidate,
            attacked=winner.text,
            moves=winner.moves,
            metric=(before.metric, after.metric),
            quality=(before.quality, after.quality),
        )
        found.append((gain, example))
    found.sort(key=lambda row: (-row[0], row[1].item))
    return tuple(example for _, example in found[:MOST_EXAMPLES])


def _failures(originals: Scored, hunts: Sequence[Hunt]) -> dict[str, int]:
    total: Counter[str] = Counter(
        f"the original has no score: {reason}" for reason in originals.reasons if reason is not None
    )
    for hunt in hunts:
        total.update(hunt.failures)
    return dict(total.most_common())


def _notes(hunts: Sequence[Hunt], plan: Plan) -> list[str]:
    unspent = [hunt for hunt in hunts if hunt.n_calls < plan.budget]
    notes: list[str] = []
    if unspent:
        notes.append(
            f"{len(unspent):,} texts ran out of new legal changes before their budget of {plan.budget:,} was spent"
        )
    if plan.access == "source":
        notes.append(
            "moves saw the source: a gain may be true information, so this arm shows no gaming by itself"
        )
    return notes
