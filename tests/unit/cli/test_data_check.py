"""`gameproof data check`: what was read from where, what is empty, and what a verdict takes."""

import json

import pytest
from typer.testing import CliRunner

import gameproof
from gameproof.audits.checks import MIN_TASKS
from gameproof.cli.app import app
from gameproof.files import check

ROWS = [
    {
        "doc_id": "a",
        "output": "Rain fell.",
        "gold": ["It rained."],
        "text": "s",
        "rating_flu": 3,
        "rating_coh": 1,
    },
    {"doc_id": "a", "output": "", "gold": ["It rained."], "text": "s", "rating_flu": 3, "rating_coh": 2},
    {"doc_id": "b", "output": "Snow fell.", "gold": [], "text": None, "rating_flu": 3, "rating_coh": 4},
    {"doc_id": "b", "output": "Snow fell a lot.", "gold": ["It snowed."], "text": "t", "rating_flu": 3},
]


@pytest.fixture
def shown(tmp_path):
    def show(*args, rows=ROWS):
        path = tmp_path / "items.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
        return CliRunner().invoke(app, ["data", "check", str(path), *args], env={"COLUMNS": "80"}).stdout

    return show


def test_every_field_is_shown_with_the_column_that_it_was_read_from(shown):
    text = " ".join(shown().split())
    for field, column in (("task_id", "doc_id"), ("candidate", "output"), ("ratings.flu", "rating_flu")):
        assert f"{field} {column}" in text
    assert json.loads(shown("--json"))["columns"]["references"] == ["gold"]


def test_it_says_how_many_tasks_there_are_and_how_many_a_pass_takes(shown):
    assert (
        f"2 tasks: a check passes with {MIN_TASKS} tasks or more, and {MIN_TASKS - 2} are missing"
        in " ".join(shown().split())
    )
    assert json.loads(shown("--json"))["tasks_for_a_pass"] == MIN_TASKS
    many = [{**ROWS[0], "doc_id": f"d{n}", "output": f"Rain {n}."} for n in range(MIN_TASKS)]
    assert "that many there are" in " ".join(shown(rows=many).split())


def test_what_is_empty_is_counted_with_what_follows(shown):
    text = " ".join(shown().split())
    assert "1 of 4 texts have no words: nothing in 'output'; they get no score" in text
    assert "1 of 4 texts have no reference: nothing in 'gold'" in text
    assert "1 of 4 texts have no source: nothing in 'text'" in text
    bare = [{"doc_id": "a", "output": "Rain fell."}, {"doc_id": "b", "output": "Snow fell."}]
    assert "2 of 2 texts have no reference: no such column" in " ".join(shown(rows=bare).split())


def test_constant_ratings_correlate_with_nothing_here_and_in_the_audit():
    rows = [{**row, "rating_coh": 5} for row in ROWS]
    report = check(rows)
    assert any("all the same correlate with nothing: flu (3), coh (5)" in note for note in report.notes)
    assert "correlation with ratings: all ratings are the same" in report.not_measurable
    result = gameproof.audit(rows, ["length"], perturbations=["repeat_text"])
    assert all(row.rho is None for row in result.metrics[0].correlation)


def test_ratings_that_differ_between_tasks_alone_give_no_correlation_within_tasks():
    rows = [
        {"task_id": t, "candidate": f"{t} {n}", "rating": r}
        for t, r in (("a", 1), ("b", 2))
        for n in range(3)
    ]
    report = check(rows)
    assert "correlation with ratings" in report.measurable
    assert "correlation within tasks: all texts of a task have the same rating" in report.not_measurable


def test_what_is_told_keeps_to_eighty_columns(shown):
    told = shown().split("Read from columns")[1].split("Ratings")[0]
    assert max(map(len, told.splitlines())) <= 80
