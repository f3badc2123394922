"""The commands that read texts: data, score, perturb, power."""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from gameproof import files
from gameproof.cli.app import app


def run(*args, **options):
    return CliRunner().invoke(app, list(args), catch_exceptions=True, **options)


def write_rows(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(path)


ROWS = [
    {
        "task_id": "a",
        "candidate": "The cat sat.",
        "references": ["The cat sat down."],
        "ratings": {"overall": 4},
    },
    {
        "task_id": "b",
        "candidate": "It rained.",
        "references": ["Rain fell all day."],
        "ratings": {"overall": 2},
    },
]


def test_a_good_file_is_said_to_be_good(tmp_path):
    done = run("data", "check", write_rows(tmp_path / "a.jsonl", ROWS))

    assert done.exit_code == 0
    assert "metrics that need references" in done.stdout


def test_a_check_counts_texts_that_lack_what_others_have(tmp_path):
    path = tmp_path / "some.jsonl"
    path.write_text('{"candidate": "a", "reference": "b"}\n{"candidate": "c"}\n', encoding="utf-8")

    words = " ".join(run("data", "check", str(path)).stdout.split())

    assert "1 of 2 texts have no reference: nothing in 'reference'" in words


def test_a_file_of_which_nothing_can_be_used_is_not_said_to_measure_anything(tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"question": "b"}\n', encoding="utf-8")

    done = run("data", "check", str(path))

    assert done.exit_code == 2
    assert "1 row, of which none can be used" in done.stdout
    assert "be measured" not in done.stdout


def test_a_bad_file_is_exit_code_2_with_its_problems_as_data(tmp_path):
    path = write_rows(tmp_path / "a.jsonl", [*ROWS, {"candidate": 7}])

    done = run("data", "check", path)

    assert done.exit_code == 2
    assert "a.jsonl:3" in done.stdout
    assert json.loads(run("data", "check", path, "--json").stdout)["n_problems"] >= 1


def test_scores_are_lines_of_json(tmp_path):
    done = run("score", write_rows(tmp_path / "a.jsonl", ROWS), "-m", "rougeL", "--json")

    rows = [json.loads(line) for line in done.stdout.splitlines()]
    # By hand: 3 of 3 candidate words and 3 of 4 reference words in order, F1 = 2 * 1 * .75 / 1.75.
    assert rows[0]["score"] == pytest.approx(6 / 7)
    assert [row["item"] for row in rows] == [item.id for item in files.load(ROWS).items]
    assert "signature: rougeL," in done.stderr


@pytest.mark.parametrize(
    "command", [("score",), ("audit", "--perturbation", "tag_text"), ("audit", "--dry-run")]
)
def test_what_a_metric_prints_does_not_mix_with_the_data(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chatty.py").write_text(
        "print('loading')\ndef score(item):\n    print('asking')\n    return 1.0\n", encoding="utf-8"
    )
    (tmp_path / "a.jsonl").write_text('{"candidate": "a b"}\n', encoding="utf-8")

    done = run(command[0], "a.jsonl", "-m", "chatty:score", "--json", *command[1:])

    json.loads(done.stdout)
    assert "loading" in done.stderr
    sys.modules.pop("chatty", None)


def test_scores_are_a_table_for_people(tmp_path):
    done = run("score", write_rows(tmp_path / "a.jsonl", ROWS), "-m", "length")

    assert done.exit_code == 0
    assert "mean" in done.stdout


def test_scores_go_to_a_file(tmp_path):
    out = tmp_path / "scores.csv"

    done = run("score", write_rows(tmp_path / "a.jsonl", ROWS), "-m", "length", "-o", str(out))

    assert done.exit_code == 0
    assert len(out.read_text(encoding="utf-8").splitlines()) == 3


def test_standard_input_is_data_too():
    text = "".join(f"{json.dumps(row)}\n" for row in ROWS)

    done = subprocess.run(
        [sys.executable, "-m", "gameproof", "score", "-", "-m", "length", "--json"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )

    assert [json.loads(line)["score"] for line in done.stdout.splitlines()] == [3, 2]  # words, by hand


def test_variants_go_to_a_file_with_counts(tmp_path):
    out = tmp_path / "variants.jsonl"
    path = write_rows(tmp_path / "a.jsonl", ROWS)

    done = run("perturb", path, "--perturbation", "repeat_text", "-o", str(out), "--json")

    assert json.loads(done.stdout)[0]["variants"] == 2
    assert len(out.read_text(encoding="utf-8").splitlines()) == 2


def test_power_is_a_table_for_people_with_the_suite_that_its_help_names():
    done = run("power", "planted,tasks=8,systems=2", "-m", "length")

    assert done.exit_code == 0
    assert done.stdout.split()[1:7] == ["check", "test", "effect", "detectable", "tasks", "texts"]
    assert "distractor" not in done.stdout
    assert "default: (strategic)" in run("power", "--help").stdout


def test_power_without_a_single_score_says_so(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"candidate": "a b"}\n', encoding="utf-8")

    done = run("power", str(tmp_path / "a.jsonl"), "-m", "rougeL")

    assert done.exit_code == 4
    assert "Nothing can be planned" in done.stderr


def test_text_that_a_terminal_cannot_show_is_replaced(tmp_path):
    path = write_rows(tmp_path / "a.jsonl", [{**ROWS[0], "system": "système"}])

    done = subprocess.run(
        [sys.executable, "-m", "gameproof", "score", path, "-m", "length"],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )

    assert done.returncode == 0
    assert b"syst?me" in done.stdout
