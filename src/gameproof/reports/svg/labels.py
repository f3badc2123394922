"""Find places for the labels of points, so that no label covers another or a point."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Box", "Label", "place_labels"]

DISTANCES = (9.0, 16.0, 26.0, 38.0, 52.0, 70.0, 92.0, 120.0, 150.0, 190.0)
ANGLES = tuple(math.radians(degrees) for degrees in (0, 180, 315, 45, 225, 135, 270, 90, 340, 20, 200, 160))
LINE_FROM = 16.0  # a label further from its point than this is tied to it by a line


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """Say whether two rectangles overlap."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def within(self, other: "Box") -> bool:
        """Say whether this rectangle lies inside another one."""
        return (
            other.left <= self.left
            and self.right <= other.right
            and other.top <= self.top
            and self.bottom <= other.bottom
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """Where a label goes."""

    box: Box
    tied: bool  # far from its point: a line leads to it


def place_labels(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    frame: Box,
    *,
    radius: float = 7.0,
) -> list[Label | None]:
    """Place one label for each point: as near as possible, inside the frame, on nothing else.

    Points in the thick of others choose first, since they have the fewest free places. Where there is no free
    place at all the label is None, and the page names the point by a number.

    Args:
        points: Centres.
        sizes: Width and height of each label.
        frame: Where labels may be.
        radius: Of the mark of a point, which no label may cover.
    """
    marks = [Box(left=x - radius, top=y - radius, right=x + radius, bottom=y + radius) for x, y in points]
    order = sorted(range(len(points)), key=lambda place: _room(points, place))
    placed: dict[int, Label] = {}
    for place in order:
        taken = [*(label.box for label in placed.values()), *marks]
        found = _first_free(points[place], sizes[place], frame, taken)
        if found is not None:
            placed[place] = found
    return [placed.get(place) for place in range(len(points))]


def _room(points: Sequence[tuple[float, float]], place: int) -> float:
    """Return the distance to the nearest other point."""
    return min(
        (math.dist(points[place], other) for number, other in enumerate(points) if number != place),
        default=math.inf,
    )


def _first_free(
    point: tuple[float, float], size: tuple[float, float], frame: Box, taken: Sequence[Box]
) -> Label | None:
    for distance in DISTANCES:
        for angle in ANGLES:
            box = _beside(point, size, distance, angle)
            if box.within(frame) and not any(box.meets(other) for other in taken):
                return Label(box=box, tied=distance >= LINE_FROM)
    return None


def _beside(point: tuple[float, float], size: tuple[float, float], distance: float, angle: float) -> Box:
    """Return the box whose nearest edge lies so far away in a direction."""
    width, height = size
    x = point[0] + distance * math.cos(angle)
    y = point[1] + distance * math.sin(angle)
    left = x - width * (1 - math.cos(angle)) / 2
    top = y - height * (1 - math.sin(angle)) / 2
    return Box(left=left, top=top, right=left + width, bottom=top + height)
