"""Verbs work in scripts, in notebooks and in servers (public case 59)."""

import asyncio
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
