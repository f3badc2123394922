"""Search a local corpus, or give documents by fixed lists."""

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from gameproof.errors import DataError, InputError, RowProblem
from gameproof.files.values import describe
from gameproof.json_text import parse_json
from gameproof.study.retrieve.base import Found, Records, read_records
from gameproof.study.retrieve.bm25 import BM25, terms

__all__ = ["FixedLists", "LocalCorpus", "read_corpus", "read_embedded", "read_fixed"]

ANY = "*"  # key of the documents for every query that has no list of its own
NOTHING = Records(documents=(), titles_without_abstract=())


class LocalCorpus:
    """Ranks the documents of a file by BM25 over title and abstract."""

    def __init__(self, records: Records, *, source: str) -> None:
        """Count terms once."""
        self._documents = records.documents
        self._source = source
        self._skipped = [set(terms(title)) for title in records.titles_without_abstract]
        self._index = BM25([terms(f"{document.title}\n{document.text}") for document in self._documents])

    @property
    def source(self) -> str:
        """Which corpus."""
        return self._source

    async def search(self, query: str, n: int) -> Found:
        """Return the best matches; of the records without an abstract those count whose title has a term of the query."""
        asked = terms(query)
        places = self._index.best(asked, n)
        return Found(
            documents=tuple(self._documents[place] for place in places),
            source=self._source,
            n_without_abstract=sum(not title.isdisjoint(asked) for title in self._skipped),
        )

    async def close(self) -> None:
        """Hold nothing."""


class FixedLists:
    """Gives each known query its own documents."""

    def __init__(self, lists: Mapping[str, Records], *, source: str) -> None:
        """Keep the lists."""
        self._lists = {_plain(query): records for query, records in lists.items()}
        self._source = source
        self.queries = tuple(query for query in lists if query != ANY)  # that a page may suggest

    @property
    def source(self) -> str:
        """Which lists."""
        return self._source

    async def search(self, query: str, n: int) -> Found:
        """Return the list of a query (without regard to case and spaces), or the one for any query."""
        found = self._lists.get(_plain(query), self._lists.get(ANY, NOTHING))
        return Found(
            documents=found.documents[:n], source=self._source, n_without_abstract=found.n_without_abstract
        )

    async def close(self) -> None:
        """Hold nothing."""


def read_embedded() -> LocalCorpus:
    """Load the corpus of the demonstration: abstracts written for it, of studies that were never made."""
    text = files("gameproof.study").joinpath("texts", "corpus.jsonl").read_text(encoding="utf-8")
    records = read_records(json.loads(line) for line in text.splitlines())
    source = f"{len(records.documents)} invented abstracts of the demonstration"
    return LocalCorpus(records, source=source)


def read_corpus(path: Path) -> LocalCorpus:
    """Read a corpus: JSON lines with title and text (or abstract); id, url and year where they are there.

    Raises:
        InputError: The file cannot be read, or holds no abstract at all.
        DataError: Lines are no JSON objects; all of them are told.
    """
    rows: list[Mapping[str, Any]] = []
    problems: list[RowProblem] = []
    # Not splitlines: what else it takes for the end of a line may stand inside a text.
    for place, line in enumerate(_text_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = parse_json(line)
        except ValueError:
            row = None
        if isinstance(row, dict):
            rows.append(cast("dict[str, Any]", row))  # JSON objects have text keys
        else:
            problems.append(
                RowProblem(where=f"{path.name}:{place}", field=None, found=line[:60], allowed="a JSON object")
            )
    if problems:
        raise DataError(problems)
    records = read_records(rows)
    if not records.documents:
        raise InputError(
            f"{path} holds no document with an abstract: expected JSON lines with title and text."
        )
    source = f"{len(records.documents):,} abstracts of {path.stem}"
    return LocalCorpus(records, source=source)


def read_fixed(path: Path) -> FixedLists:
    """Read fixed lists: a JSON object, query -> list of documents; ``"*"`` stands for every other query.

    Raises:
        InputError: The file cannot be read, or is not of this form.
        DataError: Documents are no JSON objects; all of them are told.
    """
    try:
        record = parse_json(_text_of(path))
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}.") from error
    if not isinstance(record, dict) or not all(
        isinstance(rows, list) for rows in cast("dict[str, object]", record).values()
    ):
        raise InputError(f"{path}: expected a JSON object of lists of documents, one list a query.")
    rows_of = cast("dict[str, list[Mapping[str, Any]]]", record)
    problems = [
        RowProblem(
            where=f"{path.name}, {query!r}, document {place}",
            field=None,
            found=describe(row),
            allowed="a JSON object",
        )
        for query, rows in rows_of.items()
        for place, row in enumerate(cast("list[object]", rows), start=1)
        if not isinstance(row, dict)
    ]
    if problems:
        raise DataError(problems)
    lists = {query: read_records(rows) for query, rows in rows_of.items()}
    return FixedLists(lists, source=f"the study's own lists ({path.stem})")


def _plain(query: str) -> str:
    return " ".join(query.casefold().split())


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}."
        ) from error
