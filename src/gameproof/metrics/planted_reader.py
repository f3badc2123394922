"""What a perfect reader of the planted language finds of the references in a text: the truth of planted data."""

from collections.abc import Mapping, Sequence

from gameproof.datasets.planted.reading import read_statement
from gameproof.llm.providers.planted.understanding import Support, bearing
from gameproof.metrics.lexical import Order, ReferenceMetric
from gameproof.text import sentences

__all__ = ["build_planted_reader"]

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


def _score_candidates(reference: str, candidates: tuple[str, ...]) -> Sequence[float | str]:
    facts = [
        sentence
        for sentence in sentences(reference)
        if (reading := read_statement(sentence)) is not None and not reading.general
    ]
    if not facts:
        return [NOTHING_PLANTED] * len(candidates)
    return [
        sum(WORTH[bearing(candidate, fact).support] for fact in facts) / len(facts)
        for candidate in candidates
    ]
