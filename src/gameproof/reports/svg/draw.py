"""Write SVG elements: everything that comes from data is escaped."""

from markupsafe import Markup, escape

__all__ = ["circle", "element", "figure", "line", "path", "polyline", "rect", "text"]

Value = str | int | float | None


def element(name: str, /, *children: str, **attributes: Value) -> Markup:
    """Return one element; a child that is no markup yet is escaped, an attribute without a value is left out.

    Underscores in the names of attributes stand for hyphens; ``class_`` is ``class``.

    Example:
        >>> str(element("text", "a < b", x=1.50, text_anchor="end", class_="name"))
        '<text x="1.5" text-anchor="end" class="name">a &lt; b</text>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_plain(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(str(escape(child)) for child in children)
    return Markup(f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>")  # noqa: S704 - all parts are escaped


def figure(
    *children: str, ident: str, title: str, desc: str, width: float, height: float, class_: str
) -> Markup:
    """Return a whole picture with its name and what it shows, for people who hear the page.

    Args:
        children: What is drawn.
        ident: Unique in the page.
        title: Its name.
        desc: What it shows, in a sentence.
        width: Of the drawing, in its own units.
        height: The same.
        class_: How the page lays it out.
    """
    names = (f"{ident}-title", f"{ident}-desc")
    return element(
        "svg",
        element("title", title, id=names[0]),
        element("desc", desc, id=names[1]),
        *children,
        class_=class_,
        role="img",
        viewBox=f"0 0 {_plain(width)} {_plain(height)}",
        aria_labelledby=f"{names[0]} {names[1]}",
    )


def line(start: tuple[float, float], end: tuple[float, float], class_: str) -> Markup:
    """Return a straight line."""
    return element("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], class_=class_)


def rect(corner: tuple[float, float], size: tuple[float, float], class_: str) -> Markup:
    """Return a rectangle by its upper left corner."""
    return element(
        "rect", x=corner[0], y=corner[1], width=max(size[0], 0), height=max(size[1], 0), class_=class_
    )


def circle(centre: tuple[float, float], radius: float, class_: str) -> Markup:
    """Return a circle."""
    return element("circle", cx=centre[0], cy=centre[1], r=radius, class_=class_)


def path(course: str, class_: str) -> Markup:
    """Return a path, in SVG's own words."""
    return element("path", d=course, class_=class_)


def polyline(points: list[tuple[float, float]], class_: str) -> Markup:
    """Return a line through points."""
    course = " ".join(f"{_plain(x)},{_plain(y)}" for x, y in points)
    return element("polyline", points=course, class_=class_)


def text(words: str, place: tuple[float, float], class_: str, *, anchor: str | None = None) -> Markup:
    """Return words at a place; ``anchor`` says which end of them lies there: start, middle or end."""
    return element("text", words, x=place[0], y=place[1], text_anchor=anchor, class_=class_)


def _plain(value: Value) -> str:
    if isinstance(value, float):
        return f"{round(value, 2):g}" if abs(value) < 1e5 else f"{value:.0f}"
    return str(value)
