"""The how-to pages do what they say: their files are written, their commands run, their Python is executed."""

import re
import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gameproof.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "howto").glob("*.md"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"# (\w+\.(?:py|jsonl))\n")
NOT_RUN = "# not run here"
ENDS = {0, 3, 4}  # a verdict is no error


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.stem in {"my-own-data", "my-own-metric"}],
    ids=lambda page: page.stem,
)
def test_every_example_of_the_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    names: dict[str, object] = {}
    n_run = 0
    for language, code in BLOCK.findall(page.read_text("utf-8")):
        if language in {"python", "jsonl"} and (file := FILE.match(code)):
            (tmp_path / file[1]).write_text(code if language == "python" else code[file.end() :])
        elif language == "python":
            exec(compile(code, str(page), "exec"), names)  # noqa: S102 - our own page
        elif language == "sh":
            for line in code.splitlines():
                if NOT_RUN not in line:
                    program, *words = shlex.split(line, comments=True)
                    assert program == "gameproof"
                    done = CliRunner().invoke(app, words)
                    assert done.exit_code in ENDS, f"{line}\n{done.output}"
                    n_run += 1
    assert n_run >= 6
    for module in ("my_metrics", "my_judges", "asserts"):
        sys.modules.pop(module, None)


def test_every_link_of_a_page_leads_somewhere() -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
