"""Base rates in a world where statements differ in how often anybody supports them."""

import asyncio
import hashlib
from dataclasses import dataclass, field

import numpy as np
import pytest

from gameproof.fmi.spec import parse
from gameproof.metrics.fmi import FmiMetric
from gameproof.metrics.predictors.base import Predictions
from gameproof.records import Item

N_TASKS, N_WRITERS = 40, 4


def chance(*names):
    digest = hashlib.blake2b(repr(names).encode(), digest_size=7).digest()
    return int.from_bytes(digest) / 2**56


@dataclass
class Supports:
    """A text supports a statement if a number that the two decide is below the statement's rate.

    A statement has a base rate, uniform on [0, .6], and a text of its own task supports it .3 more often; a text
    that names the strength "weak" .1 less often than others, its own task's and foreign ones alike.
    """

    world: int
    units: list[str] = field(default_factory=list)
    not_judgeable: str = ""

    async def prepare(self, pool):
        self.units = list(pool.units)
        self.judgeable = np.ones(len(pool.units), dtype=bool)
        return self

    async def predict(self, blocks, quantity):
        assert quantity == "critic"
        return [
            Predictions(
                values=np.array(
                    [
                        [self.critic(text, self.units[unit]) for unit in block.units]
                        for text in block.candidates
                    ]
                )
            )
            for block in blocks
        ]

    def critic(self, text, statement):
        writer, _, strength = text.partition("/")
        task = writer.partition(":")[0]
        rate = 0.2 + 0.6 * chance(self.world, "rate", statement)
        rate += 0.3 * (statement.split()[1] == task) - 0.1 * (strength == "weak")
        return 0.5 if chance(self.world, writer, statement) < rate else -0.5


def make_items(strength="strong"):
    return [
        Item(
            id=f"{n}:{writer}",
            task_id=str(n),
            candidate=f"t{n}:{writer}/{strength}",
            references=(f"Statement t{n} says one thing. Statement t{n} says another thing.",),
        )
        for n in range(N_TASKS)
        for writer in range(N_WRITERS)
    ]


def scores(control, world, strength="strong", options=""):
    spec = parse(f"TV+fvar+statement+overlap,critic=soft,control={control}{options}")
    metric = FmiMetric(spec=spec, seed=world, predictor=Supports(world))

    async def work():
        prepared = await metric.prepare(make_items())
        return prepared, await prepared.score(make_items(strength))

    return asyncio.run(work())


def test_the_mean_stays_and_the_variance_of_scores_falls():
    plain, corrected = (
        np.array([scores(control, world)[1].values for world in range(12)])
        for control in ("none", "base_rate")
    )
    shift = (corrected - plain).mean(axis=1)  # of one world each
    assert abs(shift.mean()) < 4 * shift.std(ddof=1) / np.sqrt(len(shift))
    assert shift.std() > 0
    variances = [values.var(axis=1, ddof=1).mean() for values in (plain, corrected)]
    # The rate of a statement has variance .6^2/12 = .03. A score is the mean of two own statements minus that of
    # eight foreign ones: .03 (1/2 + 1/8) = .019 of its variance is luck of the draw; p(1 - p), about .2 for each
    # statement, makes .2 x 5/8 = .125 of the rest: 13% could go. Rates are told by 16 candidates, with an error
    # of .2/16 = .0125 beside .03, so that .7 of it does go: 9%. Half of that is asked for, in 12 worlds.
    assert 0.045 < 1 - variances[1] / variances[0] < 0.13


def test_the_correction_cancels_exactly_where_a_text_is_compared_with_its_variant():
    changes = [
        scores(control, 3, "weak")[1].values - scores(control, 3, "strong")[1].values
        for control in ("none", "base_rate")
    ]
    assert np.any(changes[0] != 0)
    assert changes[1] == pytest.approx(changes[0], abs=1e-12)  # rounding of a sum and its inverse


def test_both_halves_make_up_the_score():
    _, found = scores("base_rate", 1)
    halves = found.contrast.matched - found.contrast.negatives.mean(axis=1)
    assert found.values == pytest.approx(halves)


@pytest.mark.parametrize("options", ["", ",neg=2", ",neg=all"])
def test_the_own_task_is_left_out_of_its_base_rates(options):
    metric, _ = scores("base_rate", 2, options=options)
    control, plan = metric.fitted.control, metric.prepared.plan(make_items()[0])
    supports, units = metric.predictor, metric.prepared.pool.units
    negatives = metric.prepared.negatives.tasks
    ids = [task.id for task in metric.prepared.pool.tasks]

    def rate(owner):  # by the definition: the share of those who meet the statements of a task, but task 0
        own = [unit for unit in units if unit.split()[1] == f"t{ids[owner]}"]
        others = [g for g, met in negatives.items() if owner in met and g != plan.task]
        texts = [f"t{ids[g]}:{writer}/strong" for g in others for writer in range(N_WRITERS)]
        return np.mean([[supports.critic(text, unit) + 0.5 for unit in own] for text in texts])

    expected = [rate(plan.task), *(rate(int(task)) for task in plan.negative_tasks)]
    assert control.rates(plan) == pytest.approx(expected)


def test_the_notes_tell_the_slopes():
    metric, _ = scores("base_rate", 1)
    assert any(note.startswith("base rates are taken off with slopes from") for note in metric.notes)
