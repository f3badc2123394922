"""With ``tok=legacy`` all four ROUGE equal rouge-score 0.1.2, to the last bit.

The oracle runs inside the tests: ``RougeScorer(TYPES, use_stemmer=...).score(reference, candidate)``.
"""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from tests.support.scoring import make_items, read_summeval, score, score_items

from gameproof.metrics.catalogue import build_metrics
from gameproof.records import Item

TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
ORACLES = {stem: RougeScorer(TYPES, use_stemmer=stem == "true") for stem in ("false", "true")}
PARTS = {"f1": "fmeasure", "precision": "precision", "recall": "recall"}
STEMS = pytest.mark.parametrize("stem", ["false", "true"])


def differences(items: list[Item], *, stem: str, part: str = "f1") -> list[tuple[str, float, float]]:
    """Score items both ways; return where the two differ."""
    metrics = build_metrics([f"{name},score={part},stem={stem},tok=legacy" for name in TYPES])
    ours = {name: score_items(metric, items).values for name, metric in zip(TYPES, metrics, strict=True)}
    found: list[tuple[str, float, float]] = []
    for row, item in enumerate(items):
        theirs = ORACLES[stem].score(item.references[0], item.candidate)
        for name in TYPES:
            expected = getattr(theirs[name], PARTS[part])
            if ours[name][row] != expected:
                found.append((name, float(ours[name][row]), expected))
    return found


@pytest.mark.real_data
@STEMS
def test_every_pair_of_300_rated_summaries_is_equal(shared_folder: Path, stem: str):
    items = read_summeval(shared_folder, 320)
    assert differences(items, stem=stem) == []


@pytest.mark.real_data
@STEMS
def test_pairs_with_a_line_for_each_sentence_are_equal(shared_folder: Path, stem: str):
    items = [
        Item(
            id=item.id,
            task_id=item.task_id,
            candidate=item.candidate.replace(" . ", " .\n"),
            references=(item.references[0].replace(". ", ".\n\n"),),
        )
        for item in read_summeval(shared_folder, 320)
    ]
    assert differences(items, stem=stem) == []


@pytest.mark.real_data
@pytest.mark.parametrize("part", PARTS)
def test_articles_as_candidates_are_equal_in_every_part_of_the_score(shared_folder: Path, part: str):
    items = [item.with_candidate(item.source or "") for item in read_summeval(shared_folder, 160)[::16]]
    assert differences(items, stem="false", part=part) == []


# Few different words, so that texts share much and longest subsequences are many; odd scripts between.
WORDS = [
    "a",
    "the",
    "rain",
    "rained",
    "raining",
    "fell",
    "3.5",
    "İstanbul",
    "K",
    "ß",
    "สวัสดี",
    "日本",
    "né",
    "\n",
    ".",
    "—",
]
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join).filter(str.strip)


@given(candidate=texts, reference=texts, stem=st.sampled_from(["false", "true"]))
def test_texts_of_repeated_words_in_lines_are_equal(candidate: str, reference: str, stem: str):
    assert differences(make_items([(candidate, [reference])]), stem=stem) == []


@given(candidate=st.text(min_size=1), reference=st.text(min_size=1))
def test_any_two_texts_are_equal(candidate: str, reference: str):
    if candidate.strip() and reference.strip():
        assert differences(make_items([(candidate, [reference])]), stem="false") == []


@pytest.mark.real_data
def test_max_over_references_is_the_best_fmeasure_as_in_score_multi(shared_folder: Path):
    for item in read_summeval(shared_folder, 160)[::8]:
        theirs = ORACLES["false"].score_multi(item.references, item.candidate)
        for name in TYPES:
            ours = score(f"{name},refs=max,tok=legacy", item.candidate, *item.references)
            assert ours == theirs[name].fmeasure
