"""Strengths of conditions from few comparisons."""

import math

import pytest

from gameproof.study.duels import Duel
from gameproof.study.record import ConditionRecord
from gameproof.study.strengths import ONE_SIDED, SAME_SIDES, fit_strengths

P, Q = (ConditionRecord(id=name, model=name, persona=True) for name in "pq")


def _duels(left, right, wins, losses, readers=2):
    return [
        Duel(
            reader=f"r{place % readers}", query=place, round="1", left=left, right=right,
            winner=left if place < wins else right, sides_known=True,
        )
        for place in range(wins + losses)
    ]  # fmt: skip


def test_conditions_that_keep_their_side_have_strengths_and_no_gain_of_the_side():
    # 9 of 12 for the left text, always the same condition: the log odds are its strength over the other.
    found = fit_strengths(_duels(P, Q, 9, 3), (P, Q), seed=0)
    assert found.reason is None
    assert (found.side, found.note) == (None, SAME_SIDES)
    assert found.conditions[0].value - found.conditions[1].value == pytest.approx(math.log(3), abs=1e-6)


def test_conditions_that_keep_their_side_and_always_win_have_a_weak_prior():
    found = fit_strengths(_duels(P, Q, 9, 0), (P, Q), seed=0)
    assert (found.side, found.note) == (None, f"{SAME_SIDES}; {ONE_SIDED}")
    assert found.conditions[0].value > found.conditions[1].value


def test_both_orders_tell_the_side_from_the_conditions():
    # The left wins 9 of 12 whoever it is.
    found = fit_strengths(_duels(P, Q, 9, 3) + _duels(Q, P, 9, 3), (P, Q), seed=0)
    assert found.note is None
    assert found.side.value == pytest.approx(math.log(3), abs=1e-6)
    assert found.conditions[0].value == pytest.approx(0.0, abs=1e-6)
