"""A study's page on 127.0.0.1, in a thread of its own; and a browser of forty lines."""

import asyncio
import html
import http.client
import re
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self
from urllib.parse import urlencode

import uvicorn

from gameproof.study.conduct import Conductor
from gameproof.study.desk import Desk, open_desk
from gameproof.study.generate import ModelOf
from gameproof.study.model import Study
from gameproof.study.retrieve import Retriever
from gameproof.study.store import Store, open_store
from gameproof.study.study_file import new_study_text, parse_study
from gameproof.web.app import create_app
from gameproof.web.limits import LIMITS, Rate
from gameproof.web.serving import bind
from gameproof.web.settings import Settings

SECRET = "a secret of the administrator"  # noqa: S105 - of tests
WIDE = dict.fromkeys(LIMITS, Rate(burst=10**9, per_minute=60.0))
MOST_PAGES = 500  # on the way to one
FORM = "application/x-www-form-urlencoded"


def demo_study(**changes: str) -> Study:
    """Return the study of the demonstration, with lines of its file replaced: `queries="queries = 2"`."""
    text = new_study_text("demo")
    for name, line in changes.items():
        text, n = re.subn(rf"(?m)^{name} = .*$", line, text)
        assert n, f"the demonstration has no line {name}"
    return parse_study(text)


class StudySite:
    """Serves a study, as a context manager."""

    def __init__(
        self,
        study: Study,
        database: str | Path,
        *,
        models: ModelOf | None = None,
        retriever: Retriever | None = None,
        limits: Mapping[str, Rate] | None = None,
        prefix: str = "",
    ) -> None:
        self.study = study
        self._database = database
        self._models = models
        self._retriever = retriever
        self._listening = bind("127.0.0.1", 0)
        self.port: int = self._listening.getsockname()[1]
        self.settings = Settings(
            address=f"http://127.0.0.1:{self.port}{prefix}",
            admin_secret=SECRET,
            limits=WIDE if limits is None else {**WIDE, **limits},
        )
        self.store: Store
        self.desk: Desk
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> Self:
        self.store = open_store(self._database)
        self.desk = open_desk(self.study, self.store)
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._listening.close()
        self.store.close()

    def invite(self) -> tuple[str, str]:
        """Return a new participant and the path of the link."""
        invited = self.store.invite(valid_days=1)
        return invited.participant, f"/join/{invited.token}"

    def link(self) -> str:
        """Return a new link."""
        return f"http://127.0.0.1:{self.port}{self.invite()[1]}"

    def browser(self, *, enter: bool = False) -> "Browser":
        """Return a browser without cookies, or one that has opened a link of its own."""
        browser = Browser(self.port)
        if enter:
            browser.participant, path = self.invite()
            assert browser.get(path).status == 303
        return browser

    async def _serve(self) -> None:
        async with Conductor(
            self.study, self.desk, retriever=self._retriever, models=self._models
        ) as conductor:
            config = uvicorn.Config(
                create_app(self.desk, conductor, self.settings),
                lifespan="off",
                log_level="critical",
                timeout_graceful_shutdown=2,
                ws="none",
            )
            self._server = uvicorn.Server(config)
            self._ready.set()
            await self._server.serve(sockets=[self._listening])


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back."""

    status: int
    text: str
    headers: Mapping[str, str]

    @property
    def step(self) -> str:
        """The step of the page; empty for other pages."""
        found = re.search(r'(?:name="step" value|data-step)="([^"]+)"', self.text)
        return found[1] if found else ""

    @property
    def token(self) -> str:
        """What a form of the page carries against forgery."""
        found = re.search(r'name="token" value="([^"]+)"', self.text)
        return found[1] if found else ""

    @property
    def summaries(self) -> tuple[str, ...]:
        """The texts of both summaries, as a reader sees them."""
        return tuple(
            html.unescape(re.sub(r"<[^>]+>", "", found))
            for found in re.findall(r"<article.*?</h2>(.*?)</article>", self.text, re.DOTALL)
        )


@dataclass(slots=True)
class Browser:
    """Keeps cookies, follows nothing."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    participant: str = ""

    def get(self, path: str = "/", **headers: str) -> Answer:
        return self.send("GET", path, headers=headers)

    def post(self, path: str, fields: Mapping[str, str], **headers: str) -> Answer:
        return self.send("POST", path, urlencode(fields), headers={"Content-Type": FORM} | headers)

    def answer(self, fields: Mapping[str, str]) -> Answer:
        """Post a form of the page that is shown now."""
        shown = self.get()
        return self.post("/", {"token": shown.token, "step": shown.step} | dict(fields))

    def send(
        self, method: str, path: str, body: str | bytes = "", *, headers: Mapping[str, str] = {}
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
            names = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, {"Cookie": cookies} | names)
            reply = connection.getresponse()
            text = reply.read().decode()
            for line in reply.headers.get_all("Set-Cookie") or ():
                name, _, value = line.partition(";")[0].partition("=")
                self.cookies[name] = value.strip('"')
            return Answer(
                status=reply.status, text=text, headers={k.lower(): v for k, v in reply.getheaders()}
            )
        finally:
            connection.close()

    def go_to(self, kind: str, text: str = "How can cities keep cool in summer?") -> Answer:
        """Answer what comes first, until a page of this kind is shown: its step begins with it."""
        forms = {
            "consent": {"agree": "yes", "language": "en"},
            "profile": {
                "role": "town planner",
                "needs": "numbers",
                "use_case": "a plan",
                "domain": "climate",
            },
            "query": {"text": text},
            "chosen": {"choice": "left"},
        }
        for _ in range(MOST_PAGES):
            shown = self.get()
            if shown.step.startswith(kind):
                return shown
            form = forms.get(shown.step.partition(":")[0])
            if form is None:
                time.sleep(0.02)
            else:
                self.post("/", {"token": shown.token, "step": shown.step} | form)
        raise AssertionError(f"no page {kind!r} came: {shown.status} {shown.step!r}\n{shown.text}")
