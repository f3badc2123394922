import asyncio

import pytest
from tests.support.scoring import make_items, score_items

from gameproof.errors import SpecError
from gameproof.metrics.adapters import from_call
from gameproof.records import Item, Persona

ITEMS = make_items([("rain fell", ["rain", "it rained"]), ("the bridge closed", ["a bridge"])])


def shared(candidate, reference):
    return len(set(candidate.split()) & set(reference.split()))


def test_a_function_gets_the_parts_that_are_named_in_their_order():
    seen = []

    def look(*parts):
        seen.append(parts)
        return 1

    item = Item(
        id="a",
        task_id="t",
        candidate="It rained.",
        references=("", "Rain fell.", "Rain."),
        source="A source.",
        query="Weather?",
        persona=Persona(role="farmer"),
    )
    parts = ("query", "candidate", "reference", "references", "source", "persona")
    metric = from_call(look, args=parts, higher_is_better=True)
    assert score_items(metric, [item]).values.tolist() == [1.0]
    assert seen == [
        ("Weather?", "It rained.", "Rain fell.", ["Rain fell.", "Rain."], "A source.", Persona(role="farmer"))
    ]
    assert metric.needs == {"references", "source", "query", "persona"}


def test_a_pair_function_scores_each_item():
    assert score_items(from_call(shared), ITEMS).values.tolist() == [1.0, 1.0]


def test_an_asynchronous_function_is_awaited():
    async def work(candidate, reference):
        await asyncio.sleep(0)
        return shared(candidate, reference)

    assert score_items(from_call(work), ITEMS).values.tolist() == [1.0, 1.0]


def test_a_batch_function_gets_a_list_for_each_argument():
    def work(candidates, references):
        assert candidates == ["rain fell", "the bridge closed"]
        return [shared(*pair) for pair in zip(candidates, references, strict=True)]

    assert score_items(from_call(work, batch=True), ITEMS).values.tolist() == [1.0, 1.0]


def test_a_batch_of_another_length_is_missing_and_never_lined_up():
    scores = score_items(from_call(lambda *_: [1.0], batch=True), ITEMS)
    assert set(scores.reasons.values()) == {"the function must return 2 numbers for 2 items"}


@pytest.mark.parametrize("batch", [False, True])
def test_a_failure_is_a_reason(batch):
    def fail(*_):
        raise RuntimeError("no luck")

    scores = score_items(from_call(fail, batch=batch), ITEMS)
    assert set(scores.reasons.values()) == {"RuntimeError: no luck"}


def test_none_and_nan_are_missing():
    answers = iter([None, float("nan")])
    scores = score_items(from_call(lambda *_: next(answers)), ITEMS)
    assert list(scores.reasons.values()) == ["the metric returned nothing", "the metric returned nan"]


def test_an_item_without_a_part_is_missing():
    metric = from_call(lambda *_: 1.0, args=("candidate", "query"))
    assert set(score_items(metric, ITEMS).reasons.values()) == {"no query"}


def test_a_function_cannot_change_the_items_of_the_run():
    def spoil(_, references):
        references.clear()
        return 1.0

    score_items(from_call(spoil, args=("candidate", "references")), ITEMS)
    assert ITEMS[0].references == ("rain", "it rained")


@pytest.mark.parametrize(
    ("args", "said"), [(("hypothesis",), "found 'hypothesis'; allowed: candidate"), ((), "args: found none")]
)
def test_an_unknown_part_is_refused(args, said):
    with pytest.raises(SpecError, match=said):
        from_call(shared, args=args)


def test_two_of_one_function_are_the_same_metric_and_of_two_are_not():
    assert from_call(shared) == from_call(shared)
    assert from_call(shared) != from_call(shared, args=("candidate", "source"))
