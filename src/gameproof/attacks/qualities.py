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
WORDS, ANSWERS = "words", "a language model's answers"
PROBABILITIES = "a language model's probabilities"
EMBEDDINGS = "embeddings"
# Predictor of a cell, or of a metric that has one -> what it looks at.
PREDICTORS: Mapping[str, str] = {
    "overlap": WORDS,
    "oracle": ANSWERS,
    "nli": "an entailment model",
    "autoreg": PROBABILITIES,
}
# Name of a metric -> its family: what it looks at. A test holds it against the catalogue.
FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(("rouge1", "rouge2", "rougeL", "rougeLsum", "bleu", "chrf", "chrf++", "meteor"), WORDS),
    **dict.fromkeys(
        ("cider-d", "coverage", "density", "compression", "novel", "repeated", "length", "sacrebleu"), WORDS
    ),
    **dict.fromkeys(("judge", "elicitation", "factscore", "persona_precision", "persona_recall"), ANSWERS),
    **dict.fromkeys(("reader-utility", "reader-fit"), ANSWERS),
    "bertscore": EMBEDDINGS,
    "supert": EMBEDDINGS,
    "blanc": PROBABILITIES,
    "summaqa": "a question answering model",
    "syntax": "the structure of sentences",
    "planted-reader": "the truth",
}


def family_of(name: str) -> str | None:
    """Return what a metric looks at; None of a stranger's.

    Example:
        >>> family_of("TV+fvar+statement+oracle,neg=4"), family_of("rougeL"), family_of("my_judge:score")
        ("a language model's answers", 'words', None)
    """
    parts = re.split(r"[+,:=]", name)
    predictor = next((PREDICTORS[part] for part in parts if part in PREDICTORS), None)
    return predictor or FAMILIES.get(re.split(r"[,:]", name)[0])


def choose_quality(name: str, dataset: Dataset) -> str:
    """Choose what judges the texts that were found against a metric, from what needs no model.

    That is the truth where it is known; otherwise words, for metrics of words as well: `family_note` says so.
    """
    if NOTE in dataset.notes:
        return PLANTED
    return ROUGE if family_of(name) == WORDS and "overlap" in name else BY_WORDS


def family_note(metric: str, quality: str) -> str | None:
    """Say that the quality looks at the same as the metric; None where that is not known."""
    family = family_of(metric)
    if family is None or family != family_of(quality):
        return None
    return (
        f"{quality} tells quality by {family}, as the attacked metric does, and may be fooled with it: name one of"
        " another family for a fair measurement"
    )
