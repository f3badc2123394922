"""Make a metric of a command-line program: a line of JSON in for each text, a line of JSON out."""

import asyncio
import contextlib
import json
import os
import shlex
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Unpack, cast

from gameproof.errors import InputError, SpecError
from gameproof.metrics.adapters.answers import read_answer
from gameproof.metrics.adapters.hosted import Terms, hosted
from gameproof.metrics.adapters.parts import item_record
from gameproof.metrics.base import Metric
from gameproof.records import Item

__all__ = ["TIMEOUT_S", "from_command"]

TIMEOUT_S = 600.0  # without a new line from the program
GRACE_S = 2.0  # that a program has to end by itself when it has answered everything, and then after SIGTERM
MAX_RESTARTS = 3  # of one batch: a program that dies at every text would otherwise be started for each
SILENT_STARTS = 2  # so many starts in a row without an answer: it is the program, not the text
MAX_LINE = 1 << 20  # bytes of an answer
SPARE_LINES = 1000  # empty or too many, beside two for each text: then it is a stream without end
SHOWN_STDERR = 500  # characters, from the end
ONE_EACH = "It must write one line for each line it reads, and nothing else."


def from_command(
    command: str | Sequence[str], *, timeout_s: float = TIMEOUT_S, **terms: Unpack[Terms]
) -> Metric:
    """Make a metric of a program that reads JSON lines and writes JSON lines.

    It is started for each batch of texts, gets one object a line (id, task_id, candidate, references, and
    source, query, persona where there are any; never ratings), and writes one line for each, in the same
    order: a number, null, or an object with ``score`` and, where that is null, a ``reason``. No shell is
    used. Where it dies in the middle, the text it died at is missing and it is started again for the rest.
    One that has answered everything and does not end two seconds after its input is ended: nothing is missing.

    Args:
        command: The program and its arguments, as a list or as one text that is split like a shell would.
        timeout_s: How long it may take for its next line.
        terms: `Terms`: name, version, needs, higher_is_better.

    Raises:
        SpecError: There is no command, or a quotation in it does not end.

    Example:
        >>> from_command("./score.sh --fast", higher_is_better=True, version="2").signature()
        './score.sh,version=2'
    """
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise SpecError(
            f"found {command!r}, which cannot be split into words ({error}); allowed: a program with its arguments"
        ) from error
    if not words:
        raise SpecError("found no command; allowed: a program with its arguments")
    if timeout_s <= 0:
        raise SpecError(f"timeout: found {timeout_s:g}; allowed: seconds above 0")
    program = _Program(words=tuple(words), timeout_s=timeout_s)
    named: Terms = {"name": words[0], **terms}
    return hosted(named, program.score, origin=(tuple(words), timeout_s), needs=frozenset())


@dataclass(slots=True, kw_only=True)
class _Answers:
    """What one start of the program has said."""

    lines: list[bytes] = field(default_factory=list[bytes])
    stderr: bytes = b""
    code: int | None = None
    timed_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Program:
    words: tuple[str, ...]
    timeout_s: float

    async def score(self, items: Sequence[Item]) -> list[float | str]:
        """Score a batch, with a new start after the text at which the program dies."""
        found: list[float | str] = []
        n_silent = n_failures = 0
        while len(found) < len(items):
            rest = items[len(found) :]
            answers = await self._run(rest)
            self._refuse_wrong_count(answers, len(rest))
            lines = zip(answers.lines, rest, strict=False)
            found += [read_answer(line, item.id, self._said) for line, item in lines]
            if len(answers.lines) == len(rest):
                break
            reason = self._why(answers, len(rest))
            n_failures += 1
            n_silent = 0 if answers.lines else n_silent + 1
            if n_silent == n_failures == SILENT_STARTS:
                raise InputError(f"the command {self._said} answers nothing: {reason}.")
            found += [reason] * (1 if n_failures <= MAX_RESTARTS else len(items) - len(found))
        return found

    @property
    def _said(self) -> str:
        return shlex.join(self.words)

    def _refuse_wrong_count(self, answers: _Answers, n_items: int) -> None:
        n_lines = len(answers.lines)
        finished = answers.code == 0 and not answers.timed_out
        if n_lines > n_items or (finished and n_lines < n_items):
            raise InputError(
                f"the command {self._said}: it wrote {n_lines:,} lines for {n_items:,} texts.",
                hint=ONE_EACH + _tail(answers.stderr),
            )

    def _why(self, answers: _Answers, n_items: int) -> str:
        if answers.timed_out:
            return f"no answer within {self.timeout_s:g} s{_tail(answers.stderr)}"
        code = answers.code or 0
        how = f"was killed by {_name_of(-code)}" if code < 0 else f"ended with exit code {code}"
        return f"the program {how} after {len(answers.lines):,} of {n_items:,} texts{_tail(answers.stderr)}"

    async def _run(self, items: Sequence[Item]) -> _Answers:
        try:
            process = await asyncio.create_subprocess_exec(
                *self.words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=MAX_LINE,
                start_new_session=True,  # so that what it starts ends with it
            )
        except (OSError, ValueError) as error:  # the second: a character that no argument can have
            why = error.strerror if isinstance(error, OSError) else None
            raise InputError(
                f"the command {self._said} cannot be started: {why or error}.",
                hint="Is the path right, and the file executable?",
            ) from error
        answers = _Answers()
        tasks = [
            asyncio.ensure_future(work) for work in (_write(process, items), _read_stderr(process, answers))
        ]
        try:
            stays = await self._read_lines(process, answers, len(items))
            if len(answers.lines) >= len(items):
                await _see_off(process, stays=stays)
            elif not answers.timed_out:
                answers.code = await process.wait()
        finally:
            _end(process)
            await _empty(process)
            await process.wait()
            await asyncio.gather(*tasks, return_exceptions=True)
        return answers

    async def _read_lines(self, process: asyncio.subprocess.Process, answers: _Answers, n_items: int) -> bool:
        """Read until the program closes its output, or says nothing more in the time that it has.

        Returns:
            Whether its output is open still: it has answered everything and stays, or takes too long.
        """
        stdout = cast("asyncio.StreamReader", process.stdout)  # a pipe was asked for
        most = 2 * n_items + SPARE_LINES
        for _ in range(most):
            has_all = len(answers.lines) >= n_items
            patience = min(GRACE_S, self.timeout_s) if has_all else self.timeout_s
            try:
                async with asyncio.timeout(patience):
                    line = await stdout.readline()
            except TimeoutError:
                answers.timed_out = not has_all
                return True
            except ValueError as error:
                raise InputError(
                    f"the command {self._said}: a line is longer than {MAX_LINE:,} bytes."
                ) from error
            if not line:
                return False
            if line.strip():
                answers.lines.append(line)
        raise InputError(
            f"the command {self._said}: it wrote {most:,} lines for {n_items:,} texts, and went on.",
            hint=ONE_EACH + _tail(answers.stderr),
        )


async def _see_off(process: asyncio.subprocess.Process, *, stays: bool) -> None:
    """Let a program that has answered everything end by itself, tell it to, and at last leave it to be killed."""
    for number in [signal.SIGTERM] if stays else [None, signal.SIGTERM]:
        _signal(process, number)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await process.wait()
                return


async def _write(process: asyncio.subprocess.Process, items: Sequence[Item]) -> None:
    stdin = cast("asyncio.StreamWriter", process.stdin)  # a pipe was asked for
    with contextlib.suppress(ConnectionError):  # it has ended before it has read all
        for item in items:
            stdin.write(json.dumps(item_record(item)).encode("ascii") + b"\n")
            await stdin.drain()
        stdin.close()


async def _read_stderr(process: asyncio.subprocess.Process, answers: _Answers) -> None:
    stderr = cast("asyncio.StreamReader", process.stderr)  # a pipe was asked for
    while chunk := await stderr.read(1 << 16):
        answers.stderr = (answers.stderr + chunk)[-4 * SHOWN_STDERR :]


def _name_of(number: int) -> str:
    """Name a signal; those for programs' own use have a number only."""
    return next((known.name for known in signal.Signals if known == number), f"signal {number}")


def _end(process: asyncio.subprocess.Process) -> None:
    """End a program and whatever it has started."""
    _signal(process, signal.SIGKILL)


def _signal(process: asyncio.subprocess.Process, number: signal.Signals | None) -> None:
    """Send a signal, if there is one, to a program and whatever it has started."""
    if number is not None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)


async def _empty(process: asyncio.subprocess.Process) -> None:
    """Read what a program that has ended left behind: with a full pipe, waiting for it would never end."""
    stdout = cast("asyncio.StreamReader", process.stdout)  # a pipe was asked for
    while await stdout.read(MAX_LINE):
        pass


def _tail(stderr: bytes) -> str:
    said = " ".join(stderr.decode("utf-8", "replace").split())
    shown = said if len(said) <= SHOWN_STDERR else f"…{said[-SHOWN_STDERR:]}"
    return f"; it said: {shown}" if shown else ""
