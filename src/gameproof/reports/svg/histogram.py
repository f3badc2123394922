"""Draw how scores are spread: the texts as they are filled in, texts of another task as an outline."""

from markupsafe import Markup

from gameproof.audits.evidence import Distribution
from gameproof.reports.svg.draw import figure, line, path, rect, text
from gameproof.reports.words import MINUS

__all__ = ["draw_histogram"]

WIDTH, HEIGHT = 280.0, 96.0
FLOOR = 76.0  # where the bars stand
TOP = 6.0


def draw_histogram(name: str, distribution: Distribution, ident: str) -> Markup:
    """Draw both distributions on one scale of shares, so that their shapes compare."""
    own, other = distribution.original, distribution.mismatched
    highest = max(_share(own, count) for count in own)
    if other:
        highest = max(highest, *(_share(other, count) for count in other))
    step = WIDTH / len(own)

    def height(counts: tuple[int, ...], count: int) -> float:
        return (FLOOR - TOP) * _share(counts, count) / highest

    bars = [
        rect((number * step + 0.5, FLOOR - height(own, count)), (step - 1, height(own, count)), "bin")
        for number, count in enumerate(own)
        if count
    ]
    outline = []
    if other:
        course = f"M0 {FLOOR:.1f}" + "".join(
            f" V{FLOOR - height(other, count):.1f} H{(number + 1) * step:.1f}"
            for number, count in enumerate(other)
        )
        outline = [path(f"{course} V{FLOOR:.1f}", "outline")]
    low, high = _tick(distribution.low), _tick(distribution.high)
    return figure(
        *bars,
        *outline,
        line((0, FLOOR), (WIDTH, FLOOR), "base"),
        text(low, (0, HEIGHT - 5), "tick"),
        *([text(high, (WIDTH, HEIGHT - 5), "tick", anchor="end")] if high != low else []),
        ident=ident,
        title=f"Scores of {name}",
        desc=f"{sum(own):,} texts from {low} to {high}, most of them near {_fullest(distribution)}"
        + (
            f"; {sum(other):,} texts of another task, most near {_fullest(distribution, other)}"
            if other
            else ""
        ),
        width=WIDTH,
        height=HEIGHT,
        class_="histogram",
    )


def _share(counts: tuple[int, ...], count: int) -> float:
    return count / max(sum(counts), 1)


def _fullest(distribution: Distribution, counts: tuple[int, ...] | None = None) -> str:
    counts = counts or distribution.original
    place = (counts.index(max(counts)) + 0.5) / len(counts)
    return _tick(distribution.low + place * (distribution.high - distribution.low))


def _tick(value: float) -> str:
    return f"{value:.3g}".replace("-", MINUS)
