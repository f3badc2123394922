"""Files of earlier releases are read; files of a version that is not known are refused by name.

`tests/data/formats/` has what each release wrote, made with that release and never rewritten.
"""

import json
import shutil
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import gameproof
from gameproof.aio.attacked import ATTACK_FILE, read_attack
from gameproof.aio.reported import read_result
from gameproof.errors import GameproofError, RunFolderError
from gameproof.files import RunFolder, load, read_rows, read_variants
from gameproof.reports.attack_json import render_attacks
from gameproof.reports.result_json import render_json

ROOT = Path(__file__).resolve().parents[2]
RELEASES = sorted((ROOT / "tests" / "data" / "formats").iterdir())
ROWS = [
    {
        "task_id": f"t{n // 2}",
        "candidate": f"Rain {n} fell on the bridge. It was closed at {n + 5}. Nobody was hurt.",
        "references": [f"The bridge was closed at {n // 2 + 5}, since rain fell."],
        "ratings": {"quality": n % 5},
    }
    for n in range(12)
]


@pytest.fixture(params=RELEASES, ids=lambda path: path.name)
def run(request, tmp_path):
    return Path(shutil.copytree(request.param / "run", tmp_path / "run"))


def legal(name, row):
    schema = json.loads((ROOT / "schemas" / f"{name}.json").read_text("utf-8"))
    return Draft202012Validator(schema).is_valid(row)


def test_files_of_a_release_are_as_their_schemas_say(run):
    assert legal("manifest.1", json.loads((run / "manifest.json").read_text("utf-8")))
    assert legal("result.1", json.loads((run / "result.json").read_text("utf-8")))
    for name, file in (
        ("item.1", "items.jsonl"),
        ("variant.1", "variants.jsonl"),
        ("score.1", "scores.jsonl"),
    ):
        assert all(legal(name, row) for row in read_rows(run / file)), file


def test_the_result_of_a_release_is_read_as_it_was_written(run):
    written = json.loads((run / "result.json").read_text("utf-8"))
    found = json.loads(json.dumps(render_json(read_result(run)), allow_nan=False))
    for before, after in zip(written["metrics"], found["metrics"], strict=True):
        assert {**after, **before} == after  # what a later version adds has a default


def test_the_run_of_a_release_is_reported_checked_and_compared(run):
    assert RunFolder.open(run, read_only=True).stages
    assert load(run / "items.jsonl").items
    assert read_variants(run / "variants.jsonl")
    before = read_result(run)
    page = gameproof.report(run, out=run.parent / "page.md").read_text("utf-8")
    assert all(metric.metric in page for metric in before.metrics)
    assert gameproof.compare(run, run).exit_code in {0, 4}
    again = gameproof.check(run)
    assert [metric.signature for metric in again.metrics] == [metric.signature for metric in before.metrics]


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.name)
def test_what_commands_print_is_as_the_schemas_say(release):
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in release.glob("*.json")}
    assert found
    for name, record in found.items():
        assert record["schema"] == f"gameproof.{name}/1"
        assert legal(f"{name}.1", record), name


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.name)
def test_the_attack_of_a_release_is_read_as_it_was_written_and_reported(release, tmp_path):
    written = json.loads((release / "attack" / ATTACK_FILE).read_text("utf-8"))
    assert legal("attack.1", written)
    found = read_attack(release / "attack")
    again = json.loads(json.dumps(render_attacks(found), allow_nan=False))
    for before, after in zip(written["metrics"], again["metrics"], strict=True):
        assert {**after, **before} == after  # what a later version adds has a default
    assert found.results[0].metric in gameproof.report(release / "attack", out=tmp_path / "a.md").read_text(
        "utf-8"
    )


def test_an_attack_of_a_newer_version_is_refused_by_name(tmp_path):
    record = json.loads((RELEASES[-1] / "attack" / ATTACK_FILE).read_text("utf-8"))
    (tmp_path / ATTACK_FILE).write_text(json.dumps({**record, "schema": "gameproof.attack/9"}), "utf-8")
    with pytest.raises(
        RunFolderError, match=r"'gameproof\.attack/9'; this version reads 'gameproof\.attack/1'"
    ):
        read_attack(tmp_path)


@pytest.mark.parametrize("name", ["manifest", "result"])
def test_a_newer_version_is_refused_by_name(run, name):
    path = run / f"{name}.json"
    record = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**record, "schema": f"gameproof.{name}/9"}), "utf-8")
    with pytest.raises(GameproofError, match=f"'gameproof.{name}/9'") as caught:
        gameproof.report(run, out=run.parent / "page.md")
    assert isinstance(caught.value, RunFolderError)
    assert f"gameproof.{name}/1" in str(caught.value)
    assert caught.value.exit_code == 2
