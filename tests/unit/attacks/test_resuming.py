"""A search that was stopped is taken up again, and only one of the same data and metric."""

import asyncio
from dataclasses import replace

import pytest
from tests.support.attacking import Counter, items_of, target_of

from gameproof.attacks.plan import Plan, draw_texts
from gameproof.attacks.run import attack_metric
from gameproof.metrics.base import as_metric
from gameproof.text import words


def test_a_stopped_search_goes_on_to_the_same_end(tmp_path):
    items = items_of()

    class Fuse:
        """The number of words, until it has been asked so often."""

        left = 300

        def __call__(self, item):
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
            return float(len(words(item.candidate)))

    plan = Plan(budget=12, universal_budget=0, strategy="bandit")
    journal = tmp_path / "search.json"
    whole = asyncio.run(
        attack_metric(items, target_of(as_metric(Counter(), name="words", version="1")), plan)
    )
    broken = target_of(as_metric(Fuse(), name="words", version="1"))
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(attack_metric(items, broken, plan, journal=journal))
    assert journal.is_file()
    counter = Counter()
    resumed = asyncio.run(
        attack_metric(items, target_of(as_metric(counter, name="words", version="1")), plan, journal=journal)
    )
    assert resumed.record() == whole.record()
    fresh = Counter()
    asyncio.run(attack_metric(items, target_of(as_metric(fresh, name="words", version="1")), plan))
    assert counter.n < fresh.n  # what was scored before the stop is not scored again


@pytest.mark.parametrize(
    "change",
    [{"candidate": "Another text. It rained."}, {"query": "Another question?"}],
)
def test_a_search_on_other_data_is_not_taken_up_again(tmp_path, change):
    items, journal = items_of(4), tmp_path / "search.json"
    plan = Plan(budget=4, universal_budget=0, strategy="greedy", per_task=1)
    attacked = {item.id for item in draw_texts(items, 1, plan.seed)}
    spared = next(item.id for item in items if item.id not in attacked)

    def n_asked(data):
        counter = Counter()
        asyncio.run(
            attack_metric(
                data, target_of(as_metric(counter, name="words", version="1")), plan, journal=journal
            )
        )
        return counter.n

    first = n_asked(items)
    assert n_asked(items) < first  # the whole search is known
    other = [replace(item, **change) if item.id == spared else item for item in items]
    assert n_asked(other) >= first


def test_what_a_function_without_a_version_found_is_not_taken_up_again(tmp_path):
    plan = Plan(budget=4, universal_budget=0, strategy="greedy")
    asked = []
    for _ in range(2):
        counter = Counter()
        target = target_of(as_metric(counter, name="words"))
        asyncio.run(attack_metric(items_of(4), target, plan, journal=tmp_path / "search.json"))
        asked.append(counter.n)
    assert asked[0] == asked[1]
