"""Draw the alignment map: agreement with ratings against what the worst trick gains."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from gameproof.reports.svg.draw import circle, element, figure, line, path, rect, text
from gameproof.reports.svg.labels import Box, Label, place_labels
from gameproof.reports.words import MINUS, Tone, fold_name

__all__ = ["MapPoint", "Sheet", "draw_map"]

# Points beyond the usual gains stand at the edge, with an arrow and their value: one of them would squeeze all others.
LARGEST_GAIN = 1.5
LEAST_TOP = 0.3
BEYOND_USUAL = 1.5  # times the upper quartile
LETTER = 6.7  # width of a letter of a label, and the height of its line, in units of the drawing
LINE = 14.0
MARGINS = Box(left=50.0, top=14.0, right=14.0, bottom=42.0)
TICK_STEPS = (0.05, 0.1, 0.2, 0.25, 0.5, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapPoint:
    """One metric on the map."""

    name: str
    rho: float
    gain: float  # the largest effect of a manipulation
    tone: Tone  # of its card


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A size of the drawing: wide for a screen, narrow for a phone."""

    name: str
    width: float
    height: float
    label_letters: int  # a longer name is broken


@dataclass(frozen=True, slots=True, kw_only=True)
class _Axis:
    low: float
    high: float
    start: float  # where `low` lies on the sheet
    end: float

    def place(self, value: float) -> float:
        value = min(max(value, self.low), self.high)
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        span = self.high - self.low
        step = next((size for size in TICK_STEPS if span / size <= most), TICK_STEPS[-1])
        first = math.ceil(self.low / step - 1e-9)
        return [round(step * number, 4) for number in range(first, math.floor(self.high / step + 1e-9) + 1)]


def draw_map(
    points: Sequence[MapPoint], sheet: Sheet, *, margin: float | None, least_rho: float, ident: str
) -> Markup:
    """Draw every metric as a labelled point; the shaded corner is where a good metric lies.

    Args:
        points: The metrics that have both numbers.
        sheet: The size.
        margin: The largest harmless gain, where it is a number of standard deviations.
        least_rho: From here on a metric counts as agreeing with ratings.
        ident: Unique in the page.
    """
    across, up = _axes(points, sheet, margin or 0.0)
    centres = [(across.place(point.rho), up.place(point.gain)) for point in points]
    names = [_label_lines(point, up, sheet.label_letters) for point in points]
    sizes = [(max(map(len, lines)) * LETTER + 4, len(lines) * LINE) for lines in names]
    frame = Box(left=across.start + 2, top=up.end + 2, right=across.end - 2, bottom=up.start - 2)
    labels = place_labels(centres, sizes, frame)
    return figure(
        *_ground(across, up, margin, least_rho),
        *(_tie(centre, label) for centre, label in zip(centres, labels, strict=True) if label and label.tied),
        *(_mark(point, centre, up) for point, centre in zip(points, centres, strict=True)),
        *(_name(lines, label) for lines, label in zip(names, labels, strict=True) if label is not None),
        *(
            text(str(number), (centre[0], centre[1] + 3), "map-number", anchor="middle")
            for number, (centre, label) in enumerate(zip(centres, labels, strict=True), start=1)
            if label is None
        ),
        ident=ident,
        title="Alignment map",
        desc=_in_words(points),
        width=sheet.width,
        height=sheet.height,
        class_=f"map {sheet.name}",
    )


def _axes(points: Sequence[MapPoint], sheet: Sheet, margin: float) -> tuple[_Axis, _Axis]:
    rhos = [point.rho for point in points]
    gains = sorted(point.gain for point in points)
    usual = max(BEYOND_USUAL * gains[3 * (len(gains) - 1) // 4], 2 * margin, LEAST_TOP)
    top = min(max(gains), usual if len(gains) > 2 else LARGEST_GAIN, LARGEST_GAIN)
    low_rho, high_rho = min([*rhos, 0.0]) - 0.04, max([*rhos, 0.3]) + 0.06
    low_gain, high_gain = (
        max(min([*gains, -0.15]), -LARGEST_GAIN) - 0.05,
        max(top, 2 * margin, LEAST_TOP) + 0.06,
    )
    return (
        _Axis(low=low_rho, high=high_rho, start=MARGINS.left, end=sheet.width - MARGINS.right),
        _Axis(low=low_gain, high=high_gain, start=sheet.height - MARGINS.bottom, end=MARGINS.top),
    )


def _label_lines(point: MapPoint, up: _Axis, letters: int) -> list[str]:
    beyond = [f"({point.gain:+.2f})"] if point.gain > up.high else []
    return [*fold_name(point.name[:80], letters), *beyond]


def _ground(across: _Axis, up: _Axis, margin: float | None, least_rho: float) -> list[Markup]:
    left, top, right, bottom = across.start, up.end, across.end, up.start
    limit = up.place(0.0 if margin is None else margin)
    least = across.place(least_rho)
    middle = (left + right) / 2
    return [
        rect((least, limit), (right - least, bottom - limit), "map-good"),
        rect((left, top), (right - left, bottom - top), "map-frame"),
        *(
            part
            for value in across.ticks(7)
            for part in (
                line((across.place(value), bottom), (across.place(value), bottom + 4), "map-tick"),
                text(_signed(value), (across.place(value), bottom + 17), "map-scale", anchor="middle"),
            )
        ),
        *(
            part
            for value in up.ticks(8)
            for part in (
                line((left - 4, up.place(value)), (left, up.place(value)), "map-tick"),
                text(_signed(value), (left - 7, up.place(value) + 4), "map-scale", anchor="end"),
            )
        ),
        line((left, up.place(0.0)), (right, up.place(0.0)), "zero"),
        line((left, limit), (right, limit), "limit"),
        line((least, top), (least, bottom), "limit"),
        text("agreement with ratings \u2192", (middle, bottom + 35), "map-axis", anchor="middle"),
        element(
            "text",
            "gain by the worst trick \u2192",
            x=13,
            y=(top + bottom) / 2,
            transform=f"rotate(-90 13 {(top + bottom) / 2:.1f})",
            text_anchor="middle",
            class_="map-axis",
        ),
        text("agree and resist", (right - 6, bottom - 7), "map-corner", anchor="end"),
    ]


def _signed(value: float) -> str:
    return f"{abs(value):g}" if value >= 0 else f"{MINUS}{abs(value):g}"


def _tie(centre: tuple[float, float], label: Label) -> Markup:
    box = label.box
    end = (min(max(centre[0], box.left), box.right), min(max(centre[1], box.top + 3), box.bottom - 3))
    return line(centre, end, "map-tie")


def _mark(point: MapPoint, centre: tuple[float, float], up: _Axis) -> Markup:
    x, y = centre
    if point.gain > up.high:
        return path(f"M{x - 6:.1f} {y + 6:.1f} h12 l-6 -11 Z", f"map-point {point.tone}")
    if point.tone == "bad":
        return rect((x - 5, y - 5), (10, 10), f"map-point {point.tone}")
    return circle(centre, 5.5, f"map-point {point.tone}")


def _name(lines: Sequence[str], label: Label) -> Markup:
    box = label.box
    return element(
        "text",
        *(
            element("tspan", words, x=box.left + 2, y=box.top + LINE * (number + 1) - 3.5)
            for number, words in enumerate(lines)
        ),
        class_="map-name",
    )


def _in_words(points: Sequence[MapPoint]) -> str:
    return "; ".join(
        f"{point.name[:80]}: correlation {point.rho:.2f}, worst manipulation {point.gain:+.2f}"
        for point in points
    )
