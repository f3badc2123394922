"""Put the words of a text into another order."""

import re

import numpy as np

from gameproof.perturbations.base import Context, Failure

__all__ = ["shuffle_words"]

FEWEST_WORDS = 3  # of a sentence: in a shorter one there is little order to lose
NO_ORDER = Failure(f"no sentence has {FEWEST_WORDS} words with spaces between them")

_CLOSING = re.compile(r"[.!?;:,\u2026]+[\"')\]\u201d\u2019]*$")


def shuffle_words(text: str, context: Context, rng: np.random.Generator) -> str | Failure:
    """Put the words of each sentence into a random order; sentences, headers and layout stay where they are.

    Nobody can tell any longer who did what to whom, yet every word is still there. A bag of words does not
    see the difference. The mark that closes a sentence stays at its end.
    """
    layout = context.pool.layout(text)
    shuffled = {
        place: found
        for place, sentence in enumerate(layout.sentences)
        if (found := _shuffle(sentence, rng)) != sentence
    }
    return layout.with_sentences(shuffled) if shuffled else NO_ORDER


def _shuffle(sentence: str, rng: np.random.Generator) -> str:
    closing = _CLOSING.search(sentence)
    end = closing.group() if closing else ""
    ordered = sentence[: len(sentence) - len(end)].split()
    if len(ordered) < FEWEST_WORDS:
        return sentence
    drawn = [ordered[int(place)] for place in rng.permutation(len(ordered))]
    if drawn == ordered:  # a chance order may be the old one
        drawn = [*ordered[1:], ordered[0]]
    return " ".join(drawn) + end
