"""Fuzz the readers for as long as asked: ``python -m tests.fuzz.run --seconds 600 [READER ...]``.

Inputs that bring lines of gameproof to life that no earlier one did are kept and changed further. Each crash is printed with its
input, and so is an input that a reader does not get done with.
"""

import argparse
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

from tests.fuzz.mutate import mutate
from tests.fuzz.readers import READERS, Reader

SOURCES = str(Path(__file__).resolve().parents[2] / "src")
KEPT = 400  # inputs of a reader
SLICE_S = 1.0  # of processor time a reader has before the next one's turn
TOO_LONG_S = 60.0  # of processor time for one input, while every line of it is watched: ten times what the slowest takes


class TooLongError(Exception):
    """A reader was not done with an input in time."""


class Hunt:
    """A reader, its inputs, and the lines they have run."""

    def __init__(self, name: str, reader: Reader, seed: int) -> None:
        """Begin with what the reader can read."""
        self.name, self.reader = name, reader
        self.rng = random.Random(f"{seed}:{name}")
        self.inputs = list(reader.seeds)
        self.lines: set[tuple[str, int, int]] = set()
        self.crashes: dict[str, bytes] = {}
        self.n = 0
        self.seconds = 0.0

    def go_on(self, seconds: float) -> None:
        """Fuzz for some time of the processor."""
        begin = time.process_time()
        while (used := time.process_time() - begin) < seconds:
            data = mutate(self.rng.choice(self.inputs), self.rng, self.inputs)
            if self.tries(data) and len(self.inputs) < KEPT:
                self.inputs.append(data)
            self.n += 1
        self.seconds += used

    def tries(self, data: bytes) -> bool:
        """Read an input, and return whether it ran a line that none had run."""
        known = len(self.lines)
        signal.setitimer(signal.ITIMER_VIRTUAL, TOO_LONG_S)
        sys.settrace(self._watch)
        try:
            self.reader(data)
        except Exception as error:  # noqa: BLE001 - each of them is what is looked for
            sys.settrace(None)
            place = traceback.extract_tb(error.__traceback__)
            own = next((each for each in reversed(place) if each.filename.startswith(SOURCES)), place[-1])
            where = f"{type(error).__name__} at {own.filename.removeprefix(SOURCES)}:{own.lineno}"
            if where not in self.crashes:
                self.crashes[where] = data
                print(f"CRASH {self.name}: {where}: {error!s:.120}\n  {data[:400]!r}", flush=True)
        finally:
            sys.settrace(None)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        return len(self.lines) > known

    def _watch(self, frame: FrameType, *_: object) -> Callable[..., object] | None:
        code = frame.f_code
        if not code.co_filename.startswith(SOURCES):
            return None
        last = frame.f_lineno
        name = code.co_filename

        def line(frame: FrameType, event: str, *_: object) -> Callable[..., object]:
            nonlocal last
            if event == "line":
                self.lines.add((name, last, frame.f_lineno))
                last = frame.f_lineno
            return line

        return line


def in_turn(hunts: list[Hunt], seconds: float) -> Iterator[Hunt]:
    """Give each hunt its slice, until the processor time is used up."""
    while (left := seconds - sum(hunt.seconds for hunt in hunts)) > 0:
        for hunt in hunts:
            hunt.go_on(min(SLICE_S, left / len(hunts) + 0.05))
            yield hunt


def _too_long(*_: object) -> None:
    raise TooLongError(f"not done in {TOO_LONG_S:g} s")


def main() -> None:
    """Read the options and fuzz."""
    signal.signal(signal.SIGVTALRM, _too_long)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help=", ".join(READERS))
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="of processor time, for all readers together"
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    hunts = [Hunt(name, READERS[name], options.seed) for name in options.readers or READERS]
    try:
        for _ in in_turn(hunts, options.seconds):
            pass
    except KeyboardInterrupt:
        pass
    for hunt in hunts:
        print(
            f"{hunt.name:14} {hunt.seconds:7.1f} s {hunt.n:9,} inputs {len(hunt.lines):6,} branches "
            f"{len(hunt.inputs):4} kept {len(hunt.crashes):3} crashes"
        )
    sys.exit(any(hunt.crashes for hunt in hunts))


if __name__ == "__main__":
    main()
