"""Public cases, sections C and D, as a user of the command line meets them.

Their details are in tests/unit/llm: test_cases_of_limits.py and test_cases_of_resuming.py.
"""

import json
import math
import os
import signal
import subprocess
import sys
import time

import pytest
from tests.support.stub_server import StubServer, always, error, faulty, reply_with, throttled
from typer.testing import CliRunner

from gameproof.cli.app import app

runner = CliRunner()


def grade(call):
    """Give a grade that depends on the text, so that a mixed-up reply would be seen."""
    return reply_with(json.dumps({"reason": "as it is", "score": 1 + call.prompt.count("bird") % 9}))


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "items.jsonl"
    rows = [
        {
            "id": f"i{n}",
            "task_id": f"t{n}",
            "candidate": f"Number {n}: " + "a bird sang. " * (2 + n % 7),
            "references": [f"In place {n} there were birds."],
        }
        for n in range(100)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def score(data, llm, *more, code=0, cache="off"):
    args = ["score", data, "-m", "judge", "--llm", llm, "--cache", str(cache), "--json", *more]
    done = runner.invoke(app, args)
    assert done.exit_code == code, done.output
    return done


def scores_of(done):
    return {row["item"]: row["score"] for row in map(json.loads, done.stdout.splitlines())}


def test_case_20_a_typo_in_the_name_of_a_model_costs_one_call(data):
    with StubServer(lambda _: error(404, "The model `typo` does not exist.")) as stub:
        done = score(data, f"typo@{stub.url}", code=2)

        assert len(stub.calls) == 1
    assert "does not exist" in done.stderr


def test_case_21_an_audit_with_too_many_throttled_calls_is_incomplete_and_exits_4(data):
    def script(call):
        return throttled("0") if "Number 3" in call.prompt else grade(call)

    args = ["audit", data, "-m", "judge", "--suite", "strategic", "--perturbation", "sentence_deletion"]
    with StubServer(script) as stub:
        done = runner.invoke(
            app,
            [
                *args,
                "--llm",
                f"stub@{stub.url}",
                "--cache",
                "off",
                "--limit",
                "40",
                "--json",
                "-o",
                f"{data}.run",
            ],
        )

    assert done.exit_code == 4, done.output
    (check,) = json.loads(done.stdout)["metrics"][0]["checks"]
    assert check["verdict"] == "inconclusive"
    # "Number 3" begins the texts 3 and 30 to 39.
    assert check["n_missing"] == 11
    (reason,) = check["missing"]
    assert "HTTP 429" in reason
    assert "11 of 40 pairs are missing, more than 10%" in check["detail"]


def test_case_21_six_of_ten_scores_are_incomplete_and_exit_4(data):
    def script(call):
        number = int(call.prompt.partition("Number ")[2].partition(":")[0])
        return throttled("0") if number in {1, 4, 5, 8} else grade(call)

    with StubServer(script) as stub:
        done = score(data, f"stub@{stub.url}", "--limit", "10", code=4)
    scores = scores_of(done)
    assert [name for name, value in scores.items() if value is None] == ["i1", "i4", "i5", "i8"]
    assert "judge has 6 of 10 scores, and calls for 4 failed" in done.stderr


def test_case_23_a_closed_port_is_told_on_the_command_line(data):
    done = score(data, "m@http://127.0.0.1:9/v1", code=2)

    assert "http://127.0.0.1:9/v1 (from --llm) cannot be reached" in done.stderr


def test_case_24_and_26_a_killed_run_goes_on_where_it_was(data, tmp_path):
    cache = tmp_path / "calls.sqlite"
    with StubServer(grade) as stub:
        whole = scores_of(score(data, f"stub@{stub.url}"))
        first = len(stub.calls)
        command = [
            sys.executable,
            "-m",
            "gameproof",
            "score",
            data,
            "-m",
            "judge",
            "--llm",
            f"stub@{stub.url}",
        ]
        process = subprocess.Popen(
            [*command, "--cache", str(cache), "--max-concurrency", "1"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ,
        )
        while len(stub.calls) < first + 50 and process.poll() is None:
            time.sleep(0.002)
        process.kill()
        process.wait()
        killed_at = len(stub.calls) - first
        done = score(data, f"stub@{stub.url}", cache=cache)

        assert process.returncode == -signal.SIGKILL
        # one may have been under way, and the reply to the one before may not have been kept yet
        assert len(stub.calls) - first - killed_at <= 100 - killed_at + 2
    assert scores_of(done) == whole
    assert len(whole) == 100


def test_case_28_the_same_scores_from_the_store(data, tmp_path):
    cache = tmp_path / "calls.sqlite"
    with StubServer(grade) as stub:
        first = score(data, f"stub@{stub.url}", cache=cache)
        second = score(data, f"stub@{stub.url}", cache=cache)

        assert len(stub.calls) == 100
    assert second.stdout == first.stdout
    assert "0 new calls" in second.stderr
    assert "100 answers from the store" in second.stderr


def unsure(call):
    """Grade by probabilities that no short number writes: the score has all digits of a float."""
    lean = -0.1 - call.prompt.count("bird") / 7
    tokens = [{"token": part, "logprob": 0.0, "top_logprobs": []} for part in ('{"score": ', "4", "}")]
    tokens[1] |= {
        "logprob": lean,
        "top_logprobs": [
            {"token": "4", "logprob": lean},
            {"token": "2", "logprob": math.log(-math.expm1(lean))},
        ],
    }
    return reply_with('{"score": 4}', logprobs={"content": tokens})


def test_case_28_another_process_has_the_equal_float_from_the_store_without_a_call(data, tmp_path):
    def scored(name):
        command = [sys.executable, "-m", "gameproof", "score", data, "-m", "judge,scale=5,expectation=true"]
        options = ["--llm", f"stub@{stub.url}", "--cache", str(tmp_path / "calls.sqlite"), "--limit", "20"]
        path = tmp_path / name
        done = subprocess.run(
            [*command, *options, "-o", str(path)], check=True, capture_output=True, text=True
        )
        rows = map(json.loads, path.read_text().splitlines())
        return [row["score"] for row in rows if "score" in row], done.stderr

    with StubServer(unsure) as stub:
        first, _ = scored("first.jsonl")
        second, told = scored("second.jsonl")
        assert len(stub.calls) == 20
    assert second == first
    # With p for the grade 4 and 1 - p for 2 the score is 2 + 2 p; rounded anywhere on the way it would be another one.
    assert len(first) == 20
    assert all(2 < score < 4 and score != round(score, 9) for score in first)
    assert "0 new calls" in told


def test_with_a_third_of_all_calls_failing_the_scores_are_those_of_a_run_without_faults(data, monkeypatch):
    """Four attempts are enough for every question under this seed; by chance one in some hundreds needs a fifth."""
    monkeypatch.setattr("gameproof.llm.limits.random.uniform", lambda *_: 0.005)
    with StubServer(grade) as good, StubServer(faulty(grade, share=0.3)) as bad:
        expected = score(data, f"stub@{good.url}")
        found = score(data, f"stub@{bad.url}")

        assert len(bad.calls) > 110
    assert found.stdout == expected.stdout


def test_case_30_the_limit_of_calls_stops_cleanly_and_the_next_run_goes_on(data, tmp_path):
    cache = tmp_path / "calls.sqlite"
    with StubServer(grade) as stub:
        done = score(data, f"stub@{stub.url}", "--max-calls", "30", cache=cache, code=2)
        score(data, f"stub@{stub.url}", "--max-calls", "70", cache=cache)

        assert len(stub.calls) == 100
    assert "limit of 30 model calls is reached" in done.stderr
    assert "30 new calls" in done.stderr


def test_case_30_a_limit_of_cost_without_prices_is_refused_before_anything_is_asked(data):
    with StubServer(always("4")) as stub:
        done = score(data, f"stub@{stub.url}", "--max-cost", "1", code=2)

        assert stub.calls == []
    assert "--price-in" in done.stderr


def test_case_21_scores_of_an_endpoint_that_fails_are_incomplete_and_exit_4(data):
    with StubServer(lambda _: error(500, "Out of memory.")) as stub:
        done = score(data, f"stub@{stub.url}", "--limit", "3", code=4)
    assert "has none of 3 scores" in done.stderr


def test_case_21_an_endpoint_that_never_answers_is_not_asked_to_the_end(data):
    with StubServer(lambda _: error(500, "Out of memory.")) as stub:
        done = score(data, f"stub@{stub.url}", "--max-concurrency", "4", code=4)
        assert len(stub.calls) <= 48
    assert "8 calls failed and none was answered" in done.stderr
