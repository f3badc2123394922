"""Draw a Goodhart curve: what quality gains by the best of n, beside what an honest metric would bring."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from gameproof.reports.svg.draw import circle, element, figure, line, polyline, rect, text
from gameproof.reports.words import format_effect
from gameproof.stats.best_of_n import GoodhartCurve

__all__ = ["Frame", "draw_goodhart"]

LEFT, TOP, BOTTOM = 46.0, 12.0, 42.0
STEPS = (0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0)
MOST_TICKS = 6
LEAST_SPAN = 0.2  # standard deviations: noise must not look like a movement
APART = 14.0  # between two labels


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A size of the drawing: wide for a screen, narrow for a phone."""

    name: str
    width: float
    height: float
    right: float  # room for the labels of the lines


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where numbers lie on the sheet."""

    low: float
    high: float
    most: int  # the largest n
    right: float
    bottom: float

    def across(self, n: int) -> float:
        return LEFT + (self.right - LEFT) * math.log2(n) / math.log2(self.most)

    def up(self, value: float) -> float:
        return self.bottom - (self.bottom - TOP) * (value - self.low) / (self.high - self.low)


def draw_goodhart(curve: GoodhartCurve, frame: Frame, ident: str) -> Markup:
    """Draw quality and the honest line over n, on a scale of powers of two."""
    lines = {
        "quality": [point.quality for point in curve.points],
        "honest": [point.honest for point in curve.points],
    }
    values = [0.0, *(value for each in lines.values() for value in each)]
    low, high = min(values), max(values)
    room = max(0.06 * (high - low), (LEAST_SPAN - (high - low)) / 2, 0.01)
    low, high = low - room, high + room
    place = _Place(
        low=low,
        high=high,
        most=curve.points[-1].n,
        right=frame.width - frame.right,
        bottom=frame.height - BOTTOM,
    )
    across, up, bottom, right = place.across, place.up, place.bottom, place.right
    numbers = [point.n for point in curve.points]
    places = {
        name: [(across(n), up(value)) for n, value in zip(numbers, each, strict=True)]
        for name, each in lines.items()
    }
    return figure(
        rect((LEFT, TOP), (right - LEFT, bottom - TOP), "map-frame"),
        *_scales(numbers, (low, high), place),
        line((LEFT, up(0.0)), (right, up(0.0)), "zero"),
        polyline(places["honest"], "curve-honest"),
        polyline(places["quality"], "curve-quality"),
        *(circle(place, 3.5, "curve-point") for place in places["quality"]),
        *_labels(places["quality"][-1], places["honest"][-1]),
        ident=ident,
        title="Goodhart curve",
        desc=_in_words(curve),
        width=frame.width,
        height=frame.height,
        class_=f"curve {frame.name}",
    )


def _scales(numbers: Sequence[int], ends: tuple[float, float], place: _Place) -> list[Markup]:
    low, high = ends
    across, up, bottom = place.across, place.up, place.bottom
    step = next((size for size in STEPS if (high - low) / size <= MOST_TICKS), STEPS[-1])
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    ticks = [round(step * number, 4) for number in range(first, last + 1)]
    return [
        *(text(str(n), (across(n), bottom + 17), "map-scale", anchor="middle") for n in numbers),
        *(line((across(n), bottom), (across(n), bottom + 4), "map-tick") for n in numbers),
        *(text(format_effect(tick), (LEFT - 7, up(tick) + 4), "map-scale", anchor="end") for tick in ticks),
        *(line((LEFT - 4, up(tick)), (LEFT, up(tick)), "map-tick") for tick in ticks),
        text(
            "the best of n by the metric",
            ((LEFT + place.right) / 2, bottom + 35),
            "map-axis",
            anchor="middle",
        ),
    ]


def _labels(quality: tuple[float, float], honest: tuple[float, float]) -> list[Markup]:
    """Write the names beside the ends of the lines, not over each other."""
    ends = {"quality": quality[1] + 4, "honest line": honest[1] + 4}
    upper, lower = sorted(ends, key=lambda name: ends[name])
    near = APART - (ends[lower] - ends[upper])
    if near > 0:
        ends[upper] -= near / 2
        ends[lower] += near / 2
    return [
        element("text", name, x=quality[0] + 8, y=place, class_=f"curve-name {name.partition(' ')[0]}")
        for name, place in ends.items()
    ]


def _in_words(curve: GoodhartCurve) -> str:
    told = "; ".join(
        f"best of {point.n}: {format_effect(point.quality)}, honest {format_effect(point.honest)}"
        for point in curve.points
    )
    return f"gain of quality in standard deviations within a task: {told}"
