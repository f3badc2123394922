"""How many tasks and items a verdict needs, from a small pilot."""

import math
from collections.abc import Sequence
from dataclasses import asdict, replace

from gameproof.audits.checks import ALPHA, MIN_TASKS, POWER
from gameproof.audits.preparing import prepare_for_audit
from gameproof.audits.run import Run, perturb_stage, score_stage
from gameproof.audits.samples import Frame, pair
from gameproof.audits.scale import tame
from gameproof.engine.table import MetricScores
from gameproof.metrics.base import Metric
from gameproof.perturbations.base import Perturbation
from gameproof.stats.paired import infer_paired
from gameproof.stats.power import PowerRow, plan_power

__all__ = ["plan_checks"]


async def plan_checks(run: Run, metrics: Sequence[Metric]) -> list[dict[str, object]]:
    """Perturb and score the pilot, and read off what its spread means for power.

    Returns:
        One record for each metric, check and level: `test` is ``alone`` for a check by itself, ``first of 6``
        for the strictest step where six checks share one level; `effect` is what the pilot found; the rest is
        `gameproof.stats.power.PowerRow`. A manipulation needs the tasks that show no gain to be below the
        margin, a degradation those that show the pilot's own drop to be larger than the margin: none where
        the pilot has no such drop. Probes have no verdict, and so no record.
    """
    prepared = await prepare_for_audit(metrics, run.dataset.items)
    variants = await perturb_stage(run)
    entries: list[dict[str, object]] = []
    for found in await score_stage(run, prepared, variants):
        scores, _ = tame(found)
        checked = [
            row for row in run.perturbations if row.expect != "none" and (row.name, None) in scores.variants
        ]
        family = sum(row.expect == "no_increase" for row in checked)
        for row in checked:
            entries.extend(_plan(run, scores, row, family))
    return entries


def _plan(run: Run, scores: MetricScores, perturbation: Perturbation, family: int) -> list[dict[str, object]]:
    items = run.dataset.items
    frame = Frame.of(items, scores.original, higher_is_better=scores.higher_is_better)
    variant = scores.variants[perturbation.name, None]
    paired = pair(frame, variant, frame.applicable(perturbation))
    if not paired.sample.original.size:
        return []
    found = infer_paired(paired.sample, n_resamples=run.settings.n_resamples, seed=run.seed, margins=())
    alphas = {ALPHA: "alone"}
    if family > 1 and perturbation.expect == "no_increase":
        alphas[ALPHA / family] = f"first of {family}"
    distance = _distance(perturbation, found.effect, run.settings.margin_sd)
    rows = plan_power(
        original=paired.sample.original,
        variant=paired.sample.variant,
        tasks=paired.sample.tasks,
        standard_error=found.standard_error,
        margin=distance or run.settings.margin_sd,
        alphas=tuple(alphas),
        power=POWER,
    )
    return [
        {
            "metric": scores.metric,
            "check": perturbation.name,
            "test": alphas[row.alpha],
            "effect": found.effect,
            **asdict(_with_floor(row) if distance else replace(row, tasks_needed=None, items_needed=None)),
        }
        for row in rows
    ]


def _distance(perturbation: Perturbation, effect: float | None, margin: float) -> float | None:
    """Return how far from its limit the effect lies that the verdict has to show; None where it does not."""
    if perturbation.expect == "no_increase":
        return margin
    return -effect - margin if effect is not None and effect < -margin else None


def _with_floor(row: PowerRow) -> PowerRow:
    """Ask for no fewer tasks than a pass takes, however little the scores vary."""
    if row.tasks_needed is None or row.tasks_needed >= MIN_TASKS:
        return row
    return replace(row, tasks_needed=MIN_TASKS, items_needed=math.ceil(MIN_TASKS * row.items_per_task))
