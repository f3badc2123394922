"""What commands print with ``--json`` has a format with a version: schemas are made of the types, and real output fits them.

After a change of a type: ``GAMEPROOF_WRITE_GOLDEN=1 python -m pytest tests/contract/test_command_schemas.py``, as for
`test_typed_schemas`.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.support.typed_schema import schema_of
from typer.testing import CliRunner

from gameproof.audits.calibration import CalibrationRow
from gameproof.audits.judged_pairs import SystemTally
from gameproof.audits.references_result import ReferencesResult
from gameproof.audits.settle import Settling
from gameproof.audits.variance import VarianceReport
from gameproof.cli.app import app
from gameproof.stats.results import Verdict

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
WRITES = os.environ.get("GAMEPROOF_WRITE_GOLDEN") == "1"


@dataclass
class Calibration:
    """All divergences, with ratios as they come and on calibrated scales."""

    rows: tuple[CalibrationRow, ...]


@dataclass
class Settle:
    """What became of each check."""

    checks: tuple[Settling, ...]


@dataclass
class Planned:
    """What one check of a pilot can show, and how much data it needs."""

    metric: str
    check: str
    test: str
    effect: float | None
    alpha: float
    pair_correlation: float | None
    icc: float | None
    items_per_task: float
    design_effect: float
    n_tasks: int
    detectable: float | None
    tasks_needed: int | None
    items_needed: int | None


@dataclass
class Power:
    """One row for each metric, check and level."""

    rows: tuple[Planned, ...]


@dataclass
class JudgedPair:
    """Two texts of a task; the winner is the id of one of them, or tie."""

    task: str
    first: str
    second: str
    first_system: str | None
    second_system: str | None
    winner: str | None
    flipped: bool
    reason: str | None


@dataclass
class JudgePairs:
    """All pairs, and how much the order of presentation had to say."""

    n_pairs: int
    n_flipped: int
    n_missing: int
    missing: Mapping[str, int]
    flip_rate: float | None
    first_rate: float | None
    systems: tuple[SystemTally, ...]
    pairs: tuple[JudgedPair, ...]
    notes: tuple[str, ...]


@dataclass
class Sensitivity:
    """Agreement of two models; ``results`` are those of `result.1`, one a model."""

    metric: str
    models: tuple[str, str]
    n: int
    spearman: float | None
    mean_difference: float | None
    mean_distance: float | None
    n_checks: int
    flip_rate: float | None
    flipped: Mapping[str, tuple[Verdict | None, Verdict | None]]
    results: tuple[Mapping[str, Any], ...]  # Any: as in `result.1`


@dataclass
class ScoredMetric:
    """One metric over one data set; facts that were not measured are null."""

    metric: str
    signature: str
    n: int
    n_missing: int
    missing: Mapping[str, int]
    mean: float | None
    sd: float | None
    low: float | None
    high: float | None
    distinct: float | None
    tie_share: float | None
    floor: float | None
    rho_length: float | None
    rescored: float | None
    rescored_sd: float | None
    rescored_shift: float | None
    alarms: tuple[str, ...]


@dataclass
class ScoreSummaries:
    """Counts, facts and alarms."""

    metrics: tuple[ScoredMetric, ...]


# Name -> (title, type of the record, command, exit code).
KINDS: dict[str, tuple[str, type, tuple[str, ...], int]] = {
    "calibration": (
        "How far ratios are from density ratios: `gameproof calibration --json`",
        Calibration,
        ("calibration", "planted,tasks=4", "-m", "KL+fvar+statement+overlap"),
        0,
    ),
    "judge_pairs": (
        "A language model's choices between texts: `gameproof judge-pairs --json`",
        JudgePairs,
        ("judge-pairs", "planted,tasks=1", "--llm", "planted:judge", "--cache", "off"),
        0,
    ),
    "power": (
        "How much data verdicts need: `gameproof power --json`",
        Power,
        ("power", "planted,tasks=4", "-m", "length", "--perturbation", "sentence_deletion", "--perturbation", "repeat_text"),
        0,
    ),
    "references": (
        "References of people, panels and models compared: `gameproof references --json`",
        ReferencesResult,
        ("references", "planted,tasks=4", "-m", "rougeL"),
        0,
    ),
    "score_summary": (
        "Counts, facts and alarms of scores: `gameproof score --summary FILE`",
        ScoreSummaries,
        ("score", "planted,tasks=2", "-m", "rougeL", "-m", "length"),
        0,
    ),
    "sensitivity": (
        "One metric by two language models: `gameproof sensitivity --json`",
        Sensitivity,
        (
            "sensitivity", "planted,tasks=2", "-m", "judge", "--llm", "planted:judge", "--llm", "planted:judge,length=0",
            "--perturbation", "sentence_deletion", "--cache", "off",
        ),
        0,
    ),
    "settle": (
        "Whether signs hang on the draw: `gameproof settle --json`",
        Settle,
        (
            "settle", "planted,tasks=4", "-m", "TV+fvar+statement+overlap", "--max-rounds", "8", "--perturbation",
            "sentence_deletion",
        ),
        -1,  # 0 or 4, as the draw will have it
    ),
    "variance": (
        "Where the error of scores comes from: `gameproof variance --json`",
        VarianceReport,
        ("variance", "planted,tasks=4", "-m", "TV+fvar+statement+overlap"),
        0,
    ),
}  # fmt: skip


def made(name: str) -> dict[str, Any]:
    title, kind, _, _ = KINDS[name]
    return schema_of(f"{name}.1", title, kind, added={"schema": {"const": f"gameproof.{name}/1"}}, more={})


@pytest.mark.parametrize("name", KINDS)
def test_a_schema_says_what_the_types_say(name: str) -> None:
    path = SCHEMAS / f"{name}.1.json"
    if WRITES:
        path.write_text(f"{json.dumps(made(name), indent=2, ensure_ascii=False)}\n", "utf-8")
    assert json.loads(path.read_text("utf-8")) == made(name)


@pytest.mark.parametrize("name", KINDS)
def test_real_output_is_legal_and_has_every_field(name: str, tmp_path: Path) -> None:
    _, _, words, code = KINDS[name]
    file = tmp_path / "summary.json"
    done = CliRunner().invoke(
        app, [*words, *(("--summary", str(file)) if name == "score_summary" else ("--json",))]
    )
    assert done.exit_code in ({0, 4} if code < 0 else {code}), done.stderr
    record = json.loads(file.read_text("utf-8") if name == "score_summary" else done.stdout)
    schema = json.loads((SCHEMAS / f"{name}.1.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(record)
    assert set(record) == set(schema["properties"])  # nothing is printed that the schema does not name
    assert record["schema"] == f"gameproof.{name}/1"
