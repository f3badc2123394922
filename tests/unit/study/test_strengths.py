"""Strengths of conditions from few comparisons."""

import math
from dataclasses import replace

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


def test_where_nobody_met_anybody_nothing_is_compared():
    found = fit_strengths([], (P, Q), seed=0)
    assert (found.reason, found.n) == ("nothing was compared", 0)


def test_comparisons_whose_sides_nobody_knows_are_left_out_and_counted():
    known = _duels(P, Q, 9, 3) + _duels(Q, P, 3, 9)
    unknown = [replace(duel, sides_known=False) for duel in _duels(Q, P, 12, 0)]
    found = fit_strengths(known + unknown, (P, Q), seed=0)
    assert found.note == "12 comparisons with unknown sides are left out"
    assert found.conditions == fit_strengths(known, (P, Q), seed=0).conditions


def test_sides_that_nobody_knows_at_all_leave_the_strengths():
    """By hand: 9 of 12 for one condition is a log odds of ln 3, whichever side its texts were on."""
    duels = [replace(duel, sides_known=False) for duel in _duels(P, Q, 9, 3)]
    found = fit_strengths(duels, (P, Q), seed=0)
    assert (found.side, found.n) == (None, 12)
    assert found.conditions[0].value - found.conditions[1].value == pytest.approx(math.log(3), abs=1e-6)


def test_two_conditions_of_one_model_and_one_persona_have_no_contrasts():
    """Told and not told cannot be crossed with models where two conditions differ in neither."""
    twin = replace(P, id="twin")
    found = fit_strengths(_duels(P, twin, 9, 3) + _duels(twin, P, 3, 9), (P, twin), seed=0)
    assert found.contrasts == ()
    assert len(found.conditions) == 2
