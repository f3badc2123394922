"""Search a local corpus, or give documents by fixed lists."""

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from gameproof.errors import DataError, InputError, RowProblem
from gameproof.study.events import Document
from gameproof.study.retrieve.base import Found, read_records
from gameproof.study.retrieve.bm25 import BM25, terms

__all__ = ["FixedLists", "LocalCorpus", "read_corpus", "read_embedded", "read_fixed"]

ANY = "*"  # key of the documents for every query that has no list of its own


class LocalCorpus:
    """Ranks the documents of a file by BM25 over title and abstract."""

    def __init__(self, documents: tuple[Document, ...], *, source: str, n_without_abstract: int = 0) -> None:
        """Count terms once."""
        self._documents = documents
        self._source = source
        self._skipped = n_without_abstract
        self._index = BM25([terms(f"{document.title}\n{document.text}") for document in documents])

    @property
    def source(self) -> str:
        """Which corpus."""
        return self._source

    async def search(self, query: str, n: int) -> Found:
        """Return the best matches."""
        places = self._index.best(terms(query), n)
        return Found(
            documents=tuple(self._documents[place] for place in places),
            source=self._source,
            n_without_abstract=self._skipped,
        )

    async def close(self) -> None:
        """Hold nothing."""


class FixedLists:
    """Gives each known query its own documents."""

    def __init__(
        self, lists: Mapping[str, tuple[Document, ...]], *, source: str, n_without_abstract: int = 0
    ) -> None:
        """Keep the lists."""
        self._lists = {_plain(query): documents for query, documents in lists.items()}
        self._source = source
        self._skipped = n_without_abstract
        self.queries = tuple(query for query in lists if query != ANY)  # that a page may suggest

    @property
    def source(self) -> str:
        """Which lists."""
        return self._source

    async def search(self, query: str, n: int) -> Found:
        """Return the list of a query (without regard to case and spaces), or the one for any query."""
        documents = self._lists.get(_plain(query), self._lists.get(ANY, ()))
        return Found(documents=documents[:n], source=self._source, n_without_abstract=self._skipped)

    async def close(self) -> None:
        """Hold nothing."""


def read_embedded() -> LocalCorpus:
    """Load the corpus of the demonstration: abstracts written for it, of studies that were never made."""
    text = files("gameproof.study").joinpath("texts", "corpus.jsonl").read_text(encoding="utf-8")
    records = read_records(json.loads(line) for line in text.splitlines())
    source = f"{len(records.documents)} invented abstracts of the demonstration"
    return LocalCorpus(records.documents, source=source)


def read_corpus(path: Path) -> LocalCorpus:
    """Read a corpus: JSON lines with title and text (or abstract); id, url and year where they are there.

    Raises:
        InputError: The file cannot be read, or holds no abstract at all.
        DataError: Lines are no JSON objects; all of them are told.
    """
    rows: list[Mapping[str, Any]] = []
    problems: list[RowProblem] = []
    for place, line in enumerate(_text_of(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row: object = json.loads(line)
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
    return LocalCorpus(records.documents, source=source, n_without_abstract=records.n_without_abstract)


def read_fixed(path: Path) -> FixedLists:
    """Read fixed lists: a JSON object, query -> list of documents; ``"*"`` stands for every other query.

    Raises:
        InputError: The file cannot be read, or is not of this form.
    """
    try:
        record: object = json.loads(_text_of(path))
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}.") from error
    if not isinstance(record, dict) or not all(
        isinstance(rows, list) for rows in cast("dict[str, object]", record).values()
    ):
        raise InputError(f"{path}: expected a JSON object of lists of documents, one list a query.")
    lists = {
        query: read_records(rows)
        for query, rows in cast("dict[str, list[Mapping[str, Any]]]", record).items()
    }
    return FixedLists(
        {query: found.documents for query, found in lists.items()},
        source=f"the study's own lists ({path.stem})",
        n_without_abstract=sum(found.n_without_abstract for found in lists.values()),
    )


def _plain(query: str) -> str:
    return " ".join(query.casefold().split())


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}."
        ) from error
