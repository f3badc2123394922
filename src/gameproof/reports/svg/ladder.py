"""Draw how a score climbs a ladder, as a small line."""

from markupsafe import Markup

from gameproof.audits.evidence import Curve
from gameproof.reports.svg.draw import circle, figure, line, polyline
from gameproof.reports.words import Tone, check_title, format_effect

__all__ = ["draw_ladder"]

WIDTH, HEIGHT, EDGE = 132.0, 40.0, 6.0


def draw_ladder(curve: Curve, tone: Tone, reach: float, ident: str) -> Markup:
    """Draw the change since the start at each level; 0 is the middle line, ``reach`` the upper edge."""
    changes = [0.0, *curve.changes] if curve.from_original else list(curve.changes)
    step = (WIDTH - 2 * EDGE) / max(len(changes) - 1, 1)
    points = [
        (EDGE + number * step, HEIGHT / 2 - (HEIGHT / 2 - EDGE) * max(min(change / reach, 1.0), -1.0))
        for number, change in enumerate(changes)
    ]
    told = ", ".join(
        f"level {level}: {format_effect(change)}"
        for level, change in zip(curve.levels, curve.changes, strict=True)
    )
    return figure(
        line((0, HEIGHT / 2), (WIDTH, HEIGHT / 2), "zero"),
        polyline(points, f"climb {tone}"),
        *(circle(point, 2.5, f"step {tone}") for point in points),
        ident=ident,
        title=check_title(curve.check),
        desc=f"mean change of the score since the start, in standard deviations: {told}",
        width=WIDTH,
        height=HEIGHT,
        class_="ladder",
    )
