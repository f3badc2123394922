"""Take sentences out of a text."""

import math

import numpy as np

from gameproof.perturbations.base import Context, Failure
from gameproof.text import Layout, is_splittable

__all__ = [
    "NO_SENTENCE_RULES",
    "drop_ending",
    "drop_every_other_sentence",
    "drop_one_sentence",
    "layout_of_several_sentences",
]

TOO_SHORT = Failure("fewer than two sentences")
NO_SENTENCE_RULES = Failure("no sentence rules for this script")
NOTHING_TO_DROP = Failure("no section has two sentences")

ENDING = 0.25  # of the sentences, rounded up


def drop_every_other_sentence(text: str, context: Context, rng: np.random.Generator) -> str | Failure:
    """Keep the first, third, fifth ... sentence of each section (Xu et al. 2025).

    Counting starts anew at each header and at each line with a label ("Clarity: ..."). Headers and labels
    stay, and so do order, list markers and line breaks of what remains.
    """
    del rng
    layout = layout_of_several_sentences(text, context)
    if isinstance(layout, Failure):
        return layout
    n_sentences = len(layout.sentences)
    kept = {place for section in layout.sections for place in section[::2]}
    return layout.keep(kept) if len(kept) < n_sentences else NOTHING_TO_DROP


def drop_one_sentence(text: str, context: Context, rng: np.random.Generator) -> str | Failure:
    """Take out one sentence, drawn at random: the unit in which an exchange rate counts losses."""
    layout = layout_of_several_sentences(text, context)
    if isinstance(layout, Failure):
        return layout
    n_sentences = len(layout.sentences)
    dropped = int(rng.integers(n_sentences))
    return layout.keep(set(range(n_sentences)) - {dropped})


def drop_ending(text: str, context: Context, rng: np.random.Generator) -> str | Failure:
    """Leave out the last quarter of the sentences, at least one, with any header that is left without a text.

    Whoever reads only the beginning, or only so many tokens, cannot see that anything is missing.
    """
    del rng
    layout = layout_of_several_sentences(text, context)
    if isinstance(layout, Failure):
        return layout
    n_sentences = len(layout.sentences)
    return layout.first(n_sentences - math.ceil(n_sentences * ENDING))


def layout_of_several_sentences(text: str, context: Context) -> Layout | Failure:
    """Return the layout of a text of two sentences or more; of any other, why no sentence can be taken out."""
    if not is_splittable(text):
        return NO_SENTENCE_RULES
    layout = context.pool.layout(text)
    return layout if len(layout.sentences) > 1 else TOO_SHORT
