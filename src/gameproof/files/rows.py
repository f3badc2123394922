"""Turn one row of user data into an item, or into the problems it has."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from pydantic import TypeAdapter, ValidationError

from gameproof.files.aliases import ALL, ColumnPlan, plan_columns
from gameproof.files.marks import clean_mark, clean_raters, clean_ratings, mean_of_raters
from gameproof.files.reference_choice import Lacking, chosen_texts, is_column
from gameproof.files.reference_kinds import clean_reference_kinds
from gameproof.files.requirements import clean_requirements
from gameproof.files.values import (
    BadValue,
    Tally,
    clean_domain,
    clean_flat_references,
    clean_name,
    clean_persona,
    clean_references,
    clean_source,
    clean_title,
    describe,
    encodes,
    first_flat_reference,
    first_reference,
)
from gameproof.records import Item

__all__ = ["BadField", "RowReader"]

Cleaner = Callable[[object, Tally], object]

TEXT = "text"
ALLOWED: Mapping[str, str] = {
    "candidate": "text (an empty text is legal and counts as missing, null does not)",
    "source": "text, or null",
    "title": "text, or null",
    "query": "text, or null",
}
CLEANERS: Mapping[str, Cleaner] = {
    "id": clean_name,
    "task_id": clean_name,
    "group": clean_name,
    "candidate_id": clean_name,
    "system": clean_name,
    "references": clean_references,
    "ratings": clean_ratings,
    "raters": clean_raters,
    "persona": clean_persona,
    "domain": clean_domain,
    "requirements": clean_requirements,
    "source": clean_source,
    "title": clean_title,
}
MAX_PLANS = 1000  # sets of columns kept; more than a thousand in one file are built again

Row = Mapping[str, Any]  # Any: the values of a stranger's row can be anything JSON or a table holds


@dataclass(frozen=True, slots=True, kw_only=True)
class BadField:
    """What is wrong with one field of a row; `shared` if all rows with these columns have it."""

    field: str | None
    found: str
    allowed: str
    shared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Steps:
    """A column plan with the function that cleans each value."""

    plan: ColumnPlan
    fields: tuple[tuple[str, str, Cleaner | None], ...]
    kinds: str | None  # the column that says who wrote each reference
    references: str | None  # the column that it speaks of
    more: bool  # whether there is anything to read besides the fields


class RowReader:
    """Reads rows into items and keeps count of what had to be mended on the way.

    Names of columns and loose shapes are settled first, by plain functions; pydantic then checks every type
    and builds the record itself (a model in between would triple the time of a row).
    """

    def __init__(
        self,
        *,
        rename: Mapping[str, str],
        group_by: str | None,
        flat: bool,
        reference: str | None = None,
    ) -> None:
        """Take the user's `--map`, `--group-by` and `--reference`; `flat` if cells hold lists written as text."""
        self._rename = rename
        self._reference = reference
        self._tests_references = rename.get("candidate") == "references"
        self._group_by = group_by
        self._flat = flat
        self._plans: dict[tuple[str, ...], _Steps] = {}
        self._build = TypeAdapter(Item).validate_python
        self.tally: Tally = Counter()
        self.ignored: Counter[str] = Counter()
        self.columns: set[str] = set()
        self.present: set[str] = set()
        self.read_from: dict[
            str, dict[str, None]
        ] = {}  # field, or ratings.DIMENSION -> the columns, in their order
        self.lacking = Lacking()  # rows without the text that is to be the reference

    def read(self, place: int, row: Row) -> Item | list[BadField]:
        """Return the item of a row, or all that is wrong with it; `place` counts rows from 1."""
        steps = self._plans.get(tuple(row)) or self._steps_for(tuple(row))
        problems: list[BadField] = []
        values: dict[str, Any] = {}
        for field, column, clean in steps.fields:
            value = row[column]
            if value is None or (value == "" and self._flat and field != "candidate"):
                continue  # a table has no other way to leave a cell out
            if clean is not None:
                try:
                    value = clean(value, self.tally)
                except BadValue as bad:
                    problems.append(_bad_field(field, bad))
                    continue
                if value is None:
                    continue
            values[field] = value
        if steps.more:
            self._read_more(steps, row, values, problems)
        self._complete(place, steps, values, problems)
        if problems or steps.plan.problems:
            shared = [BadField(field=f, found=a, allowed=b, shared=True) for f, a, b in steps.plan.problems]
            return [*shared, *problems]
        return self._record(values)

    def _complete(self, place: int, steps: _Steps, values: dict[str, Any], problems: list[BadField]) -> None:
        """Add what no single column says: names, the chosen reference, and what is missing."""
        self._name(place, values)
        if self._reference is not None and not problems:
            self._choose_reference(place, values)
        if self._group_by is not None and not problems:
            problems += self._missing_group(steps.plan, values)
        if "candidate" not in values:
            problems += _missing_candidate(steps.plan, tests_references=self._tests_references)

    def _steps_for(self, columns: tuple[str, ...]) -> _Steps:
        column = self._reference if is_column(self._reference) else None
        plan = plan_columns(columns, self._rename, self._group_by, column)
        fields: list[tuple[str, str, Cleaner | None]] = []
        for field, column in plan.fields:
            if field == "reference_kinds":
                continue  # read together with the references
            clean = CLEANERS.get(field)
            if field == "references" and self._flat:
                clean = clean_flat_references
            elif field == "candidate" and self._tests_references:
                clean = first_flat_reference if self._flat else first_reference
            fields.append((field, column, clean))
        columns_of = dict(plan.fields)
        steps = _Steps(
            plan=plan,
            fields=tuple(fields),
            kinds=columns_of.get("reference_kinds"),
            references=columns_of.get("references"),
            more="reference_kinds" in columns_of or bool(plan.ratings),
        )
        self.ignored.update(plan.ignored)
        self.columns.update(columns)
        self.present.update(field for field, _ in plan.fields)
        dimensions = [(f"ratings.{dimension}", column) for dimension, column in plan.ratings]
        for field, column in (*plan.fields, *dimensions):
            self.read_from.setdefault(field, {})[column] = None
        if len(self._plans) >= MAX_PLANS:
            self._plans.clear()
        self._plans[columns] = steps
        return steps

    def _read_more(self, steps: _Steps, row: Row, values: dict[str, Any], problems: list[BadField]) -> None:
        if steps.kinds is not None:
            self._read_kinds(steps, row, values, problems)
        if steps.plan.ratings:
            self._read_rating_columns(steps.plan, row, values, problems)

    def _read_kinds(self, steps: _Steps, row: Row, values: dict[str, Any], problems: list[BadField]) -> None:
        value: object = None if steps.kinds is None else row[steps.kinds]
        if value in (None, "", [], ()) or any(problem.field == "references" for problem in problems):
            return
        references = None if steps.references is None else row[steps.references]
        try:
            texts, kinds = clean_reference_kinds(value, references, self.tally, flat=self._flat)
        except BadValue as bad:
            problems.append(BadField(field="reference_kinds", found=bad.found, allowed=bad.allowed))
            return
        if texts:
            values["references"], values["reference_kinds"] = texts, kinds

    def _choose_reference(self, place: int, values: dict[str, Any]) -> None:
        """Put the text of the user's choice in the place of the references."""
        texts = chosen_texts(self._reference or "", values)
        if not texts:
            self.lacking.add(place)
        if texts != values.get("references"):
            values.pop("reference_kinds", None)  # they say who wrote the row's own
        values["references"] = texts

    def _read_rating_columns(
        self, plan: ColumnPlan, row: Row, values: dict[str, Any], problems: list[BadField]
    ) -> None:
        ratings: dict[str, float] = dict(values.get("ratings", {}))
        for dimension, column in plan.ratings:
            try:
                mark = clean_mark(row[column], self.tally, dimension)
            except BadValue as bad:
                field = f"ratings.{dimension}"
                mapped = self._rename.get(field) == column
                why = (
                    f"--map {field}={column} reads it as a rating"
                    if mapped
                    else f"the name of the column {column!r} says that it is a rating"
                )
                allowed = f"{bad.allowed}, since {why}"
                problems.append(BadField(field=f"ratings ({dimension})", found=bad.found, allowed=allowed))
                continue
            if mark is not None:
                ratings[dimension] = mark
        values["ratings"] = ratings

    def _name(self, place: int, values: dict[str, Any]) -> None:
        """Fill in what a row may leave out: its task, its id, its system, its ratings."""
        if "task_id" not in values:
            values["task_id"] = self._task_of(place, values)
        name = values.pop("candidate_id", None)
        system = values.setdefault("system", name)
        if "id" not in values:
            if name or system:
                values["id"] = f"{values['task_id']}/{name or system}"
            else:
                self.tally["no_name"] += 1
                values["id"] = f"row-{place}"
        if "raters" in values and not values.get("ratings"):
            values["ratings"] = mean_of_raters(values["raters"])
            self.tally["ratings_from_raters"] += 1

    def _missing_group(self, plan: ColumnPlan, values: Mapping[str, Any]) -> list[BadField]:
        if self._group_by == ALL or "group" in values or plan.problems:
            return []  # a column that is not there is told once, for all rows
        allowed = f"a value in every row, since groups are made by {self._group_by!r}"
        return [BadField(field=self._group_by, found="nothing", allowed=allowed)]

    def _task_of(self, place: int, values: Mapping[str, Any]) -> str:
        # Rows that share what they are judged against are one task: were each row a task of its own, a
        # system's negative references would include its own reference.
        shared = [values.get("source"), values.get("query"), values.get("references")]
        if not any(shared):
            self.tally["no_task_content"] += 1
            return f"row-{place}"
        self.tally["no_task_id"] += 1
        return f"task-{blake2b(json.dumps(shared, default=str).encode(), digest_size=6).hexdigest()}"

    def _record(self, values: dict[str, Any]) -> Item | list[BadField]:
        try:
            item = self._build(values)
        except ValidationError as error:
            return [
                BadField(
                    field=str(detail["loc"][0]),
                    found=describe(detail["input"]),
                    allowed=ALLOWED.get(str(detail["loc"][0]), TEXT),
                )
                for detail in error.errors(include_url=False, include_context=False)
            ]
        return _unwritable(item) or item


def _bad_field(field: str, bad: BadValue) -> BadField:
    name = f"{field} ({bad.part})" if bad.part else field
    return BadField(field=name, found=bad.found, allowed=bad.allowed)


def _missing_candidate(plan: ColumnPlan, *, tests_references: bool) -> list[BadField]:
    if not any(field == "candidate" for field, _ in plan.fields):
        return []  # the plan says it for all rows with these columns
    if tests_references:
        allowed = "a reference with text in every row, since --map candidate=references tests it"
        return [BadField(field="candidate", found="no reference", allowed=allowed)]
    return [BadField(field="candidate", found="null", allowed=ALLOWED["candidate"])]


def _unwritable(item: Item) -> list[BadField] | None:
    """Find half characters (lone surrogates): they cannot be written as UTF-8, so no result could be."""
    if all(text.isascii() or encodes(text) for text in _all_texts(item)):
        return None
    return [
        BadField(field=field, found=f"half a character, {_half(text)}", allowed="text that UTF-8 can hold")
        for field, text in _texts(item)
        if not encodes(text)
    ]


def _all_texts(item: Item) -> tuple[str, ...]:
    texts = (item.id, item.task_id, item.group, item.candidate, *item.references, *item.ratings, *item.raters)
    needed = (requirement.text for requirement in item.requirements)
    return (*texts, item.system or "", item.source or "", item.title or "", item.query or "", *needed)


def _texts(item: Item) -> Iterable[tuple[str, str]]:
    for field in ("id", "task_id", "group", "system", "candidate", "source", "title", "query"):
        yield field, getattr(item, field) or ""
    yield "references", "".join(item.references)
    yield "ratings", "".join(item.ratings)
    yield "raters", "".join(item.raters)
    yield "requirements", "".join(requirement.text for requirement in item.requirements)


def _half(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"U+{ord(text[error.start]):04X} at character {error.start + 1}"
    return ""
