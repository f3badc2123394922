"""The page on rewards: its commands run, and its Python prints what the page says it prints."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gameproof.cli.app import app

PAGE = Path(__file__).resolve().parents[3] / "docs" / "howto" / "reward.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
VERDICTS = {0, 3, 4}  # a verdict is no error


def test_the_commands_of_the_page_run(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [line for language, code in BLOCKS if language == "sh" for line in code.splitlines()]
    assert len(lines) == 2
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "gameproof"
        done = CliRunner().invoke(app, words)
        assert done.exit_code in VERDICTS, f"{line}\n{done.output}"


def test_the_page_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for language, code in BLOCKS:
        if language == "python":
            exec(compile(code, str(PAGE), "exec"), names)  # noqa: S102 - our own page
    printed = capsys.readouterr().out.splitlines()
    page = PAGE.read_text("utf-8").splitlines()
    assert len(printed) == 12
    assert [line for line in printed if line not in page] == []
