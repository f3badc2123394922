"""Results on standard output as data, where they were written, and wishes that cannot be met."""

import json

import pytest
from tests.support.asking import texts
from tests.support.stub_server import StubServer, echo_prompt
from typer.testing import CliRunner

import gameproof
from gameproof.cli.app import app
from gameproof.errors import PlanError

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


def test_finished_calls_are_counted_for_people_as_they_are_as_data(tmp_path):
    path = tmp_path / "calls.sqlite"
    with StubServer(echo_prompt) as stub:
        texts(f"stub@{stub.url}", ["one", "two", "three"], cache=path)
    shown = run("cache", "stats", "--cache", str(path))
    assert "3 finished calls are in" in shown.stderr
    (row,) = json.loads(run("cache", "stats", "--cache", str(path), "--json").stdout)["calls"]
    told = [str(row[key]) for key in ("model", "calls", "tokens_in", "tokens_out")]
    assert told[:2] == ["stub", "3"]
    assert [word for word in shown.stdout.split() if word in told] == told


def test_what_works_here_is_a_table_for_people():
    found = json.loads(run("doctor", "--cache", "off", "--json").stdout)
    shown = run("doctor", "--cache", "off").stdout
    assert shown.split()[:3] == ["what", "state", "detail"]
    assert all(entry["probe"] in " ".join(shown.split()) for entry in found)


def test_published_values_are_told_as_data():
    rows = json.loads(
        run("list", "published", "--table", "p1_table10", "--metric", "ROUGE-L", "--json").stdout
    )
    assert rows
    assert {(row["metric"], row["source"]) for row in rows} == {
        ("ROUGE-L", "Scoring Rules! (arXiv:2608.01423v1), table 10")
    }


def test_an_embedded_data_set_is_told_fact_by_fact():
    told = json.loads(run("data", "list", "planted", "--json").stdout)
    shown = run("data", "list", "planted").stdout
    assert told
    assert all(what in " ".join(shown.split()) for what in told)
    refused = run("data", "list", "plantedd")
    assert refused.exit_code == 2
    assert "the data set 'plantedd' is unknown: expected one of planted" in " ".join(refused.stderr.split())


def test_a_plan_of_texts_is_told_as_data():
    rows = json.loads(run("power", "planted,tasks=8,systems=2", "-m", "length", "--json").stdout)["rows"]
    assert max(row["n_tasks"] for row in rows) == 24  # 8 tasks in each of three domains
    assert {row["metric"] for row in rows} == {"length"}
    assert all(row["detectable"] is None or row["detectable"] > 0 for row in rows)


def test_a_front_of_designs_is_told_as_data():
    done = run(
        "optimise", "planted,tasks=7", "--divergence", "TV", "--vary", "neg=4", "--quiet", "--json",
        *(f"--perturbation={name}" for name in ("meaningless_elongation", "sentence_deletion")),
    )  # fmt: skip
    told = json.loads(done.stdout)
    assert told["schema"].startswith("gameproof.")
    assert len(told["designs"]) == 4  # TV: two estimators, two representations


def test_designs_are_not_chosen_by_ratings_that_are_not_there(tmp_path):
    path = tmp_path / "bare.jsonl"
    rows = [{"task_id": f"t{n}", "candidate": f"Fog {n}.", "references": ["White fog."]} for n in range(4)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    done = run("optimise", str(path), "--divergence", "TV", "--perturbation=sentence_deletion")
    assert done.exit_code == 2
    assert "ratings: the data has none, so there is no correlation to raise" in done.stderr


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("planted-readers,readers=same", "option 'readers' is 'same': expected different or identical"),
        ("planted-readers,knowledge=much", "option 'knowledge' is 'much': expected some or none"),
    ],
)
def test_an_option_of_embedded_data_that_is_no_choice_is_refused(data, told):
    done = run("data", "check", data)
    assert done.exit_code == 2
    assert told in " ".join(done.stderr.split())


def test_all_that_is_wrong_with_an_attack_is_told_at_once():
    with pytest.raises(PlanError) as caught:
        gameproof.attack("planted,tasks=2", "length", budget=0, per_task=0, longest=0.5, margin=-1)
    for told in ("budget: found 0", "per_task: found 0", "longest: found 0.5", "margin: found -1"):
        assert told in str(caught.value)


def test_a_domain_that_perturbations_do_not_know_is_refused():
    with pytest.raises(PlanError, match="domain 'news' is unknown: expected reviews, summaries, answers"):
        gameproof.audit("planted,tasks=2", "length", domain="news")
