"""Metric objects of other people's making."""

import asyncio
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from gameproof.errors import EndpointError, InputError, SpecError
from gameproof.metrics.catalogue import build_metrics, metric
from gameproof.records import Contrast, Item, Scores

ITEMS = [Item(id=name, task_id=name, candidate=name * 2, ratings={"q": 1.0}) for name in "abc"]
IDS = ("a", "b", "c")


@dataclass
class Guest:
    """A metric as a stranger writes it: its `score` returns what the test says."""

    answer: object = None
    name: object = "guest"
    needs: object = field(default_factory=frozenset)
    higher_is_better: object = True

    def signature(self):
        return f"{self.name},version=1"

    async def prepare(self, pool):
        del pool
        return self

    async def score(self, items):
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer(items) if callable(self.answer) else self.answer


def scores(values=(1.0, 2.0, 3.0), ids=IDS, reasons=None, contrast=None):
    return Scores(
        signature="anything", item_ids=ids, values=np.array(values), reasons=reasons or {}, contrast=contrast
    )


def score(answer):
    return asyncio.run(metric(Guest(answer)).score(ITEMS))


def test_scores_in_another_order_come_back_in_the_order_of_the_items():
    found = score(scores(values=(3.0, 1.0, 2.0), ids=("c", "a", "b")))

    assert found.item_ids == IDS
    assert found.values.tolist() == [1.0, 2.0, 3.0]
    assert found.signature == "guest,version=1"


def test_what_is_not_finite_is_missing_with_a_reason_and_a_reason_leaves_no_number():
    found = score(scores(values=(np.inf, np.nan, 3.0), reasons={"b": "no answer", "c": "cut off"}))

    assert np.isnan(found.values).all()
    assert found.reasons == {"a": "the metric returned inf", "b": "no answer", "c": "cut off"}


def test_whole_numbers_and_lists_are_numbers_too():
    assert score(replace(scores(), values=[1, 2, 3])).values.dtype == np.float64


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (None, "`score` returned NoneType, not Scores"),
        (scores(values=(1.0, 2.0), ids=("a", "b")), "2 scores that are not of its items"),
        (scores(ids=("x", "y", "z")), "3 scores that are not of its items"),
        (scores(ids=("a", "a", "b")), "3 scores that are not of its items"),
        (scores(values=(1.0, 2.0)), "the shape (2,), not (3,)"),
        (scores(values=((1.0,), (2.0,), (3.0,))), "the shape (3, 1), not (3,)"),
        (scores(values=("x", "y", "z")), "are not numbers"),
        (replace(scores(), reasons=None), "cannot be read"),
        (replace(scores(), item_ids=5), "cannot be read"),
        (
            scores(
                contrast=Contrast(
                    matched=np.zeros(1),
                    negatives=np.zeros((1, 1)),
                    negative_tasks=np.zeros((1, 1), dtype=np.int64),
                    tasks=(),
                )
            ),
            "contrast",
        ),
    ],
)
def test_what_cannot_be_lined_up_with_the_items_is_refused_with_the_name_of_the_metric(answer, complaint):
    with pytest.raises(InputError) as caught:
        score(answer)

    assert caught.value.message.startswith("the metric guest: ")
    assert complaint in caught.value.message


def test_an_exception_leaves_the_scores_of_the_batch_missing():
    assert score(ZeroDivisionError("by zero")).reasons == dict.fromkeys(IDS, "ZeroDivisionError: by zero")


def test_an_endpoint_that_cannot_work_stops_the_run():
    with pytest.raises(EndpointError):
        score(EndpointError("404"))


def test_a_guest_that_writes_to_its_items_changes_nothing_but_its_own_copies():
    def vandal(items):
        for item in items:
            item.ratings.clear()
        items.clear()
        return scores()

    assert score(vandal).values.tolist() == [1.0, 2.0, 3.0]
    assert ITEMS[0].ratings == {"q": 1.0}


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"name": 5}, "name: found int; allowed: text"),
        ({"needs": ["source"]}, "needs: found list; allowed: a set"),
        ({"higher_is_better": None}, "higher_is_better: found NoneType; allowed: True or False"),
    ],
)
def test_a_guest_with_facts_of_the_wrong_type_is_refused(wrong, complaint):
    with pytest.raises(SpecError, match=complaint):
        metric(Guest(scores(), **wrong))


def test_a_guest_that_cannot_prepare_is_named():
    class Unready(Guest):
        async def prepare(self, pool):
            if len(pool) > 2:
                raise ValueError("too many")

    guest = metric(Unready())

    with pytest.raises(InputError, match="the metric guest cannot prepare: ValueError: too many"):
        asyncio.run(guest.prepare(ITEMS))
    with pytest.raises(InputError, match="`prepare` returned NoneType, not a metric"):
        asyncio.run(guest.prepare([]))


def test_metrics_of_our_own_stay_what_they_are():
    rouge = metric("rougeL")

    assert metric(rouge) is rouge


def test_two_functions_without_names_are_not_taken_for_one():
    with pytest.raises(SpecError, match="2 different metrics are called '<lambda>'"):
        build_metrics([lambda _: 1.0, lambda _: 2.0])


def test_the_same_function_twice_is_one_metric():
    def own(_):
        return 1.0

    assert len(build_metrics([own, own])) == 1


def test_a_guest_whose_signature_fails_or_is_no_text_is_refused():
    class Unsigned(Guest):
        def signature(self):
            raise RuntimeError("not now")

    with pytest.raises(SpecError, match="signature: found RuntimeError: not now; allowed: text"):
        metric(Unsigned())

    class Numbered(Guest):
        def signature(self):
            return 7

    with pytest.raises(SpecError, match="signature: found int; allowed: text"):
        metric(Numbered())


def test_a_guest_whose_preparation_cannot_go_on_stops_the_run_as_our_own_do():
    class Away(Guest):
        async def prepare(self, pool):
            del pool
            raise EndpointError("nobody answers")

    with pytest.raises(EndpointError, match=r"^nobody answers"):
        asyncio.run(metric(Away()).prepare(ITEMS))
