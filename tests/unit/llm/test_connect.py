from dataclasses import replace

import pytest
from tests.support.asking import ask_all, connected, question, texts
from tests.support.stub_server import Answer, StubServer, always, echo_prompt, error, refusing

from gameproof.errors import EndpointError, PlanError
from gameproof.llm.asking import Asker, Question, Unread
from gameproof.llm.connect import Connection
from gameproof.llm.providers.fake import FakeModel
from gameproof.llm.replies import closed_object, read_choice

SCHEMA = {"type": "object", "properties": {}}


async def name_of(model: Connection) -> str:
    return model.name


def test_an_address_alone_takes_the_one_model_that_it_serves():
    with StubServer(always("yes"), models=["the-model"]) as stub:
        assert connected(name_of, stub.url) == "the-model"


def test_an_address_that_serves_several_models_names_them():
    with (
        StubServer(always("yes"), models=["a", "b"]) as stub,
        pytest.raises(PlanError, match=r"serves 2 models: a, b\.") as caught,
    ):
        connected(name_of, stub.url)

    assert f"NAME@{stub.url}" in str(caught.value)


def test_a_name_goes_to_the_address_of_the_environment():
    with StubServer(echo_prompt) as stub:
        assert texts("m", ["hello"], environment={"OPENAI_BASE_URL": stub.url}) == ["hello"]


def test_the_environment_alone_is_enough():
    with StubServer(echo_prompt, models=["served"]) as stub:
        assert connected(name_of, "", environment={"OPENAI_BASE_URL": stub.url}) == "served"


def test_a_name_with_a_colon_is_a_name():
    assert connected(name_of, "llama3:8b") == "llama3:8b"


def test_nothing_at_all_says_what_to_name():
    with pytest.raises(PlanError, match="--llm takes a name, or an address"):
        connected(name_of, "")


def test_a_key_that_cannot_stand_in_a_header_is_refused_without_showing_it():
    with pytest.raises(PlanError, match="OPENAI_API_KEY holds characters") as caught:
        connected(name_of, "m", environment={"OPENAI_API_KEY": "sk-\u2013secret"})

    assert "secret" not in str(caught.value)


def test_something_that_is_no_web_address_is_told():
    with pytest.raises(EndpointError, match=r"\(from --llm\)"):
        texts("m@http://[bad/v1", ["hello"])


def test_a_model_object_is_asked_as_it_is():
    model = FakeModel(lambda request: request.messages[-1].content.upper())

    assert texts(model, ["hello"]) == ["HELLO"]


def anthropic_reply(text):
    return Answer(
        body={
            "type": "message",
            "model": "claude",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 5, "output_tokens": 2},
        }
    )


def test_an_anthropic_endpoint_is_asked_in_its_own_words():
    environment = {"ANTHROPIC_API_KEY": "the-key"}
    with StubServer(lambda call: anthropic_reply(call.prompt)) as stub:
        environment["ANTHROPIC_BASE_URL"] = stub.url
        (reply,) = connected(
            lambda model: ask_all(model, [question("hello", schema=SCHEMA)]),
            "anthropic:claude",
            environment=environment,
        )
        call = stub.calls[0]

    assert (reply.text, reply.finish, reply.tokens_in, reply.tokens_out) == ("hello", "stop", 5, 2)
    assert call.path == "/v1/messages"
    assert call.headers["x-api-key"] == "the-key"
    assert call.headers["anthropic-version"] == "2023-06-01"
    assert call.body["output_config"]["format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    ("parameter", "said"), [("temperature", "temperature"), ("output_config", "json_schema")]
)
def test_what_an_anthropic_endpoint_refuses_is_left_out(parameter, said):
    with StubServer(refusing(parameter, lambda _: anthropic_reply("yes"))) as stub:
        requests = [question(f"{n}", schema=SCHEMA) for n in range(5)]
        replies = connected(lambda model: ask_all(model, requests), f"anthropic:claude@{stub.url}")

        assert len(stub.calls) == 6
    assert {reply.dropped for reply in replies} == {(said,)}


def test_an_anthropic_endpoint_without_a_key_names_the_variable():
    with (
        StubServer(lambda _: error(401, "x-api-key is missing")) as stub,
        pytest.raises(EndpointError, match="ANTHROPIC_API_KEY: it is not set"),
    ):
        texts(f"anthropic:claude@{stub.url}", ["hello"])


def test_an_anthropic_endpoint_cannot_serve_log_probabilities():
    with (
        StubServer(lambda _: anthropic_reply("yes")) as stub,
        pytest.raises(EndpointError, match="cannot serve autoreg"),
    ):
        connected(lambda model: model.logprob("a", "b"), f"anthropic:claude@{stub.url}")


def test_replies_that_do_not_keep_to_the_asked_form_are_said_to_be_the_endpoints_doing():
    """A server that takes response_format and ignores it, as `transformers serve` does."""
    with StubServer(always("I am happy to help.")) as stub, pytest.raises(EndpointError) as caught:
        connected(ask_three, f"m@{stub.url}")
    assert "silently ignores response_format" in caught.value.hint


def test_replies_of_the_asked_form_are_not_blamed_on_the_endpoint():
    with StubServer(always('{"verdict": "perhaps"}')) as stub, pytest.raises(EndpointError) as caught:
        connected(ask_three, f"m@{stub.url}")
    assert "silently ignores" not in caught.value.hint


async def ask_three(model: Connection) -> object:
    schema = closed_object({"verdict": {"type": "string", "enum": ["yes", "no"]}})

    def read(reply):
        verdict = read_choice(reply, ["yes", "no"])
        return verdict.value or Unread(reason=verdict.reason)

    requests = [replace(question(text, model=model.name), schema=schema, schema_name="v") for text in "abc"]
    return await Asker(model).ask([Question(request=request, read=read) for request in requests])
