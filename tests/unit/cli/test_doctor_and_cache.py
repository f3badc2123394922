import json

from tests.support.asking import texts
from tests.support.ngram_model import completions
from tests.support.stub_server import StubServer, always, echo_prompt
from typer.testing import CliRunner

from gameproof.cli.app import app

runner = CliRunner()


def run(*args, code=0, **environment):
    done = runner.invoke(app, list(args), env=environment)
    assert done.exit_code == code, done.output
    return done


def test_doctor_says_what_is_installed_and_where_calls_are_kept(tmp_path):
    done = run("doctor", "--json", GAMEPROOF_CACHE=str(tmp_path / "calls.sqlite"))

    found = {entry["probe"]: entry for entry in json.loads(done.stdout)}
    assert found["extra data"]["works"]
    assert "calls.sqlite" in found["cache"]["detail"]


def test_doctor_says_that_no_calls_are_kept_where_the_store_is_off():
    done = run("doctor", "--cache", "off", "--json")

    found = {entry["probe"]: entry["detail"] for entry in json.loads(done.stdout)}
    assert found["cache"] == "off: finished calls are not kept"


def test_doctor_tries_an_endpoint():
    with StubServer(always("yes")) as stub:
        done = run("doctor", "--llm", stub.url, "--json")

    found = {entry["probe"]: entry["works"] for entry in json.loads(done.stdout)}
    assert found["chat"]
    assert not found["prompt log-probs"]


def test_doctor_trusts_log_probabilities_that_are_right():
    with StubServer(completions()) as stub:
        done = run("doctor", "--llm", stub.url, "--json")

    found = {entry["probe"]: entry["works"] for entry in json.loads(done.stdout)}
    assert found["prompt log-probs"]


def test_doctor_ends_with_2_where_nobody_answers():
    done = run("doctor", "--llm", "m@http://127.0.0.1:9/v1", code=2)

    assert "http://127.0.0.1:9/v1" in done.stderr


def test_the_store_is_counted_exported_pruned_and_merged(tmp_path):
    path, file = str(tmp_path / "calls.sqlite"), str(tmp_path / "calls.jsonl")
    with StubServer(echo_prompt) as stub:
        texts(f"stub@{stub.url}", ["one", "two"], cache=path)

    assert json.loads(run("cache", "stats", "--cache", path, "--json").stdout)["calls"][0]["calls"] == 2
    run("cache", "export", file, "--cache", path)
    assert "2 calls were deleted" in run("cache", "prune", "--all", "--cache", path).stderr
    assert "2 new calls" in run("cache", "merge", file, GAMEPROOF_CACHE=path).stderr
    assert json.loads(run("cache", "stats", "--cache", path, "--json").stdout)["calls"][0]["calls"] == 2


def test_pruning_without_a_condition_deletes_nothing(tmp_path):
    done = run("cache", "prune", "--cache", str(tmp_path / "calls.sqlite"), code=2)

    assert "--older-than DAYS" in done.stderr


def test_a_store_that_is_not_there_is_told(tmp_path):
    done = run("cache", "stats", "--cache", str(tmp_path / "calls.sqlite"), code=2)

    assert "no store of model calls" in done.stderr


def test_doctor_says_what_a_model_cannot_do_where_it_answers_no_question():
    done = run("doctor", "--llm", "planted:oracle", "--json")

    (chat,) = [entry for entry in json.loads(done.stdout) if entry["probe"] == "chat"]
    assert not chat["works"]
    assert "does not know this task" in chat["detail"]
