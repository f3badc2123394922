import numpy as np
import pytest

from gameproof.audits.alarms import inspect
from gameproof.engine.table import MetricScores
from gameproof.records import Item, Scores

ITEMS = [
    Item(id=f"i{n}", task_id=f"t{n}", candidate="word " * (1 + n * 7 % 20), references=("a reference",))
    for n in range(20)
]


def column(values, **more):
    values = np.asarray(values, dtype=np.float64)
    ids = tuple(item.id for item in ITEMS[: values.size])
    reasons = {name: "no answer" for name, value in zip(ids, values, strict=True) if np.isnan(value)}
    return Scores(signature="m", item_ids=ids, values=values, reasons=reasons, **more)


def alarms_of(original, mismatched=None, *, higher_is_better=True, **more):
    variants = {} if mismatched is None else {("random_replacement", None): column(mismatched)}
    scores = MetricScores(
        metric="m",
        signature="m",
        higher_is_better=higher_is_better,
        original=column(original, **more),
        variants=variants,
    )
    return inspect(ITEMS, scores)


SPREAD = [((n * 9) % 20) / 20 for n in range(20)]  # each of 0, .05 ... .95 once


def test_plain_scores_raise_no_alarm():
    assert alarms_of(SPREAD, [value / 2 for value in SPREAD]).alarms == ()


@pytest.mark.parametrize(
    ("values", "alarm"),
    [
        ([0.5] * 20, "constant metric"),
        ([0.5] * 19 + [0.6], "nearly constant metric: 95%"),
        ([0.78, 0.80] * 10, "many ties: 100% of the texts share their score; 2 distinct values"),
        ([np.nan] * 3 + SPREAD[3:], "missing: 3 of 20 originals have no score: no answer (3)"),
        ([len(item.candidate) / 100 for item in ITEMS], "length metric"),
    ],
)
def test_each_fault_of_a_column_has_its_alarm(values, alarm):
    (found,) = alarms_of(values).alarms
    assert found.startswith(alarm)


def test_scores_of_texts_that_were_cut_are_counted():
    (found,) = alarms_of(SPREAD, remarks={"i1": "cut at 512 tokens", "i2": "cut at 512 tokens"}).alarms
    assert found == "scored in part: 2 of 20 originals: cut at 512 tokens (2)"


def test_case_40_a_high_floor_is_told():
    facts = alarms_of([0.85 + value / 10 for value in SPREAD], [0.80 + value / 10 for value in SPREAD])
    assert facts.summary["floor"] == pytest.approx(0.8475)  # .80 + mean of 0, .05 ... .95 / 10
    (found,) = facts.alarms
    assert (
        found == "high floor: a text of another task scores 94% of what the task's own does"
    )  # .8475 / .8975


def test_case_68_a_direction_that_is_declared_the_wrong_way_is_told():
    distances = [1 - value for value in SPREAD]
    worse = [1.5 - value for value in SPREAD]
    assert alarms_of(distances, worse, higher_is_better=False).alarms == ()
    (found,) = alarms_of(distances, worse, higher_is_better=True).alarms
    assert found.startswith(
        "direction: a text of another task scores better than the task's own in 100% of pairs"
    )
