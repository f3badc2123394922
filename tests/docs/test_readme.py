"""The front page is short, its links lead somewhere, and it names every command there is, and no other."""

import re
from pathlib import Path

import typer

from gameproof.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
MAX_LINES = 200


def test_the_readme_is_short():
    assert len(README.splitlines()) < MAX_LINES


def test_every_link_of_the_readme_leads_somewhere():
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_the_readme_names_every_command():
    commands = set(typer.main.get_command(app).commands)
    named = {
        word
        for word in commands
        if re.search(rf"`(?:gameproof )?{word}\b|^gameproof {word}\b", README, re.MULTILINE)
    }
    assert commands - named == set()


def test_the_readme_names_no_command_that_is_not_there():
    commands = set(typer.main.get_command(app).commands)
    code = "\n".join(re.findall(r"```.*?```|`[^`\n]+`", README, re.DOTALL))
    said = set(re.findall(r"gameproof ([a-z][a-z-]+)\b", code))
    assert said
    assert said - commands == set()


def test_every_tutorial_is_linked():
    tutorials = {f"docs/tutorial/{page.name}" for page in (ROOT / "docs" / "tutorial").glob("*.md")}
    assert {page for page in tutorials if f"({page})" not in README} == set()
