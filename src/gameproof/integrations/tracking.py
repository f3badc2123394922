"""Log an audit to MLflow or to Weights & Biases: callbacks for ``gameproof.audit(..., on_result=)``."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from gameproof.audits.result import AuditResult, MetricResult
from gameproof.errors import SpecError
from gameproof.metrics.adapters.hosted import import_host
from gameproof.reports.conclusion import mean_within_task
from gameproof.reports.words import PROPERTIES

__all__ = ["log_to_mlflow", "log_to_wandb", "numbers_of", "words_of"]

FILES = ("report.html", "result.json")  # of the run folder, where there is one
RUN_FACTS = ("data", "n_items", "n_tasks", "suite", "margin", "seed", "version")
ODD = re.compile(r"[^\w.\- ]")  # what MLflow does not take in a name

OnResult = Callable[[AuditResult], None]


def log_to_mlflow(
    *, tracking_uri: str | None = None, experiment: str | None = None, run_name: str | None = None
) -> OnResult:
    """Return a callback that logs an audit to MLflow: into the active run, or into one of its own.

    Numbers are metrics (`numbers_of`), verdicts and signatures are tags (`words_of`), the run's options are parameters,
    and the report and ``result.json`` of the run folder are artifacts. What has no number is left out, never 0.

    Args:
        tracking_uri: Where to, as MLflow has it; where it is set up to log by default.
        experiment: Its name; MLflow's own choice by default.
        run_name: Of a run of its own.

    Raises:
        InputError: MLflow is not installed.
    """
    mlflow: Any = import_host("mlflow", "mlflow")  # Any: a module of the host

    def log(result: AuditResult) -> None:
        if tracking_uri is not None:
            mlflow.set_tracking_uri(tracking_uri)
        if experiment is not None:
            mlflow.set_experiment(experiment)
        active = mlflow.active_run()
        with mlflow.start_run(run_name=run_name) if active is None else nullcontext():
            mlflow.log_params({f"gameproof.{name}": value for name, value in _facts(result).items()})
            mlflow.log_metrics(_plain_names(numbers_of(result)))
            mlflow.set_tags(_plain_names(words_of(result)))
            for file in _files(result):
                mlflow.log_artifact(str(file), artifact_path="gameproof")

    return log


def log_to_wandb(*, project: str | None = None, name: str | None = None, mode: str | None = None) -> OnResult:
    """Return a callback that logs an audit to Weights & Biases: into the active run, or into one of its own.

    Numbers and verdicts go into the run's summary, signatures and options into its configuration, the report is
    shown as HTML, and the checks are a table.

    Args:
        project: Of a run of its own.
        name: Of a run of its own.
        mode: ``online``, ``offline`` or ``disabled``; W&B's own choice by default.

    Raises:
        InputError: wandb is not installed.
    """
    wandb: Any = import_host("wandb", "wandb")  # Any: a module of the host

    def log(result: AuditResult) -> None:
        active = wandb.run
        run = active if active is not None else wandb.init(project=project, name=name, mode=mode)
        try:
            run.config.update({"gameproof": {**_facts(result), "signatures": _signatures(result)}})
            run.summary.update({**numbers_of(result), **words_of(result)})
            rows = [[row[column] for column in COLUMNS] for row in check_rows(result)]
            logged: dict[str, Any] = {"gameproof/checks": wandb.Table(columns=[*COLUMNS], data=rows)}
            for file in _files(result):
                if file.suffix == ".html":
                    logged["gameproof/report"] = wandb.Html(file.read_text("utf-8"), inject=False)
            run.log(logged)
        finally:
            if active is None:
                run.finish()

    return log


COLUMNS = ("metric", "check", "verdict", "effect", "low", "high", "n", "n_missing")


def check_rows(result: AuditResult) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each check that reached a verdict."""
    for metric in result.metrics:
        for row in metric.checks:
            if row.verdict is not None:
                yield {
                    "metric": metric.metric,
                    "check": row.check,
                    "verdict": row.verdict.value,
                    "effect": row.effect,
                    "low": row.low,
                    "high": row.high,
                    "n": row.n,
                    "n_missing": row.n_missing,
                }


def numbers_of(result: AuditResult) -> dict[str, float]:
    """Return every number of an audit by its name, such as ``rougeL/effect/repeat_text``; no entry where there is none."""
    return {
        f"{metric.metric}/{name}": float(value)
        for metric in result.metrics
        for name, value in _numbers(metric)
        if value is not None
    }


def words_of(result: AuditResult) -> dict[str, str]:
    """Return the card's answers and the signature of every metric, such as ``rougeL/trusted``."""
    words: dict[str, str] = {}
    for metric in result.metrics:
        for question in PROPERTIES:
            words[f"{metric.metric}/{question.name}"] = getattr(metric.card, question.name).value
        words[f"{metric.metric}/signature"] = metric.signature
    return words


def _numbers(metric: MetricResult) -> Iterator[tuple[str, float | None]]:
    row = mean_within_task(metric)
    if row is not None:
        yield from (("rho", row.rho), ("rho_low", row.low), ("rho_high", row.high))
    for check in metric.checks:
        if check.verdict is not None:
            yield f"effect/{check.check}", check.effect
            yield f"n_missing/{check.check}", check.n_missing
    for name in ("n", "n_missing", "mean", "sd", "floor", "rho_length"):
        yield f"scores/{name}", metric.summary.get(name)
    yield "calls", metric.cost.calls


def _facts(result: AuditResult) -> dict[str, str]:
    return {name: str(result.run[name]) for name in RUN_FACTS if result.run.get(name) is not None}


def _signatures(result: AuditResult) -> dict[str, str]:
    return {metric.metric: metric.signature for metric in result.metrics}


def _plain_names(entries: Mapping[str, Any]) -> dict[str, Any]:
    """Put names into the letters that MLflow takes.

    Raises:
        SpecError: Two metrics would have the same name.
    """
    plain: dict[str, Any] = {}
    for name, value in entries.items():
        shown = "/".join(ODD.sub("_", part) for part in _parts(name))
        if shown in plain:
            raise SpecError(
                f"MLflow: two metrics would be called {shown.partition('/')[0]}.",
                hint="Give one of them another name: as_metric(..., name=...).",
            )
        plain[shown] = value
    return plain


def _parts(name: str) -> Sequence[str]:
    return [part for part in name.split("/") if part.strip(".")]


def _files(result: AuditResult) -> Iterator[Path]:
    folder = result.run.get("folder")
    if folder is not None:
        yield from (path for name in FILES if (path := Path(str(folder)) / name).exists())
