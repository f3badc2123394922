"""What endpoints refuse is left out once, remembered and said: public cases 16 and 32."""

import pytest
from tests.support.asking import ask_all, connected, question, texts
from tests.support.stub_server import (
    Answer,
    StubServer,
    always,
    error,
    refusing,
    reply_with,
    without_schema,
)

from gameproof.errors import EndpointError

PROMPTS = [f"question {number}" for number in range(20)]
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}


def ask(stub, **more):
    requests = [question(prompt, **more) for prompt in PROMPTS]
    return connected(lambda model: ask_all(model, requests), f"stub@{stub.url}")


def test_case_16_a_refused_parameter_is_dropped_once_and_said_in_every_reply():
    with StubServer(refusing("temperature", always("4"))) as stub:
        replies = ask(stub)

        assert len(stub.calls) == len(PROMPTS) + 1
    assert {reply.dropped for reply in replies} == {("temperature",)}
    assert {reply.text for reply in replies} == {"4"}


def test_case_16_it_is_dropped_once_too_when_calls_are_already_under_way():
    """A kind of call that has not been made before is tried alone."""
    with StubServer(refusing("logprobs", always("4"))) as stub:

        async def work(model):
            await ask_all(model, [question(prompt) for prompt in PROMPTS])
            return await ask_all(model, [question(prompt, top_logprobs=5) for prompt in PROMPTS])

        replies = connected(work, f"stub@{stub.url}")

        assert len(stub.calls) == 2 * len(PROMPTS) + 1
    assert {reply.dropped for reply in replies} == {("logprobs",)}


def test_case_16_what_the_connection_had_to_drop_can_be_read_from_it():
    with StubServer(refusing("temperature", always("4"))) as stub:

        async def work(model):
            await model.complete(question("one"))
            return model.usage().dropped

        assert connected(work, f"stub@{stub.url}") == ("temperature",)


def test_case_32_temperature_0_is_sent_where_nobody_says_otherwise():
    with StubServer(always("4")) as stub:
        ask(stub)

        assert stub.calls[0].body["temperature"] == 0.0
        assert stub.calls[0].body["max_tokens"] == 4000


def test_a_limit_of_tokens_under_its_newer_name():
    with StubServer(refusing("max_tokens", always("4"))) as stub:
        replies = ask(stub)

        assert stub.calls[-1].body["max_completion_tokens"] == 4000
    assert replies[0].dropped == ("max_tokens",)


@pytest.mark.parametrize(
    ("json_object", "last", "dropped"),
    [(True, {"type": "json_object"}, ("json_schema",)), (False, None, ("json_object", "json_schema"))],
)
def test_structured_output_falls_back_one_step_at_a_time(json_object, last, dropped):
    with StubServer(without_schema(always('{"score": 4}'), json_object=json_object)) as stub:
        replies = ask(stub, schema=SCHEMA, schema_name="score")

        assert stub.calls[0].body["response_format"]["type"] == "json_schema"
        assert stub.calls[-1].body.get("response_format") == last
        assert len(stub.calls) == len(PROMPTS) + len(dropped)
    assert replies[0].dropped == dropped


def test_what_is_not_asked_for_is_not_said_to_be_dropped():
    with StubServer(without_schema(always("4"), json_object=False)) as stub:

        async def work(model):
            await model.complete(question("in JSON", schema=SCHEMA))
            return await model.complete(question("in words"))

        assert connected(work, f"stub@{stub.url}").dropped == ()


def test_a_parameter_that_is_refused_although_it_was_not_sent_stops_the_run():
    with StubServer(lambda _: error(400, "top_p is not supported", param="top_p")) as stub:
        with pytest.raises(EndpointError, match="top_p"):
            texts(f"stub@{stub.url}", PROMPTS)

        assert len(stub.calls) == 1


def test_a_validation_message_that_repeats_the_question_names_only_its_own_parameter():
    """FastAPI's form: the place of the fault, and the whole input beside it."""

    def script(call):
        if "temperature" in call.body:
            detail = [
                {"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted", "input": call.body}
            ]
            return Answer(status=422, body={"detail": detail})
        return reply_with("4")

    with StubServer(script) as stub:
        replies = ask(stub)

    assert replies[0].dropped == ("temperature",)


def test_a_prompt_that_fits_only_with_a_shorter_answer_is_asked_without_a_limit():
    def script(call):
        if "max_tokens" in call.body:
            return error(400, "This model's maximum context length is 512 tokens. You requested 4100.")
        return reply_with("4")

    with StubServer(script) as stub:
        replies = ask(stub)

    assert {reply.text for reply in replies} == {"4"}
    assert replies[0].dropped == ("max_tokens",)


def test_log_probabilities_of_the_reply_are_read():
    entry = {
        "token": "4",
        "logprob": -0.5,
        "top_logprobs": [{"token": "4", "logprob": -0.5}, {"token": "5", "logprob": -1}],
    }
    with StubServer(lambda _: reply_with("4", logprobs={"content": [entry]})) as stub:
        reply = ask(stub, top_logprobs=2)[0]

        assert stub.calls[0].body["top_logprobs"] == 2
    assert reply.logprobs[0].top == (("4", -0.5), ("5", -1.0))


def test_an_address_that_ends_in_completions_is_asked_for_plain_completions():
    def script(call):
        return Answer(
            body={"choices": [{"text": f"{call.path} {call.body['prompt']}", "finish_reason": "stop"}]}
        )

    with StubServer(script) as stub:
        assert texts(f"m@{stub.url}/completions", ["Hello"]) == ["/v1/completions Hello"]


@pytest.mark.parametrize(
    ("told", "finish"),
    [("stop", "stop"), ("length", "length"), ("content_filter", "filter"), ("tool_calls", "other")],
)
def test_why_a_reply_ended_is_kept(told, finish):
    with StubServer(always("4", finish=told)) as stub:
        assert ask(stub)[0].finish == finish


def test_a_filtered_question_is_missing_and_the_run_goes_on():
    def script(call):
        return error(400, "Filtered.", code="content_filter") if "bad" in call.prompt else reply_with("4")

    with StubServer(script) as stub:
        assert texts(f"stub@{stub.url}", ["good", "bad"]) == ["4", None]


def test_half_a_character_does_not_stop_a_run():
    with StubServer(always("4")) as stub:
        assert texts(f"stub@{stub.url}", ["broken \ud83d text"]) == ["4"]

        assert stub.calls[0].prompt == "broken \ufffd text"
