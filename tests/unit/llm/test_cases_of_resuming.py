"""Public cases, section D: resuming, caching, cost."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.asking import ask_all, connected, question, texts
from tests.support.stub_server import StubServer, always, echo_prompt, error, faulty, first_then, reply_with

from gameproof.errors import BudgetError, PlanError
from gameproof.llm.budget import Prices
from gameproof.llm.store import CallStore
from gameproof.seeds import rng_for

PROGRAM = Path(__file__).parents[2] / "support" / "asking_process.py"
PROMPTS = [f"question {number}" for number in range(20)]


def start(stub, store, number, *, concurrency=8):
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), f"stub@{stub.url}", str(store), str(number), str(concurrency)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out)


def wait_for_calls(stub, number, process):
    while len(stub.calls) < number and process.poll() is None:
        time.sleep(0.002)


def finished_prompts(path):
    if not path.exists():
        return set()
    store = CallStore(path)
    found = {json.loads(call.request)["messages"][0]["content"] for call in store.calls()}
    store.close()
    return found


@pytest.mark.parametrize(("number", "kills"), [(200, 3), pytest.param(1000, 20, marks=pytest.mark.slow)])
def test_case_24_a_killed_run_repeats_no_finished_call_and_ends_with_the_same_table(tmp_path, number, kills):
    path = tmp_path / "calls.sqlite"
    moments = sorted(int(n) for n in rng_for(0, "kills", number).integers(1, number, size=kills))
    finished, asked_again, killed = set(), set(), 0
    with StubServer(faulty(echo_prompt, share=0.1)) as stub:
        for moment in moments:
            seen = len(stub.calls)
            process = start(stub, path, number)
            wait_for_calls(stub, max(moment, seen + 1), process)
            process.kill()
            process.communicate()
            killed += process.returncode == -signal.SIGKILL
            asked_again |= finished & {call.prompt for call in stub.calls[seen:]}
            finished = finished_prompts(path)
        seen = len(stub.calls)
        end = finish(start(stub, path, number))
        asked_again |= finished & {call.prompt for call in stub.calls[seen:]}

    assert killed > 0
    assert asked_again == set()
    assert end["new"] == number - len(finished)
    # The table has everything, not only the new part: public case 26.
    assert end["texts"] == [f"question {n}" for n in range(number)]


def test_case_24_half_a_run_is_half_the_calls(tmp_path):
    with StubServer(echo_prompt) as stub:
        options = {"llm": f"stub@{stub.url}", "cache": tmp_path / "calls.sqlite"}
        texts(prompts=PROMPTS[:10], **options)
        found = texts(prompts=PROMPTS, **options)

        assert len(stub.calls) == 20
    assert found == PROMPTS


def test_case_24_ctrl_c_keeps_what_is_done_and_what_is_on_its_way(tmp_path):
    path = tmp_path / "calls.sqlite"
    with StubServer(
        lambda call: replace(echo_prompt(call), delay_s=0.4 if call.number >= 12 else 0.0)
    ) as stub:
        process = start(stub, path, 100)
        wait_for_calls(stub, 20, process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        asked = {call.prompt for call in stub.calls}

    assert process.returncode != 0
    assert len(asked) == 20
    assert finished_prompts(path) == asked


def test_case_24_ctrl_c_does_not_wait_for_an_endpoint_that_never_answers(tmp_path):
    with StubServer(always("late", delay_s=3600)) as stub:
        process = start(stub, tmp_path / "calls.sqlite", 100)
        wait_for_calls(stub, 1, process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)  # an hour too early for the endpoint

    assert process.returncode != 0


def test_case_27_a_reply_is_on_disk_before_anyone_reads_it(tmp_path):
    path = tmp_path / "calls.sqlite"
    with StubServer(echo_prompt) as stub:

        async def crash(model):
            reply = await model.complete(question("one"))
            raise ValueError(reply.text)  # as a reader with a bug would

        options = {"llm": f"stub@{stub.url}", "cache": path}
        with pytest.raises(ValueError, match="one"):
            connected(crash, **options)
        again = texts(prompts=["one"], **options)

        assert len(stub.calls) == 1
    assert again == ["one"]


def test_case_28_another_process_answers_from_the_store(tmp_path):
    with StubServer(echo_prompt) as stub:
        first = finish(start(stub, tmp_path / "calls.sqlite", 20))
        second = finish(start(stub, tmp_path / "calls.sqlite", 20))

    assert second == {"texts": first["texts"], "new": 0, "kept": 20}


def test_two_processes_at_work_at_the_same_time_share_the_store(tmp_path):
    path = tmp_path / "calls.sqlite"
    with StubServer(echo_prompt) as stub:
        both = [start(stub, path, 100), start(stub, path, 100)]
        first, second = (finish(process) for process in both)

    assert first["texts"] == second["texts"]
    assert len(finished_prompts(path)) == 100


def test_equal_questions_at_the_same_time_are_one_call(tmp_path):
    with StubServer(always("yes", delay_s=0.02)) as stub:
        found = texts(f"stub@{stub.url}", ["same"] * 10, cache=tmp_path / "calls.sqlite")

        assert len(stub.calls) == 1
    assert found == ["yes"] * 10


def test_repeated_samples_are_questions_of_their_own(tmp_path):
    with StubServer(lambda call: reply_with(str(call.number))) as stub:
        requests = [question("same", sample=sample) for sample in range(3)]
        options = {"llm": f"stub@{stub.url}", "cache": tmp_path / "calls.sqlite"}
        first = connected(lambda model: ask_all(model, requests), **options)
        second = connected(lambda model: ask_all(model, requests), **options)

    assert {reply.text for reply in first} == {"0", "1", "2"}
    assert [reply.text for reply in second] == [reply.text for reply in first]
    assert all(reply.cached for reply in second)


def test_a_failed_call_is_not_kept(tmp_path):
    options = {"cache": tmp_path / "calls.sqlite", "attempts": 1}
    with StubServer(first_then([error(500, "Oops.")], always("yes"))) as stub:
        assert texts(f"stub@{stub.url}", ["one"], **options) == [None]

        assert texts(f"stub@{stub.url}", ["one"], **options) == ["yes"]


def test_with_a_third_of_all_calls_failing_the_replies_are_the_same(tmp_path):
    prompts = [f"question {number}" for number in range(300)]
    with StubServer(faulty(echo_prompt, share=0.3)) as stub:
        found = texts(
            f"stub@{stub.url}", prompts, cache=tmp_path / "calls.sqlite", attempts=12, throttled_attempts=30
        )

        assert len(stub.calls) > 330
    assert found == prompts


@pytest.mark.parametrize("concurrency", [1, 8])
def test_case_30_the_limit_of_calls_is_exact_and_what_is_done_is_kept(tmp_path, concurrency):
    path = tmp_path / "calls.sqlite"
    with StubServer(always("yes", delay_s=0.002)) as stub:
        with pytest.raises(BudgetError, match="limit of 7 model calls"):
            texts(f"stub@{stub.url}", PROMPTS, cache=path, max_calls=7, concurrency=concurrency)

        assert len(stub.calls) == 7
    assert len(finished_prompts(path)) == 7


def test_case_30_a_limit_that_is_just_enough_is_enough_although_calls_fail_on_the_way():
    with StubServer(faulty(echo_prompt, share=0.3)) as stub:
        found = texts(f"stub@{stub.url}", PROMPTS, max_calls=20, attempts=12, throttled_attempts=30)

    assert found == PROMPTS


def test_case_30_kept_replies_cost_nothing(tmp_path):
    options = {"cache": tmp_path / "calls.sqlite", "max_calls": 20}
    with StubServer(echo_prompt) as stub:
        texts(f"stub@{stub.url}", PROMPTS, **options)

        assert texts(f"stub@{stub.url}", PROMPTS, **{**options, "max_calls": 1}) == PROMPTS


def test_case_30_the_limit_of_cost_is_never_passed(tmp_path):
    """A reply costs 3 tokens out at $1 each; before it comes, up to 5 are possible."""
    path = tmp_path / "calls.sqlite"
    prices = Prices(tokens_in=0.0, tokens_out=1_000_000.0)
    with StubServer(always("yes")) as stub:
        requests = [question(prompt, max_tokens=5) for prompt in PROMPTS]
        with pytest.raises(BudgetError, match=r"go over the limit of \$21; \$18.0000 is spent"):
            connected(
                lambda model: ask_all(model, requests),
                f"stub@{stub.url}",
                cache=path,
                prices=prices,
                max_cost=21.0,
            )

        assert len(stub.calls) == 6  # $18; a seventh could cost $5
    assert len(finished_prompts(path)) == 6


def test_case_30_a_limit_of_cost_needs_prices():
    with pytest.raises(PlanError, match="--price-in"):
        texts("m@http://127.0.0.1:1/v1", PROMPTS, max_cost=1.0)


def test_no_key_and_no_password_reaches_the_store(tmp_path):
    path = tmp_path / "calls.sqlite"
    environment = {"OPENAI_API_KEY": "sk-very-secret-1234567890"}
    with StubServer(echo_prompt) as stub:
        secret = stub.url.replace("http://", "http://me:pass-word@") + "?api-key=query-secret"
        texts(f"stub@{secret}", PROMPTS, cache=path, environment=environment)
        texts(f"stub@{stub.url}", PROMPTS, cache=path)

        assert len(stub.calls) == len(PROMPTS)  # the same endpoint, with or without credentials
        assert stub.calls[0].path.endswith("?api-key=query-secret")
    whole = b"".join(part.read_bytes() for part in tmp_path.iterdir())
    assert b"question 1" in whole
    assert not any(word in whole for word in (b"very-secret", b"pass-word", b"query-secret"))
