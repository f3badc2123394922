"""The examples of tutorials and how-tos run as they stand, offline, and what they show still appears.

A page takes part by a comment in its first line: `<!-- examples: run -->`, or `slow` for those that `make calibrate` runs.
Its blocks: `python` and `jsonl` beginning with `# name` are files; other `python` is executed; each line of `sh` is a
command (a server is one in which a reader answers a question), unless it says `# not run here`, with `# exit code N` where it is not 0. A `text` block has lines of what was
printed by the commands before it: they are looked for, spaces aside.
"""

import contextlib
import importlib
import io
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gameproof.cli.app import app
from gameproof.study.study_file import parse_study

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MARK = re.compile(r"<!-- examples: (run|slow) -->\n")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"# ([\w./-]+\.(?:py|jsonl|toml))\b.*\n")
CODE = re.compile(r"# exit code (\d+)")
NOT_RUN = "# not run here"
SERVERS = {("study", "demo"): "study-demo.db", ("study", "serve"): "lab.db"}


def _pages() -> Iterator[object]:
    for page in sorted([*DOCS.glob("tutorial/*.md"), *DOCS.glob("howto/*.md")]):
        if found := MARK.match(page.read_text("utf-8")):
            yield pytest.param(page, id=page.stem, marks=[pytest.mark.slow] if found[1] == "slow" else [])


@dataclass(slots=True)
class Reader:
    """Does what a page says, block by block."""

    folder: Path
    names: dict[str, object] = field(default_factory=dict)
    printed: str = ""
    is_shown: bool = False  # what was printed has a block of its own: the next command begins anew
    n_run: int = 0

    def follow(self, language: str, code: str) -> None:
        if language in {"python", "jsonl", "toml"} and (found := FILE.match(code)):
            (self.folder / found[1]).write_text(
                code if language == "python" else code[found.end() :], "utf-8"
            )
        elif language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(code, "example", "exec"), self.names)  # noqa: S102 - our own page
            self.say(out.getvalue())
        elif language == "sh":
            for line in code.replace("\\\n", "").splitlines():  # a backslash goes on in the next line
                if line.strip() and NOT_RUN not in line:
                    self.run(line)
        elif language == "text":
            said = _plain(self.printed)
            missing = [line for line in code.splitlines() if _plain(line) not in said]
            assert missing == [], self.printed
            self.is_shown = True

    def run(self, line: str) -> None:
        program, *words = shlex.split(line, comments=True)
        if program == "export":
            return
        assert program == "gameproof", line
        if database := SERVERS.get(tuple(words[:2])):
            _be_a_reader(self.folder, database)
            return
        done = CliRunner().invoke(app, words)
        expected = CODE.search(line)
        assert done.exit_code == (int(expected[1]) if expected else 0), f"{line}\n{done.output}"
        self.say(done.output)

    def say(self, text: str) -> None:
        self.printed = text if self.is_shown else self.printed + text
        self.is_shown = False
        self.n_run += 1


def _plain(text: str) -> str:
    return " ".join(text.split())


def _be_a_reader(folder: Path, database: str) -> None:
    """Answer a question as a person would, through the page of the demonstration or of the study file."""
    from tests.support.study_site import StudySite, demo_study  # noqa: PLC0415 - two pages serve

    file = folder / database.replace(".db", ".toml")
    study = parse_study(file.read_text("utf-8"), folder=folder) if file.exists() else demo_study()
    with StudySite(study, folder / database) as site:
        site.browser(enter=True).go_to("query:2")


@pytest.mark.parametrize("page", list(_pages()))
def test_every_example_of_the_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    for name in ("FORCE_COLOR", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    monkeypatch.setenv("GAMEPROOF_CACHE", str(tmp_path / "calls.db"))
    before = set(sys.modules)
    reader = Reader(folder=tmp_path)
    try:
        for language, code in BLOCK.findall(page.read_text("utf-8")):
            reader.follow(language, code)
    finally:
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None) or ""
            if file.startswith(str(tmp_path)):
                del sys.modules[name]
        importlib.invalidate_caches()
    assert reader.n_run > 0


def test_every_tutorial_takes_part() -> None:
    assert [page.stem for page in DOCS.glob("tutorial/*.md") if not MARK.match(page.read_text("utf-8"))] == []


def test_every_link_of_a_page_leads_somewhere() -> None:
    for page in DOCS.rglob("*.md"):
        if "_build" not in page.parts and "generated" not in page.parts:
            for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
                assert (page.parent / target).exists(), f"{page.name} links to {target}"
