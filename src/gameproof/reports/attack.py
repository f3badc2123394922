"""Attacks as tables and sentences: for the terminal, as Markdown, and as a page of its own."""

from collections.abc import Mapping, Sequence

from gameproof.attacks.result import AttackResult, Attacks, Goodhart, Universal
from gameproof.audits.checks import MIN_TASKS
from gameproof.reports.markdown_text import markdown_table, safe_markdown
from gameproof.reports.printable import printable
from gameproof.reports.words import format_effect, format_interval, format_number
from gameproof.stats.gaming import GamingResult
from gameproof.stats.results import Interval

__all__ = [
    "budget_rows",
    "conclusion",
    "curve_rows",
    "goodhart_sentence",
    "move_rows",
    "probe_rows",
    "render_html",
    "render_markdown",
    "universal_sentence",
]

TABLES: Mapping[str, str] = {
    "budgets": "What each budget buys",
    "moves": "Moves in the winning texts",
    "probes": "Texts that say nothing, and orders to a judge",
    "goodhart": "Best of n by the metric",
}


def conclusion(result: AttackResult) -> str:
    """Say in a sentence or two what the attack showed."""
    step = result.largest
    found = step.result
    effort = f"{step.budget:,} scored {'proposal' if step.budget == 1 else 'proposals'} a text"
    if found.gamed and found.gap is None:
        return f"Gamed: with {effort} the metric rose; {found.detail}."
    if found.gap is None or found.gain is None:
        return f"Nothing can be said: {found.detail or 'there is no spread'}."
    gap = f"{format_effect(found.gap)} {_interval(found.gap_interval)}".strip()
    moved = (
        f"the metric rose by {format_effect(found.gain)} and quality by {format_effect(found.quality_gain)}"
    )
    if result.verdict == "gamed":
        smallest = result.smallest_gamed
        least = f" {smallest:,} already suffice." if smallest is not None and smallest < step.budget else ""
        return f"Gamed: with {effort} {moved} standard deviations, a gap of {gap}.{least}"
    if result.verdict == "held":
        return f"Held: with {effort} {moved}; the gap of {gap} is shown to be below {found.margin:g}."
    if found.held:
        return (
            f"Not decided: with {effort} {moved}; the gap is {gap}, but {found.n_tasks:,} tasks are too few to show that a"
            f" metric holds: it takes {MIN_TASKS}."
        )
    return f"Not decided: with {effort} {moved}; the gap of {gap} may lie on either side of {found.margin:g}."


def budget_rows(result: AttackResult) -> list[dict[str, str]]:
    """Return one row a budget, the largest first."""
    return [
        {
            "budget": f"{step.budget:,}",
            "metric gain": format_effect(step.result.gain),
            "quality gain": format_effect(step.result.quality_gain),
            "slope": format_number(step.result.slope),
            "gap": format_effect(step.result.gap),
            "95%": _interval(step.result.gap_interval),
            "gamed": _answer(step.result, reached=step.reached),
        }
        for step in result.steps
    ]


def move_rows(result: AttackResult, most: int = 8) -> list[dict[str, str]]:
    """Return the moves that winning texts were made by, the most frequent first."""
    return [
        {"move": use.move, "share of winners": f"{use.share:.0%}", "texts": f"{use.n:,}"}
        for use in result.moves[:most]
    ]


def probe_rows(result: AttackResult, *, short: bool = False) -> list[dict[str, str]]:
    """Return one row a fixed text with its attack success rate; with `short` the worst of each kind."""
    probes = list(result.probes)
    if short:
        worst: dict[str, int] = {}
        for place, row in enumerate(probes):
            kind = row.name.rstrip("0123456789_")
            if kind not in worst or (row.success or 0) > (probes[worst[kind]].success or 0):
                worst[kind] = place
        probes = [probes[place] for place in worst.values()]
    return [
        {
            "text": _cut(row.text, 44 if short else 90),
            "put": "behind" if row.name.startswith("injection_") and "alone" not in row.name else "instead",
            "success": "" if row.success is None else f"{row.success:.0%}",
            "95%": _interval(
                None if row.low is None or row.high is None else Interval(low=row.low, high=row.high)
            ),
            "mean gain": format_effect(row.mean_gain),
            **({"missing": f"{row.n_missing:,}"} if any(each.n_missing for each in probes) else {}),
        }
        for row in probes
    ]


def curve_rows(goodhart: Goodhart) -> list[dict[str, str]]:
    """Return one row for each n of the Goodhart curve."""
    if goodhart.curve is None:
        return []
    return [
        {
            "n": f"{point.n:,}",
            "metric": format_effect(point.metric),
            "quality": format_effect(point.quality),
            "honest line": format_effect(point.honest),
            "share of ideal": format_number(point.share),
            "95%": _interval(point.interval),
        }
        for point in goodhart.curve.points
    ]


def goodhart_sentence(goodhart: Goodhart) -> str:
    """Say what the curve comes to, or why there is none."""
    curve = goodhart.curve
    if curve is None:
        return f"No Goodhart curve: {goodhart.why_not}."
    parts = [
        f"Quality by {goodhart.by}, {curve.n_tasks:,} tasks; area lost {format_number(curve.area_lost)}"
        f" {_interval(curve.area_interval)}".rstrip()
    ]
    if curve.late_change is not None:
        parts.append(
            f"quality from a quarter of the largest n to it: {format_effect(curve.late_change)}"
            f" {_interval(curve.late_interval)}".rstrip()
        )
    return "; ".join(parts) + "."


def universal_sentence(universal: Universal | None) -> str:
    """Say what one addition to all texts does."""
    if universal is None:
        return "No prefix or suffix was learned."
    found = universal.result
    word = (
        "fools the metric" if found.gamed else "does not fool the metric" if found.held else "is not decided"
    )
    return (
        f"The best {universal.place} of {universal.n_training_tasks:,} training tasks {word} on {found.n_tasks:,} others:"
        f" gain {format_effect(found.gain)}, gap {format_effect(found.gap)} {_interval(found.gap_interval)}:"
        f" “{_cut(universal.text, 200)}”"
    )


def render_markdown(found: Attacks) -> str:
    """Return all attacks of a run as Markdown."""
    parts = ["# Attacks", f"Data: {safe_markdown(found.data)}, seed {found.seed}."]
    parts += [f"> {safe_markdown(note)}" for note in found.notes]
    for result in found.results:
        parts += [f"## `{printable(result.metric)}`", safe_markdown(conclusion(result)), _about(result)]
        for name, rows in _tables(result).items():
            if rows:
                head = list(rows[0])
                body = [[safe_markdown(printable(row[key])) for key in head] for row in rows]
                parts += [f"### {TABLES[name]}", markdown_table(head, body)]
        parts += [
            safe_markdown(goodhart_sentence(result.goodhart)),
            safe_markdown(universal_sentence(result.universal)),
        ]
        parts += [f"> {safe_markdown(note)}" for note in _notes(result)]
    return "\n\n".join(parts) + "\n"


def render_html(found: Attacks) -> str:
    """Return all attacks of a run as one page that needs no network."""
    from gameproof.reports.html.differences import mark_differences  # noqa: PLC0415 - most runs write no page
    from gameproof.reports.html.environment import page_environment, policy_for, styles  # noqa: PLC0415

    sections = [
        {
            "metric": printable(result.metric),
            "verdict": result.verdict,
            "conclusion": conclusion(result),
            "about": _about(result),
            "tables": [(TABLES[name], rows) for name, rows in _tables(result).items() if rows],
            "goodhart": goodhart_sentence(result.goodhart),
            "universal": universal_sentence(result.universal),
            "notes": [printable(note) for note in _notes(result)],
            "examples": [
                {
                    "item": printable(example.item),
                    "moves": ", ".join(example.moves),
                    "metric": " → ".join(format_number(value) for value in example.metric),
                    "quality": " → ".join(format_number(value) for value in example.quality),
                    "texts": mark_differences(_clean(example.original), _clean(example.attacked)),
                }
                for example in result.examples
            ],
            "signature": printable(result.signature),
        }
        for result in found.results
    ]
    page = page_environment().get_template("attack.html")
    return page.render(
        data=printable(found.data),
        seed=found.seed,
        notes=[printable(note) for note in found.notes],
        sections=sections,
        style=styles(),
        policy=policy_for(str(styles())),
    )


def _tables(result: AttackResult) -> dict[str, Sequence[Mapping[str, str]]]:
    return {
        "budgets": budget_rows(result),
        "moves": move_rows(result),
        "probes": probe_rows(result),
        "goodhart": curve_rows(result.goodhart),
    }


def _about(result: AttackResult) -> str:
    by_model = (
        "" if result.box is None else f", half of the texts proposed by a language model ({result.box} box)"
    )
    return (
        f"{result.n_items:,} texts of {result.n_tasks:,} tasks; strategy {result.strategy}{by_model}; {result.n_calls:,}"
        f" proposals scored; at most {result.longest:g} times the words; access to {_ACCESS[result.access]};"
        f" quality by {result.quality}."
    )


def _notes(result: AttackResult) -> list[str]:
    missing = result.largest.n_missing
    return [
        *result.notes,
        *(f"{count:,} x {reason}" for reason, count in result.failures.items()),
        *([f"{missing:,} texts have no score on the measuring side and are left out"] if missing else []),
    ]


def _answer(result: GamingResult, *, reached: bool) -> str:
    word = {True: "yes", False: "no", None: "unknown"}[result.gamed]
    return word if reached else f"({word})"


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else format_interval(interval.low, interval.high)


def _clean(text: str) -> str:
    return printable(" ".join(text.split()))


def _cut(text: str, most: int) -> str:
    shown = _clean(text)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


_ACCESS = {"none": "neither references nor source", "source": "the source (second arm)"}
