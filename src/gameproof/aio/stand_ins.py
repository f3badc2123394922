"""Say that the models without any model understand the embedded data only: what they say of other texts is nothing."""

from collections.abc import Iterator, Sequence

from gameproof.datasets.planted import readers, world
from gameproof.llm.providers.planted.spec import PREFIX
from gameproof.metrics.base import Metric

__all__ = ["notes_on_stand_ins"]

OWN = frozenset((world.NOTE, *readers.NOTES))  # what the embedded data says of itself


def notes_on_stand_ins(
    metrics: Sequence[Metric],
    notes: Sequence[str],
    *,
    result: str = "verdict",
) -> Iterator[str]:
    """Yield one note where metrics ask a ``planted:`` model about texts that it does not know.

    Args:
        metrics: All of the run, prepared or not.
        notes: What the data says of itself; the embedded data says so.
        result: What of these metrics then means nothing: every verdict, score, agreement.
    """
    names = [metric.name for metric in metrics if PREFIX in metric.signature()]
    if names and not OWN.intersection(notes):
        yield (
            f"{', '.join(dict.fromkeys(names))}: planted: models understand the embedded data set 'planted' only; what"
            f" they answer about other texts, and so every {result} on these metrics here, means nothing"
        )
