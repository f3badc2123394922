"""The verb `attack`."""

import math
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from gameproof import files
from gameproof.aio.arguments import Llm, Metrics, listed, spare_calls
from gameproof.aio.attacked import ATTACK_FILE, ATTACK_PAGE, refuse_other_attack
from gameproof.aio.reporting import write_text
from gameproof.aio.stand_ins import notes_on_stand_ins
from gameproof.attacks.calls import count_attack_calls
from gameproof.attacks.moves import MOVES, Access
from gameproof.attacks.plan import Plan, count_scores
from gameproof.attacks.proposals import Box
from gameproof.attacks.qualities import choose_quality, family_note
from gameproof.attacks.result import AttackResult, Attacks
from gameproof.attacks.run import Target, attack_metric
from gameproof.audits.few_tasks import note_on_tasks
from gameproof.audits.preparing import prepare_for_audit
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.engine.progress import Progress
from gameproof.errors import PlanError
from gameproof.files.sampling import Sample
from gameproof.llm.asking import Asker
from gameproof.llm.client import LanguageModel
from gameproof.llm.limits import Limits
from gameproof.llm.pool import ModelPool, as_pool, counting_pool
from gameproof.metrics.base import Metric
from gameproof.metrics.catalogue import MetricLike, build_metrics
from gameproof.records import Dataset
from gameproof.reports.attack import render_markdown
from gameproof.reports.attack_json import attacks_text
from gameproof.reports.html.attack_view import render_attack_page

__all__ = ["attack", "plan_attack"]

MEASURING_SEED = 1_000_003  # away from the seed of the search: other negatives, other decompositions


async def attack(
    data: object,
    metrics: Metrics,
    *,
    quality: MetricLike | None = None,
    strategy: str = "evolution",
    budget: int = 64,
    longest: float = 2.0,
    access: Access = "none",
    moves: Sequence[str] | None = None,
    floor: MetricLike | None = None,
    proposer: str | LanguageModel | None = None,
    box: Box = "black",
    per_task: int | None = None,
    universal_budget: int = 2_000,
    margin: float = 0.1,
    out: str | Path | None = None,
    domain: Literal["reviews", "summaries", "answers"] | None = None,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Attacks:
    """Search for texts that each metric scores higher, and measure what they are worth.

    An attacker that is told scores and nothing else changes every text, without a look at references or source.
    What it found is scored again with negative references, decompositions and samples that took no part in the
    search, beside an independent quality. A metric is *gamed* if both its gain and the gaming gap (what it gained
    beyond its honest slope on quality) are shown to be above 0.

    Args:
        data: As in `audit`, of four tasks or more.
        metrics: As in `audit`.
        quality: The metric that tells whether a text is any good: best one that looks at something else than the
            attacked one. By default the truth on planted data, otherwise words; a note says where the attacked
            metric looks at words as well.
        strategy: ``best_of_n``, ``greedy``, ``beam``, ``evolution`` or ``bandit``.
        budget: Scored proposals for each text.
        longest: Times the words of the original that a text may have.
        access: ``none``, or ``source``: the second arm, whose moves may add true information.
        moves: Names of moves; all by default.
        floor: A metric of fluency that a text may lose at most one standard deviation in.
        proposer: A language model that proposes half of the texts.
        box: What it is told: ``black``, scores only; ``grey``, what the metric is as well.
        per_task: Attack at most so many texts of each task, drawn; all by default. The Goodhart curve is over all
            texts of the data.
        universal_budget: Scores for learning one prefix or suffix on half of the tasks; 0 for none.
        margin: The gap that still counts as none, in standard deviations of the metric.
        out: The run folder: ``attack.json``, ``attack.md``, ``attack.html`` and the state of each search, from
            which a stopped attack goes on.
        domain: ``reviews``, ``summaries`` or ``answers``, for items that do not say it themselves.
        rename: Field -> column.
        reference: As in `audit`.
        group_by: The column whose values are the groups, or ``all``.
        sample: So many originals, two to four of a task where there are more, or ``all``. By default 200 where a
            language model is asked, and all otherwise.
        limit: Only the first so many rows.
        llm: As in `audit`, and so `cache` and `limits`.
        cache: Where finished model calls are kept.
        limits: Of model calls.
        seed: Of all draws.
        progress: Told about every scored proposal.

    Raises:
        RunFolderError: The folder has an attack on other data.
        PlanError: A name or number of the plan is not allowed, or no text has what the named moves need.
        InputError: Tasks are too few, or nothing can be scored.
    """
    plan = Plan(
        strategy=strategy, budget=budget, longest=longest, access=access,
        moves=None if moves is None else tuple(moves), box=box, per_task=per_task, universal_budget=universal_budget, margin=margin,
        seed=seed,
    )  # fmt: skip
    _refuse(plan)
    options = DataOptions(
        rename=rename,
        reference=reference,
        group_by=group_by,
        sample=sample,
        limit=limit,
        seed=seed,
        domain=domain,
    )
    async with AsyncExitStack() as stack:
        models = await stack.enter_async_context(as_pool(llm, cache=cache, limits=limits))
        await models.find(proposer)
        writer = models(proposer) if isinstance(proposer, str) else proposer
        built = build_metrics(listed(metrics), seed=seed, llm=models)
        dataset = open_dataset(data, spare_calls(options, built, proposer))
        folder = stack.enter_context(files.RunFolder.open(out)) if out is not None else None
        if folder is not None:
            refuse_other_attack(folder.path, dataset.name)
        few = note_on_tasks(dataset.items, "no metric can be shown to hold", takes="that")
        found = Attacks(data=dataset.name, seed=seed, results=(), notes=(*dataset.notes, *few))
        for number, metric in enumerate(listed(metrics), start=1):
            result = await _attack_one(
                dataset,
                metric,
                plan,
                models,
                quality=quality,
                floor=floor,
                proposer=None if writer is None else Asker(writer),
                journal=None if folder is None else folder.path / f"attack-{number}.search.json",
                progress=progress,
            )
            found = replace(found, results=(*found.results, result))
            if folder is not None:
                _write(
                    folder.path, found
                )  # after each metric: what is finished is not lost with the next one
    return found


async def plan_attack(
    data: object,
    metrics: Metrics,
    *,
    quality: MetricLike | None = None,
    floor: MetricLike | None = None,
    budget: int = 64,
    per_task: int | None = None,
    universal_budget: int = 2_000,
    rename: Mapping[str, str] | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    proposer: str | LanguageModel | None = None,
    seed: int = 0,
) -> list[dict[str, object]]:
    """Count the texts that an attack scores at most and the calls that takes, for each metric; nothing is scored.

    Arguments as in `attack`. Calls and tokens are those of the metric, the quality and the floor on texts like the
    originals; what a proposing model is asked, a call for each of its proposals, comes on top.
    """
    plan = Plan(budget=budget, per_task=per_task, universal_budget=universal_budget, seed=seed)
    _refuse(plan)
    options = DataOptions(rename=rename, group_by=group_by, sample=sample, limit=limit, seed=seed)
    async with counting_pool(llm, cache=None) as models:
        built = build_metrics(listed(metrics), seed=seed, llm=models)
        dataset = open_dataset(data, spare_calls(options, built, proposer))
        texts = count_scores(dataset.items, plan)
        rows: list[dict[str, object]] = []
        for metric in listed(metrics):
            cast = _cast(metric, dataset, models, quality=quality, floor=floor, seed=seed)
            asked = [
                (cast.search, texts["search"]),
                (cast.measure, texts["measure"]),
                (cast.quality, texts["quality"]),
                *((lowest, texts["search"]) for lowest in cast.floor),
            ]
            rows.append({"metric": str(metric), **texts, **await count_attack_calls(dataset, asked)})
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cast:
    """The metrics of an attack, not prepared."""

    search: Metric
    measure: Metric  # the same with other negatives and decompositions
    quality: Metric
    floor: tuple[Metric, ...]  # one at most


def _cast(
    metric: MetricLike,
    dataset: Dataset,
    models: ModelPool,
    *,
    quality: MetricLike | None,
    floor: MetricLike | None,
    seed: int,
) -> _Cast:
    (search,) = build_metrics([metric], seed=seed, llm=models)
    (measure,) = build_metrics([metric], seed=seed + MEASURING_SEED, llm=models)
    chosen = quality if quality is not None else choose_quality(search.name, dataset)
    (judge,) = build_metrics([chosen], seed=seed + MEASURING_SEED, llm=models)
    lowest = () if floor is None else build_metrics([floor], seed=seed, llm=models)
    return _Cast(search=search, measure=measure, quality=judge, floor=tuple(lowest))


async def _attack_one(
    dataset: Dataset,
    metric: MetricLike,
    plan: Plan,
    models: ModelPool,
    *,
    quality: MetricLike | None,
    floor: MetricLike | None,
    proposer: Asker | None,
    journal: Path | None,
    progress: Progress | None,
) -> AttackResult:
    cast = _cast(metric, dataset, models, quality=quality, floor=floor, seed=plan.seed)
    directed = (await prepare_for_audit([cast.search], dataset.items))[0].higher_is_better
    note = family_note(cast.search.name, cast.quality.name)
    target = Target(
        search=cast.search,
        measure=cast.measure,
        quality=cast.quality,
        floor=cast.floor[0] if cast.floor else None,
        higher_is_better=directed,
    )
    return await attack_metric(
        dataset.items,
        target,
        plan,
        proposer=proposer,
        journal=journal,
        notes=(
            *notes_on_stand_ins([cast.search, cast.quality, *cast.floor], dataset.notes),
            *([] if note is None else [note]),
        ),
        progress=progress,
    )


def _refuse(plan: Plan) -> None:
    """Refuse what cannot be meant, all of it together."""
    problems: list[str] = []
    _ = plan.row
    if plan.budget < 1:
        problems.append(f"budget: found {plan.budget}; allowed: 1 or more.")
    if plan.per_task is not None and plan.per_task < 1:
        problems.append(f"per_task: found {plan.per_task}; allowed: 1 or more, or None for all.")
    if not 1 <= plan.longest < math.inf:
        problems.append(
            f"longest: found {plan.longest:g}; allowed: 1 or more, times the words of the original."
        )
    if not 0 <= plan.margin < math.inf:
        problems.append(f"margin: found {plan.margin:g}; allowed: 0 or more, in standard deviations.")
    if plan.universal_budget < 0:
        problems.append(f"universal_budget: found {plan.universal_budget}; allowed: 0 or more.")
    unknown = [name for name in plan.moves or () if name not in MOVES]
    if unknown:
        problems.append(f"moves: {', '.join(unknown)} unknown; allowed: {', '.join(MOVES)}.")
    if problems:
        raise PlanError("\n".join(problems))


def _write(folder: Path, found: Attacks) -> None:
    write_text(folder / ATTACK_FILE, attacks_text(found))
    write_text(folder / "attack.md", render_markdown(found))
    write_text(folder / ATTACK_PAGE, render_attack_page(found))
