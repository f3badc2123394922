"""The same change in several strengths."""

import math
from collections.abc import Sequence

import numpy as np

from gameproof.perturbations.base import Context, Failure
from gameproof.perturbations.deletion import NO_SENTENCE_RULES, layout_of_several_sentences
from gameproof.perturbations.everyday import everyday_sentences
from gameproof.perturbations.joining import CLOSING, append
from gameproof.records import Item
from gameproof.text import is_splittable, words
from gameproof.text.splitter import STOPS

__all__ = [
    "DISTRACTOR_LEVELS",
    "FRACTION_LEVELS",
    "SENTENCE_LEVELS",
    "append_foreign_sentences",
    "append_off_domain_sentences",
    "append_own_sentences",
    "keep_drawn_fraction",
    "keep_first_fraction",
    "keep_first_sentences",
]

DISTRACTOR_LEVELS = (1, 2, 3, 4, 5)
FRACTION_LEVELS = (25, 50, 75, 100)  # percent of the sentences
SENTENCE_LEVELS = tuple(range(16))  # sentences; longer texts are not followed further

MAX_DRAWS = 200
FOREIGN_WORDS = range(4, 61)  # shorter is debris, longer is text that was not split


def append_foreign_sentences(text: str, context: Context, rng: np.random.Generator) -> str | Failure:
    """Add as many sentences as the level says, from the sources of other tasks ("Information Satisfaction").

    The draws come from one stream in one order, so each level begins with all sentences of the level below.
    Where tasks have no sources, their references serve, and candidates where they have none either.
    """
    foreign = _draw_foreign_sentences(text, context, context.pool.others(context.item), rng)
    if isinstance(foreign, Failure):
        return foreign
    return append(text, _join(foreign), context.pool.layout(text))


def append_off_domain_sentences(text: str, context: Context, rng: np.random.Generator) -> str | Failure:
    """Add as many sentences as the level says, from another world than the text's own.

    They come from tasks of other groups; where the data has one group only, from a list of sentences about
    everyday matters that comes with gameproof.
    """
    elsewhere = context.pool.others_elsewhere(context.item)
    if elsewhere:
        foreign = _draw_foreign_sentences(text, context, elsewhere, rng)
        if isinstance(foreign, Failure):
            return foreign
    else:
        drawn = rng.permutation(len(everyday_sentences()))[: context.level or 0]
        foreign = [everyday_sentences()[int(place)] for place in drawn]
    return append(text, _join(foreign), context.pool.layout(text))


def append_own_sentences(text: str, context: Context, rng: np.random.Generator) -> str | Failure:
    """Make a text as much longer as `append_foreign_sentences` does, by its own sentences once more.

    They come from the beginning of the text on, as often as it takes; as many as come nearest to the number of
    words that the other sentences have. The generator has to be that of the foreign ones.
    """
    if not is_splittable(text):
        return NO_SENTENCE_RULES
    foreign = _draw_foreign_sentences(text, context, context.pool.others(context.item), rng)
    if isinstance(foreign, Failure):
        return foreign
    own = [" ".join(sentence.split()) for sentence in context.pool.layout(text).sentences]
    sizes = [len(words(sentence)) for sentence in own]
    if not sum(sizes):
        return Failure("no words")
    wanted, total = sum(len(words(sentence)) for sentence in foreign), 0
    again: list[str] = []
    while abs(total + sizes[len(again) % len(own)] - wanted) <= abs(total - wanted) or not again:
        total += sizes[len(again) % len(own)]
        again.append(own[len(again) % len(own)])
    return append(text, _join(again), context.pool.layout(text))


def keep_drawn_fraction(text: str, context: Context, rng: np.random.Generator) -> str | Failure:
    """Keep the level's percentage of a text's sentences, rounded up: drawn at random, in their own order.

    Each level holds the sentences of the level below, so the text grows as with `keep_first_fraction`, but not
    from its beginning on: a metric that only likes beginnings is told apart.
    """
    level = context.level or 0
    if level >= 100:
        return text
    layout = layout_of_several_sentences(text, context)
    if isinstance(layout, Failure):
        return layout
    order = [int(place) for place in rng.permutation(len(layout.sentences))]
    kept = set(order[: math.ceil(len(order) * level / 100)])
    return layout.keep(kept) if len(kept) < len(order) else text


def keep_first_fraction(text: str, context: Context, rng: np.random.Generator) -> str | Failure:
    """Keep the beginning of a text: the level's percentage of its sentences, rounded up.

    The last level is the whole text as it stands. In a short text a lower one may be the whole text too.
    """
    del rng
    level = context.level or 0
    if level >= 100:
        return text
    layout = layout_of_several_sentences(text, context)
    if isinstance(layout, Failure):
        return layout
    n_sentences = len(layout.sentences)
    count = math.ceil(n_sentences * level / 100)
    return layout.first(count) if count < n_sentences else text


def keep_first_sentences(text: str, context: Context, rng: np.random.Generator) -> str | Failure | None:
    """Keep as many sentences as the level says ("Information Satisfaction"); none of them at level 0."""
    del rng
    level = context.level or 0
    if level == 0:
        return ""
    if not is_splittable(text):
        return NO_SENTENCE_RULES
    layout = context.pool.layout(text)
    n_sentences = len(layout.sentences)
    if level > n_sentences:
        return None
    return layout.first(level) if level < n_sentences else text


def _draw_foreign_sentences(
    text: str, context: Context, others: Sequence[Item], rng: np.random.Generator
) -> list[str] | Failure:
    if not others:
        return Failure("no other task")
    own = "\n".join([text, context.item.source or "", *context.item.references])
    found: list[str] = []
    for _ in range(MAX_DRAWS):
        if len(found) == context.level:
            return found
        other = others[int(rng.integers(len(others)))]
        sentence = _draw_sentence(other, context, rng)
        if sentence is not None and sentence not in found and sentence not in own:
            found.append(sentence)
    return Failure("too few sentences in other tasks")


def _draw_sentence(other: Item, context: Context, rng: np.random.Generator) -> str | None:
    """Draw one sentence of another task's material, or None if the draw is of no use."""
    texts = (
        [other.source] if other.source else [reference for reference in other.references if reference.strip()]
    )
    texts = texts or [other.candidate]
    text = texts[int(rng.integers(len(texts)))]
    sentences = context.pool.layout(text).sentences
    if not sentences or not is_splittable(text):
        return None
    sentence = " ".join(sentences[int(rng.integers(len(sentences)))].split())
    return sentence if len(words(sentence)) in FOREIGN_WORDS else None


def _join(sentences: Sequence[str]) -> str:
    """Join sentences; one without a full stop gets one, or it would run into the next."""
    ended = [s if s.rstrip(CLOSING)[-1:] in STOPS else f"{s}." for s in sentences]
    return " ".join(ended)
