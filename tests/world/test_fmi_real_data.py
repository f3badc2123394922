"""The overlap cells on real summaries: what must hold whatever the exact numbers are."""

import asyncio
import json

import numpy as np
import pytest

from gameproof.metrics.fmi import build_fmi
from gameproof.metrics.text_memo import TextMemo
from gameproof.records import Item

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def summaries(shared_folder):
    """The first 40 articles of SummEval, 16 systems each."""
    with (shared_folder / "data" / "summeval" / "summeval.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    tasks = sorted({row["task_id"] for row in rows})[:40]
    return [
        Item(
            id=f"{row['task_id']}/{row['candidate_id']}",
            task_id=row["task_id"],
            group=row["group"],
            candidate=row["candidate"],
            references=tuple(row["references"]),
        )
        for row in rows
        if row["task_id"] in tasks
    ]


@pytest.fixture(scope="module")
def metrics(summaries):
    memo = TextMemo()
    texts = ("TV+fvar+statement+overlap", "KL+direct+statement+overlap", "TV+fvar+statement+overlap,neg=all")
    return {text: asyncio.run(build_fmi(text, memo=memo).prepare(summaries)) for text in texts}


def score(metric, items):
    return asyncio.run(metric.score(items)).values


def moved(items):
    """Each candidate under the references of another task."""
    half = len(items) // 2
    return [
        item.with_candidate(other.candidate)
        for item, other in zip(items, items[half:] + items[:half], strict=True)
    ]


def test_every_summary_has_a_score(metrics, summaries):
    for metric in metrics.values():
        assert np.all(np.isfinite(score(metric, summaries)))


def test_a_summary_scores_higher_on_its_own_task_than_on_another(metrics, summaries):
    for metric in metrics.values():
        assert np.mean(score(metric, summaries) > score(metric, moved(summaries))) > 0.97


def test_summaries_of_other_tasks_carry_no_information(metrics, summaries):
    # the contrast is centred at 0 by construction; support alone is far from any such zero
    values = score(metrics["TV+fvar+statement+overlap,neg=all"], moved(summaries))
    assert abs(values.mean()) < 0.02


def test_four_negatives_estimate_what_all_of_them_give(metrics, summaries):
    few = score(metrics["TV+fvar+statement+overlap"], summaries)
    every = score(metrics["TV+fvar+statement+overlap,neg=all"], summaries)
    assert abs(few.mean() - every.mean()) < 0.01
    assert np.corrcoef(few, every)[0, 1] > 0.95


def test_losing_every_other_word_costs_information(metrics, summaries):
    shortened = [item.with_candidate(" ".join(item.candidate.split()[::2])) for item in summaries]
    for metric in metrics.values():
        assert score(metric, shortened).mean() < score(metric, summaries).mean()
