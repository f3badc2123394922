"""Results on standard output as data, where they were written, and wishes that cannot be met."""

import json

import pytest
from typer.testing import CliRunner

from gameproof.cli.app import app

PAIRS = [
    {"task_id": f"t{n}", "candidate_a": "Fog hid the rocks from the ferry.", "candidate_b": "Sun.",
     "references": ["Fog hid the rocks."], "preference": "b" if n == 3 else "a", "annotator": f"w{n % 2}"}
    for n in range(4)
]  # fmt: skip


def run(*args):
    return CliRunner().invoke(app, list(args))


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in PAIRS), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def audits(tmp_path_factory):
    """Two runs of one audit, of a metric that is trusted by nobody."""
    folder = tmp_path_factory.mktemp("runs")
    for name in ("one", "two"):
        done = run(
            "audit", "planted,tasks=3", "-m", "length", "--perturbation", "repeat_text", "-o", str(folder / name), "--quiet"
        )  # fmt: skip
        assert done.exit_code in {3, 4}, done.stderr
    return folder


def test_agreement_is_told_as_data_and_written_where_it_was_asked_for(pairs, tmp_path):
    told = json.loads(run("agree", pairs, "-m", "rougeL", "--json").stdout)
    # By hand: the first text shares all words of the reference and the second none; three of four chose it.
    assert told["metrics"][0]["accuracy"]["value"] == pytest.approx(0.75)
    out = tmp_path / "result.json"
    shown = run("agree", pairs, "-m", "rougeL", "-o", str(out))
    assert f"The result is in {out}." in " ".join(shown.stderr.split())
    assert json.loads(out.read_text(encoding="utf-8"))["metrics"] == told["metrics"]


def test_agreement_of_no_metric_says_how_one_is_named(pairs):
    done = run("agree", pairs)
    assert done.exit_code == 2
    assert "no metric is named: use -m METRIC" in done.stderr


def test_differences_of_two_metrics_are_a_table_of_their_own(pairs):
    done = run("agree", pairs, "-m", "rougeL", "-m", "length")
    assert done.exit_code == 0, done.stderr
    assert "First metric minus second, on the same resamples" in done.stdout


def test_a_comparison_of_runs_is_told_as_data_and_written_as_a_page(audits, tmp_path):
    done = run("compare", str(audits / "one"), str(audits / "two"), "--json")
    told = json.loads(done.stdout)
    assert told["exit_code"] == done.exit_code == 0  # nothing was changed, so nothing is lost
    assert "Exit code 0" in done.stderr
    page = tmp_path / "difference.html"
    shown = run("compare", str(audits / "one"), str(audits / "two"), "-o", str(page))
    assert f"Page: {page}" in shown.stdout.replace("\n", "")
    assert page.read_text(encoding="utf-8").startswith("<!")


@pytest.mark.parametrize("text", ["judge", "judge::", "::judge", "judge:other"])
def test_a_pair_that_does_not_name_two_metrics_is_refused(audits, text):
    done = run("compare", str(audits / "one"), str(audits / "two"), "--pair", text)
    assert done.exit_code == 2
    assert f"--pair {text!r} does not name two metrics" in done.stderr
    assert "For example --pair judge::judge,scale=5" in done.stderr


def test_reports_of_several_runs_need_a_place(audits):
    done = run("report", str(audits / "one"), str(audits / "two"))
    assert done.exit_code == 2
    assert "2 runs are given, and no file for their report" in done.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--workers", "2"), "--workers needs several workers: add --engine ray"),
        (("--parts", "folder"), "--parts needs several workers: add --engine ray"),
    ],
)
def test_options_of_several_workers_need_an_engine_that_has_some(options, told):
    done = run("score", "planted,tasks=2", "-m", "length", *options)
    assert done.exit_code == 2
    assert told in " ".join(done.stderr.split())


def test_an_attack_is_told_as_data(tmp_path):
    done = run(
        "attack", "planted,tasks=7", "-m", "length", "--budget", "2", "--universal", "0", "-o", str(tmp_path), "--json"
    )  # fmt: skip
    told = json.loads(done.stdout)
    assert told == json.loads((tmp_path / "attack.json").read_text(encoding="utf-8"))
    assert done.exit_code == {"gamed": 3, "inconclusive": 4, "held": 0}[told["metrics"][0]["verdict"]]


def test_what_an_attack_would_score_is_a_table():
    done = run(
        "attack", "planted,tasks=2", "-m", "length", "--budget", "4", "--universal", "100", "--dry-run"
    )
    assert "Nothing was scored." in done.stderr
    assert (
        "220" in done.stdout.split()
    )  # 24 texts, each once and in 4 proposals, and 100 to learn an addition


@pytest.mark.parametrize("opponents", ["0", "-1", "some"])
def test_a_number_of_opponents_that_is_none_is_refused(opponents):
    done = run("prefer", "planted,tasks=2", "--llm", "planted:oracle", f"--opponents={opponents}")
    assert done.exit_code == 2
    assert f"--opponents: found '{opponents}'; allowed: a whole number from 1, or all." in " ".join(
        done.stderr.split()
    )


def test_preferences_of_all_opponents_are_told_as_data_and_written(tmp_path):
    options = ("prefer", "planted,tasks=2", "--llm", "planted:oracle", "--sample", "8", "--opponents", "all")
    told = json.loads(run(*options, "--json").stdout)
    out = tmp_path / "prefer.json"
    shown = run(*options, "-o", str(out))
    assert f"All pairs and scores are in {out}." in " ".join(shown.stderr.split())
    written = json.loads(out.read_text(encoding="utf-8"))
    assert written["items"] == told["items"]
    assert written["summary"]["pairs"] == told["summary"]["pairs"] > 0
