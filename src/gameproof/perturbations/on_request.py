"""Degradations that are made only where they are asked for by name: whether a text is read to its end, and in order."""

from gameproof.perturbations import deletion, shuffling
from gameproof.perturbations.base import Perturbation

__all__ = ["ON_REQUEST"]

ON_REQUEST = (
    Perturbation(
        name="ending_deletion",
        family="degradation",
        expect="decrease",
        summary="the last quarter of the sentences left out: is the text read to its end?",
        source="gameproof",
        make=deletion.drop_ending,
        extra=True,
        on_request=True,
    ),
    Perturbation(
        name="shuffled_words",
        family="degradation",
        expect="decrease",
        summary="the words of each sentence in another order: is more read than a bag of words?",
        source="gameproof",
        make=shuffling.shuffle_words,
        extra=True,
        on_request=True,
    ),
)
