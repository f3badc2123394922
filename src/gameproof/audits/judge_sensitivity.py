"""One metric, two language models: how far scores and verdicts depend on which model was asked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from gameproof.audits.preparing import prepare_for_audit
from gameproof.audits.result import MetricResult
from gameproof.audits.run import Run, check_stage, perturb_stage, score_stage
from gameproof.engine.table import MetricScores
from gameproof.errors import PlanError
from gameproof.llm.client import LanguageModel
from gameproof.metrics.base import Metric
from gameproof.metrics.catalogue import metric as build_metric
from gameproof.stats.ranks import spearman
from gameproof.stats.results import Verdict

__all__ = ["JudgeSensitivity", "measure_judge_sensitivity", "metric_of_both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSensitivity:
    """Agreement of two models that were asked for the same metric."""

    metric: str
    models: tuple[str, str]
    n: int  # originals that both scored
    spearman: float | None  # of their scores; None where one of them is constant
    mean_difference: float | None  # second minus first, in the metric's units
    mean_distance: float | None  # without sign
    flipped: Mapping[str, tuple[Verdict | None, Verdict | None]]  # check -> verdicts, where they differ
    n_checks: int  # with a verdict by at least one of the models
    results: tuple[MetricResult, MetricResult]

    @property
    def flip_rate(self) -> float | None:
        """The share of checks with a verdict whose verdict depends on the model; None where none has one."""
        return len(self.flipped) / self.n_checks if self.n_checks else None


async def measure_judge_sensitivity(
    run: Run, metric: str, first: LanguageModel, second: LanguageModel
) -> JudgeSensitivity:
    """Audit one metric twice on the same texts and variants, each time with another model.

    Args:
        run: The data, the perturbations and the settings; nothing is written.
        metric: The text of a metric that asks a language model, without ``llm=``.
        first: One model.
        second: The other.

    Raises:
        PlanError: The metric asks no model, or both models have the same name.
    """
    both = metric_of_both(metric, first, second, seed=run.seed)
    run = replace(run, folder=None)
    variants = await perturb_stage(run)
    tables: list[MetricScores] = []
    for built in both:
        tables += await score_stage(run, await prepare_for_audit([built], run.dataset.items), variants)
    one, other = (check_stage(run, [table]).metrics[0] for table in tables)
    return _compare(one, other, tables, (first.name, second.name))


def metric_of_both(
    metric: str, first: LanguageModel, second: LanguageModel, *, seed: int
) -> tuple[Metric, Metric]:
    """Return a metric that asks the first model, and one that asks the second.

    Raises:
        PlanError: The metric asks no model, or both models have the same name.
    """
    if first.name == second.name:
        raise PlanError(
            f"both models are called {first.name}: judge sensitivity compares two different ones."
        )
    one, other = (build_metric(metric, seed=seed, llm=model) for model in (first, second))
    if "llm" not in one.needs:
        raise PlanError(f"{metric} asks no language model: no model can change its scores.")
    return one, other


def _compare(
    one: MetricResult, other: MetricResult, tables: list[MetricScores], models: tuple[str, str]
) -> JudgeSensitivity:
    before, after = (table.original.values for table in tables)
    both = ~np.isnan(before) & ~np.isnan(after)
    difference = (after - before)[both]
    verdicts = {row.check: row.verdict for row in other.checks}
    pairs = {row.check: (row.verdict, verdicts.get(row.check)) for row in one.checks}
    judged = {check: pair for check, pair in pairs.items() if pair != (None, None)}
    return JudgeSensitivity(
        metric=one.metric,
        models=models,
        n=int(both.sum()),
        spearman=spearman(before[both], after[both]) if both.sum() > 1 else None,
        mean_difference=float(difference.mean()) if difference.size else None,
        mean_distance=float(np.abs(difference).mean()) if difference.size else None,
        flipped={check: pair for check, pair in judged.items() if pair[0] != pair[1]},
        n_checks=len(judged),
        results=(one, other),
    )
