"""What tells whether an attacked text is any good: a metric of another family than the attacked one.

A judge of the same family would share the attacked metric's blind spots, and an error that a cached answer repeats
survives any re-scoring: only another way of looking can tell a gain from a fooled metric.
"""

import re
from collections.abc import Mapping

from gameproof.datasets.planted.world import NOTE
from gameproof.records import Dataset

__all__ = ["choose_quality", "family_note", "family_of"]

PLANTED = "planted-reader"
BY_WORDS, ROUGE = "TV+fvar+statement+overlap", "rougeL"
# A word of a metric's name -> its family: what it looks at.
FAMILIES: Mapping[str, str] = {
    "overlap": "words",
    "oracle": "a language model's answers",
    "nli": "an entailment model",
    "autoreg": "a language model's probabilities",
    "judge": "a language model's answers",
    "bertscore": "embeddings",
    "factscore": "a language model's answers",
    "planted-reader": "the truth",
}


def family_of(name: str) -> str:
    """Return what a metric looks at; words, where nothing else is known of it.

    Example:
        >>> family_of("TV+fvar+statement+oracle,neg=4"), family_of("rougeL")
        ("a language model's answers", 'words')
    """
    found = re.split(r"[+,:]", name)
    return next((FAMILIES[part] for part in found if part in FAMILIES), "words")


def choose_quality(name: str, dataset: Dataset) -> str:
    """Choose what judges the texts that were found against a metric, from what needs no model."""
    if NOTE in dataset.notes:
        return PLANTED
    return BY_WORDS if family_of(name) != "words" or "overlap" not in name else ROUGE


def family_note(metric: str, quality: str) -> str | None:
    """Say that the quality looks at the same as the metric; None where it does not."""
    family = family_of(metric)
    if family != family_of(quality):
        return None
    return (
        f"{quality} tells quality by {family}, as the attacked metric does, and may be fooled with it: name one of"
        " another family for a fair measurement"
    )
