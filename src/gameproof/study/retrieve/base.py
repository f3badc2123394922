"""What finds documents: one Protocol, and the reading of a document's record."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from gameproof.study.cleaning import clean
from gameproof.study.events import Document

__all__ = ["Found", "Records", "Retriever", "read_records"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search gave."""

    documents: tuple[Document, ...]  # best first
    source: str  # where they come from, as readers may be told
    n_without_abstract: int = 0  # records that matched and had no abstract: skipped
    note: str | None = None


class Retriever(Protocol):
    """Something that finds documents."""

    @property
    def source(self) -> str:
        """Where documents come from, as readers may be told."""
        ...

    async def search(self, query: str, n: int) -> Found:
        """Return at most n documents, best first; none where nothing matches.

        Raises:
            CallError: The search failed; the reason may be stored and counted.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """Documents, and the titles of records that were none."""

    documents: tuple[Document, ...]
    titles_without_abstract: tuple[str, ...]

    @property
    def n_without_abstract(self) -> int:
        """How many records were skipped."""
        return len(self.titles_without_abstract)


def read_records(rows: Iterable[Mapping[str, Any]]) -> Records:  # Any: JSON
    """Read records with `title` and `text` (or `abstract`), and as far as they are there `id`, `url`, `year`.

    A record without an abstract is skipped and counted.

    Example:
        >>> found = read_records([{"title": "Rain", "abstract": "It rained."}, {"title": "Sun"}])
        >>> found.documents[0].id, found.n_without_abstract
        ('1', 1)
    """
    documents: list[Document] = []
    skipped: list[str] = []
    for place, row in enumerate(rows, start=1):
        title = clean(str(row.get("title") or ""))
        text = clean(str(row.get("text") or row.get("abstract") or ""))
        if not text:
            skipped.append(title)
            continue
        year = row.get("year")
        documents.append(
            Document(
                id=str(row.get("id") or place),
                title=title or "(no title)",
                text=text,
                url=str(row["url"]) if row.get("url") else None,
                year=year if isinstance(year, int) else None,
            )
        )
    return Records(documents=tuple(documents), titles_without_abstract=tuple(skipped))
