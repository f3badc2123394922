"""Settle which column of a row is which field."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gameproof.errors import PlanError

__all__ = ["ALL", "FIELDS", "ColumnPlan", "check_rename", "nearest_column", "plan_columns", "suggestion"]

ALL = "all"  # `--group-by all`: negatives are drawn from the whole data

# Field -> the columns it is read from. The first name is the field's own and wins over the others; two of
# the others in one row are ambiguous, and the user decides with `--map`.
FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "item_id"),
    "task_id": ("task_id", "doc_id", "document_id", "article_id", "question_id", "q_id", "prompt_id"),
    "candidate": (
        "candidate",
        "prediction",
        "hypothesis",
        "output",
        "summary",
        "response",
        "decoded",
        "system_output",
        "model_output",
        "actual_output",
        "answer",
        "completion",
        "generation",
        "generated",
        "predicted",
        "pred",
        "hyp",
    ),
    "references": (
        "references",
        "reference",
        "refs",
        "ref",
        "gold",
        "target",
        "targets",
        "highlights",
        "ground_truth",
        "ground_truths",
        "expected",
        "expected_output",
        "gold_summary",
        "reference_summary",
    ),
    "reference_kinds": ("reference_kinds", "reference_kind", "ref_kinds", "ref_kind"),
    "source": (
        "source",
        "document",
        "article",
        "text",
        "context",
        "contexts",
        "retrieved_contexts",
        "passage",
    ),
    "title": ("title", "headline"),
    "group": ("group",),
    "candidate_id": ("candidate_id",),
    "system": ("system", "system_id", "model", "model_id", "system_name", "model_name"),
    "ratings": ("ratings", "rating", "human_ratings", "human_rating", "human_scores", "human_score"),
    "raters": ("raters", "expert_annotations", "annotations"),
    "persona": ("persona",),
    "query": ("query", "question", "user_input"),
    "requirements": ("requirements", "information_needs"),
    "domain": ("domain",),
}

RATING_PREFIXES = ("ratings.", "rating.", "ratings_", "rating_")
PAIR_COLUMNS = ("candidate_a", "candidate_b")
SHOWN_COLUMNS = 12
NEAR = 0.8  # similarity (difflib ratio) from which a column counts as a misspelt field


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnPlan:
    """How the rows with one set of columns are read."""

    fields: tuple[tuple[str, str], ...]  # (field, column)
    ratings: tuple[tuple[str, str], ...]  # (dimension, column): one column for each dimension
    ignored: tuple[str, ...]
    problems: tuple[tuple[str, str, str], ...]  # (field, found, allowed): true of every such row


def check_rename(rename: Mapping[str, str] | None) -> dict[str, str]:
    """Return field -> column, refusing fields that do not exist and columns asked for twice."""
    clean = {str(new): str(old) for new, old in (rename or {}).items()}
    for new, old in clean.items():
        if new in FIELDS or (new.startswith("ratings.") and new != "ratings."):
            continue
        near = suggestion(new, [*FIELDS])
        raise PlanError(
            f"--map {new}={old}: {new!r} is no field; allowed: {', '.join(FIELDS)}, ratings.NAME",
            hint=f"Did you mean --map {near}={old}?" if near else "The form is --map FIELD=COLUMN.",
        )
    return clean


def plan_columns(
    columns: Sequence[str], rename: Mapping[str, str], group_by: str | None, reference: str | None = None
) -> ColumnPlan:
    """Assign each field its column: what the user mapped, else its own name, else its only alias.

    A field may be mapped to the field ``references`` as well as to a column: ``candidate=references`` tests the
    references themselves. `reference` is a column that is read for the references instead of their own.
    """
    tests_references = rename.get("candidate") == "references"
    if tests_references:
        rename = {new: old for new, old in rename.items() if new != "candidate"}
    free = [column for column in columns if column not in rename.values()]
    named: dict[str, list[str]] = {}
    for column in free:
        named.setdefault(_plain(column), []).append(column)
    fields: dict[str, str] = {new: old for new, old in rename.items() if new in FIELDS and old in columns}
    problems: list[tuple[str, str, str]] = []
    for field, names in FIELDS.items():
        if field in rename or (tests_references and field == "candidate"):
            continue
        found = _columns_of(field, names, named)
        if len(found) > 1:
            shown = " and ".join(repr(column) for column in found)
            one = "one of them" if len(found) > 2 else "one"
            problems.append((field, f"the columns {shown}", f"{one}; choose with --map {field}={found[0]}"))
        elif found:
            fields[field] = found[0]
    if tests_references and "references" in fields:
        fields["candidate"] = fields["references"]
    problems += _apply_reference(fields, columns, reference)
    problems += _apply_group_by(fields, columns, group_by)
    ratings = _rating_columns(columns, rename, set(fields.values()))
    if "candidate" not in fields and not any(field == "candidate" for field, _, _ in problems):
        problems.append(
            _no_references(columns)
            if tests_references
            else _no_candidate(columns, rename, has_references="references" in fields)
        )
    used = {*fields.values(), *(column for _, column in ratings)}
    return ColumnPlan(
        fields=tuple(fields.items()),
        ratings=tuple(ratings),
        ignored=tuple(column for column in columns if column not in used),
        problems=tuple(problems),
    )


def suggestion(name: str, known: Sequence[str]) -> str | None:
    """Return the known name that a misspelt one is nearest to, if it is near at all."""
    found = difflib.get_close_matches(_plain(name), known, n=1, cutoff=NEAR)
    return found[0] if found else None


def nearest_column(given: str, columns: Sequence[str]) -> str | None:
    """Return the column that a misspelt one is nearest to, however it is capitalised or joined.

    Example:
        >>> nearest_column("goldsummary", ["task_id", "Gold Summary"])
        'Gold Summary'
    """
    plain = {_plain(column): column for column in columns}
    near = difflib.get_close_matches(_plain(given), plain, n=1)
    return plain[near[0]] if near else None


def missing_field(column: str, present: Sequence[str]) -> str | None:
    """Return the field that an unused column probably means, unless that field was found."""
    names = {name: field for field, names in FIELDS.items() if field not in present for name in names}
    if "source" not in present:
        names["prompt"] = "source"  # too often an instruction to be taken for it unasked
    near = suggestion(column, [*names])
    return names[near] if near else None


def list_columns(columns: Sequence[str]) -> str:
    """Name the columns of a row, not more than a line of them."""
    shown = [repr(column)[1:-1] for column in columns[:SHOWN_COLUMNS]]
    rest = len(columns) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "") if shown else "none"


def _plain(column: str) -> str:
    return column.strip().lower().replace(" ", "_").replace("-", "_")


def _columns_of(field: str, names: Sequence[str], named: Mapping[str, list[str]]) -> list[str]:
    own = named.get(field, [])
    if field in own:
        return [field]  # spelt exactly so: other spellings are other columns
    if own:
        return own
    return [column for name in names[1:] for column in named.get(name, [])]


def _apply_group_by(
    fields: dict[str, str], columns: Sequence[str], group_by: str | None
) -> list[tuple[str, str, str]]:
    if group_by is None:
        return []
    if group_by == ALL:
        fields.pop("group", None)
        return []
    column = group_by if group_by in columns else fields.get(group_by)
    if column is not None:
        fields["group"] = column
        return []
    found = f"no such column (columns: {list_columns(columns)})"
    return [(group_by, found, f"--group-by with one of the columns, or {ALL}")]


def _apply_reference(
    fields: dict[str, str], columns: Sequence[str], reference: str | None
) -> list[tuple[str, str, str]]:
    """Read the references from a column of the user's choice, whatever else that column is."""
    if reference is None:
        return []
    fields.pop("reference_kinds", None)  # they say who wrote the others
    if reference in columns:
        fields["references"] = reference
        return []
    near = nearest_column(reference, columns)
    found = f"no column {reference!r} (columns: {list_columns(columns)})"
    hint = f"; did you mean {near}?" if near else ""
    return [("references", found, f"--reference with summary, title, source or one of the columns{hint}")]


def _rating_columns(
    columns: Sequence[str], rename: Mapping[str, str], taken: set[str]
) -> list[tuple[str, str]]:
    found = {new[len("ratings.") :]: old for new, old in rename.items() if new.startswith("ratings.")}
    ratings = [(dimension, column) for dimension, column in found.items() if column in columns]
    for column in columns:
        prefix = next((p for p in RATING_PREFIXES if column.strip().lower().startswith(p)), None)
        if prefix and column not in taken and column not in rename.values() and column.strip() != prefix:
            ratings.append((column.strip()[len(prefix) :], column))
    return ratings


def _no_references(columns: Sequence[str]) -> tuple[str, str, str]:
    found = f"no references (columns: {list_columns(columns)})"
    return ("candidate", found, "a column of references, since --map candidate=references tests them")


def _no_candidate(
    columns: Sequence[str], rename: Mapping[str, str], *, has_references: bool
) -> tuple[str, str, str]:
    if "candidate" in rename:
        near = nearest_column(rename["candidate"], columns)
        hint = f"; did you mean --map candidate={near}?" if near else ""
        found = f"no column {rename['candidate']!r} (columns: {list_columns(columns)})"
        return ("candidate", found, f"--map candidate=COLUMN with a column of the data{hint}")
    plain = [_plain(column) for column in columns]
    if all(column in plain for column in PAIR_COLUMNS):
        found = "a pair, candidate_a and candidate_b"
        return ("candidate", found, "one candidate in each row; pairs of candidates are another kind of data")
    near = [column for column in columns if suggestion(column, FIELDS["candidate"])]
    hint = f"; did you mean --map candidate={near[0]}?" if near else ", or --map candidate=COLUMN"
    if has_references:
        hint += ", or --map candidate=references to test the references themselves"
    found = f"no such column (columns: {list_columns(columns)})"
    return ("candidate", found, f"a column {', '.join(FIELDS['candidate'][:4])} ...{hint}")
