"""Values as JSON and back: what is told where a record is damaged."""

import json
import math
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np
import pytest

from gameproof.reports.typed_json import plain_json, read_typed
from gameproof.stats.results import Interval


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Point:
    place: tuple[int, int]
    weight: float
    colour: Colour
    note: str | None = None
    anything: object = None


POINT = Point(place=(3, 4), weight=0.5, colour=Colour.RED)


def test_a_record_is_read_back_as_it_was():
    record = json.loads(json.dumps(plain_json(POINT)))
    assert record == {"place": [3, 4], "weight": 0.5, "colour": "red", "note": None, "anything": None}
    assert read_typed(Point, record, "point") == POINT
    kept = read_typed(Point, {**record, "anything": {"a": [1]}}, "point").anything
    assert kept == {"a": [1]}


def test_numbers_that_json_does_not_have_are_null_and_come_back_as_what_they_meant():
    assert plain_json([np.float64("nan"), -math.inf, np.int64(3), Path("a/b")]) == [None, None, 3, "a/b"]
    record = plain_json(POINT) | {"weight": None}
    assert math.isnan(read_typed(Point, record, "point").weight)
    assert read_typed(Interval, {"low": None, "high": 1}, "interval") == Interval(low=-math.inf, high=1)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"place": [3]}, r"point.place: found \[3\]; allowed: a list of 2"),
        ({"place": 3}, "point.place: found 3; allowed: a list"),
        ({"place": [3, "x"]}, r"point.place\[1\]: found 'x'; allowed: a whole number"),
        ({"weight": "heavy"}, "point.weight: found 'heavy'; allowed: a number"),
        ({"weight": 10**400}, "point.weight: found 1"),  # no double holds it
        ({"colour": "green"}, "point.colour: found 'green'; allowed: red, blue"),
        ({"note": 5}, "point.note: found 5; allowed: text or null"),
    ],
)
def test_a_value_of_another_type_is_told_with_its_place(change, told):
    with pytest.raises(ValueError, match=told):
        read_typed(Point, plain_json(POINT) | change, "point")


def test_a_field_that_is_missing_and_an_object_that_is_none_are_told():
    record = plain_json(POINT)
    del record["colour"]
    with pytest.raises(ValueError, match=r"point\.colour: found nothing; this field is required"):
        read_typed(Point, record, "point")
    with pytest.raises(ValueError, match="points: found 3; allowed: an object"):
        read_typed(dict[str, Point], 3, "points")
