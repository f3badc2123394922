"""Draw negatives and answers anew until the sign of a change no longer hangs on the draw, or the budget ends."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gameproof.audits.dry_run import LISTING, DryRun, count_run, repeat_calls
from gameproof.engine.progress import Progress, Silent
from gameproof.errors import BudgetError, PlanError
from gameproof.llm.client import Request
from gameproof.metrics.fmi import FmiMetric
from gameproof.metrics.fmi_preparation import PLAN_BYTES, Preparation
from gameproof.metrics.negatives import draw_negatives
from gameproof.metrics.predictors.oracle import PreparedOracle
from gameproof.metrics.text_memo import Store
from gameproof.records import Dataset, Item, Variant
from gameproof.seeds import rng_for
from gameproof.stats.sequential import MIN_LOOKS, evidence

__all__ = ["ALPHA", "MAX_ROUNDS", "Settling", "plan_rounds", "settle_checks", "without_texts"]

ALPHA = 0.05
MAX_ROUNDS = 200
NOT_SCORED = "no text has a score before and after"
NO_TEXTS = "no text was made or given; give what a model has written with --variants"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settling:
    """What became of one check."""

    check: str
    state: str  # settled, open (the rounds or the budget ended), same (every text scores as before), missing
    rounds: int  # that were looked at
    change: float | None  # mean change of the score over tasks and rounds
    spread: float | None  # sd of the change from round to round: what the draw makes of it
    evidence: (
        float | None
    )  # that the change is not 0; from 1/alpha the sign is settled. None: beyond all bounds
    n_items: int
    why_missing: str | None = None


async def settle_checks(
    items: Sequence[Item],
    variants: Sequence[Variant],
    metric: FmiMetric,
    *,
    alpha: float = ALPHA,
    max_rounds: int = MAX_ROUNDS,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[Settling]:
    """Look at each check after every round, by a test that holds its level whenever it stops.

    A round draws one new negative for every task, in a regular design, and at a temperature above 0 a new sample of
    every answer; original and variant share both. Its mean change over tasks is one observation. Rounds are
    independent given the texts, so the question that is settled is the sign of the change *on these texts*, were every
    negative and answer drawn for ever; whether other texts would change likewise is for `audit` to say.

    Args:
        items: The originals.
        variants: Of one or several perturbations.
        metric: A cell, not prepared.
        alpha: Chance, at most, that a check without any change is ever called settled.
        max_rounds: After which what is not settled stays open.
        seed: Of the draws.
        progress: Told about every round.

    Raises:
        PlanError: Nothing in the cell's scores is drawn.
    """
    draws_answers = _draws_answers(metric)
    if metric.spec.cell.estimator != "fvar" and not draws_answers:
        raise PlanError(
            f"{metric.name} draws neither negatives nor answers: its changes are what they are.",
            hint="Use a contrastive cell such as TV+fvar+statement+overlap, or temperature=0.7 with an oracle.",
        )
    told = progress or Silent()
    prepared_metric = await metric.prepare(items)
    changed = _changed(items, variants)
    observed: dict[str, list[float]] = {name: [] for name in changed}
    counts: dict[str, int] = dict.fromkeys(changed, 0)
    reasons: Counter[str] = Counter()
    unsettled = list(changed)
    told.start("score", max_rounds)
    try:
        for number in range(max_rounds):
            if not unsettled:
                break
            one = _one_round(prepared_metric, number, seed, draws_answers=draws_answers)
            for name, found in (await _changes(one, items, changed, unsettled, reasons)).items():
                observed[name].append(found.mean)
                counts[name] = max(counts[name], found.n_items)
            unsettled = [name for name in unsettled if _is_open(observed[name], alpha)]
            if number + 1 >= MIN_LOOKS:  # what has had no score so far would cost rounds for ever
                unsettled = [name for name in unsettled if observed[name]]
            told.advance(1)
    except BudgetError:
        pass  # what has been looked at is kept; the rest stays open
    told.done()
    why = reasons.most_common(1)[0][0] if reasons else NOT_SCORED
    return [_judge(name, observed[name], counts[name], alpha, why) for name in changed]


async def plan_rounds(
    dataset: Dataset,
    variants: Sequence[Variant],
    metric: FmiMetric,
    *,
    max_rounds: int = MAX_ROUNDS,
    is_stored: Callable[[Request], bool] = lambda _: False,
) -> DryRun:
    """Count the calls that `settle_checks` makes at most; nothing is asked.

    Where answers are drawn anew every round asks anew, and nothing it asks is looked up in the store; where they
    are not, an answer about a negative that has come before is there already.
    """
    n_others = len({item.task_id for item in dataset.items}) - 1
    draws_answers = _draws_answers(metric)
    wanted: dict[str, str] = {}
    if metric.spec.get("neg") is not None:
        rounds = 1 if draws_answers else max_rounds
        wanted["neg"] = "all" if rounds >= n_others else str(rounds)
    one = replace(metric, spec=metric.spec.without(["pool", "v"]).with_options(wanted))
    known = set(_changed(dataset.items, variants))
    used = [variant for variant in variants if variant.text is not None]

    def stored(request: Request) -> bool:
        return (request.purpose in LISTING or not draws_answers) and is_stored(request)

    counted = await count_run(dataset, (), used, [one], is_stored=stored)
    if draws_answers:
        counted = repeat_calls(counted, max_rounds)
    note = (
        f"at most so many: {len(known):,} {'check' if len(known) == 1 else 'checks'} in {max_rounds:,} rounds; it ends as"
        f" soon as every sign is settled, after {MIN_LOOKS} rounds at the earliest"
    )
    return replace(
        counted, notes=(*counted.notes, note) if counted.calls or counted.stored else counted.notes
    )


def _draws_answers(metric: FmiMetric) -> bool:
    return metric.spec.cell.predictor == "oracle" and metric.spec.get("temperature") != "0"


def without_texts(check: str, variants: Sequence[Variant]) -> Settling:
    """Return what is said of a check that no text could be made for, with the most frequent reason."""
    why = Counter(variant.reason for variant in variants if variant.name == check and variant.reason)
    return _judge(check, (), 0, ALPHA, why.most_common(1)[0][0] if why else NO_TEXTS)


@dataclass(frozen=True, slots=True)
class _Change:
    mean: float
    n_items: int


def _changed(items: Sequence[Item], variants: Sequence[Variant]) -> dict[str, dict[str, Item]]:
    """Return check -> item id -> the item with its changed text."""
    originals = {item.id: item for item in items}
    changed: dict[str, dict[str, Item]] = {}
    for variant in variants:
        if variant.text is not None and variant.item_id in originals:
            name = variant.name if variant.level is None else f"{variant.name} {variant.level}"
            changed.setdefault(name, {})[variant.item_id] = originals[variant.item_id].with_candidate(
                variant.text
            )
    return changed


def _one_round(metric: FmiMetric, number: int, seed: int, *, draws_answers: bool) -> FmiMetric:
    """Return the metric with the negatives and the answers of one round."""
    prepared = metric.prepared
    assert prepared is not None  # noqa: S101 - it has just been prepared
    return replace(metric, prepared=_drawn(prepared, metric, number, seed, draws_answers=draws_answers))


def _drawn(
    prepared: Preparation, metric: FmiMetric, number: int, seed: int, *, draws_answers: bool
) -> Preparation:
    negatives = prepared.negatives
    if negatives is not None:
        negatives = draw_negatives(
            prepared.pool,
            neg=1,
            seed=int(rng_for(seed, "settle", number).integers(2**31)),
            dedupe=metric.spec.get("dedupe") == "true",
        )
    predictor = prepared.predictor
    if draws_answers and isinstance(predictor, PreparedOracle):
        predictor = predictor.one_sample(number)
    return replace(prepared, negatives=negatives, predictor=predictor, plans=Store(PLAN_BYTES))


async def _changes(
    metric: FmiMetric,
    items: Sequence[Item],
    changed: Mapping[str, Mapping[str, Item]],
    names: Sequence[str],
    reasons: Counter[str],
) -> dict[str, _Change]:
    """Score originals and variants together, and average the changes within tasks, then over tasks."""
    wanted = [item for item in items if any(item.id in changed[name] for name in names)]
    parts = [wanted, *(list(changed[name].values()) for name in names)]
    scores = await metric.score([item for part in parts for item in part])
    values = np.split(scores.values, np.cumsum([len(part) for part in parts])[:-1])
    reasons.update(scores.reasons.values())
    original = {item.id: value for item, value in zip(wanted, values[0].tolist(), strict=True)}
    found: dict[str, _Change] = {}
    for name, part, variant in zip(names, parts[1:], values[1:], strict=True):
        by_task: dict[str, list[float]] = {}
        for item, value in zip(part, variant.tolist(), strict=True):
            change = value - original[item.id]
            if not np.isnan(change):
                by_task.setdefault(item.task_id, []).append(change)
        if by_task:
            mean = float(np.mean([np.mean(changes) for changes in by_task.values()]))
            found[name] = _Change(mean, sum(map(len, by_task.values())))
    return found


def _is_open(values: Sequence[float], alpha: float) -> bool:
    if len(values) < MIN_LOOKS:
        return True
    if not any(values):
        return False  # not one text has changed its score in any round
    return float(evidence(np.array(values))[-1]) < 1 / alpha


def _judge(name: str, values: Sequence[float], n_items: int, alpha: float, why: str) -> Settling:
    if not values:
        return Settling(
            check=name, state="missing", rounds=0, change=None, spread=None, evidence=None, n_items=0,
            why_missing=why,
        )  # fmt: skip
    found = float(evidence(np.array(values))[-1])
    if found >= 1 / alpha:
        state = "settled"
    else:
        state = "same" if len(values) >= MIN_LOOKS and not any(values) else "open"
    return Settling(
        check=name,
        state=state,
        rounds=len(values),
        change=float(np.mean(values)),
        spread=float(np.std(values, ddof=1)) if len(values) > 1 else None,
        evidence=found if np.isfinite(found) else None,
        n_items=n_items,
    )
