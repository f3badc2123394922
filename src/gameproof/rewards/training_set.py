"""Read a training set: one item for each prompt, found again by the prompt or by a column."""

import difflib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from gameproof.errors import InputError, PlanError
from gameproof.files import FIELDS, load
from gameproof.files.aliases import list_columns
from gameproof.files.formats import RawRow
from gameproof.files.reference_choice import is_column
from gameproof.files.sources import Source, source_of
from gameproof.records import Dataset, Item
from gameproof.rewards.messages import key_of, shown

__all__ = ["GROUND_TRUTH", "PROMPT", "TrainingSet", "read_training_set", "reference_key"]

PROMPT = "prompt"
GROUND_TRUTH = "ground_truth"  # as a key: rows are found by their references, whatever the column is called
OURS = ("id", "candidate_id", "system", "ratings", "raters")  # fields that training data has other uses for
UNKNOWN_HINT = (
    "Prepare the reward on every row that the trainer uses, those of the evaluation too. Where other reward "
    "functions answer for some prompts, pass unknown='none': such a prompt has no reward here."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSet:
    """What completions are scored against."""

    key: str  # the column by which items are found
    items: tuple[Item, ...]  # the pool: every row, a repeated one once
    places: Mapping[str, int]  # key -> place of its item
    columns: tuple[str, ...]

    def find(self, key: str) -> int | None:
        """Return the place of an item; None if there is none."""
        return self.places.get(key)

    def unknown(self, key: str) -> InputError:
        """Return the error for a key that is not in the set."""
        return InputError(
            f"{self.key}: {shown(key)} is not in the training set that the reward was prepared on "
            f"({len(self.places):,} of them).",
            hint=UNKNOWN_HINT,
        )


def read_training_set(
    train: object,
    *,
    key: str = PROMPT,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
) -> TrainingSet:
    """Read prompts with what their completions are held against.

    A row has the prompt (a text or messages), and whatever the metric needs in the columns of `gameproof.load`:
    references, source, query, persona. Rows of verl's files are read as they are: the references are
    ``reward_model.ground_truth``, and what is in ``extra_info`` counts as columns. A candidate is not needed;
    where a column is called ``candidate``, metrics that fit something on texts of the data find it there.

    Args:
        train: As `gameproof.load` takes it: a path, a list of dicts, a Hugging Face data set, a frame ...
        key: The column by which a host's rows are found again; ``ground_truth`` finds them by their references.
        rename: Field -> column.
        reference: The column that holds the references, where it has none of the usual names.
        group_by: The column whose values are the groups that negatives come from.

    Raises:
        DataError: Rows are bad; all of them are named.
        InputError: A row has no key, or one key stands for different references.
    """
    source = _source_of(train)
    named = reference or (rename or {}).get("references")
    kept = {reference, *(rename or {}).values()} - {None}
    keys: dict[int, str] = {}
    columns: dict[str, None] = {}
    dropped = _unwanted_names()

    def rows() -> Iterator[RawRow]:
        for number, row in source.rows():
            if not isinstance(row, Mapping):
                yield number, row
                continue
            whole = _unpacked(row)
            columns.update(dict.fromkeys(whole))
            if reference is not None and is_column(reference) and reference not in whole:
                raise _no_reference(whole, reference, source.where(number))
            keys[number] = _key_of(whole, key, source.where(number), named)
            fields = {
                name: value for name, value in whole.items() if name in kept or _plain(name) not in dropped
            }
            if not _has_task(fields):
                fields["task_id"] = _short(keys[number])
            candidate = whole.get("candidate")
            yield number, {**fields, "candidate": "" if candidate is None else candidate, "id": f"r{number}"}

    try:
        dataset = load(
            replace(source, rows=rows, quiet=True),
            rename=rename,
            reference=reference,
            group_by=group_by,
        )
    finally:
        source.close()
    return _indexed(dataset, keys, key, tuple(columns), source)


def reference_key(references: object) -> str:
    """Return the text by which items are found from their references: a text, or a list of them.

    Example:
        >>> reference_key("It rained.") == reference_key(["It rained."])
        True
    """
    texts = [references] if isinstance(references, str) else _listed(references)
    return json.dumps(texts, ensure_ascii=False)


def _listed(references: object) -> list[str]:
    plain = cast("Any", references)  # Any: an array, a list, a tuple
    values = plain.tolist() if hasattr(plain, "tolist") else plain
    if isinstance(values, list | tuple):
        return [str(text) for text in cast("Sequence[object]", values)]
    return [str(values)]


def _source_of(train: object) -> Source:
    if isinstance(train, str) and train == "-":
        raise PlanError(
            "train: found '-'; a training set is read in every process, which standard input cannot be."
        )
    return source_of(train)


def _unwanted_names() -> frozenset[str]:
    """Return the names of columns that would be read as a candidate, or as what training data has no use for."""
    return frozenset(name for field in ("candidate", *OURS) for name in FIELDS[field])


def _unpacked(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of verl's files with its nested columns beside the others; any other row as it is."""
    whole = dict(row)
    truth = whole.pop("reward_model", None)
    if isinstance(truth, Mapping) and "ground_truth" in truth and "references" not in whole:
        found = cast("Mapping[str, Any]", truth)["ground_truth"]
        whole["references"] = _listed(found) if not isinstance(found, str) else [found]
    elif truth is not None:
        whole["reward_model"] = truth
    extra = whole.get("extra_info")
    if isinstance(extra, Mapping):
        del whole["extra_info"]
        whole = {**{str(name): value for name, value in cast("Mapping[Any, Any]", extra).items()}, **whole}
    return whole


def _key_of(row: Mapping[str, Any], key: str, where: str, references: str | None) -> str:
    if key == GROUND_TRUTH:
        return _truth_of(row, references)
    value = row.get(key)
    if value is None:
        there = "no value" if key in row else f"no such column (columns: {list_columns([*row])})"
        raise InputError(
            f"{where}: {key}: found {there}; every row of a training set needs one.",
            hint="Name the column by which rows are found with key='COLUMN'.",
        )
    return key_of(value)


def _no_reference(row: Mapping[str, Any], reference: str, where: str) -> InputError:
    near = difflib.get_close_matches(reference, [*row], n=1)
    return InputError(
        f"{where}: reference: found no column {reference!r} (columns: {list_columns([*row])}).",
        hint=f"Did you mean reference={near[0]!r}?" if near else "Name the column that holds the references.",
    )


def _truth_of(row: Mapping[str, Any], named: str | None) -> str:
    """Return what stands for the references of a row, so that rows with the same ones are one task."""
    columns = [named] if named is not None else [name for name in row if _plain(name) in FIELDS["references"]]
    return reference_key(next((row[name] for name in columns if row.get(name) is not None), ""))


def _has_task(row: Mapping[str, Any]) -> bool:
    names = {_plain(name) for name in row}
    return any(name in names for name in FIELDS["task_id"])


def _plain(column: str) -> str:
    return column.strip().lower().replace(" ", "_").replace("-", "_")


def _short(key: str) -> str:
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _indexed(
    dataset: Dataset, keys: Mapping[int, str], key: str, columns: tuple[str, ...], source: Source
) -> TrainingSet:
    places: dict[str, int] = {}
    for place, item in enumerate(dataset.items):
        number = int(item.id[1:])
        found = reference_key(list(item.references)) if key == GROUND_TRUTH else keys[number]
        first = dataset.items[places.setdefault(found, place)]
        if not _scored_alike(first, item):
            raise InputError(
                f"{key}: {shown(found)} stands for different {_difference(first, item)} in "
                f"{source.where(int(first.id[1:]))} and {source.where(number)}.",
                hint="Put all references of a prompt into one list, or find rows by a column: key='COLUMN'.",
            )
    return TrainingSet(key=key, items=dataset.items, places=places, columns=columns)


COMPARED = ("references", "source", "query", "persona", "requirements", "task_id")


def _scored_alike(first: Item, second: Item) -> bool:
    return all(getattr(first, field) == getattr(second, field) for field in COMPARED)


def _difference(first: Item, second: Item) -> str:
    return next(field for field in COMPARED if getattr(first, field) != getattr(second, field))
