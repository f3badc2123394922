"""Lay out and draw the lanes of a forest plot, as wide as the page gives them room."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from gameproof.audits.checks import STABLE_MARGIN
from gameproof.audits.result import CheckRow
from gameproof.reports.svg.draw import circle, element, path, rect
from gameproof.reports.words import MINUS, Tone, format_effect, format_interval, verdict_word

__all__ = ["Lane", "Scale", "Zone", "draw_difference", "draw_lane", "lane_of", "lane_scale"]

SMALLEST_REACH = 0.4  # keeps the margin visible, and tiny effects tiny
HEIGHT = 24
LARGEST_REACH = 1.5  # beyond it an arrow says that the effect goes on


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The range of effects from ``-reach`` to ``+reach``, drawn over the full width of a lane."""

    reach: float

    def percent(self, value: float) -> float:
        """Return where a value lies, in per cent of the width; values out of range lie at the edge."""
        return round(100 * (min(max(value, -self.reach), self.reach) + self.reach) / (2 * self.reach), 2)

    def ticks(self) -> tuple[str, str, str]:
        """Return the labels of the left edge, the middle and the right edge."""
        return f"{MINUS}{self.reach:g}", "0", f"+{self.reach:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """Where a good metric lies, and the limits inside the lane that bound it."""

    start: float
    width: float
    limits: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One effect with its interval; places are per cent of the width."""

    low: float
    high: float
    point: float
    beyond: str | None  # "left" or "right" where the effect is out of range
    zone: Zone | None  # where a good metric lies; None where nothing is expected
    tone: Tone
    label: str  # for people who hear the page


def lane_scale(rows: Iterable[CheckRow]) -> Scale:
    """Choose one scale for all lanes of a metric."""
    reach = SMALLEST_REACH
    for row in rows:
        ends = [abs(end) for end in (row.effect, row.low, row.high) if end is not None and math.isfinite(end)]
        reach = max([reach, *ends])
    return Scale(reach=math.ceil(min(reach, LARGEST_REACH) * 10) / 10)


def lane_of(row: CheckRow, scale: Scale, margin: float | None) -> Lane | None:
    """Place one effect, its interval and its limit on the scale; None where there is no effect."""
    if row.effect is None:
        return None
    beyond = None
    if abs(row.effect) > scale.reach:
        beyond = "left" if row.effect < 0 else "right"
    point, low, high = scale.percent(row.effect), row.low, row.high
    if low is None and high is None:  # no interval at all: a point, not a line over the whole lane
        low = high = row.effect
    return Lane(
        low=0.0 if low is None else scale.percent(low),
        high=100.0 if high is None else scale.percent(high),
        point=point,
        beyond=beyond,
        zone=_zone(row, scale, margin),
        tone=verdict_word(row).tone,
        label=f"effect {format_effect(row.effect)}, interval {format_interval(row.low, row.high)}",
    )


def draw_lane(lane: Lane, ident: str, title: str) -> Markup:
    """Draw the zone of a good metric, the interval, and the effect on top; places are per cent of the width.

    What is shown bad is a square, everything else a circle, hollow where nothing is decided.
    """
    zone = lane.zone
    middle = HEIGHT / 2
    return element(
        "svg",
        element("title", title, id=f"{ident}-title"),
        element("desc", lane.label, id=f"{ident}-desc"),
        *([] if zone is None else _draw_zone(zone)),
        _across(50, 50, 0, HEIGHT, "zero"),
        _across(lane.low, lane.high, middle, middle, "bar"),
        _draw_point(lane),
        class_=f"lane {lane.tone}",
        role="img",
        aria_labelledby=f"{ident}-title {ident}-desc",
    )


def draw_difference(
    numbers: tuple[float | None, float | None, float | None], scale: Scale, ident: str, title: str
) -> Markup | None:
    """Draw a difference with its interval; nothing is expected of it, so there is no zone.

    Args:
        numbers: The difference, and the ends of its interval; an end that is None is open.
        scale: Of the lane.
        ident: Unique in the page.
        title: What differs.
    """
    value, low, high = numbers
    if value is None:
        return None
    bounded = low is not None or high is not None
    shown = bounded and ((low is not None and low > 0) or (high is not None and high < 0))
    ends = (low if bounded else value, high if bounded else value)
    lane = Lane(
        low=0.0 if ends[0] is None else scale.percent(ends[0]),
        high=100.0 if ends[1] is None else scale.percent(ends[1]),
        point=scale.percent(value),
        beyond=None if abs(value) <= scale.reach else "left" if value < 0 else "right",
        zone=None,
        tone="good" if shown else "none",  # filled where a difference is shown, hollow elsewhere
        label=f"difference {format_effect(value)}, interval {format_interval(low, high)}",
    )
    return draw_lane(lane, ident, title)


def _draw_zone(zone: Zone) -> list[Markup]:
    ground = element("rect", class_="zone", x=f"{zone.start}%", y=0, width=f"{zone.width}%", height=HEIGHT)
    return [ground, *(_across(limit, limit, 0, HEIGHT, "limit") for limit in zone.limits)]


def _draw_point(lane: Lane) -> Markup:
    middle = HEIGHT / 2
    if lane.beyond == "left":
        return path("M10 5 L0 12 L10 19 Z", "point")
    if lane.beyond == "right":
        return element("svg", path("M-10 5 L0 12 L-10 19 Z", "point"), x="100%", overflow="visible")
    if lane.tone == "bad":
        return element(
            "svg", rect((-4.5, middle - 4.5), (9, 9), "point"), x=f"{lane.point}%", overflow="visible"
        )
    return element("svg", circle((0, middle), 5, "point"), x=f"{lane.point}%", overflow="visible")


def _across(start: float, end: float, top: float, bottom: float, class_: str) -> Markup:
    return element("line", class_=class_, x1=f"{start}%", x2=f"{end}%", y1=top, y2=bottom)


def _zone(row: CheckRow, scale: Scale, margin: float | None) -> Zone | None:
    ends = _ends(row, margin)
    if ends is None:
        return None
    low, high = (scale.percent(end) for end in ends)
    limits = tuple(scale.percent(end) for end in ends if math.isfinite(end))
    return Zone(start=low, width=round(high - low, 2), limits=limits)


def _ends(row: CheckRow, margin: float | None) -> tuple[float, float] | None:
    """Return the range of effects that a good metric shows; None where nothing is expected or known."""
    if row.family == "ladder":
        return {
            "decrease": (-math.inf, 0.0),
            "increase": (0.0, math.inf),
            "stable": (-STABLE_MARGIN, STABLE_MARGIN),
        }.get(row.expect)
    if margin is None:
        return None
    return {"decrease": (-math.inf, -margin), "no_increase": (-math.inf, margin)}.get(row.expect)
