"""How far a predictor's ratios are from density ratios, and what information they imply once they are calibrated."""

from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.errors import PlanError
from gameproof.fmi.calibration import METHODS, cross_fit, implied_information
from gameproof.fmi.divergences import DIVERGENCES
from gameproof.metrics.fmi import FmiMetric
from gameproof.metrics.fmi_fitting import predict_pairs
from gameproof.metrics.fmi_preparation import prepare_on, quantity_of
from gameproof.records import Item

__all__ = ["RAW", "CalibrationRow", "diagnose"]

RAW = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationRow:
    """One divergence, with ratios as they come or on a calibrated scale."""

    divergence: str
    calibrate: str  # none, or how the scale was fitted
    direct: float  # I_f by the direct route
    variational: float  # I_f by the variational route
    gap: float  # direct - variational: 0 for calibrated ratios
    n_tasks: int


async def diagnose(items: Sequence[Item], metric: FmiMetric) -> list[CalibrationRow]:
    """Estimate the information of every divergence by both routes, before and after calibration.

    Scales are fitted on other tasks, so that what they imply is no praise of their own fit.

    Args:
        items: The originals.
        metric: A cell that supplies ratios, not prepared; its divergence and estimator do not matter.

    Raises:
        PlanError: The cell's predictor supplies a critic and no ratio.
        InputError: There are too few tasks.
    """
    if quantity_of(metric.spec) != "log_ratio":
        raise PlanError(
            f"{metric.name} supplies a critic, and there is no ratio to calibrate.",
            hint="Use a cell of another divergence, such as KL+fvar+statement+overlap, or critic=bins.",
        )
    if metric.normaliser is not None:
        items = await metric.normaliser.originals(items)
    prepared = await prepare_on(items, metric.spec, metric.predictor, seed=metric.seed, asker=metric.asker)
    pairs = await predict_pairs(prepared, metric.spec, items, metric.needs)
    ratios = pairs.ratios
    names = [
        RAW,
        *(name for name in METHODS if name != "temperature" or metric.spec.cell.predictor == "autoreg"),
    ]
    rows: list[CalibrationRow] = []
    for name in names:
        values = ratios.values
        if name != RAW:
            scale = cross_fit(
                ratios,
                candidate_tasks=pairs.candidate_tasks,
                reference_tasks=pairs.reference_tasks,
                n_tasks=len(prepared.pool.tasks),
                method=name,
            )
            values = scale.apply(values, pairs.candidate_tasks)
        for divergence in DIVERGENCES.values():
            found = implied_information(divergence, values, ratios.is_matched, ratios.weights)
            rows.append(
                CalibrationRow(
                    divergence=divergence.symbol,
                    calibrate=name,
                    direct=found.direct,
                    variational=found.variational,
                    gap=found.gap,
                    n_tasks=ratios.n_tasks,
                )
            )
    return sorted(rows, key=lambda row: list(DIVERGENCES).index(row.divergence))
