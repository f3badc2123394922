"""What the command line refuses is said in one sentence: what was given, what is allowed, what was probably meant."""

import json

import pytest
from typer.testing import CliRunner

from gameproof.cli.app import app

ROWS = [
    {"task_id": "a", "candidate": "Rain fell.", "note": "x", "gold_summary": "It rained."},
    {"task_id": "b", "candidate": "Snow fell.", "note": "y", "gold_summary": "It snowed."},
]


def run(*args):
    return CliRunner().invoke(app, list(map(str, args)), env={"COLUMNS": "400"})


def said(*args):
    done = run(*args)
    assert done.exit_code == 2
    return " ".join(done.stderr.replace("│", " ").split())


def write(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("list metric", "'metric' is none of metrics, perturbations"),
        ("list metric", "did you mean metrics?"),
        ("audit planted -m length --domain news", "'news' is none of reviews, summaries, answers."),
        ("audit planted -m length --suite strategy", "did you mean strategic?"),
        ("audit planted -m length --seed x", "found 'x'; allowed: a whole number."),
        ("audit planted -m length --max-cost x", "found 'x'; allowed: a number."),
        ("audit planted -m length --sample 0", "allowed: 1 or more"),
        ("variance planted --tasks 2", "allowed: 4 or more."),
        ("agree pairs.jsonl -m length --cluster groups", "did you mean group?"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_in_our_words(command, sentence):
    words = said(*command.split())
    assert sentence in words
    for foreign in ("Value error", "Input should", "unable to parse"):
        assert foreign not in words


def test_a_column_that_is_not_there_is_answered_with_the_nearest_one(tmp_path):
    data = write(tmp_path / "items.jsonl", ROWS)
    words = said("audit", data, "-m", "rougeL", "--map", "references=GoldSummary")
    assert (
        "no row has a column 'GoldSummary'; the columns are candidate, gold_summary, note, task_id" in words
    )
    assert "Did you mean --map references=gold_summary?" in words


def test_a_column_like_no_other_is_answered_with_the_form(tmp_path):
    data = write(tmp_path / "items.jsonl", ROWS)
    assert "Name one of them: --map source=COLUMN" in said(
        "audit", data, "-m", "rougeL", "--map", "source=zzz"
    )


@pytest.mark.parametrize(
    ("column", "meant"), [("refernce", "--map references=refernce"), ("best", "--map references=COLUMN")]
)
def test_data_without_references_is_told_how_a_column_is_read_for_them(tmp_path, column, meant):
    rows = [{column: row["gold_summary"], **row} for row in ROWS]
    data = write(
        tmp_path / "items.jsonl", [{k: v for k, v in row.items() if k != "gold_summary"} for row in rows]
    )
    done = run("audit", data, "-m", "rougeL", "--quiet", "-o", tmp_path / "run")
    assert done.exit_code == 2
    assert "columns not used:" in done.stdout
    assert meant in " ".join(done.stdout.split())


def test_the_tasks_of_the_planted_world_are_said_to_be_of_each_domain():
    assert "of each domain" in said("audit", "planted,tasks=x", "-m", "length")
    assert "8 tasks of each of its 3 domains" in " ".join(
        run("audit", "--help").stdout.replace("│", " ").split()
    )
    assert "so tasks=8 makes 24" in " ".join(run("data", "list", "planted").stdout.split())
    found = json.loads(run("data", "check", "planted,tasks=8", "--json").stdout)
    assert found["tasks"] == 24  # 8 tasks, three domains
