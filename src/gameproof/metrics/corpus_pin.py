"""Signatures of metrics whose weights come from the references of the whole data: they hold its digest."""

from collections.abc import Iterable

from gameproof.errors import PlanError
from gameproof.metrics.entries import MetricOption
from gameproof.metrics.spec_text import join_spec, split_spec

__all__ = ["CORPUS", "check_corpus", "digest_corpus", "with_corpus", "without_corpus"]

KEY = "corpus"
DIGITS = 12
CORPUS = MetricOption(
    values=("",),
    kind="text",
    default="",
    summary="the digest of the references that weights come from, as a signature has it",
)


def digest_corpus(tasks: Iterable[Iterable[str]]) -> str:
    """Return the digest of the references of tasks, whatever their order."""
    from gameproof.files import digest_of  # noqa: PLC0415 - other metrics do not need it

    return digest_of(sorted(sorted(texts) for texts in tasks))[:DIGITS]


def check_corpus(pinned: str | None, found: str) -> None:
    """Refuse data that is not the one a signature names.

    Raises:
        PlanError: The references are other ones.
    """
    if pinned not in {None, found}:
        raise PlanError(
            f"{KEY}: the signature names references {pinned}, and those of this data are {found}.",
            hint=f"Use the data of that run, or leave {KEY}= out to weigh by this data.",
        )


def with_corpus(signature: str, digest: str) -> str:
    """Return a signature with the digest of the references."""
    spec = split_spec(signature)
    return join_spec(spec.head, {**spec.options, KEY: digest})


def without_corpus(name: str) -> str:
    """Return a name without the digest of references: names are short."""
    spec = split_spec(name)
    return join_spec(spec.head, {key: value for key, value in spec.options.items() if key != KEY})
