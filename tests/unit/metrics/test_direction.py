import asyncio

import pytest

from gameproof.errors import InputError
from gameproof.metrics.adapters import from_call
from gameproof.metrics.direction import measure_direction
from gameproof.records import Item


def items_of(n_tasks):
    return [
        Item(
            id=f"i{n}",
            task_id=f"t{n}",
            candidate="Nothing.",
            references=(f"alpha{n} beta{n} gamma{n}", f"alpha{n} delta{n}"),
        )
        for n in range(n_tasks)
    ]


def shared(candidate, references):
    return len(set(candidate.split()) & set(" ".join(references).split()))


def measured(function, items, *args):
    metric = from_call(function, args=args or ("candidate", "references"))
    return asyncio.run(measure_direction(metric, items))


def test_a_similarity_is_better_when_higher_and_a_distance_when_lower():
    found = measured(shared, items_of(10))
    assert found.higher_is_better
    # The last reference of each task has two words, both its own, and none of another task's.
    assert (found.own, found.other, found.n_higher, found.n_lower) == (2.0, 0.0, 10, 0)
    assert not measured(lambda *pair: -shared(*pair), items_of(10)).higher_is_better


def test_at_most_24_scores_are_asked_for_however_much_data_there_is():
    seen = []

    def count(candidate, references):
        seen.append(candidate)
        return shared(candidate, references)

    measured(count, items_of(500))
    assert len(seen) == 24


@pytest.mark.parametrize(("n_tasks", "is_shown"), [(5, False), (6, True)])
def test_six_pairs_that_agree_are_the_fewest_that_show_a_direction(n_tasks, is_shown):
    # Exact two-sided sign test: 2/2**5 = .0625, 2/2**6 = .03125.
    if is_shown:
        assert measured(shared, items_of(n_tasks)).higher_is_better
    else:
        with pytest.raises(InputError, match="5 of 5 own references score higher"):
            measured(shared, items_of(n_tasks))


@pytest.mark.parametrize("function", [lambda *_: 1.0, lambda candidate, _: len(candidate)])
def test_a_metric_that_sees_no_reference_has_no_direction_to_measure(function):
    with pytest.raises(InputError, match="Say higher_is_better=true or higher_is_better=false"):
        measured(function, items_of(12))


def test_without_references_there_is_nothing_to_measure_with():
    items = [Item(id=f"i{n}", task_id=f"t{n}", candidate="Rain.") for n in range(12)]
    with pytest.raises(InputError, match="here are 0"):
        measured(len, items, "candidate")


def test_a_metric_that_fails_is_told_with_its_own_words():
    def fail(*_):
        raise RuntimeError("no key")

    with pytest.raises(InputError, match=r"no reference could be scored \(RuntimeError: no key\)"):
        measured(fail, items_of(12))
