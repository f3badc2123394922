"""One command for several data sets: a run folder each, one report, the worst exit code."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gameproof
from gameproof.audits.plan import make_plan, read_plan
from gameproof.cli.app import app
from gameproof.cli.audit_several import worst
from gameproof.datasets.naming import folder_names
from gameproof.errors import DataError, PlanError

PUBLIC = Path(__file__).resolve().parents[2] / "data" / "public"
SETS = [
    f"summeval:{PUBLIC / 'summeval'}",
    f"lfqa_e:{PUBLIC / 'lfqa_e'}",
    f"openreview:{PUBLIC / 'openreview_table'}",
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("several") / "run"
    gameproof.audit_all(SETS, ["length", "rougeL"], out=out, perturbations=["tag_text", "opinion_flip"])
    return out


def test_each_data_set_has_a_run_folder_and_all_have_one_report(run: Path) -> None:
    assert {path.name for path in run.iterdir()} == {
        "summeval",
        "lfqa_e",
        "openreview_table",
        "report.html",
        "report.md",
    }
    results = [json.loads((run / name / "result.json").read_text()) for name in ("summeval", "lfqa_e")]
    assert [result["run"]["public"] for result in results] == ["summeval", "lfqa_e"]


def test_the_report_has_a_section_for_each_with_its_own_checks(run: Path) -> None:
    text = (run / "report.md").read_text(encoding="utf-8")
    sections = text.split("\n# ")[1:]
    assert [section.split("\n")[0] for section in sections] == ["summeval", "lfqa\\_e", "openreview\\_table"]
    assert "opinion flip: only for reviews" in sections[0]  # told as not applicable, in no table of checks
    assert "opinion flip: only for reviews" not in sections[2]
    page = (run / "report.html").read_text(encoding="utf-8")
    assert all(f"run-{number}-" in page for number in (1, 2, 3))


def test_running_it_again_scores_nothing_anew(run: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in run.rglob("scores.jsonl")}
    gameproof.audit_all(SETS, ["length", "rougeL"], out=run, perturbations=["tag_text", "opinion_flip"])
    assert {path: path.stat().st_mtime_ns for path in run.rglob("scores.jsonl")} == before


def test_the_command_prints_verdicts_by_data_and_exits_with_the_worst(tmp_path: Path) -> None:
    options = ["-m", "length", "--perturbation", "pad_constant", "-o", str(tmp_path / "run"), "-q"]
    done = CliRunner().invoke(app, ["audit", *SETS[:2], *options])
    assert done.exit_code == 3  # length rises with every padding, the same for every text
    assert "summeval" in done.stdout
    assert "lfqa_e" in done.stdout
    assert "Exit code 3" in done.stdout
    again = CliRunner().invoke(app, ["audit", *SETS[:2], *options, "--json"])
    found = json.loads(again.stdout)
    assert [each["run"]["public"] for each in found["runs"]] == ["summeval", "lfqa_e"]
    assert again.exit_code == worst(found["exit_codes"]) == 3


def test_the_worst_code_is_a_failure_before_an_open_question() -> None:
    assert [worst(codes) for codes in ([0, 0], [0, 4], [4, 3, 0])] == [0, 4, 3]


def test_a_bad_data_set_is_told_before_anything_is_scored(tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"text": "no candidate"}\n', encoding="utf-8")
    with pytest.raises(DataError):
        gameproof.audit_all([SETS[0], bad], "length", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_reference_that_a_later_data_set_lacks_is_told_before_anything_is_scored(tmp_path: Path) -> None:
    row = {"task_id": "t", "candidate": "a", "references": ["b"]}
    files = []
    for name, more in (("one", {"lead": "c"}), ("two", {})):
        files.append(tmp_path / f"{name}.jsonl")
        files[-1].write_text(json.dumps(row | more) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"two\.jsonl.*no column 'lead'"):
        gameproof.audit_all(files, "length", out=tmp_path / "run", reference="lead")
    assert not (tmp_path / "run").exists()


def test_what_cannot_be_one_of_several_is_refused() -> None:
    with pytest.raises(PlanError, match="standard input cannot be one of several"):
        gameproof.audit_all([SETS[0], "-"], "length")
    done = CliRunner().invoke(app, ["audit", *SETS[:2], "-m", "length", "--variants", "v.jsonl"])
    assert done.exit_code == 2


def test_a_dry_run_counts_every_data_set() -> None:
    done = CliRunner().invoke(app, ["audit", *SETS[:2], "-m", "length", "--dry-run", "--json"])
    assert [each["n_items"] for each in json.loads(done.stdout)] == [2, 4]


def test_folders_of_equal_names_are_numbered() -> None:
    assert folder_names(["a/x.jsonl", "b/x.csv", "rose:c/x.json"]) == ["x", "x-2", "rose-x"]


def test_a_plan_names_several_data_sets_beside_it(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}")
    (tmp_path / "b.json").write_text("{}")
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'data = ["a.jsonl", "rose:b.json", "planted"]\nmetrics = ["length"]\nskip = ["tag_text"]\n'
    )
    found = make_plan(read_plan(plan))
    assert found.data == (str(tmp_path / "a.jsonl"), f"rose:{tmp_path / 'b.json'}", "planted")
    assert found.skip == ("tag_text",)
