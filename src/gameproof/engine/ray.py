"""Worker processes on a Ray cluster: one started here for the run, or one that is there already."""

import asyncio
import contextlib
import importlib
import importlib.util
import logging
import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from gameproof.engine.jobs import Envelope, Job, Setup
from gameproof.engine.part_worker import PartWorker
from gameproof.engine.shipping import Pickler
from gameproof.engine.workers import Worker, WorkerDiedError
from gameproof.errors import EndpointError, MissingExtraError, PlanError

__all__ = ["RayCrew", "open_crew"]

ADDRESS = "RAY_ADDRESS"
HERE = "127.0.0.1"
KNOCK_S = 10.0
CLOSING_S = 10.0  # for models and files of a worker
QUIET = {"RAY_USAGE_STATS_ENABLED": "0"}  # nothing is reported to anybody
ALONE = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"
}  # its servers listen on 127.0.0.1 only, as on these systems


class _Actor:
    """A worker process: its jobs run on one event loop, so that connections stay open between them."""

    def __init__(self, setup: Setup, number: int) -> None:
        self._loop = asyncio.Runner()
        self._worker = PartWorker(setup, number)

    def do(self, job: Job) -> Envelope:
        """Do a job."""
        return self._loop.run(self._worker.do(job))

    def close(self) -> None:
        """Close models and files."""
        self._loop.run(self._worker.close())
        self._loop.close()


@dataclass(frozen=True, slots=True)
class _RemoteWorker:
    """The handle of an actor. Any: ray ships no types that hold here."""

    ray: Any
    actor: Any

    async def do(self, job: Job) -> Envelope:
        """Do a job in the other process."""
        try:
            return cast("Envelope", await self._answer(self.actor.do.remote(job)))
        except self.ray.exceptions.RayActorError as error:
            raise WorkerDiedError(str(error).strip().split("\n", 1)[0]) from error

    async def close(self) -> None:
        """Let the process close what it has open, and end it."""
        with contextlib.suppress(self.ray.exceptions.RayError, TimeoutError):
            async with asyncio.timeout(CLOSING_S):
                await self._answer(self.actor.close.remote())
        self.kill()

    def kill(self) -> None:
        """End the process."""
        with contextlib.suppress(self.ray.exceptions.RayError):
            self.ray.kill(self.actor)

    @staticmethod
    async def _answer(reference: Any) -> object:
        return await asyncio.wrap_future(reference.future())


@dataclass(frozen=True, slots=True, kw_only=True)
class RayCrew:
    """Actors on a Ray cluster."""

    ray: Any
    n_workers: int
    gpus: float  # for each worker

    @property
    def pickler(self) -> type[Pickler]:
        """What also writes functions of a script or a notebook."""
        return cast("type[Pickler]", self.ray.cloudpickle.Pickler)

    def starter(self, setup: Setup) -> Callable[[int], Worker[Job, Envelope]]:
        """Send what workers have once, and return what starts them."""
        sent = self.ray.put(setup)
        make = self.ray.remote(_Actor).options(num_cpus=1, num_gpus=self.gpus, max_restarts=0)

        def start(number: int) -> Worker[Job, Envelope]:
            return _RemoteWorker(self.ray, make.remote(sent, number))

        return start


@contextmanager
def open_crew(n_workers: int | None) -> Generator[RayCrew]:
    """Find the cluster that RAY_ADDRESS names, or start one on this machine that ends with the block.

    Args:
        n_workers: Worker processes; by default as many as there are processors.

    Raises:
        MissingExtraError: ray is not installed.
        EndpointError: No cluster answers at RAY_ADDRESS.
        PlanError: The cluster has fewer processors than workers are asked for.
    """
    ray = _require()
    own = not ray.is_initialized()
    folder = _make_folder() if own and not os.environ.get(ADDRESS) else None
    try:
        if own:
            _connect(ray, n_workers, folder)
        yield _crew(ray, n_workers)
    finally:
        if own:
            ray.shutdown()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _make_folder() -> str:
    """Make the folder of Ray's logs and sockets: names of sockets are short, so it is not in the user's TMPDIR."""
    short = "/tmp"  # noqa: S108 - the folder in it has a name of its own
    return tempfile.mkdtemp(prefix="gp-ray-", dir=short if os.access(short, os.W_OK) else None)


def _require() -> Any:  # Any: an optional package without types
    if importlib.util.find_spec("ray") is None:
        raise MissingExtraError("--engine ray", extra="ray")
    for name, value in (QUIET if os.environ.get(ADDRESS) else QUIET | ALONE).items():
        os.environ.setdefault(name, value)
    return importlib.import_module("ray")  # it reads the environment when it loads


def _connect(ray: Any, n_workers: int | None, folder: str | None) -> None:
    quiet = {"log_to_driver": False, "configure_logging": True, "logging_level": logging.ERROR}
    if folder is not None:
        ray.init(
            num_cpus=n_workers or os.cpu_count() or 1,
            include_dashboard=False,
            _node_ip_address=HERE,
            _temp_dir=folder,
            **quiet,
        )
        return
    address = os.environ[ADDRESS]
    try:
        _knock(address)
        ray.init(address=address, **quiet)
    except (OSError, RuntimeError, ValueError) as error:  # a TimeoutError and a ConnectionError are OSErrors
        said = str(error).strip().split("\n", 1)[0]
        raise EndpointError(
            f"no Ray cluster answers at {address} ({ADDRESS}): {said}",
            hint=f"`ray status` shows whether it runs. Without {ADDRESS}, a cluster is started on this machine.",
        ) from error


def _knock(address: str) -> None:
    """Find out whether anything listens at an address: Ray itself would go on trying for many minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=KNOCK_S).close()


def _crew(ray: Any, n_workers: int | None) -> RayCrew:
    found = cast("dict[str, float]", ray.cluster_resources())
    n_cpus = max(int(found.get("CPU", 1)), 1)
    wanted = n_workers or n_cpus
    if wanted > n_cpus:
        raise PlanError(
            f"--workers {wanted}: the Ray cluster has {n_cpus} processors, and a worker takes one.",
            hint=f"Use --workers {n_cpus} or fewer.",
        )
    n_gpus = found.get("GPU", 0.0)
    return RayCrew(ray=ray, n_workers=wanted, gpus=min(1.0, n_gpus / wanted))
