"""An audit against one text or several."""

import json

import pytest
from typer.testing import CliRunner

import gameproof
from gameproof.cli.app import app
from gameproof.errors import PlanError

ROWS = [
    {
        "task_id": str(n),
        "references": [f"The {n}th river rose. It fell on day {n}. Nobody was hurt in town {n}."],
        "title": f"River {n}",
        "source": f"The {n}th river rose in spring. It fell on day {n}. Nobody was hurt in town {n}. Rain goes on.",
    }
    for n in range(24)
]
ASKED = {"rename": {"candidate": "references"}, "suite": "satisfaction", "domain": "summaries"}


def names(result):
    return [metric.metric for metric in result.metrics]


def test_one_text_is_said_in_the_run_and_leaves_names_alone():
    result = gameproof.audit(ROWS, ["rouge1"], reference="title", **ASKED)
    assert names(result) == ["rouge1"]
    assert result.run["reference"] == "title"
    assert any("--reference title" in note for note in result.run["notes"])


def test_several_texts_are_several_columns_with_the_numbers_of_each_alone():
    together = gameproof.audit(ROWS, ["rouge1", "length"], reference="all", **ASKED)
    assert names(together) == [
        "rouge1,reference=summary",
        "rouge1,reference=title",
        "rouge1,reference=source",
        "length",
    ]
    for metric in together.metrics[:3]:
        choice = metric.metric.rpartition("=")[2]
        (alone,) = gameproof.audit(ROWS, ["rouge1"], reference=choice, **ASKED).metrics
        assert [(row.effect, row.rho, row.verdict) for row in metric.checks] == [
            (row.effect, row.rho, row.verdict) for row in alone.checks
        ]


def test_statistics_are_done_again_for_every_text(tmp_path):
    first = gameproof.audit(ROWS, ["rouge1"], reference=["title", "source"], out=tmp_path / "run", **ASKED)
    again = gameproof.check(tmp_path / "run")
    assert names(again) == names(first)
    assert again.run["reference"] == "title, source"
    assert [metric.checks for metric in again.metrics] == [metric.checks for metric in first.metrics]


def test_scores_come_against_every_text():
    table = gameproof.score(ROWS, ["rouge1"], reference="all", rename={"candidate": "references"})
    assert [summary.metric for summary in table.summaries] == [
        "rouge1,reference=summary", "rouge1,reference=title", "rouge1,reference=source",
    ]  # fmt: skip
    assert table.summaries[0].mean == 1.0  # every text meets itself


def run(*args):
    return CliRunner().invoke(app, list(args))


def test_commands_that_take_one_text_refuse_all():
    assert "this command takes one text" in run("perturb", "planted", "--reference", "all").stderr


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    return [
        "audit",
        str(file),
        "--map",
        "candidate=references",
        "--reference",
        "all",
        "--suite",
        "satisfaction",
        "-q",
    ]


def test_the_gate_names_a_metric_with_its_text(data):
    done = run(*data, "-m", "rouge1", "-m", "length", "--gate", "rouge1,reference=source", "--json")
    cards = {metric["metric"]: metric["card"]["trusted"] for metric in json.loads(done.stdout)["metrics"]}
    assert done.exit_code == {"yes": 0, "no": 3, "inconclusive": 4}[cards["rouge1,reference=source"]]
    assert "rouge1,reference=source" in done.stderr


def test_a_gate_that_does_not_say_which_text_is_asked_to(data):
    assert "rouge1,reference=summary" in run(*data, "-m", "rouge1", "--gate", "rouge1").stderr


def test_nothing_to_compare_with_is_an_error():
    with pytest.raises(PlanError, match="no text has references, a title or a source"):
        gameproof.audit([{"candidate": "a b c"}], ["rouge1"], reference="all")
