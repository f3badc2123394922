"""What a judge can be asked to grade: dimensions, each with a description of its worst and its best."""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["DIMENSIONS", "Dimension"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """One quality of texts, in words for a judge."""

    name: str
    phrase: str  # what stands in a sentence: "You grade texts for their ..."
    question: str
    worst: str
    best: str

    @property
    def rubric(self) -> str:
        """The question and both ends of the scale."""
        return f"{self.question}\n- worst: {self.worst}\n- best: {self.best}"


DIMENSIONS: Mapping[str, Dimension] = {
    dimension.name: dimension
    for dimension in (
        Dimension(
            name="overall",
            phrase="overall quality",
            question="How well does the text do what a text for this task is for, all things considered?",
            worst="it is of no use: off the subject, wrong throughout, empty, or unreadable",
            best="it says what matters, correctly and in particular terms, and nothing gets in the way of it",
        ),
        Dimension(
            name="coherence",
            phrase="coherence",
            question="Do the parts of the text follow from one another?",
            worst="a heap of sentences: subjects change without reason, references hang in the air",
            best="every sentence has its place, and the reader always knows why it comes now",
        ),
        Dimension(
            name="consistency",
            phrase="factual consistency",
            question="Does the text claim only what its material bears out?",
            worst="its main claims are contradicted by the material or made up",
            best="every claim, number, name and cause is borne out; nothing is added",
        ),
        Dimension(
            name="coverage",
            phrase="coverage",
            question="How much of what a good text for this task must say does it say?",
            worst="none of the points that matter is there",
            best="all points that matter are there, in the detail they need",
        ),
        Dimension(
            name="fluency",
            phrase="fluency",
            question="Is the text sound, sentence by sentence, in grammar, spelling and idiom?",
            worst="errors in every sentence, some beyond understanding",
            best="no error, nothing that a careful editor would change",
        ),
        Dimension(
            name="relevance",
            phrase="relevance",
            question="Does the text spend its words on what matters for the task?",
            worst="it is about something else, or padded until the point is lost",
            best="nothing that matters is missing its share of words, and nothing else takes any",
        ),
        Dimension(
            name="specificity",
            phrase="specificity",
            question="Could the text have been written only about this one subject?",
            worst="phrases that would fit any subject of the kind",
            best="particular claims with particular grounds, all about this subject",
        ),
        Dimension(
            name="usefulness",
            phrase="usefulness to its reader",
            question="After reading, can the reader do or decide what the text was wanted for?",
            worst="the reader is where they were, or misled",
            best="the reader has what they need, in words they can act on, and was told nothing they knew",
        ),
    )
}
