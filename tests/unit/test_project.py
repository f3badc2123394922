"""What the project promises about itself."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import gameproof

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "src" / "gameproof").rglob("*.py"))
MAX_LINES = 400


def test_public_names_are_sorted_and_all_load() -> None:
    assert list(gameproof.__all__) == sorted(gameproof.__all__)
    assert all(getattr(gameproof, name) is not None for name in gameproof.__all__)


def test_no_file_is_over_the_limit_of_lines() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in SOURCES
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > MAX_LINES
    }
    assert long == {}


def test_every_source_file_says_its_job() -> None:
    silent = [path.name for path in SOURCES if not ast.get_docstring(ast.parse(path.read_text("utf-8")))]
    assert silent == []


def test_decisions_are_numbered_once() -> None:
    numbers = [path.name[:4] for path in (ROOT / "docs" / "decisions").glob("*.md")]
    assert numbers
    assert len(numbers) == len(set(numbers))
    assert all(re.fullmatch(r"\d{4}", number) for number in numbers)


def test_importing_the_package_loads_nothing_heavy() -> None:
    """Public case 64: no torch for everyone; here not even numpy before it is used."""
    code = "import sys, json, gameproof; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    heavy = {
        "torch",
        "transformers",
        "pandas",
        "scipy",
        "pydantic",
        "typer",
        "rich",
        "starlette",
        "sacrebleu",
    }
    assert heavy.isdisjoint(json.loads(output))
