"""Read rows of pairwise choices: two candidates, what they are judged against, and which one was preferred."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import Any, cast

from gameproof.errors import DataError, InputError, PlanError, RowProblem
from gameproof.files.aliases import FIELDS, list_columns, suggestion
from gameproof.files.formats import BadRow
from gameproof.files.notes import reading_notes
from gameproof.files.reference_choice import reference_note, refuse_lacking
from gameproof.files.rows import BadField, RowReader
from gameproof.files.sources import Source, source_of
from gameproof.files.values import BadValue, clean_name, describe
from gameproof.records import Choice, Comparisons, Item, Judgement

__all__ = ["PAIR_FIELDS", "load_comparisons"]

# Field -> the columns it is read from, as for the other fields of a row.
PAIR_FIELDS: Mapping[str, tuple[str, ...]] = {
    "candidate_a": ("candidate_a", "summary_a", "answer_a", "response_a", "output_a", "text_a"),
    "candidate_b": ("candidate_b", "summary_b", "answer_b", "response_b", "output_b", "text_b"),
    "preference": ("preference", "overall_preference", "winner", "choice", "vote"),
    "annotator": ("annotator", "annotator_id", "evaluator", "evaluator_id", "rater", "rater_id", "worker_id"),
}
SIDES = ("candidate_a", "candidate_b")
NO_COLUMN = "no such column"
# Rows hold two texts, so nothing but the pair names a candidate, and a row's own id is not a candidate's.
NOT_OF_PAIRS = ("candidate", "candidate_id", "id", "ratings", "raters", "system")

CHOICES: Mapping[str, Choice] = {
    "a": "a",
    "b": "b",
    "tie": "tie",
    "neither": "tie",
    "equal": "tie",
    "both": "tie",
    **{f"{side}_{letter}": letter for side in ("candidate", "summary", "answer") for letter in ("a", "b")},
}
ALLOWED_CHOICE = "a, b, or tie (also: neither, both, equal)"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    a: Item
    b: Item
    choice: Choice
    annotator: str | None


def load_comparisons(
    data: object,
    *,
    rename: Mapping[str, str] | None = None,
    group_by: str | None = None,
    limit: int | None = None,
    reference: str | None = None,
) -> Comparisons:
    """Read, validate and return pairwise choices; a text that occurs in many rows becomes one item.

    Args:
        data: As in `load`. A row has candidate_a, candidate_b and preference (a, b or tie), and as far as they
            are there: annotator, task_id, references, source, query, persona, group.
        rename: Field -> column, as ``--map``; preference=COLUMN chooses among several questions.
        group_by: The column whose values are the groups, or ``all``.
        limit: Read the first so many rows only.
        reference: The text that serves as the reference, as in `load`.

    Raises:
        DataError: some rows are bad; it carries all of them.

    Example:
        >>> row = {"candidate_a": "It rained.", "candidate_b": "Sun.", "references": ["Rain."], "preference": "a"}
        >>> loaded = load_comparisons([row])
        >>> len(loaded.items), loaded.judgements[0].choice
        (2, 'a')
    """
    if limit is not None and limit < 1:
        raise PlanError(f"--limit {limit}: found {limit}; allowed: 1 or more")
    source = source_of(data)
    try:
        reader = _PairReader(source, _checked_rename(rename), group_by, reference)
        pairs = reader.read_all(limit)
    finally:
        source.close()
    items = {item.id: item for pair in pairs for item in (pair.a, pair.b)}
    judgements = tuple(
        Judgement(a=pair.a.id, b=pair.b.id, choice=pair.choice, annotator=pair.annotator) for pair in pairs
    )
    return Comparisons(
        name=source.name,
        items=tuple(items.values()),
        judgements=judgements,
        notes=(
            *reader.notes(),
            *([reference_note(reference)] if reference is not None else []),
            *_notes_about(judgements),
        ),
    )


class _PairReader:
    """Reads rows of pairs: the pair's own columns here, all other fields as in rows of one candidate."""

    def __init__(
        self, source: Source, rename: Mapping[str, str], group_by: str | None, reference: str | None
    ) -> None:
        self._source = source
        self._reference = reference
        self._rename = {new: old for new, old in rename.items() if new in PAIR_FIELDS}
        others = {new: old for new, old in rename.items() if new not in PAIR_FIELDS}
        self._reader = RowReader(rename=others, group_by=group_by, flat=source.flat, reference=reference)
        self._item_columns = {
            *(name for field in FIELDS if field not in NOT_OF_PAIRS for name in FIELDS[field]),
            *others.values(),
            *([group_by] if group_by else []),
            *([reference] if reference else []),
        }
        self._problems: list[RowProblem] = []

    def read_all(self, limit: int | None) -> list[_Pair]:
        """Return all pairs, or raise all that is wrong with them."""
        pairs: list[_Pair] = []
        place = 0
        for place, (number, row) in enumerate(islice(self._source.rows(), limit), start=1):
            found = self._read(place, row)
            self._reader.lacking.tell_line(place, number)
            if isinstance(found, _Pair):
                pairs.append(found)
                continue
            where = self._source.where(number)
            self._problems += [
                RowProblem(where=where, field=bad.field, found=bad.found, allowed=bad.allowed)
                for bad in found
            ]
        if not place:
            raise InputError(f"{self._source.name} has no rows.")
        if self._problems:
            raise DataError(self._problems if pairs else _told_once(self._problems))
        refuse_lacking(self._reference, self._reader.lacking, place, self._source.where)
        return pairs

    def notes(self) -> Sequence[str]:
        """Say what was mended, and which columns were not read."""
        ignored = Counter[str]() if self._source.quiet else self._reader.ignored
        return list(reading_notes(self._reader.tally, ignored, sorted(self._reader.present)))

    def _read(self, place: int, row: object) -> _Pair | list[BadField]:
        if isinstance(row, BadRow):
            return [BadField(field=None, found=row.found, allowed=row.allowed)]
        cells = cast("Mapping[str, Any]", row)  # Any: a stranger's row
        columns = {field: self._column(field, cells) for field in PAIR_FIELDS}
        missing = [
            BadField(
                field=field,
                found=f"{NO_COLUMN} (columns: {list_columns(list(cells))})",
                allowed=f"a column {', '.join(PAIR_FIELDS[field][:3])} ..., or --map {field}=COLUMN",
            )
            for field in (*SIDES, "preference")
            if columns[field] is None
        ]
        if missing:
            return missing
        values = {field: cells[column] for field, column in columns.items() if column is not None}
        taken = {column for column in columns.values() if column is not None}
        rest = {
            column: value
            for column, value in cells.items()
            if column not in taken and not any(column in FIELDS[field] for field in NOT_OF_PAIRS)
        }
        sides = [self._item(place, side, values[side], rest) for side in SIDES]
        choice, annotator = self._choice(values["preference"]), self._annotator(values.get("annotator"))
        a, b = sides
        if (
            isinstance(a, Item)
            and isinstance(b, Item)
            and not isinstance(choice, BadField)
            and not isinstance(annotator, BadField)
        ):
            return _Pair(a=a, b=b, choice=choice, annotator=annotator)
        found = [bad for side in sides if isinstance(side, list) for bad in side]
        found += [bad for bad in (choice, annotator) if isinstance(bad, BadField)]
        return list(dict.fromkeys(found))

    def _column(self, field: str, cells: Mapping[str, object]) -> str | None:
        if field in self._rename:
            return self._rename[field] if self._rename[field] in cells else None
        return next((name for name in PAIR_FIELDS[field] if name in cells), None)

    def _item(self, place: int, side: str, text: object, rest: Mapping[str, Any]) -> Item | list[BadField]:
        # One text under one task is one item, whichever rows it comes from and whatever else they say.
        shared = sorted((name, repr(value)) for name, value in rest.items() if name in self._item_columns)
        mark = blake2b(repr((text, shared)).encode("utf-8", "surrogatepass"), digest_size=6)
        found = self._reader.read(place, {**rest, "candidate": text, "candidate_id": mark.hexdigest()})
        if isinstance(found, Item):
            return found
        return [
            BadField(field=side, found=bad.found, allowed=bad.allowed) if bad.field == "candidate" else bad
            for bad in found
        ]

    def _choice(self, value: object) -> Choice | BadField:
        if isinstance(value, str):
            choice = CHOICES.get(value.strip().lower().replace(" ", "_").replace("-", "_"))
            if choice is not None:
                return choice
        return BadField(field="preference", found=describe(value), allowed=ALLOWED_CHOICE)

    def _annotator(self, value: object) -> str | BadField | None:
        if value is None or value == "":
            return None
        try:
            return clean_name(value, self._reader.tally)
        except BadValue as bad:
            return BadField(field="annotator", found=bad.found, allowed=bad.allowed)


def _told_once(problems: Sequence[RowProblem]) -> Sequence[RowProblem]:
    """Leave what the first row lacks where all that is wrong with every row is that columns are not there."""
    if not all(problem.found.startswith(NO_COLUMN) for problem in problems):
        return problems
    return [problem for problem in problems if problem.where == problems[0].where]


def _checked_rename(rename: Mapping[str, str] | None) -> dict[str, str]:
    known = [*PAIR_FIELDS, *(field for field in FIELDS if field not in NOT_OF_PAIRS)]
    clean = {str(new): str(old) for new, old in (rename or {}).items()}
    for new, old in clean.items():
        if new not in known:
            near = suggestion(new, known)
            raise PlanError(
                f"--map {new}={old}: {new!r} is no field of a comparison; allowed: {', '.join(known)}",
                hint=f"Did you mean --map {near}={old}?" if near else "The form is --map FIELD=COLUMN.",
            )
    return clean


def _notes_about(judgements: Sequence[Judgement]) -> list[str]:
    notes: list[str] = []
    unnamed = sum(judgement.annotator is None for judgement in judgements)
    if unnamed:
        notes.append(f"{unnamed:,} of {len(judgements):,} choices do not say whose they are")
    same = sum(judgement.a == judgement.b for judgement in judgements)
    if same:
        notes.append(f"{same:,} choices are between two equal texts: no metric can tell them apart")
    repeats = Counter((frozenset((j.a, j.b)), j.annotator) for j in judgements if j.annotator is not None)
    again = sum(count - 1 for count in repeats.values())
    if again:
        notes.append(f"{again:,} choices repeat a pair that the same annotator had judged before")
    return notes
