import math

import pytest
from tests.support.fake_results import check

from gameproof.reports.svg.lanes import Scale, lane_of, lane_scale
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
    ("family", "expect", "start", "width", "limits"),
    [
        # +-0.1 and +-0.2 on a scale from -1 to 1
        ("manipulation", "no_increase", 0, 55, (55,)),
        ("degradation", "decrease", 0, 45, (45,)),
        ("ladder", "decrease", 0, 50, (50,)),
        ("ladder", "increase", 50, 50, (50,)),
        ("ladder", "stable", 40, 20, (40, 60)),
    ],
)
def test_the_zone_is_where_a_good_metric_lies(family, expect, start, width, limits):
    zone = lane_of(check("a", family, 0.0, expect=expect), SCALE, 0.1).zone

    assert (zone.start, zone.width, zone.limits) == (start, width, limits)


def test_a_probe_has_no_zone():
    assert lane_of(check("a", "probe", 0.0), SCALE, 0.1).zone is None


def test_without_a_margin_in_standard_deviations_no_margin_is_drawn():
    assert lane_of(check("a", "manipulation", 0.0), SCALE, None).zone is None


def test_an_effect_without_an_interval_is_a_point_and_no_line():
    lane = lane_of(check("a", "manipulation", 0.5, low=None, high=None), SCALE, 0.1)

    assert (lane.low, lane.high) == (lane.point, lane.point)


def test_an_interval_that_is_open_to_one_side_runs_to_the_edge():
    lane = lane_of(check("a", "manipulation", 0.0, low=None, high=0.5), SCALE, 0.1)

    assert (lane.low, lane.high) == (0, 75)


def test_no_effect_no_lane():
    assert lane_of(check("a", "probe", None), SCALE, 0.1) is None


def test_the_tone_is_the_verdicts():
    assert lane_of(check("a", "manipulation", 0.3, Verdict.FAIL), SCALE, 0.1).tone == "bad"
