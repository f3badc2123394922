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
    see the difference. The mark that closes a sentence stays at its end, and the first word of a line below the first
    at its beginning: by that word a reader tells a new line from the rest of the one above.
    """
    layout = context.pool.layout(text)
    below = layout.line_starts - {0}
    shuffled = {
        place: found
        for place, sentence in enumerate(layout.sentences)
        if (found := _shuffle(sentence, rng, first=int(place in below))) != sentence
    }
    return layout.with_sentences(shuffled) if shuffled else NO_ORDER


def _shuffle(sentence: str, rng: np.random.Generator, *, first: int) -> str:
    """Shuffle the words behind the first so many."""
    closing = _CLOSING.search(sentence)
    end = closing.group() if closing else ""
    ordered = sentence[: len(sentence) - len(end)].split()
    if len(ordered) < FEWEST_WORDS:
        return sentence
    kept, moved = ordered[:first], ordered[first:]
    drawn = [moved[int(place)] for place in rng.permutation(len(moved))]
    if drawn == moved:  # a chance order may be the old one
        drawn = [*moved[1:], moved[0]]
    return " ".join([*kept, *drawn]) + end
