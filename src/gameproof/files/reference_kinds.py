"""Say who wrote each reference of a row: people, a panel, a model."""

import re
from collections.abc import Sequence
from typing import cast

from gameproof.files.values import (
    LIST_OF_TEXTS,
    BadValue,
    Tally,
    clean_flat_references,
    clean_references,
    describe,
    read_list,
)

__all__ = ["clean_reference_kinds"]

WORD = re.compile(r"[a-z][a-z0-9_-]{0,31}")
ALLOWED = "one short word such as human, panel or model, or a list with one for each reference"


def clean_reference_kinds(
    value: object, references: object, tally: Tally, *, flat: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the references of a row and, beside each, the word that says who wrote it.

    A blank reference is dropped with its word. One word alone stands for all references of the row.

    Args:
        value: The words as they were written.
        references: The references as they were written, blank ones included.
        tally: Counts what was mended; blank references are counted where the references are cleaned.
        flat: Whether lists are written as text, as in a table.
    """
    del tally
    clean = clean_flat_references if flat else clean_references
    counted_elsewhere: Tally = Tally()
    if flat and isinstance(value, str) and LIST_OF_TEXTS.fullmatch(value):
        value = read_list(value.strip())
    if isinstance(value, str):
        texts = () if references is None else clean(references, counted_elsewhere)
        return texts, (_word(value),) * len(texts)
    if not isinstance(value, list | tuple):
        raise BadValue(describe(value), ALLOWED)
    if flat and isinstance(references, str) and LIST_OF_TEXTS.fullmatch(references):
        references = read_list(references.strip())
    words = [_word(word) for word in _flattened(cast("Sequence[object]", value))]
    written = _flattened([] if references is None else [references])
    if len(words) != len(written):
        raise BadValue(f"{_counted(len(words), 'word')} for {_counted(len(written), 'reference')}", ALLOWED)
    found = [
        (clean_references([text], counted_elsewhere), word) for text, word in zip(written, words, strict=True)
    ]
    return (
        tuple(text for texts, _ in found for text in texts),
        tuple(word for texts, word in found for _ in texts),
    )


def _flattened(entries: Sequence[object]) -> list[object]:
    """Open lists inside a list, up to the depth at which references may be nested."""
    flat: list[object] = []
    for entry in entries:
        if isinstance(entry, list | tuple):
            for inner in cast("Sequence[object]", entry):
                flat.extend(cast("Sequence[object]", inner) if isinstance(inner, list | tuple) else [inner])
        else:
            flat.append(entry)
    return flat


def _word(value: object) -> str:
    word = value.strip().casefold() if isinstance(value, str) else ""
    if not WORD.fullmatch(word):
        raise BadValue(describe(value), f"{ALLOWED}; a word has at most 32 letters a-z, digits, - and _")
    return word


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
