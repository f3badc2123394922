"""BLEU, chrF and chrF++ equal the sentence scores of sacrebleu 2.6.0.

The oracle runs inside the tests: `BLEU(effective_order=True, ...)`, `CHRF()` and `CHRF(word_order=2)`.
Equal means to 1e-9 on a scale of 100: the numbers are sums of a few logarithms or quotients.
"""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from tests.support.scoring import make_items, read_summeval, score, score_items

from gameproof.metrics.bleu import SMOOTHINGS, TOKENISERS
from gameproof.metrics.catalogue import build_metrics
from gameproof.records import Item

TOLERANCE = 1e-9
ORACLES = {
    "bleu": BLEU(effective_order=True),
    "chrf": CHRF(),
    "chrf++": CHRF(word_order=2),
    "bleu,case=lower": BLEU(effective_order=True, lowercase=True),
    "chrf,case=lower": CHRF(lowercase=True),
    "chrf++,case=lower": CHRF(word_order=2, lowercase=True),
    **{f"bleu,tok={tok}": BLEU(effective_order=True, tokenize=tok) for tok in TOKENISERS},
    **{f"bleu,smooth={smooth}": BLEU(effective_order=True, smooth_method=smooth) for smooth in SMOOTHINGS},
}


def assert_equal(items: list[Item], names: list[str]) -> None:
    for name, metric in zip(names, build_metrics(names), strict=True):
        ours = score_items(metric, items)
        theirs = [ORACLES[name].sentence_score(item.candidate, [item.references[0]]).score for item in items]
        assert ours.values.tolist() == pytest.approx(theirs, abs=TOLERANCE, rel=0), name


@pytest.mark.real_data
def test_every_pair_of_300_rated_summaries_is_equal(shared_folder: Path):
    assert_equal(read_summeval(shared_folder, 320), ["bleu", "chrf", "chrf++"])


@pytest.mark.real_data
def test_every_option_gives_equal_scores(shared_folder: Path):
    assert_equal(
        read_summeval(shared_folder, 48),
        [name for name in ORACLES if name not in {"bleu,tok=13a", "bleu,smooth=exp"}],
    )


@pytest.mark.real_data
def test_articles_as_candidates_are_equal(shared_folder: Path):
    items = [item.with_candidate(item.source or "") for item in read_summeval(shared_folder, 160)[::16]]
    assert_equal(items, ["bleu", "chrf", "chrf++"])


@pytest.mark.real_data
def test_chrf_with_the_best_reference_is_sacrebleus_chrf_with_several(shared_folder: Path):
    for item in read_summeval(shared_folder, 160)[::16]:
        ours = score("chrf,refs=max", item.candidate, *item.references)
        theirs = CHRF().sentence_score(item.candidate, item.references).score
        assert ours == pytest.approx(theirs, abs=TOLERANCE)


# What the tokeniser's rules look at: stops and dashes beside digits, entities, marks of other scripts.
PIECES = [
    *(
        "the",
        "The",
        "cat",
        "cat.",
        "3",
        "3.5",
        "3,",
        ",3",
        "-",
        "4-",
        "5-6",
        "a-\nb",
        "&amp;",
        "&amp;lt;",
        "&quot;",
    ),
    *(
        "<skipped>",
        "(hi)",
        "''",
        "..",
        "...",
        "!",
        "$1",
        "né",
        "สวัสดี",
        "日本。",
        "\u3000",
        "\x1c",
        "\ud800",
        "\U0001f600",
    ),
]
texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=25).map(" ".join).filter(str.strip)
glued = (
    st.lists(st.sampled_from([*PIECES, " ", "\n", "\t"]), min_size=1, max_size=25)
    .map("".join)
    .filter(str.strip)
)


@given(candidate=st.one_of(texts, glued), reference=st.one_of(texts, glued))
def test_texts_full_of_marks_are_equal(candidate: str, reference: str):
    assert_equal(make_items([(candidate, [reference])]), ["bleu", "chrf", "chrf++", "chrf++,case=lower"])


@given(candidate=st.text(min_size=1), reference=st.text(min_size=1))
def test_any_two_texts_are_equal(candidate: str, reference: str):
    if candidate.strip() and reference.strip():
        assert_equal(make_items([(candidate, [reference])]), ["bleu", "chrf", "chrf++"])


@given(st.lists(texts, min_size=2, max_size=6), texts)
def test_candidates_scored_together_are_equal_to_candidates_scored_alone(
    candidates: list[str], reference: str
):
    assert_equal(
        make_items([(candidate, [reference]) for candidate in candidates]), ["bleu", "chrf", "chrf++"]
    )
