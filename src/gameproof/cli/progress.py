"""Show the stages of a run as progress bars on standard error."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING

from gameproof.engine.progress import Progress, Silent

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

__all__ = ["show_progress", "show_transfers"]

STAGE_TITLES = {
    "read": "reading the data",
    "perturb": "making variants",
    "prepare": "preparing metrics",
    "score": "scoring",
    "ask": "asking the model",
    "attack": "attacking",
    "check": "checking",
    "report": "writing the report",
}


class _BarProgress:
    """One bar for the current stage; it disappears when the run ends."""

    def __init__(self, bars: "Bars") -> None:
        self._bars = bars
        self._task: TaskID | None = None

    def start(self, stage: str, total: int | None) -> None:
        """Begin a stage with a bar of its own."""
        self.done()
        self._task = self._bars.add_task(STAGE_TITLES.get(stage, stage), total=total)

    def advance(self, steps: int) -> None:
        """Move the bar."""
        if self._task is not None:
            self._bars.advance(self._task, steps)

    def done(self) -> None:
        """Take the bar away."""
        if self._task is not None:
            self._bars.remove_task(self._task)
            self._task = None


@contextmanager
def show_progress(*, quiet: bool) -> Generator[Progress, None, None]:
    """Give a verb something to tell its progress to: bars on a terminal, nothing elsewhere.

    Meanwhile standard output is kept for data: what a metric prints goes to standard error.
    """
    with redirect_stdout(sys.stderr):
        if quiet or not sys.stderr.isatty():
            yield Silent()
            return
        with _bars() as bars:
            yield _BarProgress(bars)


@contextmanager
def show_transfers(*, quiet: bool) -> Generator[Callable[[str, int, int | None], None], None, None]:
    """Give a download something to tell its bytes to: a bar for each file on a terminal, nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda _name, _size, _total: None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn  # noqa: PLC0415
    from rich.progress import Progress as Bars  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    tasks: dict[str, TaskID] = {}
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:

        def told(name: str, size: int, total: int | None) -> None:
            task = tasks.get(name)
            if task is None:
                task = tasks[name] = bars.add_task(name, total=total)
            bars.update(task, completed=size, total=total)

        yield told


def _bars() -> "Bars":
    from rich.console import Console  # noqa: PLC0415 - `--help` does not need it
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as Bars  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Bars(*columns, console=Console(stderr=True), transient=True)
