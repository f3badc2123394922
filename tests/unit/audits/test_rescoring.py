import asyncio

import numpy as np
import pytest

from gameproof.audits.alarms import inspect
from gameproof.audits.checks import CheckSettings
from gameproof.audits.rescoring import RESCORED, compare_rescored, rescore
from gameproof.audits.run import Run, run_audit
from gameproof.engine.score import score_table
from gameproof.files import RunFolder
from gameproof.metrics.base import as_metric
from gameproof.perturbations.catalogue import PERTURBATIONS
from gameproof.records import Dataset, Item

ITEMS = [
    Item(id=f"i{n}", task_id=f"t{n}", candidate="word " * (1 + n * 7 % 40), references=("a reference",))
    for n in range(80)
]


def scored(function, *, items=ITEMS, seed=0):
    """Score the originals in one batch, and a part of them again."""
    metric = as_metric(function, name="metric", version="1", batch=True)

    async def work():
        (table,) = await score_table(items, {}, [metric])
        return await rescore(items, metric, table, seed=seed)

    return asyncio.run(work())


def lengths(items):
    return np.array([float(len(item.candidate)) for item in items])


def mispaired(items):
    """Sort texts by length and never undo it: what torchmetrics 1.9.0 does to one side of every batch."""
    return [
        abs(len(item.candidate) - len(other.candidate)) + len(item.candidate) / 100
        for item, other in zip(items, sorted(items, key=lambda item: len(item.candidate)), strict=True)
    ]


def test_half_of_the_originals_and_at_most_32_are_scored_again():
    assert compare_rescored(scored(lengths)).n == 32
    assert compare_rescored(scored(lengths, items=ITEMS[:9])).n == 5
    assert compare_rescored(scored(lambda items: [float("nan")] * len(items))) is None


def test_a_metric_that_repeats_raises_no_alarm():
    found = compare_rescored(scored(lengths))
    assert found.alarms() == []
    assert (found.n_unstable, found.n_dependent, found.largest_shift) == (0, 0, 0.0)


@pytest.mark.parametrize(
    "function",
    [
        mispaired,
        lambda items: (lengths(items) - lengths(items).mean()) / lengths(items).std(),
        lambda items: np.argsort(np.argsort(lengths(items), kind="stable")),
        lambda items: [len(items[0].candidate) + item for item in lengths(items)],
    ],
    ids=["pairs texts wrongly", "standardises", "ranks", "looks at the first"],
)
def test_scores_that_depend_on_their_neighbours_raise_the_alarm(function):
    found = compare_rescored(scored(function))
    (alarm,) = found.alarms()
    assert alarm.startswith("batch-dependent: ")
    assert found.n_unstable == 0
    assert found.n_dependent > found.n / 2
    assert found.largest_shift > 0


def test_a_metric_that_draws_raises_the_other_alarm():
    rng = np.random.default_rng(1)
    found = compare_rescored(scored(lambda items: lengths(items) + rng.normal(0, 2, len(items))))
    (alarm,) = found.alarms()
    assert alarm.startswith("not repeatable: 32 of 32 scores differ")
    # sd 2 of one score, from 32 differences of two: sqrt(chi2(32) / 32) is within 40% in all but 1 of 1,000 draws
    assert found.unstable_sd == pytest.approx(2.0, rel=0.4)


def test_the_rounding_of_float32_raises_no_alarm():
    def rounded(items):
        shift = np.float32(len(items)) * np.float32(1e-6)
        return lengths(items) / 100 + shift

    assert compare_rescored(scored(rounded)).alarms() == []


def test_a_score_that_is_missing_the_second_time_is_no_repeat():
    calls = []

    def forgets(items):
        calls.append(len(items))
        return [float("nan") if len(calls) == 3 else value for value in lengths(items)]

    assert compare_rescored(scored(forgets)).n_unstable == 32


def test_scores_of_any_size_are_compared_without_overflow():
    for unit in (1e300, 1e-300):
        table = scored(lambda items, unit=unit: [unit * value for value in mispaired(items)])
        facts = inspect(ITEMS, table)
        assert any(alarm.startswith("batch-dependent") for alarm in facts.alarms)
        assert 0 < facts.summary["rescored_shift"] < 1e303


def test_an_audit_shows_the_alarm_and_keeps_its_columns_in_the_run_folder(tmp_path):
    metric = as_metric(mispaired, name="metric", version="1", batch=True)

    def audit():
        with RunFolder.open(tmp_path / "run") as folder:
            run = Run(
                dataset=Dataset(name="test", items=tuple(ITEMS)),
                perturbations=[PERTURBATIONS["pad_constant"]],
                settings=CheckSettings(),
                seed=0,
                folder=folder,
            )
            return asyncio.run(run_audit(run, [metric])).metrics[0]

    first, again = audit(), audit()  # the second time, scores come from the folder
    assert any(alarm.startswith("batch-dependent") for alarm in first.alarms)
    assert again.alarms == first.alarms
    assert {row.check for row in first.checks} == {"pad_constant"}
    assert f'"variant": "{RESCORED}"' in (tmp_path / "run" / "scores.jsonl").read_text()
