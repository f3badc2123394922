"""Formats that are dataclasses written down: their schemas are made of the types, and what is written fits them.

After a change of a dataclass: ``GAMEPROOF_WRITE_GOLDEN=1 python -m pytest tests/contract/test_typed_schemas.py``. A field that
is new and has a default keeps the version of the format; anything else needs a new one, and a reader for the last.
"""

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.support.typed_schema import schema_of

import gameproof
from gameproof.agreement.result import AgreementResult
from gameproof.attacks.result import AttackResult, Attacks
from gameproof.reports.agreement import agreement_record
from gameproof.reports.study import study_record
from gameproof.stats.gaming import GamingResult
from gameproof.study.analysis import StudyAnalysis

ROOT = Path(__file__).resolve().parents[2]
WRITES = os.environ.get("GAMEPROOF_WRITE_GOLDEN") == "1"
FLAG = {"type": "boolean"}
COUNT = {"type": ["integer", "null"]}
MADE = {
    "attack.1": schema_of(
        "attack.1",
        "What an attack found: attack.json",
        Attacks,
        added={"schema": {"const": "gameproof.attack/1"}},
        more={
            AttackResult: {
                "verdict": {"enum": ["gamed", "held", "inconclusive"]},
                "smallest_gamed_budget": COUNT,
            },
            GamingResult: {"gamed": FLAG, "held": FLAG},
        },
    ),
    "agreement.1": schema_of(
        "agreement.1",
        "How metrics agree with people's choices: `gameproof agree --json`",
        AgreementResult,
        added={"schema": {"const": "gameproof.agreement/1"}},
        more={},
    ),
    "study_analysis.1": schema_of(
        "study_analysis.1",
        "What a reader study says: `gameproof study analyse --json`",
        StudyAnalysis,
        added={"schema": {"const": "gameproof.study_analysis/1"}},
        more={StudyAnalysis: {"agreement": {"type": ["object", "null"], "description": "As `agreement.1`."}}},
    ),
}
MADE["attack.1"]["properties"]["metrics"] = MADE["attack.1"]["properties"].pop("results")
MADE["attack.1"]["required"] = ["schema", "data", "seed", "metrics", "notes"]
PAIRS = [
    {
        "task_id": f"t{n}",
        "candidate_a": f"The bridge was closed at {n}.",
        "candidate_b": "Rain fell.",
        "references": [f"At {n} the bridge was closed."],
        "preference": "a" if n % 3 else "tie",
        "annotator": f"p{n % 2}",
    }
    for n in range(6)
]


def fits(name: str, record: object) -> bool:
    """Say whether JSON holds a record, and the schema allows it."""
    schema = json.loads((ROOT / "schemas" / f"{name}.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(json.loads(json.dumps(record, allow_nan=False)))
    return True


@pytest.mark.parametrize("name", MADE)
def test_a_schema_says_what_the_types_say(name: str) -> None:
    path = ROOT / "schemas" / f"{name}.json"
    if WRITES:
        path.write_text(f"{json.dumps(MADE[name], indent=2, ensure_ascii=False)}\n", "utf-8")
    assert json.loads(path.read_text("utf-8")) == MADE[name]


def test_an_agreement_is_legal() -> None:
    result = gameproof.agree(PAIRS, ["rouge1", "length"])
    assert fits("agreement.1", agreement_record(result))


def test_an_analysis_of_a_study_is_legal() -> None:
    result = gameproof.analyse_study(ROOT / "tests" / "data" / "public" / "reader_study")
    assert fits("study_analysis.1", study_record(result.analysis, result.agreement))
