"""Verbs work in scripts, in notebooks and in servers (public case 59)."""

import asyncio
import signal
import threading

import pytest

from gameproof import _bridge


async def answer() -> tuple[int, str]:
    await asyncio.sleep(0)
    return 42, threading.current_thread().name


async def fail() -> None:
    await asyncio.sleep(0)
    raise ValueError("on purpose")


def test_without_a_loop_the_work_runs_in_the_calling_thread() -> None:
    number, thread = _bridge.run(answer())
    assert number == 42
    assert thread == threading.current_thread().name


def test_inside_a_running_loop_the_work_gets_a_thread_of_its_own() -> None:
    async def notebook_cell() -> tuple[int, str]:
        return _bridge.run(answer())

    number, thread = asyncio.run(notebook_cell())
    assert number == 42
    assert thread == "gameproof-bridge"


@pytest.mark.parametrize("inside", [False, True])
def test_an_error_reaches_the_caller_as_it_was(inside: bool) -> None:
    async def notebook_cell() -> None:
        _bridge.run(fail())

    with pytest.raises(ValueError, match="on purpose"):
        asyncio.run(notebook_cell()) if inside else _bridge.run(fail())


@pytest.mark.parametrize("interrupted", ["busy", "waiting"])
def test_an_interrupt_ends_the_work_at_once_and_lets_it_tidy_up(interrupted: str) -> None:
    tidied: list[str] = []

    async def work() -> None:
        try:
            if interrupted == "busy":  # nothing is awaited: asyncio's own handler would let it run to its end
                signal.raise_signal(signal.SIGINT)
            else:
                asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGINT)
                await asyncio.sleep(60)
            tidied.append("went on")
        finally:
            tidied.append("tidied up")

    with pytest.raises(KeyboardInterrupt):
        _bridge.run(work())

    assert tidied == ["tidied up"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_callers_own_stays_in_place() -> None:
    seen: list[int] = []

    async def work() -> None:
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(0)

    before = signal.signal(signal.SIGINT, lambda number, _frame: seen.append(number))
    try:
        _bridge.run(work())
    finally:
        signal.signal(signal.SIGINT, before)

    assert seen == [signal.SIGINT]


def test_an_error_has_no_other_error_before_it() -> None:
    with pytest.raises(ValueError, match="on purpose") as caught:
        _bridge.run(fail())

    assert caught.value.__context__ is None
