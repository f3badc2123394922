"""Find documents for a reader's query."""

from gameproof.study.retrieve.base import Found, Retriever
from gameproof.study.retrieve.opening import OpenedRetriever, open_retriever

__all__ = ["Found", "OpenedRetriever", "Retriever", "open_retriever"]
