"""Make the search that a study asks for; without OpenAlex's key the study starts on the embedded corpus and says so."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from gameproof.study.model import Retrieval
from gameproof.study.retrieve.base import Retriever
from gameproof.study.retrieve.local import read_corpus, read_embedded, read_fixed

__all__ = ["OpenedRetriever", "open_retriever"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedRetriever:
    """A search, with what the person who runs the study must know about it."""

    retriever: Retriever
    notes: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()  # queries that the study has lists for


def open_retriever(retrieval: Retrieval, environment: Mapping[str, str] | None = None) -> OpenedRetriever:
    """Make the search of a study.

    Raises:
        InputError: A corpus cannot be read.
    """
    known = os.environ if environment is None else environment
    if retrieval.kind == "fixed" and retrieval.corpus is not None:
        lists = read_fixed(retrieval.corpus)
        return OpenedRetriever(retriever=lists, suggestions=lists.queries)
    if retrieval.kind == "openalex":
        key = known.get(retrieval.key_env, "")
        if key:
            from gameproof.study.retrieve.openalex import OpenAlex  # noqa: PLC0415 - loads aiohttp

            return OpenedRetriever(
                retriever=OpenAlex(
                    key=key, url=retrieval.url, per_second=retrieval.per_second, timeout_s=retrieval.timeout_s
                )
            )
        corpus = read_embedded() if retrieval.corpus is None else read_corpus(retrieval.corpus)
        note = (
            f"OpenAlex needs a key, and {retrieval.key_env} is not set: documents come from {corpus.source}. "
            "A key is free of charge at openalex.org."
        )
        return OpenedRetriever(retriever=corpus, notes=(note,))
    corpus = read_embedded() if retrieval.corpus is None else read_corpus(retrieval.corpus)
    notes = (f"documents come from {corpus.source}.",) if retrieval.corpus is None else ()
    return OpenedRetriever(retriever=corpus, notes=notes)
