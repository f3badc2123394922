"""Attacks as tables and sentences: for the terminal, for pages, and as Markdown."""

from collections.abc import Mapping, Sequence

from gameproof.attacks.result import AttackResult, Attacks, Example, Goodhart, Universal
from gameproof.audits.checks import MIN_TASKS
from gameproof.reports.markdown_text import code, markdown_table, safe_markdown
from gameproof.reports.printable import printable
from gameproof.reports.words import format_effect, format_interval, format_number
from gameproof.stats.gaming import SHOWN, GamingResult
from gameproof.stats.results import Interval

__all__ = [
    "about",
    "attack_notes",
    "attack_tables",
    "budget_rows",
    "conclusion",
    "counted",
    "curve_rows",
    "gap_words",
    "goodhart_sentence",
    "markdown_parts",
    "move_rows",
    "one_line",
    "probe_rows",
    "render_markdown",
    "universal_sentence",
]


MOST_SHOWN = 600  # characters of a found text in Markdown; the page shows what differs


def conclusion(result: AttackResult) -> str:
    """Say in a sentence or two what the attack showed."""
    step = result.largest
    found = step.result
    effort = f"{step.budget:,} scored {'proposal' if step.budget == 1 else 'proposals'} a text"
    if found.gamed and found.gap is None:
        return f"Gamed: with {effort} the metric rose; {found.detail}."
    if found.gap is None or found.gain is None:
        return f"Nothing can be said: {found.detail or 'there is no spread'}."
    gap = gap_words(result)
    moved = (
        f"the metric rose by {format_effect(found.gain)} and quality by {format_effect(found.quality_gain)}"
    )
    if result.verdict == "gamed":
        smallest = result.smallest_gamed
        fewer = smallest is not None and smallest < step.budget
        enough = "A single proposal is" if smallest == 1 else f"{smallest:,} proposals are"
        least = f" {enough} enough." if fewer else ""
        small = f" The gap is small: it is shown to be below {found.margin:g}." if found.held else ""
        return f"Gamed: with {effort} {moved} standard deviations, a gap of {gap}.{small}{least}{_caution(found)}"
    if result.verdict == "held":
        return f"Held: with {effort} {moved}; the gap of {gap} is shown to be below {found.margin:g}."
    return f"Not decided: with {effort} {moved}; {_open_question(found, gap)}."


def _open_question(found: GamingResult, gap: str) -> str:
    """Say what keeps an attack from being decided."""
    if found.held:
        return f"the gap is {gap}, but {found.n_tasks:,} tasks are too few to show that a metric holds: it takes {MIN_TASKS}"
    if found.gap_pvalue is not None and found.gap_pvalue <= SHOWN:
        return (
            f"a gap of {gap} is shown, but not that the metric's own score rises, which gaming takes as well"
        )
    return f"the gap of {gap} may lie on either side of {found.margin:g}"


def _caution(found: GamingResult) -> str:
    """Warn of a gap that the one-sided test shows, where few tasks leave its size open or its two-sided interval at 0."""
    if found.n_tasks >= MIN_TASKS or found.gap_interval is None or found.gap_interval.low > 0:
        return ""
    if found.gap_interval.low == 0:
        return (
            f" With {found.n_tasks:,} tasks alone it is shown that there is a gap, and not how large it is: attack"
            f" {MIN_TASKS} or more to know."
        )
    return (
        f" With {found.n_tasks:,} tasks alone the interval reaches below 0, while the one-sided test does not: attack"
        f" {MIN_TASKS} or more before you rely on it."
    )


def gap_words(result: AttackResult) -> str:
    """Return the gap at the largest budget with its interval."""
    found = result.largest.result
    return f"{format_effect(found.gap)} {_interval(found.gap_interval)}".strip()


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
            "text": f"“{_cut(row.text, 34)}”" if short else _cut(row.text, 90),
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
        f" gain {format_effect(found.gain)}, gap {f'{format_effect(found.gap)} {_interval(found.gap_interval)}'.rstrip()}:"
        f" “{_cut(universal.text, 200)}”"
    )


def render_markdown(found: Attacks) -> str:
    """Return all attacks of a run as Markdown."""
    parts = ["# Attacks", f"Data: {safe_markdown(printable(found.data))}, seed {found.seed}."]
    parts += [f"> {safe_markdown(printable(note))}" for note in found.notes]
    return "\n\n".join([*parts, *markdown_parts(found, "##")]) + "\n"


def markdown_parts(found: Attacks, heading: str) -> list[str]:
    """Return the paragraphs on each attacked metric, under headings of the given level."""
    parts: list[str] = []
    for result in found.results:
        parts += [f"{heading} {code(printable(result.metric))}: {result.verdict}"]
        parts += [safe_markdown(printable(conclusion(result))), safe_markdown(printable(about(result)))]
        for title, rows in attack_tables(result).items():
            if rows:
                head = list(rows[0])
                body = [[safe_markdown(printable(row[key])) for key in head] for row in rows]
                parts += [f"{heading}# {title}", markdown_table(head, body)]
        parts += [safe_markdown(printable(goodhart_sentence(result.goodhart)))]
        parts += [safe_markdown(universal_sentence(result.universal))]
        if result.examples:
            parts += [f"{heading}# Texts that gained most where it was measured"]
            parts += [_example(example) for example in result.examples]
        parts += [f"> {safe_markdown(printable(note))}" for note in attack_notes(result)]
    return parts


def _example(example: Example) -> str:
    moved = ", ".join(
        f"{name} {' → '.join(format_number(value) for value in values)}"
        for name, values in (("metric", example.metric), ("quality", example.quality))
    )
    return "\n".join(
        [
            f"- {safe_markdown(printable(example.item))}: {moved}; moves: {safe_markdown(', '.join(example.moves))}",
            f"  - original: {safe_markdown(_cut(example.original, MOST_SHOWN))}",
            f"  - attacked: {safe_markdown(_cut(example.attacked, MOST_SHOWN))}",
        ]
    )


def attack_tables(result: AttackResult) -> dict[str, Sequence[Mapping[str, str]]]:
    """Return the tables by their titles."""
    return {
        "What each budget buys": budget_rows(result),
        "Moves in the winning texts": move_rows(result),
        "Texts that say nothing, and orders to a judge": probe_rows(result),
        "Best of n by the metric": curve_rows(result.goodhart),
    }


def about(result: AttackResult) -> str:
    """Say how the metric was attacked."""
    by_model = (
        "" if result.box is None else f", half of the texts proposed by a language model ({result.box} box)"
    )
    return (
        f"{result.n_items:,} texts of {result.n_tasks:,} tasks; strategy {result.strategy}{by_model}; {result.n_calls:,}"
        f" proposals scored; at most {result.longest:g} times the words; access to {_ACCESS[result.access]};"
        f" quality by {result.quality}."
    )


def attack_notes(result: AttackResult) -> list[str]:
    """Return what a reader must know besides: what was left out, and why."""
    missing = result.largest.n_missing
    return [
        *result.notes,
        *(f"{count:,} x {reason}" for reason, count in result.failures.items()),
        *([f"{missing:,} texts have no score on the measuring side and are left out"] if missing else []),
    ]


def counted(moves: Sequence[str]) -> str:
    """Name the moves in their order, those made several times with their number."""
    return ", ".join(
        f"{move} ×{moves.count(move)}" if moves.count(move) > 1 else move  # noqa: RUF001 - the sign of multiplication
        for move in dict.fromkeys(moves)
    )


def one_line(text: str) -> str:
    """Return a text as one printable line."""
    return printable(" ".join(text.split()))


def _answer(result: GamingResult, *, reached: bool) -> str:
    word = {True: "yes", False: "no", None: "unknown"}[result.gamed]
    return word if reached else f"({word})"


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else format_interval(interval.low, interval.high)


def _cut(text: str, most: int) -> str:
    shown = one_line(text)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


_ACCESS = {"none": "neither references nor source", "source": "the source (second arm)"}
