"""The joint direct score of total variation pays for contradiction: it runs against the ratings.

|1 - 1/r| / 2 is at most .4375 on the seven points for r > 1 and up to 3.5 below 1, so once many ratios are below
1 the score measures how much a text contradicts. The monotone form max(0, 1 - 1/r) cannot.
"""

from collections import Counter

import pytest

import gameproof
from gameproof.audits.correlate import collect_ratings
from gameproof.datasets.catalogue import load_dataset
from gameproof.llm.providers.planted import Errors, PlantedOracle
from gameproof.llm.providers.planted.oracle import chance
from gameproof.llm.providers.planted.understanding import Support
from gameproof.stats.dimensions import ALL_DIMENSIONS, rank

DATA = "planted,tasks=12"
SHARE_BELOW_1 = 0.4  # fixed beforehand
JOINT, MONOTONE = "TV+direct+statement+oracle,form=joint", "TV+direct+statement+oracle"


class SternOracle(PlantedOracle):
    """A seven-point oracle that takes a part of what a text does not say as speaking against it (-1)."""

    def __new__(cls, *, stern):
        del stern
        return super().__new__(cls)

    def __init__(self, *, stern):
        super().__init__(errors=Errors(), name=f"stern:{stern:.6f}")
        object.__setattr__(self, "stern", stern)
        object.__setattr__(self, "verdicts", Counter())

    def support(self, candidate, statement):
        found = int(super().support(candidate, statement))
        if found == Support.SILENT and chance(0, "stern", candidate, statement) < self.stern:
            found = -1
        self.verdicts[found] += 1
        return found


def own_verdicts(oracle):
    """Ask about own references only, and count the verdicts."""
    gameproof.score(load_dataset(DATA), f"{MONOTONE},decompose=rules.v1", llm=oracle, cache="off")
    return oracle.verdicts


@pytest.fixture(scope="module")
def stern_share():
    """Return the share of silence to be taken as -1, so that 40% of all ratios are below 1."""
    verdicts = own_verdicts(SternOracle(stern=0))
    below = sum(count for verdict, count in verdicts.items() if verdict < 0)
    return (SHARE_BELOW_1 * verdicts.total() - below) / verdicts[0]


def within_tasks(scores, items):
    """Correlate with each rating within tasks; return the mean over ratings, with its interval."""
    ratings = collect_ratings(items)
    ranked = rank(scores.values, ratings.dimensions, ratings.clusters, "within_task")
    return ranked.estimates[ALL_DIMENSIONS]


def test_with_two_ratios_in_five_below_1_the_joint_form_runs_against_the_ratings(stern_share):
    oracle = SternOracle(stern=stern_share)
    verdicts = own_verdicts(oracle)
    below = sum(count for verdict, count in verdicts.items() if verdict < 0) / verdicts.total()
    assert below == pytest.approx(SHARE_BELOW_1, abs=0.02)
    items = load_dataset(DATA).items
    names = [f"{form},decompose=rules.v1" for form in (JOINT, MONOTONE)]
    joint, monotone = (
        within_tasks(scores, items)
        for scores in gameproof.score(items, names, llm=oracle, cache="off").scores
    )
    assert joint.interval.high < 0
    assert monotone.interval.low > 0
