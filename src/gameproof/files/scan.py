"""Read all rows once, validate them and report everything that is wrong together."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from gameproof.errors import DataError, InputError, PlanError, RowProblem
from gameproof.files.aliases import check_rename, list_columns, nearest_column
from gameproof.files.formats import CONVERT, NOT_UTF8, BadRow, RawRow
from gameproof.files.identity import IdentityLog, Repeats
from gameproof.files.notes import reading_notes
from gameproof.files.reference_choice import reference_note, refuse_lacking
from gameproof.files.rows import BadField, RowReader
from gameproof.files.sources import Source
from gameproof.records import Item

__all__ = ["Reading", "Scan", "items_of", "scan"]

MAX_KEPT = 10_000  # problems kept of a file that is bad throughout; all of them are counted
MAX_CONFLICTS = 100  # conflicting rows that are read again to say what differs
COMPARED = (
    "candidate", "references", "title", "reference_kinds", "ratings", "raters", "source", "group", "system", "query", "persona",
    "requirements",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What to read and how: the data and the options of the user."""

    source: Source
    rename: Mapping[str, str]
    group_by: str | None
    limit: int | None
    reference: str | None = None

    @classmethod
    def checked(
        cls,
        source: Source,
        rename: Mapping[str, str] | None = None,
        group_by: str | None = None,
        limit: int | None = None,
        reference: str | None = None,
    ) -> "Reading":
        """Return a reading with options that make sense."""
        if limit is not None and limit < 1:
            raise PlanError(f"--limit {limit}: found {limit}; allowed: 1 or more")
        return cls(
            source=source,
            rename=check_rename(rename),
            group_by=group_by,
            limit=limit,
            reference=reference,
        )

    def reader(self) -> RowReader:
        """Return a fresh reader of rows."""
        return RowReader(
            rename=self.rename,
            group_by=self.group_by,
            flat=self.source.flat,
            reference=self.reference,
        )

    def rows(self) -> Iterator[RawRow]:
        """Yield the rows that the limit lets through."""
        return islice(self.source.rows(), self.limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What one pass over the data found."""

    n_rows: int
    n_problems: int
    problems: tuple[RowProblem, ...]
    repeats: Repeats
    notes: tuple[str, ...]
    hint: str | None
    read_from: Mapping[str, tuple[str, ...]]  # field -> the columns that it was read from

    @property
    def n_items(self) -> int:
        """Return how many items the rows make."""
        return self.n_rows - len(self.repeats.exact)

    def raise_problems(self) -> None:
        """Raise all problems together, if there are any."""
        if self.problems:
            raise DataError(self.problems, hint=self.hint, total=self.n_problems)


def scan(reading: Reading, visit: Callable[[int, Item], None] | None = None) -> Scan:
    """Read all rows; hand each good one with its place (counted from 1) to `visit`."""
    reader = reading.reader()
    problems = _ProblemLog(reading.source)
    identities = IdentityLog()
    place = 0
    for place, (number, row) in enumerate(reading.rows(), start=1):
        if isinstance(row, BadRow):
            problems.add(number, BadField(field=None, found=row.found, allowed=row.allowed))
            continue
        found = reader.read(place, row)
        reader.lacking.tell_line(place, number)
        if isinstance(found, list):
            for problem in found:
                problems.add(number, problem)
            continue
        identities.add(place, found)
        if visit is not None:
            visit(place, found)
    if not place:
        raise InputError(f"{reading.source.name} has no rows.")
    _check_renamed_columns(reading, reader)
    if not problems.total:
        refuse_lacking(reading.reference, reader.lacking, place, reading.source.where)
    repeats = identities.repeats()
    hint = _add_conflicts(reading, repeats, problems) if repeats.conflicts else problems.hint()
    return Scan(
        n_rows=place,
        n_problems=problems.total,
        problems=problems.all_of(place),
        repeats=repeats,
        notes=tuple(_notes(reading, reader, repeats)),
        hint=hint,
        read_from={field: tuple(columns) for field, columns in reader.read_from.items()},
    )


def _notes(reading: Reading, reader: RowReader, repeats: Repeats) -> Iterator[str]:
    ignored = Counter[str]() if reading.source.quiet else reader.ignored
    yield from reading_notes(reader.tally, ignored, sorted(reader.present))
    if reading.reference is not None:
        yield reference_note(reading.reference)
    if repeats.exact:
        yield f"rows merged because they repeat another row word for word: {len(repeats.exact):,}"


def items_of(
    reading: Reading,
    without: frozenset[int],
    *,
    skip_bad: bool = False,
    rows: Iterable[RawRow] | None = None,
) -> Iterator[Item]:
    """Yield the items of data that has been scanned, without the rows at some places (the repeated ones).

    Args:
        reading: What to read.
        without: Places of rows, counted from 1.
        skip_bad: Whether a bad row is left out; else it is an error, since the data was good before.
        rows: Only these rows, which are numbered by their places; all by default.
    """
    reader = reading.reader()
    placed = enumerate(reading.rows(), start=1) if rows is None else ((row[0], row) for row in rows)
    for place, (number, row) in placed:
        if place in without:
            continue
        item = None if isinstance(row, BadRow) else reader.read(place, row)
        if isinstance(item, Item):
            yield item
        elif not skip_bad:
            where = reading.source.where(number)
            raise InputError(f"{where} has changed since it was checked.", hint="Run it again.")


class _ProblemLog:
    """Collects problems; one that all rows with the same columns share is kept once and counted."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._rows: list[RowProblem] = []
        self._shared: dict[BadField, list[int]] = {}  # problem -> first line, how many rows
        self._n_rows = 0

    @property
    def total(self) -> int:
        return self._n_rows + len(self._shared)

    def add(self, number: int, problem: BadField) -> None:
        if problem.shared:
            seen = self._shared.setdefault(problem, [number, 0])
            seen[1] += 1
            return
        self._n_rows += 1
        if len(self._rows) < MAX_KEPT:
            self._rows.append(_problem(self._source.where(number), problem))

    def hint(self) -> str | None:
        """Return what to do where one thing explains the problems."""
        return CONVERT if any(problem.allowed == NOT_UTF8 for problem in self._rows) else None

    def skip(self, count: int) -> None:
        """Count problems that are not kept."""
        self._n_rows += count

    def all_of(self, n_rows: int) -> tuple[RowProblem, ...]:
        shared: list[RowProblem] = []
        for problem, (number, count) in self._shared.items():
            where = self._source.where(number)
            if count > 1:
                rest = f"all {n_rows:,} rows" if count == n_rows else f"{count - 1:,} rows more"
                where = f"{self._source.name}, {rest}" if count == n_rows else f"{where} and {rest}"
            shared.append(_problem(where, problem))
        return (*shared, *self._rows)


def _problem(where: str, bad: BadField) -> RowProblem:
    return RowProblem(where=where, field=bad.field, found=bad.found, allowed=bad.allowed)


def _check_renamed_columns(reading: Reading, reader: RowReader) -> None:
    if not reader.columns:
        return
    for new, old in reading.rename.items():
        if old not in reader.columns and new != "candidate":  # rows without a candidate say so themselves
            columns = list_columns(sorted(reader.columns))
            raise PlanError(
                f"--map {new}={old}: no row has a column {old!r}; the columns are {columns}.",
                hint=_which_column(new, old, sorted(reader.columns)),
            )


def _which_column(field: str, given: str, columns: Sequence[str]) -> str:
    """Suggest the column that a field may be meant to be read from."""
    near = nearest_column(given, columns)
    return f"Did you mean --map {field}={near}?" if near else f"Name one of them: --map {field}=COLUMN."


def _add_conflicts(reading: Reading, repeats: Repeats, problems: _ProblemLog) -> str:
    conflicts = repeats.conflicts[:MAX_CONFLICTS]
    wanted = {place for pair in conflicts for place in pair}
    rows: dict[int, tuple[int, Item]] = {}
    reader = reading.reader()
    for place, (number, row) in enumerate(reading.rows(), start=1):
        if place in wanted and not isinstance(row, BadRow):
            item = reader.read(place, row)
            if isinstance(item, Item):
                rows[place] = (number, item)
    differences: set[str] = set()
    for first, later in conflicts:
        (first_number, one), (number, other) = rows[first], rows[later]
        different = [name for name in COMPARED if getattr(one, name) != getattr(other, name)]
        differences.update(different)
        same = f"the same {' and '.join(different[:3]) or 'content'} as {reading.source.where(first_number)}"
        found = f"{other.id!r} again, but not with {same}"
        problems.add(number, BadField(field="id", found=found, allowed="one row for each id"))
    problems.skip(len(repeats.conflicts) - len(conflicts))
    if differences <= {"ratings", "raters"}:
        return "If each row is the mark of one rater, put the marks of a candidate into one row, as `raters`."
    if "system" in differences:
        return "If `id` names what the candidates are about, read it as the task: --map task_id=id"
    if all(one.id == f"{one.task_id}/{one.system}" for (_, one) in rows.values()):
        return (
            "Rows without an `id` are named by task_id and system, and these share both: give each row an `id`, or a "
            "`candidate_id` that differs within the task."
        )
    return "Give each row an `id` of its own, or leave `id` out and name the task_id and the system."
