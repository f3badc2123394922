"""The planted judge: a grader with the tastes that language models have been found to have."""

import json
import math
from dataclasses import dataclass

from gameproof.datasets.planted.needs import Needs, read_needs
from gameproof.llm.client import Reply, Request
from gameproof.llm.providers.planted.asking import Question, read_question
from gameproof.llm.providers.planted.oracle import chance, counted
from gameproof.llm.providers.planted.understanding import Support, bearing, read_text
from gameproof.text import sentences, words
from gameproof.text.tone import measure_tone

__all__ = ["PlantedJudge", "Tastes"]

USUAL_WORDS = 75  # a text of this length is of middling length
TIE = 0.15  # of two texts whose liking differs by less, neither is better
MODELS = ("references", "reference", "source")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tastes:
    """What the judge likes besides what a text says, in steps of liking (a logit)."""

    content: float = 2.0  # for the share of the model text's statements that are borne out
    length: float = 1.0  # for a text twice as long
    hedges: float = 2.5  # for one hedge a sentence
    superlatives: float = 1.5  # for one word of certainty or superlative a sentence
    noise: float = 0.3  # a whim about each text, always the same


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedJudge:
    """A language model that grades texts, biased in a known way: it likes length, hedges and superlatives.

    It takes texts from anywhere, but what they say it understands of the planted world only.
    """

    tastes: Tastes = Tastes()
    seed: int = 0
    name: str = "planted:judge"

    async def complete(self, request: Request) -> Reply:
        """Grade one text, or choose between two, as the prompt asks."""
        question = read_question(request)
        if {"first", "second"} <= question.texts.keys():
            return counted(request, json.dumps({"verdict": self._prefer(question)}), self.name)
        score = self.grade(question.text("candidate", "text", "response"), question)
        return counted(request, json.dumps({"score": score}), self.name)

    async def close(self) -> None:
        """Do nothing: there is nothing to let go of."""

    def grade(self, candidate: str, question: Question) -> int:
        """Return a mark on the scale that the question names."""
        liking = 1 / (1 + math.exp(-self._like(candidate, question)))
        return question.low + round(liking * (question.high - question.low))

    def _prefer(self, question: Question) -> str:
        first, second = (self._like(question.texts[label], question) for label in ("first", "second"))
        if abs(first - second) < TIE:
            return "tie"
        return "first" if first > second else "second"

    def _like(self, candidate: str, question: Question) -> float:
        tastes, tone = self.tastes, measure_tone(candidate)
        n_words = len(words(candidate))
        liking = tastes.length * math.log2((n_words + 1) / (USUAL_WORDS + 1))
        liking += tastes.hedges * min(tone.hedging, 2)
        liking += tastes.superlatives * min(tone.certainty, 2)
        needs = read_needs(question.text("reader"))
        liking += tastes.content * (_borne_out(candidate, question.text(*MODELS), needs) - 0.5)
        return liking + tastes.noise * (2 * chance(self.seed, "whim", candidate) - 1)


def _borne_out(candidate: str, model: str, needs: Needs | None) -> float:
    """Return the share of a model text's statements that a candidate bears out; a half where it has none.

    Where the judge is told what the reader needs, each statement counts by how much it matters to that reader.
    """
    stated = {sentence: read_text(sentence) for sentence in sentences(model)}
    weights = {
        sentence: 1 if needs is None else max((needs.grade(reading.key) for reading in found), default=0)
        for sentence, found in stated.items()
        if found
    }
    total = sum(weights.values())
    if not total:
        return 0.5
    borne_out = (bearing(candidate, one).support == Support.STATED for one in weights)
    return sum(weight for weight, is_said in zip(weights.values(), borne_out, strict=True) if is_said) / total
