"""Take up a run again from its folder: the plan that was written down, the items and the scores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from gameproof.audits.checks import CheckSettings, parse_margin
from gameproof.audits.gating import find_gate
from gameproof.audits.run import ITEMS_FILE, Run, score_stage_name
from gameproof.engine.progress import Progress
from gameproof.engine.score_files import read_scores
from gameproof.engine.table import MetricScores
from gameproof.errors import RunFolderError
from gameproof.files import RunFolder, load
from gameproof.files.manifest import MANIFEST
from gameproof.perturbations.catalogue import select
from gameproof.records import Dataset

__all__ = ["take_up"]


def take_up(
    folder: RunFolder, *, margin: str | None = None, gate: str | None = None, progress: Progress | None = None
) -> tuple[Run, list[MetricScores]]:
    """Return what a finished run was asked to do, and its scores.

    Args:
        folder: The run folder.
        margin: Another margin than the run's own.
        gate: Another metric than the run's own to decide the exit code; ``all`` for all of them.
        progress: Told about every stage.

    Raises:
        RunFolderError: The run was not finished, or its files have changed.
        PlanError: The gate is none of its metrics.
    """
    refuse_unscored(folder)
    plan = folder.plan
    try:
        metrics = _metrics_of(plan)
        _refuse_changed(folder, [signature for signature, _ in metrics.values()])
        run = _run_of(folder, plan, margin, progress)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RunFolderError(
            f"{folder.path / MANIFEST} is damaged: its plan is not that of an audit ({error!r}).",
            hint="Run the audit again in another folder.",
        ) from error
    if not gate and run.gate not in (None, *metrics):
        raise RunFolderError(
            f"{folder.path / MANIFEST} is damaged: its gate is {run.gate!r}; allowed: {', '.join(metrics)}, or null.",
            hint="Name the metric that decides with --gate METRIC; --gate alone lets all metrics decide.",
        )
    run = replace(run, gate=find_gate(gate or run.gate, list(metrics)))
    table = read_scores(folder.path, run.dataset.items, metrics)
    missing = [name for name in metrics if name not in table]
    if missing:
        raise RunFolderError(
            f"{folder.path} has no scores of {', '.join(missing)}.",
            hint="Run the same `gameproof audit` again.",
        )
    return run, [table[name] for name in metrics]


def refuse_unscored(folder: RunFolder) -> None:
    """Refuse a folder in which no audit has got as far as scores.

    Raises:
        RunFolderError: It holds a sweep, or a run that was not finished.
    """
    if folder.plan.get("verb") == "sweep":
        raise RunFolderError(
            f"{folder.path} holds a sweep, which has no checks.", hint="Run the same `gameproof sweep` again."
        )
    scored = [name for name in folder.stages if name.startswith("score ")]
    if not folder.plan.get("metrics") or not scored:
        raise RunFolderError(
            f"{folder.path} holds a run that was not finished.",
            hint="Run the same `gameproof audit` again: what is done is kept.",
        )


def _run_of(
    folder: RunFolder, plan: Mapping[str, object], margin: str | None, progress: Progress | None
) -> Run:
    seed = int(cast("int", plan["seed"]))
    return Run(
        dataset=_dataset(folder, plan),
        perturbations=select(names=cast("Sequence[str]", plan["perturbations"])),
        suite=str(plan["suite"]),
        reference=cast("str | None", plan.get("reference")),
        gate=cast("str | None", plan.get("gate")),
        settings=CheckSettings(margin=parse_margin(margin or str(plan["margin"])), seed=seed),
        seed=seed,
        folder=folder,
        progress=progress,
    )


def _metrics_of(plan: Mapping[str, object]) -> dict[str, tuple[str, bool]]:
    """Return name -> signature, and whether higher is better."""
    return {
        str(entry["metric"]): (str(entry["signature"]), bool(entry["higher_is_better"]))
        for entry in cast("Sequence[Mapping[str, object]]", plan["metrics"])
    }


def _refuse_changed(folder: RunFolder, signatures: Sequence[str]) -> None:
    """Refuse texts and scores that are not those of the run: its statistics would be about something else."""
    changed = folder.changed_files(
        [name for name in map(score_stage_name, signatures) if name in folder.stages]
    )
    if "perturb" in folder.stages and ITEMS_FILE in folder.changed_files(["perturb"]):
        changed.append(ITEMS_FILE)
    if changed:
        raise RunFolderError(
            f"{folder.path}: {' and '.join(changed)} {'is' if len(changed) == 1 else 'are'} gone, or not as the run has "
            "written it.",
            hint="Run the same `gameproof audit` again: what is as it was is kept.",
        )


def _dataset(folder: RunFolder, plan: Mapping[str, object]) -> Dataset:
    items = load(folder.path / ITEMS_FILE).items
    return Dataset(
        name=str(plan["data"]),
        items=items,
        n_duplicates=int(cast("int", plan["n_duplicates"])),
        notes=tuple(cast("Sequence[str]", plan["notes"])),
        public=cast("str | None", plan.get("public")),
    )
