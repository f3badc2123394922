"""Local models, on a tiny random one: the arithmetic is tested, no number of it means anything."""

import asyncio
import importlib.util
import math
import shutil

import pytest

from gameproof.errors import CallError, MissingExtraError, PlanError
from gameproof.llm.client import Message, Request
from gameproof.llm.providers.transformers_local import TransformersLocal
from gameproof.llm.selftest import check_logprobs
from gameproof.metrics.catalogue import build_metrics

HAS_TORCH = (
    importlib.util.find_spec("torch") is not None and importlib.util.find_spec("transformers") is not None
)
WORDS = [
    "The",
    "capital",
    "of",
    "France",
    "is",
    "Paris",
    "Rome",
    "Italy",
    "old",
    "large",
    "river",
    ".",
    "yes",
    "no",
]

needs_torch = pytest.mark.skipif(
    not HAS_TORCH, reason="torch and transformers (the extra 'local') are not installed"
)
pytestmark = pytest.mark.filterwarnings("ignore")  # those of torch and transformers are not ours


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    import torch  # noqa: PLC0415 - optional
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers  # noqa: PLC0415
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast  # noqa: PLC0415

    names = ["<s>", "</s>", "<unk>", *WORDS, *(f" {word}" for word in WORDS)]
    tokens = Tokenizer(models.WordLevel({name: n for n, name in enumerate(names)}, unk_token="<unk>"))  # noqa: S106
    tokens.pre_tokenizer = pre_tokenizers.Split(Regex(r" ?\S+"), "isolated")
    tokens.decoder = decoders.Fuse()
    path = tmp_path_factory.mktemp("tiny-random-model")
    PreTrainedTokenizerFast(
        tokenizer_object=tokens,
        bos_token="<s>",  # noqa: S106 - tokens of texts
        eos_token="</s>",  # noqa: S106
        unk_token="<unk>",  # noqa: S106
    ).save_pretrained(path)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(names),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=32,
        bos_token_id=0,
        eos_token_id=1,
    )
    LlamaForCausalLM(config).save_pretrained(path)
    return path


def ask(model, text, **more):
    return Request(model=model.name, messages=(Message(role="user", content=text),), **more)


@needs_torch
def test_a_log_probability_is_the_sum_over_tokens_scored_one_at_a_time(folder):
    model = TransformersLocal(folder)
    parts = ["The", " capital", " of", " France", " is", " Paris"]

    whole = asyncio.run(model.logprob("", "".join(parts)))
    steps = [asyncio.run(model.logprob("".join(parts[:n]), parts[n])) for n in range(len(parts))]

    assert whole == pytest.approx(math.fsum(steps), abs=1e-4)  # single precision


@needs_torch
def test_it_passes_the_self_test(folder):
    asyncio.run(check_logprobs(TransformersLocal(folder), "the tiny model"))


@needs_torch
def test_case_58_a_space_at_the_end_of_the_context_changes_nothing(folder):
    model = TransformersLocal(folder)

    assert asyncio.run(model.logprob("The capital ", "of")) == asyncio.run(
        model.logprob("The capital", " of")
    )


@needs_torch
def test_a_reply_keeps_to_the_limit_and_says_what_is_not_enforced(folder):
    model = TransformersLocal(folder)
    reply = asyncio.run(model.complete(ask(model, "The capital", max_tokens=3, schema={"type": "object"})))

    assert reply.tokens_out <= 3
    assert reply.finish in {"stop", "length"}
    assert reply.dropped == ("json_object", "json_schema")


@needs_torch
def test_the_same_question_has_the_same_reply_and_samples_their_own(folder):
    model = TransformersLocal(folder)
    first, again = (asyncio.run(model.complete(ask(model, "The capital", max_tokens=8))) for _ in range(2))
    samples = {
        asyncio.run(model.complete(ask(model, "The capital", max_tokens=8, temperature=1.0, sample=n))).text
        for n in range(4)
    }

    assert first == again
    assert len(samples) > 1


@needs_torch
def test_case_12_a_prompt_that_does_not_fit_is_refused_with_both_numbers(folder):
    model = TransformersLocal(folder)

    with pytest.raises(CallError, match="41 tokens, the model takes 32"):
        asyncio.run(model.complete(ask(model, " old" * 40)))  # and the start token


def signature_of(folder):
    (metric,) = build_metrics(["GEM"], llm=TransformersLocal(folder))
    return metric.signature()


@needs_torch
def test_the_key_of_the_store_names_no_folder(folder):
    model = TransformersLocal(folder)

    assert model.base_url.startswith(f"transformers:{folder.name}:")
    assert str(folder.parent) not in model.base_url


@needs_torch
def test_two_models_in_folders_of_one_name_share_neither_a_signature_nor_a_key(folder, tmp_path):
    other = tmp_path / folder.name
    shutil.copytree(folder, other)
    assert signature_of(other) == signature_of(folder)

    weights = bytearray((other / "model.safetensors").read_bytes())
    weights[-1] ^= 1  # as many bytes as before
    (other / "model.safetensors").write_bytes(weights)

    assert signature_of(other) != signature_of(folder)
    assert f"llm={folder.name}@" in signature_of(other)
    assert TransformersLocal(other).base_url != TransformersLocal(folder).base_url


@pytest.mark.skipif(HAS_TORCH, reason="torch is installed")
def test_without_the_packages_the_extra_is_named(tmp_path):
    with pytest.raises(MissingExtraError, match="local"):
        TransformersLocal(tmp_path)


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(PlanError, match="no folder or GGUF file"):
        TransformersLocal(tmp_path / "none")
