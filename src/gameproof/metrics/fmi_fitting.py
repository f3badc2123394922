"""What a cell fits on the originals of a run: a calibrated scale of ratios, and base rates with their slopes.

Both look at the predictor's values for the originals and their negatives. A contrastive cell asks for these when
it scores the originals, so fitting takes no call more; a direct cell is lent four negatives to calibrate on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gameproof.errors import InputError
from gameproof.fmi.aggregation import (
    UnitScores,
    critic_of_units,
    score_direct,
    score_variational,
    shares_of_units,
)
from gameproof.fmi.calibration import CrossFitted, Ratios, cross_fit, implied_information
from gameproof.fmi.divergences import DIVERGENCES
from gameproof.fmi.estimators import EXPONENT_LIMIT
from gameproof.fmi.spec import Spec
from gameproof.metrics.base import missing_before_scoring
from gameproof.metrics.fmi_control import Control, Met, fit_control
from gameproof.metrics.fmi_meetings import Meeting, blocks_of, meet
from gameproof.metrics.fmi_preparation import PLAN_BYTES, Plan, Preparation, quantity_of
from gameproof.metrics.negatives import draw_negatives
from gameproof.metrics.predictors.base import Block
from gameproof.metrics.text_memo import Store
from gameproof.records import FloatArray, IntArray, Item

__all__ = [
    "NOTHING",
    "Fitted",
    "Pairs",
    "estimate_scores",
    "fit_on_originals",
    "fitting_blocks",
    "pairs_of",
    "predict_pairs",
]

# Of a direct cell, which has none of its own. The draw does not depend on the seed, which its signature lacks.
CALIBRATION_NEGATIVES = 4
CALIBRATION_SEED = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """What the originals have taught; the same for originals and variants."""

    scale: CrossFitted | None = None
    control: Control | None = None
    notes: tuple[str, ...] = ()

    def calibrate(self, plan: Plan, predicted: FloatArray) -> FloatArray:
        """Return log r on the calibrated scale of a plan's task."""
        return predicted if self.scale is None else self.scale.of(plan.task)(predicted)

    def correct(self, plan: Plan, found: UnitScores) -> UnitScores:
        """Take base rates off."""
        return found if self.control is None else self.control.apply(plan, found)


NOTHING = Fitted()


def estimate_scores(spec: Spec, fitted: Fitted, plan: Plan, predicted: FloatArray) -> UnitScores:
    """Turn a predictor's values into scores: calibrate, aggregate and estimate, take base rates off."""
    divergence, agg = DIVERGENCES[spec.cell.divergence], spec.get("agg") or "mean"
    predicted = fitted.calibrate(plan, predicted)
    if spec.cell.estimator == "fvar":
        found = score_variational(
            divergence, predicted, plan.layout, quantity=quantity_of(spec), agg=agg, limit=_limit(spec)
        )
        return fitted.correct(plan, found)
    form = "joint" if spec.get("form") == "joint" else "monotone"
    return score_direct(divergence, predicted, plan.layout, agg=agg, form=form, limit=_limit(spec))


async def fit_on_originals(
    prepared: Preparation, spec: Spec, items: Sequence[Item], needs: frozenset[str]
) -> Fitted:
    """Fit what a cell's options ask for.

    Raises:
        InputError: There are too few tasks to calibrate on.
    """
    if not _fits(spec):
        return NOTHING
    prepared = _with_negatives(prepared)
    kept = await _predict(prepared, spec, items, needs)
    fitted = NOTHING
    method = spec.get("calibrate") or "none"
    if method != "none":
        fitted = _calibrate(kept, spec, method, len(prepared.pool.tasks))
    if spec.get("control") == "base_rate":
        fitted = _control(kept, spec, fitted, prepared)
    return fitted


async def predict_pairs(
    prepared: Preparation, spec: Spec, items: Sequence[Item], needs: frozenset[str]
) -> "Pairs":
    """Return what a cell is calibrated on: its log ratios for the originals and their negatives.

    Raises:
        InputError: No text is held against anything.
    """
    prepared = _with_negatives(prepared)
    found = await _predict(prepared, spec, items, needs)
    if not found:
        plans = (missing_before_scoring(item, needs) or prepared.plan(item) for item in items)
        reason = next((plan for plan in plans if isinstance(plan, str)), "no verdicts")
        raise InputError(
            f"there is nothing to calibrate: no text has a score ({reason}).",
            hint="Texts are held against their own references and those of other tasks.",
        )
    return pairs_of(found)


def fitting_blocks(
    rehearsed: Preparation, spec: Spec, items: Sequence[Item], needs: frozenset[str]
) -> list[Block]:
    """Return what `fit_on_originals` asks the predictor."""
    if not _fits(spec):
        return []
    return blocks_of(_meetings(_with_negatives(rehearsed), items, needs), items)


async def _predict(
    prepared: Preparation, spec: Spec, items: Sequence[Item], needs: frozenset[str]
) -> list[tuple[Plan, FloatArray]]:
    """Return the predictor's values for the originals, without those that have no score."""
    meetings = _meetings(prepared, items, needs)
    predictions = await prepared.predictor.predict(blocks_of(meetings, items), quantity_of(spec))
    kept: list[tuple[Plan, FloatArray]] = []
    for meeting, predicted in zip(meetings, predictions, strict=True):
        scored = [row for row in range(len(meeting.rows)) if row not in predicted.reasons]
        if scored:
            kept.append((meeting.plan, predicted.values[scored]))
    return kept


def _fits(spec: Spec) -> bool:
    return spec.get("calibrate") not in {None, "none"} or spec.get("control") == "base_rate"


def _limit(spec: Spec) -> float:
    clip = spec.get("clip")
    return EXPONENT_LIMIT if clip is None or clip == "none" else float(clip)


def _with_negatives(prepared: Preparation) -> Preparation:
    if prepared.negatives is not None:
        return prepared
    drawn = draw_negatives(prepared.pool, neg=CALIBRATION_NEGATIVES, seed=CALIBRATION_SEED, dedupe=False)
    return replace(prepared, negatives=drawn, plans=Store(PLAN_BYTES))


def _meetings(prepared: Preparation, items: Sequence[Item], needs: frozenset[str]) -> list[Meeting]:
    return meet([missing_before_scoring(item, needs) or prepared.plan(item) for item in items])


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Every candidate of the originals with every unit that it met."""

    ratios: Ratios
    candidate_tasks: IntArray
    reference_tasks: IntArray


def pairs_of(predicted: Sequence[tuple[Plan, FloatArray]]) -> Pairs:
    """Lay out log ratios as pairs; tasks count alike, and within a task what the metric lets count."""
    values: list[FloatArray] = []
    weights: list[FloatArray] = []
    matched: list[FloatArray] = []
    tasks: list[IntArray] = []
    others: list[IntArray] = []
    for plan, found in predicted:
        layout = plan.layout
        columns = np.repeat(
            np.repeat(np.arange(len(layout.tasks.lengths)), layout.tasks.lengths), layout.references.lengths
        )
        met = np.concatenate([[plan.task], plan.negative_tasks])[columns]
        share = shares_of_units(layout) / len(found)
        values.append(found.ravel())
        weights.append(np.tile(share, len(found)))
        matched.append(np.tile((columns == 0).astype(np.float64), len(found)))
        tasks.append(np.full(found.size, plan.task, dtype=np.int64))
        others.append(np.tile(met, len(found)))
    flat = np.concatenate(values)
    weight, is_matched = np.concatenate(weights), np.concatenate(matched)
    there = ~np.isnan(flat) & (weight > 0)
    weight, is_matched = weight[there], is_matched[there]
    totals = np.where(is_matched > 0, np.sum(weight * is_matched), np.sum(weight * (1 - is_matched)))
    candidate_tasks = np.concatenate(tasks)[there]
    return Pairs(
        ratios=Ratios(
            values=flat[there],
            is_matched=is_matched,
            weights=weight / totals,
            n_tasks=max(len(np.unique(candidate_tasks)), 1),
        ),
        candidate_tasks=candidate_tasks,
        reference_tasks=np.concatenate(others)[there],
    )


def _calibrate(predicted: Sequence[tuple[Plan, FloatArray]], spec: Spec, method: str, n_tasks: int) -> Fitted:
    if not predicted:
        return NOTHING
    pairs = pairs_of(predicted)
    ratios = pairs.ratios
    scale = cross_fit(
        ratios,
        candidate_tasks=pairs.candidate_tasks,
        reference_tasks=pairs.reference_tasks,
        n_tasks=n_tasks,
        method=method,
    )
    mapped = scale.apply(ratios.values, pairs.candidate_tasks)
    divergence = DIVERGENCES[spec.cell.divergence]
    raw = implied_information(divergence, ratios.values, ratios.is_matched, ratios.weights)
    found = implied_information(divergence, mapped, ratios.is_matched, ratios.weights)
    note = (
        f"ratios are calibrated by {method} on other tasks: I_{divergence} is {found.direct:.3g} directly and"
        f" {found.variational:.3g} by contrast (before: {raw.direct:.3g} and {raw.variational:.3g})"
    )
    return Fitted(scale=scale, notes=(note,))


def _control(
    predicted: Sequence[tuple[Plan, FloatArray]], spec: Spec, fitted: Fitted, prepared: Preparation
) -> Fitted:
    met: list[Met] = []
    for plan, values in predicted:
        mapped = fitted.calibrate(plan, values)
        found = critic_of_units(
            DIVERGENCES["TV"], mapped, plan.layout, quantity=quantity_of(spec), limit=_limit(spec)
        )
        scores = estimate_scores(spec, fitted, plan, values).scores
        met.append(Met(plan=plan, critic=found.critic, scores=scores))
    if not met:
        return fitted
    control = fit_control(met, n_units=len(prepared.pool.units), n_tasks=len(prepared.pool.tasks))
    tasks = sorted({each.plan.task for each in met})
    left_out = sum(bool(np.isnan(control.rates(each.plan)).any()) for each in met)
    notes = [*fitted.notes, control.notes(tasks)]
    if left_out:
        notes.append(
            f"{left_out:,} of {len(met):,} tasks keep their base rates: no other candidate meets a statement"
        )
    return Fitted(scale=fitted.scale, control=control, notes=tuple(notes))
