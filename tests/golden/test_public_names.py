"""The public names and their signatures, as they were: nothing becomes public, moves or goes away by accident.

After a change on purpose (CONTRIBUTING.md says what may change when):
GAMEPROOF_WRITE_GOLDEN=1 .venv/bin/python -m pytest tests/golden/test_public_names.py
"""

import difflib
import os
from pathlib import Path

from tests.support.public_surface import MODULES, render_surface

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_name("public_names.txt")
HOW = "after a change on purpose: GAMEPROOF_WRITE_GOLDEN=1 python -m pytest tests/golden/test_public_names.py"


def test_public_names_and_signatures_are_as_they_were():
    now = render_surface()
    if os.environ.get("GAMEPROOF_WRITE_GOLDEN"):
        FILE.write_text(now, encoding="utf-8")
    before = FILE.read_text(encoding="utf-8")
    changed = [
        line
        for line in difflib.unified_diff(before.splitlines(), now.splitlines(), lineterm="", n=0)
        if not line.startswith(("---", "+++", "@@"))
    ]
    assert changed == [], HOW


def test_defaults_members_and_values_of_words_are_part_of_a_signature():
    lines = FILE.read_text(encoding="utf-8").splitlines()
    assert any(line.startswith("gameproof.audit(") and "suite: Suite='all'" in line for line in lines)
    assert "    verdict: Verdict | None = None" in lines
    assert "    INCONCLUSIVE = 'inconclusive'" in lines


def test_what_the_documentation_imports_is_public():
    pages = [*(ROOT / "docs").glob("[hte]*/*.md"), *(ROOT / "examples").rglob("*.py"), ROOT / "README.md"]
    used = {
        line.split()[1]
        for page in pages
        for line in page.read_text("utf-8").splitlines()
        if line.lstrip(" >.").startswith("from gameproof") and " import " in line
    }
    assert used
    assert used <= set(MODULES)
