import math

import pytest
from tests.support.fake_results import check

from gameproof.reports.figures import Scale, lane_of, lane_scale
from gameproof.stats.results import Verdict

SCALE = Scale(reach=1.0)


def test_the_scale_holds_every_interval_of_usual_size():
    assert lane_scale([check("a", "degradation", -0.71)]).reach == pytest.approx(0.8)  # 0.79 rounded up


def test_a_huge_effect_does_not_squeeze_the_others():
    assert lane_scale([check("a", "degradation", -9.0, low=-math.inf)]).reach == 1.5


def test_zero_lies_in_the_middle_and_values_beyond_at_the_edge():
    assert [SCALE.percent(value) for value in (-3, -1, 0, 0.5, 3)] == [0, 0, 50, 75, 100]


def test_an_effect_beyond_the_scale_points_to_its_side():
    assert lane_of(check("a", "manipulation", 2.0), SCALE, 0.1).beyond == "right"
    assert lane_of(check("a", "manipulation", -2.0), SCALE, 0.1).beyond == "left"


@pytest.mark.parametrize(
    ("family", "expect", "limit"),
    [
        ("manipulation", "no_increase", 55),  # +0.1 on a scale from -1 to 1
        ("degradation", "decrease", 45),
        ("ladder", "decrease", 50),
        ("ladder", "increase", None),
        ("probe", "none", None),
    ],
)
def test_the_limit_is_the_side_on_which_a_good_metric_lies(family, expect, limit):
    assert lane_of(check("a", family, 0.0, expect=expect), SCALE, 0.1).limit == limit


def test_without_a_margin_in_standard_deviations_no_limit_is_drawn():
    assert lane_of(check("a", "manipulation", 0.0), SCALE, None).limit is None


def test_an_interval_without_ends_fills_the_lane():
    lane = lane_of(check("a", "manipulation", 0.0, low=None, high=None), SCALE, 0.1)

    assert (lane.low, lane.high) == (0, 100)


def test_no_effect_no_lane():
    assert lane_of(check("a", "probe", None), SCALE, 0.1) is None


def test_the_tone_is_the_verdicts():
    assert lane_of(check("a", "manipulation", 0.3, Verdict.FAIL), SCALE, 0.1).tone == "bad"
