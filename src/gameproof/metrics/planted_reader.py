"""What a perfect reader of the planted language finds of the references in a text: the truth of planted data."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from gameproof.datasets.planted.reading import read_statement
from gameproof.llm.providers.planted.understanding import Support, bearing
from gameproof.metrics.lexical import Order, ReferenceMetric
from gameproof.text import sentences

__all__ = ["build_planted_reader", "worth_of"]

REMEMBERED = 4096  # references whose facts are kept
NOTHING_PLANTED = "the reference says nothing of the planted world"

# Right is worth one, half right a half; to say the opposite, or something else in its place, costs as much.
WORTH: Mapping[Support, float] = {
    Support.STATED: 1.0,
    Support.MAYBE: 0.5,
    Support.SILENT: 0.0,
    Support.OTHERWISE: -1.0,
    Support.DENIED: -1.0,
}


def build_planted_reader(order: Order) -> ReferenceMetric:
    """Build the reader: the mean worth, from -1 to 1, of a reference's statements in a candidate."""
    return ReferenceMetric(
        name=order.name,
        full_name=order.signature,
        refs=order.options["refs"],
        score_candidates=_score_candidates,
    )


def worth_of(candidate: str, reference: str) -> float | None:
    """Return the mean worth, from -1 to 1, of a reference's facts in a candidate; None where it states none.

    Example:
        >>> worth_of("In the hand it amounts to 230 grams.", "It weighs 230 grams without its packaging.")
        1.0
    """
    facts = _facts(reference)
    if not facts:
        return None
    return sum(WORTH[bearing(candidate, fact).support] for fact in facts) / len(facts)


def _score_candidates(reference: str, candidates: tuple[str, ...]) -> Sequence[float | str]:
    found = [worth_of(candidate, reference) for candidate in candidates]
    return [NOTHING_PLANTED if worth is None else worth for worth in found]


@lru_cache(maxsize=REMEMBERED)
def _facts(reference: str) -> tuple[str, ...]:
    """Return the sentences of a reference that state a fact of its task."""
    return tuple(
        sentence
        for sentence in sentences(reference)
        if (reading := read_statement(sentence)) is not None and not reading.general
    )
