"""What the reader of results must know about how the rows were read."""

from collections import Counter
from collections.abc import Mapping, Sequence

from gameproof.files.aliases import FIELDS, list_columns, missing_field

RATINGS = frozenset({"score", "scores", "human", "human_judgment", "human_judgement"})

__all__ = ["NOTES", "ignored_columns_note", "reading_notes"]

NOTES: Mapping[str, str] = {
    "no_task_id": "rows without task_id, where equal source, query and references make one task",
    "no_task_content": "rows without task_id, source, query and references, each its own task",
    "no_name": "rows without id and system, named by their place in the data (row-1, row-2 ...)",
    "tested_references": "references tested in the place of candidates; against their own references they meet themselves",
    "nested_references": "lists of references inside lists, flattened by one level",
    "blank_references": "references dropped because they were null or blank",
    "missing_ratings": "marks that are null, empty or NaN, taken as missing",
    "ratings_from_raters": "rows whose ratings are the means of their raters' marks",
    "unnamed_raters": "raters without a name, named by their place in the list",
    "rater_texts": "texts among the marks of raters, not used",
    "persona_text": "personas given as one text, taken as the role",
    "persona_keys": "keys of personas that are not known, not used",
    "unknown_domain": "rows with a domain other than reviews, summaries or answers, taken as not stated",
    "joined_source": "sources given as a list, joined with blank lines",
}


def reading_notes(tally: Counter[str], ignored: Counter[str], present: Sequence[str]) -> tuple[str, ...]:
    """Return one sentence for each thing that happened while rows were read."""
    notes = [f"{text}: {tally[key]:,}" for key, text in NOTES.items() if tally[key]]
    if ignored:
        notes.append(ignored_columns_note(list(ignored), present))
    return tuple(notes)


def ignored_columns_note(ignored: Sequence[str], present: Sequence[str]) -> str:
    """Name the columns that were not used, and what they may be a misspelling of."""
    note = f"columns not used: {list_columns(ignored)}"
    for column in ignored:
        field = missing_field(column, present)
        if field and field != column:  # a field by its own name was left aside on purpose: --group-by all
            note += f"; if {column!r} is {FIELDS[field][0]}: --map {field}={column}"
        elif "ratings" not in present and column.strip().lower() in RATINGS:
            note += f"; if {column!r} holds ratings by people: --map ratings={column}"
    if "references" not in present and "--map references=" not in note:
        note += "; if one of them holds references: --map references=COLUMN"
    return note
