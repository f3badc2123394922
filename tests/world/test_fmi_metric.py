"""The whole metric in a world with a known joint law: with the true ratio it measures the true information."""

import asyncio
import math
from dataclasses import dataclass

import numpy as np
import pytest

from gameproof.fmi.divergences import DIVERGENCES
from gameproof.fmi.spec import parse
from gameproof.fmi.worlds import World
from gameproof.metrics.fmi import FmiMetric, build_fmi
from gameproof.metrics.predictors.base import Predictions
from gameproof.records import Item

# The joint counts of tests/golden/fmi_vectors.json.
WORLD = World(np.array([[14.0, 3, 1, 4], [2, 10, 5, 3], [1, 3, 9, 5]]))
KERNEL = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
N_TASKS = 1000


@dataclass
class KnownRatio:
    """A predictor that knows the joint law: candidates and units are numbers written as texts."""

    log_ratio: np.ndarray
    not_judgeable: str = ""

    async def prepare(self, pool):
        self.units = np.array([int(unit) for unit in pool.units])
        self.judgeable = np.ones(len(pool.units), dtype=bool)
        return self

    async def predict(self, blocks, quantity):
        assert quantity == "log_ratio"
        return [
            Predictions(
                values=self.log_ratio[
                    np.array([int(candidate) for candidate in block.candidates])[:, None],
                    self.units[block.units],
                ]
            )
            for block in blocks
        ]


def draw_items(seed=3):
    draws = WORLD.draw(N_TASKS, np.random.default_rng(seed))
    return [
        Item(id=str(n), task_id=str(n), candidate=str(x), references=(str(y),))
        for n, (x, y) in enumerate(zip(draws.candidates, draws.references, strict=True))
    ]


ITEMS = draw_items()


def score(text, items=ITEMS):
    metric = FmiMetric(spec=parse(text), seed=0, predictor=KnownRatio(WORLD.log_ratio))
    prepared = asyncio.run(metric.prepare(ITEMS))
    return asyncio.run(prepared.score(items)).values


@pytest.mark.parametrize("symbol", DIVERGENCES)
@pytest.mark.parametrize("cell", ["direct+report+overlap", "fvar+report+overlap"])
def test_the_mean_score_is_the_exact_information(symbol, cell):
    text = f"{symbol}+{cell}" + (",critic=binary" if (symbol, cell[:4]) == ("TV", "fvar") else "")
    values = score(text)
    standard_error = values.std(ddof=1) / math.sqrt(N_TASKS)
    assert abs(values.mean() - WORLD.information(DIVERGENCES[symbol])) < 4 * standard_error


def test_garbled_candidates_score_lower():
    # paired on the same items and negatives, so a small sample shows it
    rng = np.random.default_rng(4)
    garbled = [item.with_candidate(str(rng.choice(3, p=KERNEL[int(item.candidate)]))) for item in ITEMS]
    for text in (
        "TV+fvar+report+overlap,critic=binary",
        "KL+fvar+report+overlap",
        "KL+direct+report+overlap",
    ):
        change = score(text, garbled) - score(text)
        assert change.mean() < -4 * change.std(ddof=1) / math.sqrt(N_TASKS)


def test_candidates_of_other_tasks_carry_no_information():
    # by contrast: the mean is 0, whatever the critic
    rng = np.random.default_rng(5)
    order = rng.permutation(N_TASKS)
    shuffled = [item.with_candidate(ITEMS[other].candidate) for item, other in zip(ITEMS, order, strict=True)]
    values = score("TV+fvar+report+overlap,critic=binary", shuffled)
    assert abs(values.mean()) < 4 * values.std(ddof=1) / math.sqrt(N_TASKS)


def test_lexical_overlap_gives_a_lower_bound_of_the_information():
    # A world of words: each candidate copies its task's word with chance .7, else names a random one of eight.
    rng, n_words, copied = np.random.default_rng(6), 8, 0.7
    topics = rng.integers(n_words, size=N_TASKS)
    names = np.where(rng.random(N_TASKS) < copied, topics, rng.integers(n_words, size=N_TASKS))
    items = [
        Item(id=str(n), task_id=str(n), candidate=f"word{x}", references=(f"word{y}",))
        for n, (x, y) in enumerate(zip(names, topics, strict=True))
    ]
    # TV information = P(X = Y) - P(X = Y') = .7 + .3/8 - 1/8, where a matching word is all there is to know
    exact = copied + (1 - copied) / n_words - 1 / n_words
    metric = asyncio.run(build_fmi("TV+fvar+report+overlap").prepare(items))
    values = asyncio.run(metric.score(items)).values
    assert abs(values.mean() - exact) < 4 * values.std(ddof=1) / math.sqrt(N_TASKS)
