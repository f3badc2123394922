"""The commands that say where a score's error comes from, and what depends on the judging model."""

import csv
import json
import re

import pytest
from typer.testing import CliRunner

from gameproof.cli.app import app

ORACLE = ("-m", "TV+fvar+statement+oracle", "--llm", "planted:oracle", "--cache", "off")
OVERLAP = "fvar+statement+overlap"


def run(*args, code=0):
    done = CliRunner().invoke(app, list(map(str, args)))
    assert done.exit_code == code, done.output
    return done


def test_variance_shows_sources_that_add_up_and_designs_within_the_same_cost():
    found = json.loads(run("variance", "planted,tasks=8", *ORACLE, "--json").stdout)
    parts = {row["source"]: row for row in found["sources"]}
    errors = [parts[name]["in_score"] for name in ("negatives", "decomposition", "oracle")]
    assert sum(errors) == pytest.approx(found["error_sd"] ** 2)
    assert sum(parts[name]["share_of_error"] for name in parts if name != "item") == pytest.approx(1)
    # Reliability is the share of true variance (methods.md 4.1).
    assert found["reliability"] == pytest.approx(
        found["item_sd"] ** 2 / (found["item_sd"] ** 2 + found["error_sd"] ** 2)
    )
    shown = run("variance", "planted,tasks=8", *ORACLE).stdout
    assert f"{found['reliability']:.0%} of what scores differ by is true" in " ".join(shown.split())
    assert all(name in shown for name in (*parts, "half the error of each item"))


def test_variance_counts_its_calls_beforehand():
    planned = json.loads(run("variance", "planted,tasks=8", *ORACLE, "--dry-run", "--json").stdout)
    said = run("variance", "planted,tasks=8", *ORACLE, "--dry-run")
    assert f"{planned['calls']:,} model calls" in said.stdout
    made = re.search(r"([\d,]+) new calls", run("variance", "planted,tasks=8", *ORACLE).stderr)
    assert made is not None
    assert 0 < int(made[1].replace(",", "")) <= planned["calls"]  # decompositions may come out alike


def test_settle_tells_a_sign_that_holds_from_scores_that_cannot_move():
    checks = ("--perturbation", "repeat_text", "--perturbation", "sentence_deletion")
    asked = ("settle", "planted,tasks=8", "-m", f"TV+{OVERLAP}", *checks)
    found = {row["check"]: row for row in json.loads(run(*asked, "--json").stdout)["checks"]}
    # A set of words does not change when a text stands there twice.
    assert (found["repeat_text"]["state"], found["repeat_text"]["change"]) == ("same", 0)
    assert found["sentence_deletion"]["state"] == "settled"
    assert found["sentence_deletion"]["change"] < 0
    assert found["sentence_deletion"]["evidence"] >= 20  # one chance in 20 of an error
    shown = run(*asked).output
    assert "sentence deletion" in shown
    assert "more draws will not turn the sign" in " ".join(shown.split())


def test_calibration_shows_every_divergence_on_every_scale():
    done = run("calibration", "planted,tasks=8", "-m", f"KL+{OVERLAP}")
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith(("KL ", "TV ", "JS "))]
    assert [row[:2] for row in rows] == [
        [name, scale] for name in ("TV", "KL", "JS") for scale in ("none", "isotonic", "platt")
    ]
    for row in rows:  # the gap is direct minus contrast, each rounded to four places
        direct, contrast, gap = map(float, row[2:5])
        assert gap == pytest.approx(direct - contrast, abs=1.5e-4)
    assert (
        "there is no ratio to calibrate"
        in run("calibration", "planted,tasks=8", "-m", f"TV+{OVERLAP}", code=2).stderr
    )


def test_judge_pairs_writes_each_pair_and_counts_wins_and_losses_alike(tmp_path):
    out = tmp_path / "pairs.csv"
    asked = ("judge-pairs", "planted,tasks=2", "--llm", "planted:judge", "--cache", "off", "--pairs", "2")
    shown = run(*asked, "-o", out)
    with out.open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 12  # two of each of six tasks
    assert f"12 pairs are in {out}" in "".join(shown.output.split("\n"))
    table = [
        line.split() for line in shown.stdout.splitlines() if re.match(r"(birch|cedar|alder|dogwood) ", line)
    ]
    assert sum(int(row[2]) for row in table) == sum(int(row[4]) for row in table)  # a win is another's loss
    assert sum(int(row[1]) for row in table) == 2 * 12


def test_a_sweep_says_beforehand_what_it_would_ask():
    asked = ("sweep", "planted,tasks=2", "--predictor", "oracle", "--llm", "planted:oracle", "--dry-run")
    planned = json.loads(run(*asked, "--json").stdout)
    shown = " ".join(run(*asked).stdout.split())
    assert f"{planned['calls']:,} model calls" in shown
    assert "Nothing was scored" in shown


def test_sensitivity_shows_both_verdicts_beside_each_other():
    models = ("--llm", "planted:judge", "--llm", "planted:judge,length=0")
    done = run(
        "sensitivity", "planted", "-m", "judge", *models, "--sample", "40", "--perturbation", "repeat_text"
    )
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("repeat_text"))
    assert row.split()[1] == "fail"  # the judge that likes length
    assert row.split()[-1] == "no"
    assert "1 of 1 verdicts depend on the model" in done.stdout
