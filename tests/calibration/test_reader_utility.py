"""Reader Utility on planted readers, seeds that nothing was tuned on: what the benchmarks' table says stays so.

The figures come from `python -m benchmarks.reader_utility`; choices come from a utility of their own (methods: planted
world), so that a metric can lose here, and the sign of no difference is taken for granted.
"""

from dataclasses import replace

import pytest
from benchmarks.reader_utility import (
    FIT,
    METRICS,
    NO_NOVELTY,
    TASKS_PER_DOMAIN,
    UNSEEN,
    UTILITY,
    WORLDS,
    measure,
    summarise,
)

pytestmark = pytest.mark.slow


def rows(title, names=METRICS[:3]):
    return [
        measure(replace(WORLDS[title], seed=seed, tasks_per_domain=TASKS_PER_DOMAIN), names)
        for seed in UNSEEN
    ]


def test_without_prior_knowledge_novelty_changes_nothing():
    for row in rows("no prior knowledge"):
        assert row[f"accuracy {UTILITY} - {NO_NOVELTY}"] == 0
        assert row[f"auc {UTILITY} - {NO_NOVELTY}"] == 0


def test_fit_says_nothing_of_readers_who_need_the_same():
    found = summarise(rows("identical readers"))
    # Equivalence: the whole interval of AUC lies within .05 of a coin.
    _, low, high, _, _ = found[f"auc {FIT}"]
    assert 0.45 < low < high < 0.55


def test_utility_follows_choices_better_than_chance_and_sees_the_reader():
    found = summarise(rows(next(iter(WORLDS)), METRICS[:3]))
    assert found[f"accuracy {UTILITY}"][1] > 0.5
    assert found[f"interaction {UTILITY}"][1] > 0
