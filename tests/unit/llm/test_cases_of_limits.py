"""Public cases, section C: limits, retries, hangs."""

import asyncio
import socket
from dataclasses import replace

import pytest
from tests.support.asking import QUICK, ask_all, connected, question, texts
from tests.support.stub_server import (
    Answer,
    StubServer,
    always,
    echo_prompt,
    error,
    first_then,
    reply_with,
    throttled,
)
from tests.support.virtual_time import run_in_virtual_time

from gameproof.errors import CallError, EndpointError, OutageError
from gameproof.llm.client import Reply
from gameproof.llm.connect import connect
from gameproof.llm.failures import PassingError
from gameproof.llm.limits import Limits
from gameproof.llm.providers.fake import FakeModel

PROMPTS = [f"question {number}" for number in range(20)]


def test_case_19_an_endpoint_with_a_limit_per_minute_still_answers_everything():
    """The minute is a fifth of a second here; the endpoint allows 5 calls in it and names the wait."""
    minute_s = 0.2
    started: list[float] = []

    def script(call):
        now = asyncio.get_running_loop().time()
        recent = [moment for moment in started if now - moment < minute_s]
        if len(recent) >= 5:
            return throttled(f"{recent[-5] + minute_s - now:.4f}")
        started.append(now)
        return echo_prompt(call)

    with StubServer(script) as stub:
        found = texts(f"stub@{stub.url}", PROMPTS)

    assert found == PROMPTS


def test_case_19_our_own_limit_of_requests_holds_in_every_minute():
    moments = []

    def answer(_):
        moments.append(asyncio.get_running_loop().time())
        return "yes"

    async def work():
        model = await connect(FakeModel(answer), limits=Limits(requests_per_minute=5))
        return await ask_all(model, [question(prompt) for prompt in PROMPTS])

    replies = run_in_virtual_time(work())

    assert [reply.text for reply in replies] == ["yes"] * 20
    assert all(later - earlier >= 60 for earlier, later in zip(moments, moments[5:], strict=False))


def test_case_19_our_own_limit_of_tokens_holds_in_every_minute():
    moments = []

    def answer(_):
        moments.append(asyncio.get_running_loop().time())
        return Reply(text="yes", tokens_in=60, tokens_out=40)

    async def work():
        model = await connect(FakeModel(answer), limits=Limits(tokens_per_minute=1000, concurrency=1))
        await ask_all(model, [question("x" * 240, max_tokens=40) for _ in PROMPTS])

    run_in_virtual_time(work())

    # 100 tokens each: ten calls fit into a minute
    assert all(later - earlier >= 60 for earlier, later in zip(moments, moments[10:], strict=False))
    assert moments[-1] < 130


def test_case_19_time_in_the_queue_does_not_count_against_the_deadline_of_a_call():
    async def work():
        model = await connect(
            FakeModel(lambda _: "yes"), limits=Limits(requests_per_minute=5, deadline_s=100)
        )
        return await ask_all(model, [question(f"{number}") for number in range(100)])

    replies = run_in_virtual_time(work())  # twenty minutes

    assert [reply.text for reply in replies] == ["yes"] * 100


def test_case_20_an_unknown_model_costs_exactly_one_call():
    with StubServer(lambda _: error(404, "The model `typo` does not exist.", code="model_not_found")) as stub:
        with pytest.raises(EndpointError, match=r"HTTP 404.*does not exist") as caught:
            texts(f"typo@{stub.url}", PROMPTS)

        assert len(stub.calls) == 1
    assert "name of the model" in str(caught.value)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 422])
def test_case_20_every_other_client_error_stops_the_run_at_the_first_call(status):
    with StubServer(lambda _: error(status, "No.")) as stub:
        with pytest.raises(EndpointError, match=f"HTTP {status}"):
            texts(f"stub@{stub.url}", PROMPTS)

        assert len(stub.calls) == 1


def test_case_20_a_429_halves_the_concurrency_and_loses_nothing():
    with StubServer(
        first_then([reply_with("warm"), *[throttled("0.01")] * 8], always("yes", delay_s=0.005))
    ) as stub:

        async def work(model):
            await model.complete(question("first"))
            replies = await ask_all(model, [question(prompt) for prompt in PROMPTS])
            return [reply.text for reply in replies], model._limited._gate.limit

        found, limit = connected(work, f"stub@{stub.url}", concurrency=8)

    assert found == ["yes"] * 20
    assert 4.0 <= limit < 8.0  # halved to 4 once for all that were under way, then a little more per success


@pytest.mark.parametrize("throttled", [False, True])
def test_case_20_what_fails_waits_twice_as_long_each_time_and_never_all_alike(throttled):
    """Half to the whole of .5, 1 and 2 seconds, drawn anew each time: the defaults of `Limits`."""
    attempts: dict[str, list[float]] = {}

    def answer(request):
        moments = attempts.setdefault(request.messages[0].content, [])
        moments.append(asyncio.get_running_loop().time())
        if len(moments) < 4:
            raise PassingError("HTTP 429" if throttled else "HTTP 500", throttled=throttled)
        return "yes"

    async def work():
        model = await connect(FakeModel(answer), limits=Limits(concurrency=20))
        return await ask_all(model, [question(prompt) for prompt in PROMPTS])

    replies = run_in_virtual_time(work())

    assert [reply.text for reply in replies] == ["yes"] * 20
    for place, longest in enumerate((0.5, 1.0, 2.0)):
        waits = [moments[place + 1] - moments[place] for moments in attempts.values()]
        assert all(wait >= longest / 2 for wait in waits)  # throttled ones may wait for a place besides
        assert throttled or all(wait <= longest * 1.001 for wait in waits)
        assert len({round(wait, 6) for wait in waits}) > 10


def test_case_20_a_server_that_answers_one_call_at_a_time_is_asked_less_until_nobody_waits_too_long():
    """Each answer takes a fifth of the time limit, so that of eight calls at once the last three wait too long."""

    def one_at_a_time():
        turn = asyncio.Lock()  # made in the loop of the server

        async def answer(_):
            async with turn:
                await asyncio.sleep(0.1)
            return reply_with("yes")

        return answer

    with StubServer(one_at_a_time()) as stub:

        async def work(model):
            replies = await ask_all(model, [question(prompt) for prompt in PROMPTS])
            return [getattr(reply, "text", reply) for reply in replies], model._limited._gate.limit

        found, limit = connected(work, f"stub@{stub.url}", concurrency=8, attempt_s=0.5)

    assert found == ["yes"] * 20
    assert limit < 8


def test_case_21_calls_that_are_throttled_for_ever_are_missing_and_counted():
    with StubServer(lambda call: throttled(None) if "bad" in call.prompt else reply_with("4")) as stub:
        prompts = [f"bad {n}" for n in range(4)] + [f"good {n}" for n in range(6)]

        async def work(model):
            return await ask_all(model, [question(prompt) for prompt in prompts]), model.usage()

        replies, usage = connected(work, f"stub@{stub.url}", throttled_attempts=3)

    failures = [reply for reply in replies if isinstance(reply, CallError)]
    assert len(failures) == 4
    assert "HTTP 429" in failures[0].reason
    assert usage.calls == 6
    assert usage.failed == 4


def test_case_23_a_closed_port_is_told_with_its_address_and_where_that_came_from():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        environment = {"OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1"}

        with pytest.raises(EndpointError) as caught:
            texts("some-model", PROMPTS, environment=environment)

    assert f"http://127.0.0.1:{port}/v1" in caught.value.message
    assert "OPENAI_BASE_URL" in caught.value.message


def test_case_23_a_host_that_does_not_exist_is_told_too():
    with pytest.raises(
        EndpointError, match=r"http://no-such-host\.invalid/v1 \(from --llm\) cannot be reached"
    ):
        texts("m@http://no-such-host.invalid/v1", PROMPTS[:1])


def test_an_endpoint_that_dies_during_a_run_stops_it():
    stub = StubServer(always("yes"))
    with stub:
        url = stub.url

        async def work(model):
            await model.complete(question("one"))
            stub.stop()
            return await ask_all(model, [question(prompt) for prompt in PROMPTS])

        with pytest.raises(EndpointError, match="cannot be reached"):
            connected(work, f"stub@{url}")


def test_a_call_that_is_never_answered_ends_at_its_deadline():
    with StubServer(lambda _: replace(reply_with("late"), delay_s=3600)) as stub:
        found = connected(
            lambda model: ask_all(model, [question("one")]),
            f"stub@{stub.url}",
            attempt_s=0.05,
            deadline_s=0.12,
        )

    assert isinstance(found[0], CallError)
    assert "0.12 s" in found[0].reason


def test_an_endpoint_that_asks_to_wait_longer_than_a_call_may_take_stops_the_run():
    with StubServer(lambda _: throttled("86400")) as stub:
        with pytest.raises(EndpointError, match="asks to wait 86,400 s"):
            texts(f"stub@{stub.url}", PROMPTS)

        assert len(stub.calls) <= 20  # one attempt each at the most: nobody asks twice


def test_an_account_without_quota_stops_the_run_instead_of_waiting():
    with StubServer(lambda _: error(429, "You exceeded your quota.", code="insufficient_quota")) as stub:
        with pytest.raises(EndpointError, match="quota"):
            texts(f"stub@{stub.url}", PROMPTS)

        assert len(stub.calls) == 1


def test_one_item_that_is_too_long_is_missing_and_the_others_are_scored():
    def script(call):
        if "long" in call.prompt:
            return error(
                400, "This model's maximum context length is 512 tokens.", code="context_length_exceeded"
            )
        return reply_with("yes")

    with StubServer(script) as stub:
        found = texts(f"stub@{stub.url}", ["short", "a long one", "short too"])

    assert found == ["yes", None, "yes"]


def test_case_12_a_prompt_over_the_known_limit_is_refused_before_the_call_with_both_numbers():
    with StubServer(always("yes")) as stub:
        (found,) = connected(
            lambda model: ask_all(model, [question("word " * 700)]), f"stub@{stub.url}", context_tokens=512
        )

        assert stub.calls == []
    assert "700" in found.reason
    assert "512" in found.reason


def test_the_words_of_a_server_are_shown_without_keys():
    environment = {"OPENAI_API_KEY": "sk-very-secret-1234567890"}
    with (
        StubServer(lambda _: error(401, "Incorrect API key provided: sk-very-secret-1234567890.")) as stub,
        pytest.raises(EndpointError) as caught,
    ):
        texts(f"stub@{stub.url}", PROMPTS, environment=environment)

    assert "secret" not in str(caught.value)
    assert "OPENAI_API_KEY" in str(caught.value)
    assert stub.calls[0].headers["authorization"] == "Bearer sk-very-secret-1234567890"


def test_an_answer_that_is_not_json_is_asked_for_again():
    with StubServer(first_then([Answer(body=b"<html>busy</html>")], always("yes"))) as stub:
        assert texts(f"stub@{stub.url}", ["one"]) == ["yes"]

        assert len(stub.calls) == 2


def test_limits_that_wait_are_counted_as_retries_not_as_calls():
    with StubServer(first_then([error(500, "Oops."), throttled()], always("yes"))) as stub:

        async def work(model):
            await model.complete(question("one"))
            return model.usage()

        usage = connected(work, f"stub@{stub.url}", limits=QUICK)

    assert (usage.calls, usage.retries) == (1, 2)


def test_case_21_an_endpoint_that_answers_no_call_ends_the_run_early_and_says_so():
    with StubServer(lambda _: error(500, "Out of memory.")) as stub:
        with pytest.raises(
            OutageError, match=r"8 calls failed and none was answered.*Out of memory"
        ) as caught:
            texts(f"stub@{stub.url}", [f"question {number}" for number in range(200)], concurrency=4)

        assert (
            len(stub.calls) <= 12 * 4
        )  # eight calls and those under way with them, each with its four attempts
    assert caught.value.exit_code == 4


def test_case_21_an_endpoint_that_stops_answering_ends_the_run_after_more_calls():
    healthy = [reply_with("yes")] * 5
    with (
        StubServer(first_then(healthy, lambda _: error(500, "Gone."))) as stub,
        pytest.raises(OutageError, match="40 calls failed in a row"),
    ):
        texts(f"stub@{stub.url}", [f"question {number}" for number in range(200)], concurrency=4)


def test_case_21_what_an_endpoint_refuses_is_no_outage():
    with StubServer(lambda _: error(400, "Filtered.", code="content_filter")) as stub:
        assert texts(f"stub@{stub.url}", PROMPTS) == [None] * 20
