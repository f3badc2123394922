"""SummaQA: questions about the source, made by masking its names and numbers, answered from the candidate.

T. Scialom et al., "Answers Unite! Unsupervised Metrics for Reinforced Summarization Models", EMNLP 2019, section 3.
Each entity that spaCy finds in the source is masked in its sentence, and a model for questions is asked to find it in
the candidate. The score is the mean F1 of the words of answer and entity, or the mean probability of the answers.
The published code joins the word pieces of an answer with spaces between, so that a rare name never matches; here an
answer is the candidate's own text. Padding takes no part in probabilities (there it does). A source without entities
has no score (there: 0).
"""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

from gameproof.llm.local.positions import limit_of
from gameproof.metrics.cut_texts import score_one_by_one
from gameproof.metrics.lexical import Order
from gameproof.metrics.local_files import find_folder, load_package
from gameproof.metrics.syntax import find_model, load_model
from gameproof.metrics.text_memo import TextMemo
from gameproof.records import Item, Scores

__all__ = ["SUMMAQA_SCORES", "SummaQa", "answer_f1", "build_summaqa"]

SUMMAQA_SCORES = ("f1", "probability")
MASK = "MASKED"  # what the questions have in the place of an entity
BATCH = 16
TURN = Lock()

_ARTICLE = re.compile(r"\b(a|an|the)\b")
_MARK = re.compile(r"[^\w\s]")


@dataclass(frozen=True, slots=True)
class Cloze:
    """A sentence with a gap, and what belongs there."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Clozes:
    """The questions of one source."""

    found: tuple[Cloze, ...]

    @property
    def nbytes(self) -> int:
        """Return the memory of the questions, roughly."""
        return 200 + sum(300 + len(each.question) for each in self.found)


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaQa:
    """SummaQA with one model for questions and one that finds entities."""

    name: str
    full_name: str
    folder: str
    entities: str  # a spaCy model
    score_by: str  # one of SUMMAQA_SCORES
    memo: TextMemo
    needs: frozenset[str] = frozenset({"source"})
    higher_is_better: bool = True

    def signature(self) -> str:
        """Return the name with every option, the digest of the weights and the spaCy model."""
        return self.full_name

    async def prepare(self, pool: Sequence[Item]) -> "SummaQa":
        """Return the metric itself: nothing depends on the whole data."""
        del pool
        return self

    async def score(self, items: Sequence[Item]) -> Scores:
        """Score candidates by the questions they answer."""
        return await asyncio.to_thread(self._score, items)

    def _score(self, items: Sequence[Item]) -> Scores:
        return score_one_by_one(
            self.full_name, items, self.needs, self._score_item, lambda: _load(self.folder)[2]
        )

    def _score_item(self, candidate: str, source: str) -> tuple[float | str, bool]:
        """Return a score, or why there is none; and whether anything was cut."""
        clozes = self.memo.references.get(
            ("clozes", self.entities, source), lambda: Clozes(_clozes(self.entities, source))
        ).found
        if not clozes:
            return "no names or numbers in its source", False
        answers, is_cut = _answers(self.folder, [cloze.question for cloze in clozes], candidate)
        if self.score_by == "probability":
            return sum(chance for _, chance in answers) / len(answers), is_cut
        pairs = zip(answers, clozes, strict=True)
        return sum(answer_f1(answer, cloze.answer) for (answer, _), cloze in pairs) / len(answers), is_cut


def build_summaqa(order: Order) -> SummaQa:
    """Build SummaQA with the models that an order names.

    Raises:
        SpecError: One of the models is not here.
        MissingExtraError: A package is not installed.
    """
    options = order.options
    folder = find_folder("summaqa", options.get("model"), kind="a model for extractive questions")
    for package in ("torch", "transformers"):
        load_package(package, "summaqa")
    return SummaQa(
        name=order.name,
        full_name=order.signature,
        folder=folder,
        entities=find_model("summaqa", options["entities"]),
        score_by=options["score"],
        memo=order.memo,
    )


def answer_f1(answer: str, wanted: str) -> float:
    """Return the F1 of the words of two answers, without case, articles and punctuation."""
    ours, theirs = (
        Counter(_ARTICLE.sub(" ", _MARK.sub("", text.lower())).split()) for text in (answer, wanted)
    )
    shared = (ours & theirs).total()
    return 2 * shared / (ours.total() + theirs.total()) if shared else 0.0


def _clozes(model: str, source: str) -> tuple[Cloze, ...]:
    doc: Any = load_model(model)(source)
    found: list[Cloze] = []
    for sentence in doc.sents:
        for entity in sentence.ents:
            start, end = entity.start_char - sentence.start_char, entity.end_char - sentence.start_char
            found.append(Cloze(sentence.text[:start] + MASK + sentence.text[end:], entity.text))
    return tuple(found)


def _answers(folder: str, questions: Sequence[str], context: str) -> tuple[list[tuple[str, float]], bool]:
    """Return an answer from the context to each question, with the probability of its start and its end.

    Returns:
        The answers, and whether a question or the context was cut at the model's limit.
    """
    torch = load_package("torch", "summaqa")
    tokenizer, model, limit = _load(folder)
    found: list[tuple[str, float]] = []
    is_cut = False
    for start in range(0, len(questions), BATCH):
        batch = questions[start : start + BATCH]
        # A question too long is cut, and the text that is judged only where both do not fit.
        shown = tokenizer(
            batch,
            [context] * len(batch),
            truncation="longest_first",
            max_length=limit,
            padding=True,
            return_offsets_mapping=True,
        )
        is_cut = is_cut or any(each.overflowing for each in shown.encodings)
        fields = {
            key: torch.tensor(shown[key])
            for key in ("input_ids", "attention_mask", "token_type_ids")
            if key in shown
        }
        with TURN, torch.inference_mode():
            output = model(**fields)
            padded = fields["attention_mask"] == 0
            logits = (output.start_logits, output.end_logits)
            # padding takes no probability: a question scores the same beside longer ones
            first, last = (each.masked_fill(padded, -math.inf).softmax(dim=-1) for each in logits)
        for row in range(len(batch)):
            inside = torch.tensor([float(part == 1) for part in shown.sequence_ids(row)])
            begin, end = int((first[row] * inside).argmax()), int((last[row] * inside).argmax())
            offsets = shown["offset_mapping"][row]
            text = context[offsets[begin][0] : offsets[end][1]] if begin <= end else ""
            found.append((text, float(first[row][begin] * last[row][end])))
    return found, is_cut


@lru_cache(maxsize=1)
def _load(folder: str) -> tuple[Any, Any, int]:
    transformers = load_package("transformers", "summaqa")
    transformers.utils.logging.disable_progress_bar()  # a library does not write to the terminal
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = transformers.AutoModelForQuestionAnswering.from_pretrained(folder, local_files_only=True).eval()
    return tokenizer, model, limit_of(tokenizer, model)
