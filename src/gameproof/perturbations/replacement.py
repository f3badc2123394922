"""Put another text in the place of a text."""

import numpy as np

from gameproof.perturbations.base import Context, Failure

__all__ = ["NULL_ANSWERS", "copy_source", "take_anothers_candidate", "take_null_answer"]

# Answers that say nothing and that some judges have been seen to accept.
NULL_ANSWERS = (":", "Thought process:", "Let's solve this step by step.")

NO_OTHER_TASK = Failure("no other task")
MAX_DRAWS = 100


def take_anothers_candidate(text: str, context: Context, rng: np.random.Generator) -> str | Failure:
    """Return a candidate that was written for another task of the group (Lu et al. 2024).

    Each of them is equally likely, save that empty ones and copies of the text itself are drawn again.
    """
    others = context.pool.others(context.item)
    if not others:
        return NO_OTHER_TASK
    for _ in range(MAX_DRAWS):
        drawn = others[int(rng.integers(len(others)))].candidate
        if drawn.strip() and drawn.strip() != text.strip():
            return drawn
    return Failure("no other task has another text")


def take_null_answer(text: str, context: Context, rng: np.random.Generator) -> str:
    """Return an answer that says nothing: a colon, or the opening of an explanation that never comes."""
    del text, context
    return NULL_ANSWERS[int(rng.integers(len(NULL_ANSWERS)))]


def copy_source(text: str, context: Context, rng: np.random.Generator) -> str | Failure:
    """Return the source itself, word for word."""
    del text, rng
    return context.item.source or Failure("no source")
