"""Spearman correlations of ROUGE with the ratings of SummEval, as its data card states them.

The values are those of ``data/summeval/README.md`` ("Sanity figures": rouge-score 0.1.2, stemming, F1,
n = 1,600), which were computed without gameproof.
"""

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from tests.support.scoring import read_summeval, score_items

from gameproof.metrics.catalogue import build_metrics
from gameproof.records import FloatArray, Item

pytestmark = pytest.mark.real_data
TO_THREE_DECIMALS = 0.0005
LIKE_ROUGE_SCORE = "stem=true,tok=legacy"


@pytest.fixture(scope="module")
def items(shared_folder: Path) -> list[Item]:
    return read_summeval(shared_folder)


@pytest.fixture(scope="module")
def rouge_l(items: list[Item]) -> dict[str, FloatArray]:
    """Score all rows with ROUGE-L for each way to treat the eleven references."""
    metrics = build_metrics([f"rougeL,refs={refs},{LIKE_ROUGE_SCORE}" for refs in ("first", "max", "mean")])
    return {
        refs: score_items(metric, items).values
        for refs, metric in zip(("first", "max", "mean"), metrics, strict=True)
    }


def ratings(items: list[Item], dimension: str) -> FloatArray:
    return np.array([item.ratings[dimension] for item in items])


def spearman(scores: FloatArray, marks: FloatArray) -> float:
    return float(spearmanr(scores, marks).statistic)


@pytest.mark.parametrize(
    ("dimension", "expected"),
    [("relevance", 0.2675), ("coherence", 0.1690), ("consistency", 0.1385), ("fluency", 0.1080)],
)
def test_rouge_l_of_the_first_reference_correlates_as_published(items, rouge_l, dimension, expected):
    found = spearman(rouge_l["first"], ratings(items, dimension))
    assert found == pytest.approx(expected, abs=TO_THREE_DECIMALS)


@pytest.mark.parametrize(("refs", "expected"), [("max", 0.2478), ("mean", 0.2404)])
def test_rouge_l_over_eleven_references_correlates_as_published(items, rouge_l, refs, expected):
    found = spearman(rouge_l[refs], ratings(items, "relevance"))
    assert found == pytest.approx(expected, abs=TO_THREE_DECIMALS)


@pytest.mark.parametrize(("name", "expected"), [("rouge1", 0.3306), ("rouge2", 0.2570)])
def test_single_words_and_pairs_correlate_as_published(items, name, expected):
    (metric,) = build_metrics([f"{name},{LIKE_ROUGE_SCORE}"])
    found = spearman(score_items(metric, items).values, ratings(items, "relevance"))
    assert found == pytest.approx(expected, abs=TO_THREE_DECIMALS)


@pytest.mark.parametrize(("refs", "expected"), [("first", 0.187), ("max", 0.246), ("mean", 0.275)])
def test_the_mean_correlation_within_a_document_is_as_published(items, rouge_l, refs, expected):
    rows_of_task: dict[str, list[int]] = defaultdict(list)
    for row, item in enumerate(items):
        rows_of_task[item.task_id].append(row)
    marks = ratings(items, "relevance")
    found = [spearman(rouge_l[refs][rows], marks[rows]) for rows in rows_of_task.values()]
    assert len(found) == 100
    assert np.mean(found) == pytest.approx(expected, abs=TO_THREE_DECIMALS)


@pytest.mark.parametrize(("refs", "expected"), [("first", 0.476), ("max", 0.635), ("mean", 0.724)])
def test_the_correlation_of_system_means_is_as_published(items, rouge_l, refs, expected):
    rows_of_system: dict[str, list[int]] = defaultdict(list)
    for row, item in enumerate(items):
        rows_of_system[item.system or ""].append(row)
    marks = ratings(items, "relevance")
    scores = [rouge_l[refs][rows].mean() for rows in rows_of_system.values()]
    rated = [marks[rows].mean() for rows in rows_of_system.values()]
    assert len(scores) == 16
    assert spearman(np.array(scores), np.array(rated)) == pytest.approx(expected, abs=TO_THREE_DECIMALS)
