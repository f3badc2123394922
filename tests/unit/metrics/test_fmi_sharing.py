"""Cells that share their work score as they would alone."""

import asyncio
import math

import numpy as np
import pytest
from tests.support.fake_model import FakeModel, honest

from gameproof.datasets.catalogue import load_dataset
from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.fmi_sharing import Kept, SharedPredictor, prepare_together
from gameproof.metrics.predictors.base import Block, Predictions
from gameproof.records import Item

OVERLAP_CELLS = [
    "TV+direct+statement+overlap",
    "TV+fvar+statement+overlap",
    "TV+fvar+statement+overlap,critic=binary",
    "KL+direct+report+overlap",
    "CHI2+fvar+report+overlap,neg=2",
    "KL+fvar+statement+overlap,neg=all",
    "RKL+direct+statement+overlap,form=joint",
    "rouge1",
]
ORACLE_CELLS = ["KL+direct+statement+oracle", "TV+fvar+statement+oracle", "H2+fvar+report+oracle,neg=2"]


def planted_items():
    return load_dataset("planted,tasks=12").items


async def scores_of(metrics, items):
    return [await metric.score(items) for metric in metrics]


async def alone_and_together(names, items, model=None):
    alone = [await metric.prepare(items) for metric in build_metrics(names, llm=model)]
    together = await prepare_together(build_metrics(names, llm=model), items)
    assert [metric.signature() for metric in together] == [metric.signature() for metric in alone]
    return await scores_of(alone, items), await scores_of(together, items)


def test_cells_that_share_a_preparation_score_as_they_would_alone():
    for alone, together in zip(*asyncio.run(alone_and_together(OVERLAP_CELLS, planted_items())), strict=True):
        np.testing.assert_array_equal(together.values, alone.values)
        assert together.reasons == alone.reasons
        if alone.contrast is not None:
            np.testing.assert_array_equal(together.contrast.negatives, alone.contrast.negatives)
            np.testing.assert_array_equal(together.contrast.negative_tasks, alone.contrast.negative_tasks)


def test_oracle_cells_that_share_score_as_they_would_alone():
    items = tuple(
        Item(
            id=f"{topic}/{n}",
            task_id=topic,
            candidate=f"The {topic} was flooded at dawn. Writer {n} saw it.",
            references=(
                f"The {topic} was flooded. Guards closed the {topic}. Nobody at the {topic} was hurt.",
            ),
        )
        for topic in ("harbour", "railway", "library", "orchard", "vineyard", "museum")
        for n in ("one", "two")
    )
    found = asyncio.run(alone_and_together(ORACLE_CELLS, items, FakeModel(honest)))
    for alone, together in zip(*found, strict=True):
        np.testing.assert_array_equal(together.values, alone.values)


class Counting:
    """Predicts the length of the candidate, and counts the values it is asked for."""

    judgeable = np.ones(10, dtype=np.bool_)
    not_judgeable = ""

    def __init__(self):
        self.n_values = 0

    async def predict(self, blocks, quantity):
        del quantity
        found = [np.full((len(block.candidates), len(block.units)), math.log(2)) for block in blocks]
        self.n_values += sum(values.size for values in found)
        return [Predictions(values=values) for values in found]


@pytest.mark.parametrize(
    ("by_pair", "n_values"),
    # Two candidates by five units; alone, a question about the first two units is another question: 2 x 2 more.
    [(True, 10), (False, 14)],
)
def test_a_value_is_predicted_once_for_each_candidate_and_unit(by_pair, n_values):
    counting = Counting()
    shared = SharedPredictor(predictor=counting, by_pair=by_pair, kept=Kept(2**20))
    wide = Block(candidates=["one", "two"], units=np.array([3, 1, 4, 0, 2]))
    narrow = Block(candidates=["one", "two"], units=np.array([3, 1]))

    async def work():
        for block in (wide, narrow, wide, narrow):
            (found,) = await shared.predict([block], "log_ratio")
            assert found.values.shape == (2, len(block.units))

    asyncio.run(work())
    assert counting.n_values == n_values


def test_old_predictions_make_room_for_new_ones():
    counting = Counting()
    shared = SharedPredictor(predictor=counting, by_pair=True, kept=Kept(max_bytes=3 * 8))

    async def work():
        for candidate in ("one", "two", "one"):
            await shared.predict([Block(candidates=[candidate], units=np.arange(2))], "log_ratio")

    asyncio.run(work())
    assert counting.n_values == 6  # the second candidate has driven out the first, which comes again
