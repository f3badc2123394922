"""What could be recomputed of the papers' tables, how close it came, and what could not be, with the reason."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gameproof.audits.reproduce import Closeness, OurReading, Reproduced
from gameproof.audits.result import AuditResult, CheckRow
from gameproof.datasets.loaders.table import PUBLIC
from gameproof.datasets.published import TABLES, PublishedValue, find_values, values
from gameproof.reports.markdown_text import markdown_table, safe_markdown
from gameproof.reports.published import published_beside
from gameproof.reports.reproducible import LEVEL_METRICS, LEVEL_TESTS, LEVELS, printed_results, why_missing
from gameproof.reports.tables import Table
from gameproof.reports.words import NOTHING, format_effect, format_interval
from gameproof.stats.results import Verdict

__all__ = [
    "Reproduction",
    "as_records",
    "beside_effects",
    "beside_levels",
    "render_reproduction",
    "reproduction_tables",
]

SCHEMA = "gameproof.reproduction/1"
RHO, RATE = "spearman_rho", "monotonicity_M"
NO_REFERENCE = "no reference"
DECIDED = {Closeness.EQUAL: "equal", Closeness.ROUNDING: "within rounding", Closeness.DIFFERS: "differ"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """Everything that `gameproof reproduce` found."""

    recomputed: tuple[Reproduced, ...]  # from printed values alone
    readings: tuple[OurReading, ...]  # the printed manipulations by our rule
    measured: tuple[Reproduced, ...] = ()  # on data that was given, beside printed values
    notes: tuple[str, ...] = ()


def beside_effects(result: AuditResult) -> tuple[Reproduced, ...]:
    """Put the effects of an audit on one of the data sets of "Scoring Rules!" beside the printed ones."""
    public = str(result.run.get("public"))
    printed = {
        (value.source, value.metric, value.check): value
        for value in values()
        if value.dataset == PUBLIC[public].paper
    }
    beside = [(row, printed[row.source, row.published_metric, row.check]) for row in published_beside(result)]
    return tuple(
        Reproduced(
            table=value.table,
            of=value,
            what=f"{row.metric} · {public} · {row.check or 'correlation'}",
            published=_with_half(row.published, row.published_low),
            ours=f"{format_effect(row.here)} {format_interval(row.here_low, row.here_high)} ({row.n:,} texts)",
            difference=row.difference,
            closeness=Closeness.OVERLAP
            if row.overlap
            else Closeness.SAME_SIGN
            if row.here * row.published > 0
            else Closeness.DIFFERS,
        )
        for row, value in beside
    )


def _with_half(value: float, low: float | None) -> str:
    return format_effect(value) if low is None else f"{format_effect(value)} ± {value - low:.2f}"


def beside_levels(result: AuditResult) -> tuple[Reproduced, ...]:
    """Put rho and M of an audit of reference summaries beside those of "Information Satisfaction", table 2."""
    printed = {(value.metric, value.check, value.quantity): value for value in find_values(table=LEVELS)}
    found: list[Reproduced] = []
    for metric in result.metrics:
        name, _, reference = metric.metric.partition(",reference=")
        turn = metric.higher_is_better is not False
        for check in metric.checks:
            test = LEVEL_TESTS[check.check]
            for quantity, ours in _rho_and_rate(check, turn=turn):
                value = printed.get((LEVEL_METRICS[name], test, quantity))
                if value is not None and value.value is not None and ours is not None:
                    found.append(_level(f"{name} · {test}", value, value.value, ours, against=reference))
    return tuple(found)


def _rho_and_rate(check: CheckRow, *, turn: bool) -> tuple[tuple[str, float | None], ...]:
    """Return rho and M of the score itself: an audit turns the signs of metrics where less is better."""
    rho = None if check.rho is None else check.rho if turn else -check.rho
    rate = None if check.match_rate is None else check.match_rate if turn else 1 - check.match_rate
    return (RHO, rho), (RATE, rate)


def _level(what: str, value: PublishedValue, published: float, ours: float, *, against: str) -> Reproduced:
    same_sign = value.quantity == RHO and ours * published > 0
    return Reproduced(
        table=LEVELS,
        of=value,
        what=what,
        against=against,
        published=value.printed,
        ours=f"{ours:.2f}",
        difference=ours - published,
        closeness=Closeness.EQUAL
        if f"{ours:.2f}" == f"{published:.2f}"
        else Closeness.SAME_SIGN
        if same_sign
        else Closeness.DIFFERS,
    )


def _level_table(rows: Sequence[Reproduced]) -> Table:
    """Put rho and M of each test in a line, a column for each text that may have been the reference."""
    printed: dict[str, dict[str, str]] = {}
    found: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        quantity = row.of.quantity if row.of is not None else ""
        printed.setdefault(row.what, {})[quantity] = row.published
        found.setdefault((row.what, row.against), {})[quantity] = row.ours
    references = list(dict.fromkeys(row.against for row in rows))
    return Table(
        title="reader tests beside printed values",
        columns=("test", "published", *(reference or NO_REFERENCE for reference in references)),
        rows=tuple(
            (
                what,
                _both(published),
                *(_both(found.get((what, reference))) for reference in references),
            )
            for what, published in printed.items()
        ),
    )


def _both(pair: Mapping[str, str] | None) -> str:
    """Write rho and M; a rho that is undefined, as of two levels, is a dash."""
    return "" if pair is None else f"{pair.get(RHO, NOTHING)}, {pair.get(RATE, NOTHING)}"


def _sign_table(rows: Sequence[Reproduced]) -> Table:
    """Count for each reference how many printed signs of rho come out."""
    signs: dict[str, list[bool]] = {}
    for row in rows:
        if row.of is not None and row.of.quantity == RHO:
            signs.setdefault(row.against or NO_REFERENCE, []).append(row.closeness is not Closeness.DIFFERS)
    return Table(
        title="signs of rho",
        columns=("scored against", "signs as published", "of"),
        rows=tuple((reference, sum(found), len(found)) for reference, found in signs.items()),
    )


def reproduction_tables(found: Reproduction) -> dict[str, Table]:
    """Return all of it as tables of plain values."""
    levels = [row for row in found.measured if row.table == LEVELS]
    return {
        "summary": _summary(found.recomputed),
        "recomputed": _rows("recomputed from printed values", found.recomputed),
        "our_rule": _readings(found.readings),
        "measured": _rows(
            "measured beside printed values", [row for row in found.measured if row.table != LEVELS]
        ),
        "levels": _level_table(levels),
        "signs": _sign_table(levels),
        "not_reproduced": _left(found),
    }


def render_reproduction(found: Reproduction) -> str:
    """Write all of it as Markdown, rows that are equal counted and not listed."""
    tables = reproduction_tables(found)
    unequal = tuple(row for row in found.recomputed if row.closeness is not Closeness.EQUAL)
    parts = [
        "# The papers' tables, recomputed",
        "## From printed values alone",
        _markdown(tables["summary"]),
        "Those that are not equal:",
        _markdown(_rows("", unequal)),
        "## The printed manipulations by our rule",
        _markdown(tables["our_rule"]),
    ]
    if found.measured:
        parts += ["## On the data given", *map(safe_markdown, found.notes)]
        parts += [_markdown(tables[name]) for name in ("measured", "levels", "signs") if tables[name].rows]
    parts += ["## Not reproduced here, and why", _markdown(tables["not_reproduced"])]
    return "\n\n".join(parts) + "\n"


def _markdown(table: Table) -> str:
    rows = [["" if cell is None else safe_markdown(_cell(cell)) for cell in row] for row in table.rows]
    return markdown_table(list(table.columns), rows)


def _cell(cell: str | float) -> str:
    return f"{cell:+.3f}" if isinstance(cell, float) else str(cell)


def _summary(rows: Sequence[Reproduced]) -> Table:
    counts: dict[str, Counter[Closeness]] = {}
    for row in rows:
        counts.setdefault(row.table, Counter())[row.closeness] += 1
    return Table(
        title="recomputed from printed values",
        columns=("table", "values", *DECIDED.values()),
        rows=tuple(
            (_number(table), sum(found.values()), *(found[closeness] for closeness in DECIDED))
            for table, found in counts.items()
        ),
    )


def _rows(title: str, rows: Sequence[Reproduced]) -> Table:
    return Table(
        title=title,
        columns=("table", "what", "published", "ours", "difference", "close", "detail"),
        rows=tuple(
            (
                _number(row.table),
                row.what,
                row.published,
                row.ours,
                row.difference,
                row.closeness.value,
                row.detail,
            )
            for row in rows
        ),
    )


def _readings(readings: Sequence[OurReading]) -> Table:
    shown = (Verdict.PASS, Verdict.INCONCLUSIVE, Verdict.INSENSITIVE, Verdict.FAIL)
    return Table(
        title="printed manipulations by our rule",
        columns=(
            "metric",
            "of",
            "paper",
            "ours",
            *(verdict.value for verdict in shown[1:]),
        ),
        rows=tuple(
            (row.metric, row.n, row.passes_by_the_papers_rule, *(row.verdicts.get(v, 0) for v in shown))
            for row in readings
        ),
    )


def _left(found: Reproduction) -> Table:
    done = {row.of for row in (*found.recomputed, *found.measured)}
    counts = Counter((value.table, why_missing(value)) for value in printed_results() if value not in done)
    return Table(
        title="not reproduced here",
        columns=("table", "values", "why"),
        rows=tuple((_number(table), n, why) for (table, why), n in counts.items()),
    )


def _number(table: str) -> str:
    row = TABLES[table]
    counts = ", counts" if row.dataset is None else ""
    return f"{row.paper.partition(' (')[0]}, {row.number}{counts}"


def as_records(found: Reproduction) -> dict[str, object]:
    """Return all of it as JSON has it."""
    return {
        "schema": SCHEMA,
        **{name: table.records() for name, table in reproduction_tables(found).items()},
        "notes": list(found.notes),
    }
