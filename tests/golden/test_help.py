"""Help pages as a user sees them at 80 columns.

After a change on purpose:  GAMEPROOF_WRITE_GOLDEN=1 .venv/bin/python -m pytest tests/golden/test_help.py
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = {
    "gameproof": (),
    **{
        name: (name,)
        for name in (
            "demo",
            "audit",
            "attack",
            "agree",
            "score",
            "perturb",
            "check",
            "report",
            "reproduce",
            "compare",
            "power",
            "prefer",
            "optimise",
            "judge-pairs",
            "sensitivity",
            "references",
            "sweep",
            "variance",
            "calibration",
            "settle",
            "list",
        )
    },
    "data": ("data",),
    "data-check": ("data", "check"),
    "data-get": ("data", "get"),
    "data-list": ("data", "list"),
    "doctor": ("doctor",),
    "cache": ("cache",),
    "study": ("study",),
    **{
        f"study-{name}": ("study", name)
        for name in ("demo", "new", "check", "invite", "serve", "export", "analyse", "delete")
    },
    **{f"cache-{name}": ("cache", name) for name in ("stats", "prune", "export", "merge")},
}
FOLDER = Path(__file__).parent / "help"


def help_page(command):
    clean = {key: value for key, value in os.environ.items() if key not in {"FORCE_COLOR", "GITHUB_ACTIONS"}}
    done = subprocess.run(
        [sys.executable, "-m", "gameproof", *command, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**clean, "COLUMNS": "80", "TERMINAL_WIDTH": "80", "NO_COLOR": "1"},
    )
    # Which name the program was started by is not part of the page.
    lines = done.stdout.replace("python -m gameproof", "gameproof").splitlines()
    return "\n".join(line.rstrip() for line in lines).strip() + "\n"


@pytest.mark.parametrize("name", PAGES)
def test_a_help_page_is_as_it_was(name):
    path = FOLDER / f"{name}.txt"
    page = help_page(PAGES[name])
    if os.environ.get("GAMEPROOF_WRITE_GOLDEN"):
        path.write_text(page, encoding="utf-8")

    assert page == path.read_text(encoding="utf-8")


def test_every_page_has_a_command():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(PAGES)
