"""A GGUF file in llama.cpp: what users get wrong, and how its pieces become a reply. The real one is in tests/e2e."""

import asyncio
import sys
from types import SimpleNamespace

import pytest

from gameproof.errors import CallError, EndpointError, MissingExtraError, PlanError
from gameproof.llm.client import Message, Request
from gameproof.llm.connect import connect
from gameproof.llm.providers.llamacpp_local import CONTEXT_TOKENS, LlamaCppLocal
from gameproof.llm.selftest import check_logprobs


class FakeLlamaCpp:
    """Says the pieces it was given, as the package xllamacpp 2026.10 hands them over."""

    def __init__(self, *pieces: dict, broken: bool = False) -> None:
        self.pieces = pieces
        self.broken = broken
        self.asked: list[dict] = []
        self.settings = SimpleNamespace()

    def CommonParams(self):  # noqa: N802 - the package's name
        self.settings = SimpleNamespace(
            model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace()
        )
        return self.settings

    def Server(self, _settings):  # noqa: N802 - the name in the package
        if self.broken:
            raise RuntimeError("Failed to init server, please check the input params.")
        return self

    def handle_chat_completions(self, body, take):
        self.asked.append(body)
        for piece in self.pieces:
            if take(piece):
                return

    def handle_completions(self, body):
        self.asked.append(body)
        # What xllamacpp 2026.10 answers when asked to echo: the written token alone, in the form of chats.
        return {
            "choices": [{"text": ".", "logprobs": {"content": [{"token": ".", "logprob": -0.4}]}}],
            "usage": {"prompt_tokens": 6, "completion_tokens": 1},
        }


def piece(text=None, **choice):
    return {"choices": [{"index": 0, "finish_reason": None, "delta": {"content": text}, **choice}]}


END = piece(finish_reason="stop")
USAGE = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "small.gguf"
    path.write_bytes(b"GGUF" + bytes(100))
    return path


@pytest.fixture
def use(monkeypatch):
    """Return what installs a fake in the place of the package."""

    def install(fake):
        monkeypatch.setitem(sys.modules, "xllamacpp", fake)
        return fake

    return install


def question(text="Well?", **more) -> Request:
    return Request(model="small.gguf", messages=(Message(role="user", content=text),), **more)


def ask(model, request):
    return asyncio.run(model.complete(request))


def test_the_pieces_of_an_answer_become_one_reply(file, use):
    use(FakeLlamaCpp(piece(), piece("Ye"), piece("s."), END, USAGE))
    reply = ask(LlamaCppLocal(file), question())
    assert (reply.text, reply.finish, reply.tokens_in, reply.tokens_out) == ("Yes.", "stop", 7, 2)
    assert reply.model.startswith("small.gguf@")


def test_likely_tokens_come_with_the_reply_when_they_are_asked_for(file, use):
    token = {"token": "Yes", "logprob": -0.1, "top_logprobs": [{"token": "No", "logprob": -2.5}]}
    use(FakeLlamaCpp(piece("Yes", logprobs={"content": [token]}), END))
    reply = ask(LlamaCppLocal(file), question(top_logprobs=1))
    assert [(each.token, each.logprob, each.top) for each in reply.logprobs] == [
        ("Yes", -0.1, (("No", -2.5),))
    ]


def test_each_sample_has_its_seed_and_nothing_is_left_over_from_earlier_questions(file, use):
    fake = use(FakeLlamaCpp(piece("x"), END))
    ask(LlamaCppLocal(file), question(sample=3, temperature=0.7))
    assert (fake.asked[0]["seed"], fake.asked[0]["temperature"], fake.asked[0]["cache_prompt"]) == (
        3,
        0.7,
        False,
    )
    assert (fake.settings.n_parallel, fake.settings.n_ctx) == (1, CONTEXT_TOKENS)


def test_a_question_that_is_too_long_names_both_numbers(file, use):
    error = {"error": {"code": 400, "message": "exceeds", "n_prompt_tokens": 6031, "n_ctx": 2048}}
    use(FakeLlamaCpp(error))
    with pytest.raises(CallError, match=r"the prompt has 6,031 tokens, the model takes 2,048"):
        ask(LlamaCppLocal(file), question())


def test_an_answer_without_an_end_is_none(file, use):
    use(FakeLlamaCpp(piece("Ye")))
    with pytest.raises(CallError, match="cannot be read"):
        ask(LlamaCppLocal(file), question())


def test_half_an_answer_is_none_when_the_run_ends(file, use):
    fake = use(FakeLlamaCpp(piece("Ye"), END))
    model = LlamaCppLocal(file)
    fake.handle_chat_completions = lambda _, take: (model._stopped.set(), take(piece("Ye")))
    with pytest.raises(CallError, match="the run has ended"):
        ask(model, question())


def test_a_file_that_llama_cpp_cannot_load_stops_the_run(file, use):
    use(FakeLlamaCpp(broken=True))
    with pytest.raises(EndpointError, match=r"cannot load .*small\.gguf") as error:
        ask(LlamaCppLocal(file), question())
    assert "whole" in str(error.value.hint)


def test_it_is_asked_one_call_at_a_time_so_that_no_call_spends_its_time_in_a_queue(file, use):
    use(FakeLlamaCpp(piece("x"), END))

    async def run():
        model = await connect(f"llamacpp:{file}", cache="off")
        try:
            return model.provider.concurrency, model._limits.concurrency
        finally:
            await model.close()

    assert asyncio.run(run()) == (1, 1)


def test_the_self_test_refuses_its_log_probabilities_of_prompts(file, use):
    use(FakeLlamaCpp())
    with pytest.raises(EndpointError, match="gave 0 log-probabilities for a prompt of 6 tokens"):
        asyncio.run(check_logprobs(LlamaCppLocal(file), "the local model"))


def test_the_key_in_the_store_and_the_name_in_signatures_change_with_the_file(tmp_path, use):
    use(FakeLlamaCpp())
    keys, names = set(), set()
    for content in (b"GGUF1", b"GGUF2", b"GGUF1 and more"):
        (tmp_path / "m.gguf").write_bytes(content)
        model = LlamaCppLocal(tmp_path / "m.gguf")
        keys.add(model.base_url)
        names.add(model.name)
    assert len(keys) == len(names) == 3
    assert all(name.startswith("m.gguf@") for name in names)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(PlanError, match=r"no GGUF file .*none\.gguf"):
        LlamaCppLocal(tmp_path / "none.gguf")


def test_a_folder_is_pointed_to_transformers(tmp_path):
    with pytest.raises(PlanError, match="is a folder") as error:
        LlamaCppLocal(tmp_path)
    assert "transformers:" in str(error.value.hint)


def test_another_kind_of_file_is_refused(tmp_path):
    (tmp_path / "model.gguf").write_bytes(b"PK\x03\x04")
    with pytest.raises(PlanError, match="is no GGUF file"):
        LlamaCppLocal(tmp_path / "model.gguf")


def test_without_the_package_the_extra_is_named(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)  # makes the import fail
    with pytest.raises(MissingExtraError) as error:
        LlamaCppLocal(file)
    assert "gameproof[llamacpp]" in str(error.value.hint)
