"""Answers of endpoints that are no answers, addresses as people write them, and what is kept of both."""

import json
import sqlite3

import pytest
from tests.support.asking import ask_all, connected, question, texts
from tests.support.fake_model import FakeModel
from tests.support.ngram_model import completions
from tests.support.stub_server import Answer, StubServer, always, error, reply_with, without_schema

from gameproof.errors import CallError, EndpointError, PlanError, SpecError, StoreError
from gameproof.llm.client import Message, Request
from gameproof.llm.limits import Limits
from gameproof.llm.pool import ModelPool
from gameproof.llm.store import CallStore, default_path
from gameproof.llm.store_files import export_calls, merge_calls, open_existing
from gameproof.llm.stored import reply_from_json

CONTEXT = "The capital of Italy is"
TOO_LONG = error(400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded")
BLOCKS = {"content": [{"type": "text", "text": "4"}], "usage": {"input_tokens": 3, "output_tokens": 1}}


def _score(script):
    with StubServer(script) as stub:
        return connected(lambda model: model.logprob(CONTEXT, " Rome."), f"bigrams@{stub.url}")


def _with_values(change):
    """Serve an honest endpoint whose log-probabilities of a prompt a function changes."""
    honest = completions()

    def script(call):
        answer = honest(call)
        if "prompt" in call.body and len(answer.body["choices"][0]["logprobs"]["tokens"]) > 1:
            change(answer.body["choices"][0]["logprobs"])
        return answer

    return script


def test_a_value_that_is_missing_in_the_middle_of_a_prompt_is_refused():
    def forget(told):
        told["token_logprobs"][2] = None

    with pytest.raises(EndpointError, match="it gave no log-probability for a token after the first"):
        _score(_with_values(forget))


def test_fewer_values_than_tokens_are_refused():
    def shorten(told):
        told["token_logprobs"] = told["token_logprobs"][:-2]

    with pytest.raises(EndpointError, match=r"log-probabilit"):
        _score(_with_values(shorten))


def test_an_endpoint_whose_tokens_can_never_be_compared_is_refused():
    """What it writes next stands nowhere in the prompt: nothing is known of its scale."""

    def script(call):
        answer = completions()(call)
        told = answer.body["choices"][0].get("logprobs")
        if told and len(told["tokens"]) == 1:
            told["tokens"] = ["zzz"]
            answer.body["choices"][0]["text"] = "zzz"
        return answer

    with pytest.raises(EndpointError, match="only 0 of its log-probabilities could be compared"):
        _score(script)


def test_a_prompt_that_is_too_long_to_be_scored_is_that_text_s_fault():
    honest = completions()
    with (
        StubServer(lambda call: TOO_LONG if "Rome" in str(call.body.get("prompt")) else honest(call)) as stub,
        pytest.raises(CallError, match="longer than the model's context"),
    ):
        connected(lambda model: model.logprob("The hotel of", " Rome."), f"bigrams@{stub.url}")


def test_probing_says_what_stands_in_for_a_schema_that_is_refused():
    for json_object, weaker in ((True, "json_object"), (False, "text")):
        with StubServer(without_schema(always('{"colour": "red"}'), json_object=json_object)) as stub:
            findings = connected(lambda model: model.probe(), f"stub@{stub.url}")
        (found,) = [finding for finding in findings if finding.probe == "json_schema"]
        assert (found.works, found.detail) == (False, f"refused; {weaker} is used instead")


def test_probing_names_the_parameters_that_a_chat_refuses():
    def script(call):
        if "temperature" in call.body:
            return error(400, "Unsupported parameter: 'temperature'.", param="temperature")
        return reply_with("yes")

    with StubServer(script) as stub:
        findings = connected(lambda model: model.probe(), f"stub@{stub.url}")
    assert "it refused: temperature" in {finding.detail for finding in findings}


def test_turns_of_the_system_are_sent_in_the_field_of_their_own_that_anthropic_has():
    turns = (Message(role="system", content="Be short."), Message(role="system", content="Use digits."))
    with StubServer(lambda _: Answer(body=BLOCKS)) as stub:
        request = Request(model="claude", messages=(*turns, Message(role="user", content="2 + 2?")))
        (reply,) = connected(lambda model: ask_all(model, [request]), f"anthropic:claude@{stub.url}")
    assert reply.text == "4"
    assert stub.calls[0].body["system"] == "Be short.\n\nUse digits."
    assert [turn["role"] for turn in stub.calls[0].body["messages"]] == ["user"]


def test_a_text_that_is_too_long_for_anthropic_is_missing_and_the_others_are_answered():
    too_long = error(400, "prompt is too long: 250000 tokens > 200000 maximum")
    with StubServer(lambda call: too_long if "long" in call.prompt else Answer(body=BLOCKS)) as stub:
        assert texts(f"anthropic:claude@{stub.url}", ["short", "long"]) == ["4", None]


def test_an_answer_of_another_kind_from_anthropic_is_asked_again_and_then_told():
    with StubServer(lambda _: Answer(body={"content": "4"})) as stub:
        (found,) = connected(
            lambda model: ask_all(model, [question("2 + 2?")]),
            f"anthropic:claude@{stub.url}",
            deadline_s=0.2,
        )
    assert isinstance(found, CallError)
    assert "the answer is not that of a messages endpoint" in found.message


def test_the_name_of_an_anthropic_model_is_needed():
    with pytest.raises(PlanError, match="--llm anthropic: names no model"):
        texts("anthropic:", ["hello"])


def test_an_address_may_end_with_the_service_itself():
    with StubServer(always("4")) as stub:
        assert texts(f"stub@{stub.url}/chat/completions", ["2 + 2?"]) == ["4"]
        assert stub.calls[0].path.endswith("/v1/chat/completions")
        assert stub.calls[0].path.count("completions") == 1


@pytest.mark.parametrize("given", [{"price_in": 1.0}, {"price_out": 1.0}])
def test_one_price_without_the_other_is_refused(given):
    with pytest.raises(PlanError, match="--price-in and --price-out go together"):
        Limits.from_options(given)


def test_a_model_that_answers_chats_only_scores_no_text():
    with pytest.raises(EndpointError, match="cannot"):
        connected(lambda model: model.logprob("a", "b"), FakeModel(lambda _: "4"))


def test_a_model_of_another_run_has_no_name_here():
    with pytest.raises(SpecError, match="fake is no model of this run"):
        ModelPool().name_of(FakeModel(lambda _: "4"))


def test_a_second_model_that_is_an_address_without_a_name_says_how_it_is_written():
    with pytest.raises(SpecError, match=r"llm: http://127\.0\.0\.1:9/v1 is an address: write NAME@http"):
        ModelPool()("http://127.0.0.1:9/v1")


@pytest.mark.parametrize(
    "kept",
    ["", "{", "[]", "{}", '{"text": "4", "finish": "stop"}', '{"text": "4", "finish": "stop", "model": "m", "tokens_in": "x"}'],
)  # fmt: skip
def test_something_else_in_the_place_of_a_stored_reply_is_told(kept):
    with pytest.raises(StoreError, match="the store holds something that is no reply"):
        reply_from_json(kept)


@pytest.mark.parametrize("kept", ["{", "{}", '{"logprob": "high"}', '{"logprob": [1]}'])
def test_something_else_in_the_place_of_a_stored_log_probability_is_told(kept, tmp_path):
    path = tmp_path / "calls.sqlite"
    with StubServer(completions()) as stub:
        options = {"llm": f"bigrams@{stub.url}", "cache": path}
        connected(lambda model: model.logprob(CONTEXT, " Rome"), **options)
        file = sqlite3.connect(path)
        with file:
            file.execute("UPDATE calls SET reply = ? WHERE purpose = 'logprob'", (kept,))
        file.close()
        with pytest.raises(StoreError, match="the store holds something that is no log-probability"):
            connected(lambda model: model.logprob(CONTEXT, " Rome"), **options)


def test_a_store_that_loses_its_table_while_it_is_used_is_told_with_ways_out(tmp_path):
    path = tmp_path / "calls.sqlite"

    async def work(model):
        await model.complete(question("one"))
        file = sqlite3.connect(path)
        with file:
            file.execute("DROP TABLE calls")
        file.close()
        return await model.complete(question("two"))

    with pytest.raises(StoreError, match=r"the store of model calls .* cannot be used") as caught:
        connected(work, FakeModel(lambda _: "4"), cache=path)
    assert "--cache off works without one" in caught.value.hint


def test_calls_are_kept_where_the_system_keeps_caches(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "darwin")
    assert default_path({}).parent == tmp_path / "Library" / "Caches" / "gameproof"
    monkeypatch.setattr("sys.platform", "linux")
    assert default_path({}).parent == tmp_path / ".cache" / "gameproof"
    assert default_path({"XDG_CACHE_HOME": "/elsewhere"}).parts[1] == "elsewhere"


def test_calls_of_one_model_are_exported_and_empty_lines_merge_as_nothing(tmp_path):
    path, out = tmp_path / "calls.sqlite", tmp_path / "calls.jsonl"
    for name in ("one", "two"):
        model = FakeModel(lambda _: "4")
        model.name = name
        connected(lambda model, name=name: model.complete(question("2 + 2?", model=name)), model, cache=path)
    store = open_existing(path)
    assert export_calls(store, out, model="one") == 1
    assert json.loads(out.read_text(encoding="utf-8"))["model"] == "one"
    out.write_text(f"\n{out.read_text(encoding='utf-8')}\n\n", encoding="utf-8")
    store.close()
    other = CallStore(tmp_path / "other.sqlite")
    assert merge_calls(other, out) == 1
    with pytest.raises(StoreError, match=r"there is no file .*gone\.jsonl"):
        merge_calls(other, tmp_path / "gone.jsonl")
    binary = tmp_path / "calls.bin"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StoreError, match="is no exported file of calls"):
        merge_calls(other, binary)
    other.close()


def test_a_replay_of_two_models_is_refused_with_both(tmp_path):
    path, out = tmp_path / "calls.sqlite", tmp_path / "calls.jsonl"
    for name in ("one", "two"):
        model = FakeModel(lambda _: "4")
        model.name = name
        connected(lambda model, name=name: model.complete(question("2 + 2?", model=name)), model, cache=path)
    store = open_existing(path)
    export_calls(store, out)
    store.close()
    with pytest.raises(PlanError, match="must hold the calls of one model; it has: one, two"):
        texts(f"replay:{out}", ["2 + 2?"])
    out.write_text("", encoding="utf-8")
    with pytest.raises(PlanError, match="it has: none"):
        texts(f"replay:{out}", ["2 + 2?"])


def test_a_number_too_large_for_any_log_probability_is_none():
    """JSON allows a whole number of 400 digits; no double holds it."""

    def inflate(told):
        told["token_logprobs"][2] = -(10**400)

    with pytest.raises(EndpointError, match="no log-probability for a token after the first"):
        _score(_with_values(inflate))
