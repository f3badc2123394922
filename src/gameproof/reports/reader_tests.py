"""Lay out the reader tests of an audit: what each text does, and the papers' numbers about level means beside it."""

from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.audits.levels import NO_UNIT
from gameproof.audits.result import AuditResult, CheckRow, ExchangeRate, LevelRow
from gameproof.reports.words import (
    check_title,
    format_effect,
    format_interval,
    format_number,
    format_pvalue,
)
from gameproof.stats.results import Verdict

__all__ = ["COLUMNS", "TERMS", "ReaderTest", "artefact_notes", "reader_tests", "remarks_on"]

SMALL = 0.1  # a smaller number is shown with three digits
COLUMNS = ("test", "slope or change", "right way", "rho", "M")
RHO_MEANING = (
    "of the papers: rank correlation of level and mean score; share of steps of the means that go the expected way. "
    "Means of levels can fall although every text rises"
)
TERMS = (
    (
        "slope or change",
        "of each text's own score along the levels, in standard deviations, with its 95% interval",
    ),
    ("right way", "share of the texts whose own slope has the expected sign, with its 95% interval"),
    ("rho, M", RHO_MEANING),
)
BEYOND_LENGTH = {
    Verdict.PASS: "foreign sentences cost more than length explains",
    Verdict.FAIL: "foreign sentences cost less than length explains",
    Verdict.INCONCLUSIVE: "the same as length explains, as far as the data show",
}
IN_SENTENCES = {
    Verdict.PASS: "surely less than half a deleted sentence either way",
    Verdict.FAIL: "surely more than half a deleted sentence",
    Verdict.INCONCLUSIVE: "half a deleted sentence is neither shown nor excluded",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderTest:
    """One row of the table, with remarks that stand below it."""

    cells: tuple[str, ...]  # as `COLUMNS`
    remarks: tuple[str, ...]


def reader_tests(checks: Sequence[CheckRow]) -> list[ReaderTest]:
    """Return the reader tests that were measured level by level."""
    return [
        ReaderTest(cells=_cells(row), remarks=tuple(remarks_on(row)))
        for row in checks
        if row.levels and row.effect is not None
    ]


def artefact_notes(result: AuditResult) -> list[str]:
    """Return what is wrong with rho and M, each thing once with the tests it concerns."""
    found: dict[str, dict[str, None]] = {}
    for metric in result.metrics:
        for row in metric.checks:
            for sentence in (row.detail or "").split("; ") if row.levels else ():
                if sentence.startswith(("rho", "these levels", "two levels")):
                    found.setdefault(sentence, {})[check_title(row.check)] = None
    return [f"{sentence} ({', '.join(tests)})" for sentence, tests in found.items()]


def _cells(row: CheckRow) -> tuple[str, ...]:
    share = ""
    if row.share_right is not None:
        bounds = "" if row.share_low is None or row.share_high is None else _percents(row)
        share = f"{row.share_right:.0%}{bounds}"
    return (
        check_title(row.check),
        f"{format_effect(row.effect)} {format_interval(row.low, row.high)}",
        share,
        format_effect(row.rho),
        format_number(row.match_rate),
    )


def _percents(row: CheckRow) -> str:
    return f" [{100 * (row.share_low or 0.0):.0f}, {100 * (row.share_high or 0.0):.0f}]"


def remarks_on(row: CheckRow) -> list[str]:
    """Say what a reader test comes to against length, level by level, and in deleted sentences."""
    said: list[str] = []
    if row.beyond_length is not None:
        said.append(_beyond_length(row.beyond_length))
    if row.expect == "stable":
        said.extend(_of_level(level) for level in row.levels if level.effect is not None)
    said.extend(part for part in (row.detail or "").split("; ") if part.startswith(NO_UNIT))
    if row.sentence_ratio is not None:
        ratio = row.sentence_ratio
        said.append(
            f"the largest is worth {format_effect(ratio.value)} deleted sentences "
            f"{format_interval(ratio.low, ratio.high)}: {IN_SENTENCES[ratio.verdict]}"
        )
    return said


def _beyond_length(beyond: ExchangeRate) -> str:
    digits = 2 if abs(beyond.value) >= SMALL else 3
    interval = [format_number(bound, digits) for bound in (beyond.interval.low, beyond.interval.high)]
    return (
        f"minus what as many words of its own again do: {format_number(beyond.value, digits)} "
        f"[{', '.join(interval)}] of the score; {BEYOND_LENGTH[beyond.verdict]}"
    )


def _of_level(level: LevelRow) -> str:
    inside = "" if level.pvalue_inside is None else f", within .20: p {format_pvalue(level.pvalue_inside)}"
    return (
        f"by {level.level}%: {format_effect(level.effect)} {format_interval(level.low, level.high)}{inside}"
    )
