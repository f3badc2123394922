"""Open a file of a public data set by the name of its format: summeval:FILE."""

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from gameproof.datasets.loaders.base import (
    BadRecord,
    Kind,
    LeftOut,
    Numbered,
    NumberedRow,
    Place,
    PublicDataset,
    Row,
    Shape,
    mean,
)
from gameproof.datasets.loaders.records import is_data_file, records_of
from gameproof.datasets.loaders.table import PUBLIC
from gameproof.errors import InputError, PlanError
from gameproof.files.aliases import list_columns
from gameproof.files.formats import BadRow, RawRow
from gameproof.files.sources import Source

__all__ = ["OWN", "Opened", "guess", "open_public", "public_rows", "split_name"]

MARKED_AGAIN = "rows that mark a text again, joined with its first row; their marks count as another rater's"
REFERENCE = "reference"  # the system of a candidate that is one of the references itself
# What a value of another kind leads to: a number in the place of an object, a list as a name.
WRONG_KIND = (TypeError, ValueError, KeyError, AttributeError, IndexError, OverflowError)
MAX_TRIED = 50  # records that are looked at before a file is given up


def _as_is(records: Iterable[tuple[int, Any]], _place: Place) -> Iterator[NumberedRow]:
    for line, record in records:
        yield line, record if isinstance(record, BadRow) else dict(record)


def _own(*keys: str) -> frozenset[str]:
    return frozenset({"task_id", *keys})


# gameproof's own rows: a data set that was brought into them before is read as it is.
OWN = (
    Shape(
        looks="rows with task_id, candidate_a, candidate_b and preference",
        keys=_own("candidate_a", "candidate_b"),
        convert=_as_is,
        kind="comparisons",
    ),
    Shape(looks="rows with task_id and candidate", keys=_own("candidate"), convert=_as_is),
    Shape(
        looks="rows with task_id, source and references",
        keys=_own("source", "references"),
        convert=_as_is,
        kind="corpus",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A public data set, found on this machine."""

    dataset: PublicDataset
    kind: Kind
    source: Source
    left_out: Counter[str]  # reason -> records, known once the source was read
    about: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what a reader of results must know; complete once the source was read."""
        counted = ((reason, n) for reason, n in self.left_out.items())
        told = (f"{'' if reason == MARKED_AGAIN else 'left out: '}{reason}: {n:,}" for reason, n in counted)
        return (*self.about, *told)


def split_name(data: str) -> tuple[PublicDataset, str] | None:
    """Split ``summeval:FILE``; None where the text is no such name. A file that is called so comes first.

    Raises:
        PlanError: The name is a misspelt one.

    Example:
        >>> found = split_name("summeval:ratings.jsonl")
        >>> found[0].title, found[1]
        ('SummEval', 'ratings.jsonl')
    """
    name, colon, path = data.partition(":")
    if not colon or not path or path.startswith("//") or Path(data).exists():
        return None
    if name in PUBLIC:
        return PUBLIC[name], path
    near = difflib.get_close_matches(name.lower().replace("-", "_"), PUBLIC, n=1)
    if near and Path(path).exists():
        raise PlanError(
            f"the format {name!r} is unknown: did you mean {near[0]}:{path}?",
            hint="`gameproof data list` shows all formats.",
        )
    return None


def open_public(dataset: PublicDataset, path: str | Path, *, as_published: bool = False) -> Opened:
    """Recognise which of its shapes a file or folder has, and open its rows.

    Args:
        dataset: A row of the catalogue.
        path: A file, or the folder with the files as they are published.
        as_published: Leave the rows of a corpus without a text under test.

    Raises:
        InputError: It is no file of this data set; the message says what one looks like, and what this is.
    """
    root = Path(path)
    if root.is_dir():
        shape, files = _find_in_folder(dataset, root)
    else:
        shape, files = _recognise(dataset, root), [root]
    many = len(files) > 1 or root.is_dir()
    left_out = Counter[str]()
    marked_again = dataset.marked_again and shape.kind == "items"
    makes_candidates = shape.kind == "corpus" and not as_published

    def rows() -> Iterator[RawRow]:
        found = _rows(shape, files, root, left_out, numbered=many, makes_candidates=makes_candidates)
        return _with_all_marks(found, left_out) if marked_again else found

    source = Source(name=root.name or str(root), flat=False, rows=rows, file=not many, quiet=True)
    about = (_corpus_note(dataset),) if makes_candidates else ()
    return Opened(dataset=dataset, kind=shape.kind, source=source, left_out=left_out, about=about)


def public_rows(dataset: PublicDataset, path: str | Path) -> list[Row]:
    """Return the rows of a public data set as they are published, those of a corpus without a candidate.

    Raises:
        InputError: It is no file of this data set, or a record has not what it needs.
    """
    root = Path(path)
    shape, files = _find_in_folder(dataset, root) if root.is_dir() else (_recognise(dataset, root), [root])
    rows: list[Row] = []
    for line, row in _converted(shape, files, root):
        if isinstance(row, BadRow):
            raise InputError(f"{root.name}:{line}: found {row.found}; allowed: {row.allowed}")
        if not isinstance(row, LeftOut):
            rows.append(row)
    return rows


def guess(path: Path) -> list[str]:
    """Name the public formats that a file looks like.

    Example:
        >>> guess(Path("no-such-file.json"))
        []
    """
    if not is_data_file(path):
        return []
    try:
        record = _first_record(path)
    except InputError:
        return []
    return [] if record is None else _formats_of(record)


def _formats_of(record: Mapping[str, object]) -> list[str]:
    return [name for name, row in PUBLIC.items() if any(shape.has(record) for shape in row.shapes)]


def _recognise(dataset: PublicDataset, path: Path) -> Shape:
    record = _first_record(path)
    if record is None:
        raise InputError(f"{path} has no records.", hint=f"{dataset.title} is {_looks(dataset)}.")
    shape = next((shape for shape in (*OWN, *dataset.shapes) if shape.has(record)), None)
    if shape is not None:
        return shape
    others = [name for name in _formats_of(record) if name != dataset.name]
    hint = f"It looks like {' or '.join(f'{name}:{path}' for name in others[:3])}." if others else None
    raise InputError(
        f"{path} is not {dataset.title} as it is published.\n"
        f"  expected: {_looks(dataset)}\n"
        f"  found: a record with the keys {list_columns(list(map(str, record)))}",
        hint=hint or "`gameproof data list` shows the formats; rows of your own need no name before them.",
    )


def _first_record(path: Path) -> Mapping[str, Any] | None:
    for count, (_, record) in enumerate(records_of(path)):
        if not isinstance(record, BadRow):
            return record
        if count >= MAX_TRIED:
            break
    return None


def _find_in_folder(dataset: PublicDataset, folder: Path) -> tuple[Shape, list[Path]]:
    for shape in dataset.shapes:
        for pattern in shape.files:
            found = [
                path for each in pattern.split(" | ") for path in sorted(folder.glob(each)) if path.is_file()
            ]
            if not found:
                continue
            if not shape.keys and shape.fits is None:  # the names of the files say what they are
                return shape, found
            fitting = [path for path in found if (r := _first_record(path)) is not None and shape.has(r)]
            if fitting:
                return shape, fitting
    wanted = "; ".join(f"{' or '.join(shape.files[:2])}" for shape in dataset.shapes if shape.files)
    raise InputError(
        f"the folder {folder} holds no files of {dataset.title}.",
        hint=f"Expected, inside it: {wanted}.",
    )


def _looks(dataset: PublicDataset) -> str:
    return "; or ".join(shape.looks for shape in dataset.shapes)


def _rows(
    shape: Shape,
    files: list[Path],
    root: Path,
    left_out: Counter[str],
    *,
    numbered: bool,
    makes_candidates: bool,
) -> Iterator[RawRow]:
    left_out.clear()  # rows may be read more than once
    count = 0
    for line, row in _converted(shape, files, root):
        if isinstance(row, LeftOut):
            left_out[row.reason] += 1
            continue
        count += 1
        found = row if isinstance(row, BadRow) or not makes_candidates else _with_candidate(row)
        yield (count if numbered else line), found


def _converted(shape: Shape, files: list[Path], root: Path) -> Iterator[NumberedRow]:
    if shape.together:
        no_records = not shape.keys and shape.fits is None
        records = () if no_records else chain.from_iterable(map(records_of, files))
        yield from _told(shape, records, Place(path=root, root=root))
        return
    for path in files:
        yield from _told(shape, records_of(path), Place(path=path, root=root))


def _told(shape: Shape, records: Iterable[Numbered], place: Place) -> Iterator[NumberedRow]:
    """Convert records; a value of a kind that the loader does not look for is the file's fault, told with its line."""
    line = 0

    def counted() -> Iterator[Numbered]:
        nonlocal line
        for number, record in records:
            line = number
            yield number, record

    try:
        yield from shape.convert(counted(), place)
    except BadRecord as bad:  # of the file's own records loaders take care
        raise InputError(
            f"a file beside {place.path.name} is not as it is published: found {bad.row.found}; allowed:"
            f" {bad.row.allowed}."
        ) from bad
    except WRONG_KIND as error:
        raise InputError(
            f"{place.path.name}:{line}: a value is of another kind than the format has: {error}.",
            hint=f"Expected: {shape.looks}.",
        ) from error


def _with_all_marks(rows: Iterable[RawRow], left_out: Counter[str]) -> Iterator[RawRow]:
    """Join the rows of one text into one, with the marks of each as a rater's."""
    kept: dict[tuple[object, object, object], tuple[int, Row, list[Mapping[str, float]]]] = {}
    for line, row in rows:
        if isinstance(row, BadRow):
            yield line, row
            continue
        key = (row.get("task_id"), row.get("candidate_id"), row.get("candidate"))
        _, _, marks = kept.setdefault(key, (line, dict(row), []))
        marks.append(row.get("ratings") or {})
        if len(marks) > 1:
            left_out[MARKED_AGAIN] += 1
    for line, row, marks in kept.values():
        if len(marks) > 1:
            dimensions = list(marks[0])
            row["ratings"] = {key: mean(each[key] for each in marks if key in each) for key in dimensions}
            row["raters"] = [{"rater": f"mark_{place}", **each} for place, each in enumerate(marks, start=1)]
        yield line, row


def _with_candidate(row: Row) -> Row:
    """Make the first reference of a task the text under test; the others stay its references."""
    references = list(row.get("references") or ())
    if not references:
        return {**row, "candidate": "", "candidate_id": REFERENCE, "references": []}
    return {**row, "candidate": references[0], "candidate_id": REFERENCE, "references": references[1:]}


def _corpus_note(dataset: PublicDataset) -> str:
    return (
        f"{dataset.title} has no texts to be judged here: the first reference of each task is the text under test, the "
        "others are its references"
    )
