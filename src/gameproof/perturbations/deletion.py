"""Take sentences out of a text."""

import numpy as np

from gameproof.perturbations.base import Context, Failure
from gameproof.text import is_splittable

__all__ = ["NO_SENTENCE_RULES", "TOO_SHORT", "drop_every_other_sentence"]

TOO_SHORT = Failure("fewer than two sentences")
NO_SENTENCE_RULES = Failure("no sentence rules for this script")
NOTHING_TO_DROP = Failure("no section has two sentences")


def drop_every_other_sentence(text: str, context: Context, rng: np.random.Generator) -> str | Failure:
    """Keep the first, third, fifth ... sentence of each section (Xu et al. 2025).

    Counting starts anew below each header. Headers stay, and so do order, list markers and line breaks of
    what remains.
    """
    del rng
    if not is_splittable(text):
        return NO_SENTENCE_RULES
    layout = context.pool.layout(text)
    n_sentences = len(layout.sentences)
    if n_sentences < 2:
        return TOO_SHORT
    kept = {place for section in layout.sections for place in section[::2]}
    return layout.keep(kept) if len(kept) < n_sentences else NOTHING_TO_DROP
