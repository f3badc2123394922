"""Write failed checks as letters, as the papers' tables do: by our verdicts, and by the papers' own rule."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gameproof.audits.result import CheckRow, MetricResult
from gameproof.fmi.spec import PRESETS
from gameproof.perturbations.catalogue import PERTURBATIONS
from gameproof.stats.results import State, Verdict

__all__ = [
    "FAMILIES",
    "FAULTS",
    "Fault",
    "LetterCell",
    "Mark",
    "letters_of",
    "metric_groups",
    "our_cell",
    "papers_cell",
]

Fault = Literal["wrong", "unmoved", "open"]

FAMILIES = ("degradation", "manipulation")
FAULTS: Mapping[Fault, str] = {
    "wrong": "the score rises",
    "unmoved": "no drop by more than the margin is shown, where one is due",
    "open": "undecided: the data cannot tell",
}
OPEN = frozenset({Verdict.INCONCLUSIVE, Verdict.INSENSITIVE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One check that a metric does not pass."""

    letter: str
    check: str
    fault: Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterCell:
    """One metric on one data set: which checks of a family it fails, of how many."""

    n: int  # checks with a verdict
    marks: tuple[Mark, ...]

    @property
    def n_failed(self) -> int:
        """Count the failed checks; undecided ones do not count."""
        return sum(mark.fault != "open" for mark in self.marks)

    @property
    def n_open(self) -> int:
        """Count the undecided checks."""
        return sum(mark.fault == "open" for mark in self.marks)

    def text(self) -> str:
        """Write the cell in plain characters: undecided letters stand in brackets.

        Example:
            >>> LetterCell(n=5, marks=(Mark(letter="P", check="p", fault="open"),)).text()
            '(P)'
        """
        if not self.n:
            return "\N{EN DASH}"
        return (
            "".join(f"({mark.letter})" if mark.fault == "open" else mark.letter for mark in self.marks) or "✓"
        )


def our_cell(metric: MetricResult, family: str) -> LetterCell:
    """Return what our verdicts say."""
    rows = [row for row in _rows(metric, family) if row.verdict is not None]
    letters = letters_of(family)
    marks = [
        Mark(letter=letters.get(row.check, "?"), check=row.check, fault=_our_fault(row))
        for row in rows
        if row.verdict is not Verdict.PASS
    ]
    return LetterCell(n=len(rows), marks=tuple(marks))


def papers_cell(metric: MetricResult, family: str) -> LetterCell:
    """Return what the papers' rule says, on the papers' own checks: a two-sided paired t-test with the sign."""
    rows = [row for row in _rows(metric, family) if row.parity_verdict is not None and not row.extra]
    letters = letters_of(family)
    marks = [
        Mark(letter=letters.get(row.check, "?"), check=row.check, fault=_papers_fault(row, family))
        for row in rows
        if row.parity_verdict != "pass"
    ]
    return LetterCell(n=len(rows), marks=tuple(marks))


def metric_groups(names: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Return metrics in the papers' two groups, each name once; a group without metrics is left out.

    Example:
        >>> metric_groups(["rougeL", "TV+fvar+statement+overlap"])[0]
        ('Mutual-information metrics', ['TV+fvar+statement+overlap'])
    """
    cells: dict[str, None] = {}
    others: dict[str, None] = {}
    for name in names:
        head = name.split(",", 1)[0]
        (cells if head in PRESETS or head.count("+") == 3 else others)[name] = None
    groups = [("Mutual-information metrics", list(cells)), ("Other metrics", list(others))]
    return [(title, found) for title, found in groups if found]


@functools.cache
def letters_of(family: str) -> Mapping[str, str]:
    """Return a letter for each check of a family: the papers' capitals, small letters for checks beyond them.

    Example:
        >>> letters_of("degradation")["sentence_deletion"], letters_of("manipulation")["repeat_text"]
        ('S', 'r')
    """
    rows = [row for row in PERTURBATIONS.values() if row.family == family]
    letters = {row.name: row.parity_code for row in rows if row.parity_code is not None}
    for row in rows:
        if row.name not in letters:
            letters[row.name] = _free_letter(row.name, list(letters.values()))
    return letters


def _free_letter(name: str, taken: Sequence[str]) -> str:
    initials = [word[0] for word in name.split("_") if word]
    wanted = [*initials, *(character for character in name if character.isalpha())]
    return next((letter for letter in wanted if letter not in taken), "?")


def _rows(metric: MetricResult, family: str) -> list[CheckRow]:
    return [row for row in metric.checks if row.family == family]


def _our_fault(row: CheckRow) -> Fault:
    if row.verdict in OPEN:
        return "open"
    rises = row.verdict is Verdict.WRONG_WAY or row.family == "manipulation"
    return "wrong" if rises else "unmoved"


def _papers_fault(row: CheckRow, family: str) -> Fault:
    if row.parity_verdict != "fail":
        return "open"
    rises = row.parity_low is not None and row.parity_low > 0
    alike = row.state is State.DETERMINISTIC and row.effect is not None and row.effect > 0
    return "wrong" if rises or alike or family == "manipulation" else "unmoved"
