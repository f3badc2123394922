"""Which engine a verb runs on: this process, or a crew of workers."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from gameproof.engine.distributed import Distributed
from gameproof.engine.progress import Progress, Silent
from gameproof.errors import PlanError
from gameproof.llm.pool import ModelPool

__all__ = ["ENGINES", "LOCAL", "check_engine", "open_engine"]

LOCAL = "local"
RAY = "ray"
ENGINES = (LOCAL, RAY)


def check_engine(engine: str, workers: int | None, parts: str | Path | None) -> None:
    """Refuse an engine that is not known, and options that it does not have.

    Raises:
        PlanError: It says which.
    """
    if engine not in ENGINES:
        raise PlanError(f"engine {engine!r} is unknown: expected one of {', '.join(ENGINES)}.")
    if engine == LOCAL and (workers is not None or parts is not None):
        option = "--parts" if workers is None else "--workers"
        raise PlanError(f"{option} needs several workers: add --engine {RAY}.")
    if workers is not None and workers < 1:
        raise PlanError(f"--workers {workers}: found {workers}; allowed: 1 or more.")


@contextmanager
def open_engine(
    engine: str,
    *,
    workers: int | None,
    parts: str | Path | None,
    models: ModelPool,
    seed: int,
    progress: Progress | None,
) -> Generator[Distributed | None]:
    """Start the workers of an engine; None where everything runs in this process.

    Args:
        engine: ``local`` or ``ray``.
        workers: Worker processes; by default as many as the cluster has processors.
        parts: A folder for finished parts, which stays.
        models: Of the run.
        seed: Of the run.
        progress: Told about every part.

    Raises:
        PlanError: Options contradict each other.
        MissingExtraError: The engine is not installed.
        EndpointError: Its cluster cannot be reached.
    """
    check_engine(engine, workers, parts)
    if engine == LOCAL:
        yield None
        return
    from gameproof.engine.ray import open_crew  # noqa: PLC0415 - most runs are local

    with open_crew(workers) as crew:
        yield Distributed(
            crew=crew,
            models=models,
            seed=seed,
            parts=None if parts is None else Path(parts),
            progress=progress or Silent(),
        )
