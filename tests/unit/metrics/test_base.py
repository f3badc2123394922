"""Any callable as a metric."""

import asyncio
import math
import sys
from dataclasses import replace

import numpy as np
import pytest

from gameproof.errors import BudgetError, CallError, EndpointError, SpecError
from gameproof.metrics.base import UNPINNED, as_metric, from_pair
from gameproof.records import Item

ITEMS = [
    Item(id="a", task_id="t", candidate="one two", references=("one",)),
    Item(id="b", task_id="t", candidate="   ", references=("one",)),
    Item(id="c", task_id="t", candidate="three", references=()),
]


def score(metric, items=ITEMS):
    return asyncio.run(metric.score(items))


def test_a_pair_function_gets_candidate_and_first_reference() -> None:
    scores = score(from_pair(lambda candidate, reference: candidate.count(reference), name="count"))
    assert scores.values[0] == 1
    assert scores.reasons == {"b": "empty", "c": "no reference"}


def test_a_blank_reference_is_not_the_first() -> None:
    item = replace(ITEMS[0], references=("  ", "one"))
    assert score(from_pair(lambda _, reference: len(reference), name="size"), [item]).values[0] == 3


def test_what_items_never_have_cannot_be_needed() -> None:
    with pytest.raises(SpecError, match="needs: found 'reference'; allowed: references, source"):
        as_metric(lambda _: 1.0, name="one", needs=frozenset({"reference"}))


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "the metric returned nothing"),
        (math.nan, "the metric returned nan"),
        (math.inf, "the metric returned inf"),
        ("good", "the metric returned str, not a number"),
        ("0.5", "the metric returned str, not a number"),
        (b"5", "the metric returned bytes, not a number"),
        (10**400, "OverflowError: int too large to convert to float"),
        ([1.0], "the metric returned list, not a number"),
    ],
)
def test_what_is_no_finite_number_is_missing_with_its_reason(value, reason) -> None:
    scores = score(as_metric(lambda _: value, name="odd"), ITEMS[:1])
    assert np.isnan(scores.values).all()
    assert scores.reasons == {"a": reason}


@pytest.mark.parametrize("values", ["12", b"12", {"a": 1.0, "c": 2.0}, {1.0, 2.0}])
def test_a_batch_that_is_no_series_of_numbers_is_missing_with_its_reason(values) -> None:
    scores = score(as_metric(lambda _: values, name="batch", batch=True), [ITEMS[0], ITEMS[2]])
    assert set(scores.reasons.values()) == {
        f"the function returned {type(values).__name__}, not a list of numbers"
    }


def test_a_value_of_a_batch_that_cannot_be_read_concerns_its_item_only() -> None:
    scores = score(as_metric(lambda _: [10**400, 2], name="batch", batch=True), [ITEMS[0], ITEMS[2]])
    assert scores.values[1] == 2
    assert scores.reasons == {"a": "OverflowError: int too large to convert to float"}


def test_a_batch_function_that_empties_its_list_is_no_batch_of_the_right_length() -> None:
    def greedy(items: list[Item]) -> list[float]:
        return [0.0 for _ in range(len(items) // 2) if items.pop()]

    scores = score(as_metric(greedy, batch=True), [ITEMS[0], ITEMS[2]])
    assert "must return 2 numbers for 2 items" in scores.reasons["a"]


@pytest.mark.parametrize("batch", [False, True])
def test_a_function_that_writes_to_its_item_changes_nothing_but_its_own_copy(batch) -> None:
    item = replace(ITEMS[0], ratings={"q": 1.0}, raters={"ann": {"q": 1.0}})

    def vandal(given):
        for own in given if batch else [given]:
            own.ratings.clear()
            own.raters["ann"].clear()
            object.__setattr__(own, "candidate", "")
        return [0.0] if batch else 0.0

    assert score(as_metric(vandal, batch=batch), [item]).values[0] == 0
    assert item == replace(ITEMS[0], ratings={"q": 1.0}, raters={"ann": {"q": 1.0}})


def test_what_an_exception_says_can_always_be_told() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError("no words")

    def fail(item: Item) -> float:
        raise MuteError if item.id == "a" else ValueError("half \ud800")

    scores = score(as_metric(fail), [ITEMS[0], ITEMS[2]])
    assert scores.reasons == {"a": "MuteError", "c": "ValueError: half \\ud800"}


def test_an_exception_concerns_its_item_only() -> None:
    def fussy(item: Item) -> float:
        if item.id == "a":
            raise RuntimeError("no endpoint")
        return 1.0

    scores = score(as_metric(fussy))
    assert scores.reasons == {"a": "RuntimeError: no endpoint", "b": "empty"}
    assert scores.values[2] == 1.0


async def later(item: Item) -> float:
    await asyncio.sleep(0)
    return float(len(item.candidate))


@pytest.mark.parametrize("batch", [False, True])
def test_a_function_that_ends_the_process_leaves_its_scores_missing(batch) -> None:
    scores = score(as_metric(lambda _: sys.exit(0), batch=batch), ITEMS[:1])
    assert scores.reasons == {"a": "SystemExit: 0"}


def test_an_asynchronous_function_is_waited_for() -> None:
    assert score(as_metric(later), ITEMS[:1]).values[0] == 7


@pytest.mark.parametrize("values", [[1.0, 2.0], (1.0, 2.0), np.array([1.0, 2.0]), iter([1.0, 2.0])])
def test_a_batch_function_may_return_any_series_of_numbers(values) -> None:
    scores = score(as_metric(lambda _: values, name="batch", batch=True), [ITEMS[0], ITEMS[2]])
    np.testing.assert_array_equal(scores.values, [1.0, 2.0])


@pytest.mark.parametrize("values", [[1.0], [], [1.0, 2.0, 3.0]])
def test_a_batch_of_the_wrong_length_is_never_lined_up_by_guessing(values) -> None:
    scores = score(as_metric(lambda _: values, name="batch", batch=True), [ITEMS[0], ITEMS[2]])
    assert np.isnan(scores.values).all()
    assert "must return 2 numbers for 2 items" in scores.reasons["a"]


def test_a_batch_function_never_sees_an_empty_candidate() -> None:
    seen: list[str] = []

    def batch(items: list[Item]) -> list[float]:
        seen.extend(item.id for item in items)
        return [0.0] * len(items)

    score(as_metric(batch, batch=True))
    assert seen == ["a", "c"]


def test_a_function_without_a_version_is_marked_unpinned() -> None:
    assert UNPINNED in as_metric(later).signature()
    assert as_metric(later, version="3").signature() == "later,version=3"


async def fail_one(item):
    if item.id == "b":
        raise CallError("429 after 4 attempts")
    return 1.0


def test_a_model_call_that_fails_is_a_counted_reason():
    scores = score(as_metric(fail_one), [ITEMS[0], replace(ITEMS[1], candidate="two"), ITEMS[2]])
    assert scores.reasons == {"b": "429 after 4 attempts"}
    assert scores.values[[0, 2]].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("error", [EndpointError("404"), BudgetError("--max-calls 3 is reached")])
def test_an_endpoint_that_cannot_work_stops_the_run(error):
    def fail(_item):
        raise error

    with pytest.raises(type(error)):
        score(as_metric(fail))
