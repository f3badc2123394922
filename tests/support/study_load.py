"""Many readers at once against one server that is killed meanwhile; then every click is looked up in the database."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import numpy as np

from gameproof.seeds import rng_for
from gameproof.study.events import Reading
from gameproof.study.flow import bracket_of
from gameproof.study.store import Store, open_store

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = (
    "How can cities keep cool in summer?",
    "Do sensors on rivers warn of floods in time?",
    "Heat pumps in old houses?",
)
STEP = re.compile(r'(?:name="step" value|data-step)="([^"]+)"')
TOKEN = re.compile(r'name="token" value="([^"]+)"')
RETRY_S, POLL_S, THINK_S, LOOK_S = 0.1, 0.3, 0.05, 0.005
GIVE_UP_S = 600.0


@dataclass(slots=True, kw_only=True)
class Load:
    """What was sent, what was accepted, and how long pages took."""

    sent: dict[tuple[str, str], set[str]] = field(default_factory=dict)  # (participant, step) -> choices
    accepted: set[tuple[str, str]] = field(default_factory=set)
    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)  # of answers to requests that got one
    n_lost_connections: int = 0
    n_kills: int = 0

    @property
    def p95_s(self) -> float:
        return float(np.percentile(self.seconds, 95))


@dataclass(slots=True)
class Server:
    """A server process that can be killed and started again on its port."""

    database: str
    n_queries: int
    port: int = 0
    process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        if not self.port:
            with socket.create_server(("127.0.0.1", 0)) as free:
                self.port = free.getsockname()[1]
        script = ROOT / "tests" / "support" / "serve_study.py"
        self.process = subprocess.Popen(
            [sys.executable, script, self.database, str(self.port), str(self.n_queries)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


async def run_load(database: str, *, n_readers: int, n_queries: int, n_kills: int, seed: int = 0) -> Load:
    """Let readers go through a study at once, and kill the server meanwhile.

    Of ten clicks three are doubled at the same moment, and one of those has another choice in the second tab.
    """
    load, server = Load(), Server(database, n_queries)
    store = open_store(database)
    invited = [store.invite(valid_days=1) for _ in range(n_readers)]
    store.close()
    server.start()
    try:
        async with asyncio.timeout(GIVE_UP_S):
            readers = asyncio.gather(*(
                _Reader(load, server.port, each.participant, each.token, seed).run() for each in invited
            ))  # fmt: skip
            for kill in range(1, n_kills + 1):
                # A query has two comparisons or three, so that so many clicks are reached.
                enough = 2 * n_readers * n_queries * kill / (n_kills + 1)
                while len(load.accepted) < enough and not readers.done():  # noqa: ASYNC110 - tests poll
                    await asyncio.sleep(LOOK_S)
                await asyncio.to_thread(server.kill)
                load.n_kills += 1
                await asyncio.to_thread(server.start)
            await readers
    finally:
        server.kill()
    return load


def check_load(load: Load, database: str, *, n_queries: int) -> int:
    """Assert that every accepted click is there once and nothing else; return the number of choices."""
    store = open_store(database)
    try:
        return _check(load, store, n_queries)
    finally:
        store.close()


def _check(load: Load, store: Store, n_queries: int) -> int:
    recorded: dict[tuple[str, str], str] = {}
    for participant, events in store.all_events().items():
        keys = [event.key for event in events]
        assert len(keys) == len(set(keys)), participant
        reading = Reading.of(events)
        assert reading.n_queries == n_queries, participant
        for query in range(1, n_queries + 1):
            bracket = bracket_of(reading, query)
            assert bracket is not None
            assert bracket.is_over
            held = {f"chosen:{query}:{state.match.number}" for state in bracket.matches if state.choice}
            found = {event.key for event in events if event.kind == "chosen" and event.query == query}
            assert held == found, (participant, query)  # no choice for a match that was not held
        recorded |= {
            (participant, event.key): event.data["choice"] for event in events if event.kind == "chosen"
        }
    lost = load.accepted - set(recorded)
    assert not lost, lost
    for click, choice in recorded.items():
        assert choice in load.sent[click], click
    assert all(status in {200, 303} for status in load.statuses), load.statuses
    return len(recorded)


class _Reader:
    def __init__(self, load: Load, port: int, participant: str, token: str, seed: int) -> None:
        self._load = load
        self._base = f"http://127.0.0.1:{port}"
        self._participant = participant
        self._token = token
        self._rng = rng_for(seed, "load", participant)

    async def run(self) -> None:
        jar = aiohttp.CookieJar(unsafe=True)
        timeout = aiohttp.ClientTimeout(total=60)
        async with aiohttp.ClientSession(cookie_jar=jar, timeout=timeout) as session:
            await self._ask(session, "GET", f"/join/{self._token}")
            while True:
                text = await self._ask(session, "GET", "/")
                step = STEP.search(text)
                assert step is not None, text
                kind = step[1].partition(":")[0]
                if kind == "thanks":
                    return
                if kind == "preparing":
                    await asyncio.sleep(POLL_S)
                    await self._ask(session, "GET", "/progress")
                    continue
                token = TOKEN.search(text)
                assert token is not None
                await asyncio.sleep(float(self._rng.exponential(THINK_S)))
                await self._click(session, step[1], token[1])

    async def _click(self, session: aiohttp.ClientSession, step: str, token: str) -> None:
        kind, rng = step.partition(":")[0], self._rng
        form = {"step": step, "token": token}
        if kind != "chosen":
            form |= {
                "consent": {"agree": "yes"},
                "profile": {"role": "planner", "knows": "trees\nroofs"},
                "query": {"text": str(rng.choice(QUESTIONS))},
            }[kind]
            await self._ask(session, "POST", "/", form)
            return
        choices = [str(rng.choice(["left", "right", "neither"], p=[0.45, 0.45, 0.1]))]
        if rng.random() < 0.3:
            choices.append(str(rng.choice(["left", "right"])) if rng.random() < 1 / 3 else choices[0])
        click = (self._participant, step)
        self._load.sent.setdefault(click, set()).update(choices)
        await asyncio.gather(
            *(self._ask(session, "POST", "/", form | {"choice": choice}) for choice in choices)
        )
        self._load.accepted.add(click)

    async def _ask(
        self, session: aiohttp.ClientSession, method: str, path: str, form: dict[str, str] | None = None
    ) -> str:
        """Ask until there is an answer: a connection that breaks tells nothing about what was recorded."""
        while True:
            began = time.monotonic()
            try:
                async with session.request(
                    method, self._base + path, data=form, allow_redirects=False
                ) as answer:
                    text = await answer.text()
            except (aiohttp.ClientError, ConnectionError, TimeoutError):
                self._load.n_lost_connections += 1
                await asyncio.sleep(RETRY_S)
                continue
            self._load.seconds.append(time.monotonic() - began)
            self._load.statuses[answer.status] += 1
            return text
