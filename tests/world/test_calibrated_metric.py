"""Calibrated cells in a world with a known joint law: whatever scale support is on, the information is found."""

import asyncio
import math

import numpy as np
import pytest
from tests.support.fake_model import FakeModel, honest

from gameproof.errors import SpecError
from gameproof.fmi.divergences import DIVERGENCES
from gameproof.fmi.spec import parse
from gameproof.fmi.worlds import World
from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.fmi import FmiMetric
from gameproof.metrics.predictors.base import Predictions
from gameproof.records import Item

# The joint counts of tests/golden/fmi_vectors.json.
WORLD = World(np.array([[14.0, 3, 1, 4], [2, 10, 5, 3], [1, 3, 9, 5]]))
N_TASKS = 1000


class Distorted:
    """A predictor that knows the joint law, and tells support that is three times too sure of itself."""

    not_judgeable = ""

    async def prepare(self, pool):
        self.units = np.array([int(unit) for unit in pool.units])
        self.judgeable = np.ones(len(pool.units), dtype=bool)
        return self

    async def predict(self, blocks, quantity):
        assert quantity == "log_ratio"
        return [
            Predictions(
                values=3
                * WORLD.log_ratio[
                    np.array(list(map(int, block.candidates)))[:, None], self.units[block.units]
                ]
            )
            for block in blocks
        ]


def draw_items():
    draws = WORLD.draw(N_TASKS, np.random.default_rng(3))
    return [
        Item(id=str(n), task_id=f"{n:04}", candidate=str(x), references=(str(y),))
        for n, (x, y) in enumerate(zip(draws.candidates, draws.references, strict=True))
    ]


ITEMS = draw_items()


def prepare(text, items=ITEMS, predictor=None):
    metric = FmiMetric(spec=parse(text), seed=0, predictor=predictor or Distorted())
    return asyncio.run(metric.prepare(items))


def score(metric, items=ITEMS):
    return asyncio.run(metric.score(items)).values


@pytest.mark.parametrize("method", ["isotonic", "platt"])
@pytest.mark.parametrize("cell", ["KL+fvar", "KL+direct", "CHI2+fvar", "TV+direct", "H2+direct"])
def test_the_mean_score_is_the_exact_information_whatever_the_scale(cell, method):
    divergence = DIVERGENCES[cell.partition("+")[0]]
    values = score(prepare(f"{cell}+report+overlap,calibrate={method}"))
    standard_error = values.std(ddof=1) / math.sqrt(N_TASKS)
    assert abs(values.mean() - WORLD.information(divergence)) < 4 * standard_error
    raw = score(prepare(f"{cell}+report+overlap"))
    assert abs(raw.mean() - WORLD.information(divergence)) > 4 * standard_error


def test_the_note_tells_both_routes_before_and_after():
    (note,) = [n for n in prepare("KL+fvar+report+overlap,calibrate=isotonic").notes if "calibrated" in n]
    assert note.startswith("ratios are calibrated by isotonic on other tasks: I_KL is 0.")


def test_a_task_is_scored_on_a_scale_that_its_own_candidates_had_no_part_in():
    metric = prepare("KL+direct+report+overlap,calibrate=isotonic")
    changed = [item if item.task_id != "0000" else item.with_candidate("2") for item in ITEMS]
    again = prepare("KL+direct+report+overlap,calibrate=isotonic", items=changed)
    probe = [item for item in ITEMS if item.task_id == "0000"]
    assert score(metric, probe) == score(again, probe)


def test_variants_are_scored_on_the_scale_of_the_originals():
    metric = prepare("KL+direct+report+overlap,calibrate=platt")
    swapped = [item.with_candidate("0") for item in ITEMS]
    alone = [item.with_candidate("0") for item in ITEMS[:5]]
    assert score(metric, swapped)[:5].tolist() == score(metric, alone).tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("TV+fvar+statement+oracle,calibrate=platt", "calibrate=platt maps ratios, and critic=binary"),
        ("TV+fvar+statement+overlap,calibrate=platt", "calibrate=platt maps ratios, and critic=soft"),
        ("RKL+direct+statement+oracle,calibrate=platt", "may give ratios below 1/8"),
        ("TV+fvar+statement+overlap,control=base_rate,neg=1", "needs neg=2 or more"),
        ("TV+fvar+statement+overlap,control=base_rate,agg=sum", "agg=sum has none"),
        ("KL+fvar+statement+overlap,control=base_rate", "option 'control' does not apply"),
        ("KL+fvar+statement+overlap,calibrate=temperature", "calibrate: 'temperature' is not legal"),
    ],
)
def test_what_cannot_be_fitted_is_refused(text, message):
    with pytest.raises(SpecError, match=message):
        parse(text)


TOPICS = [f"{kind} {place}" for kind in ("harbour", "railway", "library") for place in ("Oslo", "Bergen", "Molde", "Bodo")]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "KL+fvar+statement+oracle,decompose=rules.v1,neg=3,calibrate=isotonic",
        "KL+direct+statement+oracle,decompose=rules.v1,calibrate=isotonic",
        "TV+fvar+statement+oracle,decompose=rules.v1,neg=3,control=base_rate",
    ],
)
def test_a_dry_run_counts_what_fitting_asks(text):
    items = [
        Item(id=t, task_id=t, candidate=f"The {t} was flooded.", references=(f"The {t} was flooded. It rained in {t}.",))
        for t in TOPICS
    ]  # fmt: skip
    model = FakeModel(honest)
    (metric,) = build_metrics([text], llm=model)

    async def work():
        scores = await (await metric.prepare(items)).score(items)
        return scores, await metric.planned_calls(items, items)

    scores, planned = asyncio.run(work())
    assert not scores.reasons
    assert len(planned) == len(model.requests)
    # a direct cell is lent four negatives; a contrastive one asks for nothing that its scores do not
    assert len(model.requests) == len(TOPICS) * (1 + (4 if "direct" in text else 3))
