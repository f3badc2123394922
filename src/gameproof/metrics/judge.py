"""The language model as a judge: one grade for a candidate, on one dimension."""

import math
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from gameproof.errors import PlanError
from gameproof.llm.asking import Asker, Question, Repaired, Unread
from gameproof.llm.client import Reply, Request
from gameproof.llm.replies import UNREADABLE, closed_object, read_score
from gameproof.llm.token_scores import word_probabilities
from gameproof.metrics.base import RunCounts, missing_before_scoring, scores_from
from gameproof.metrics.judge_rubrics import DIMENSIONS
from gameproof.metrics.lexical import Order
from gameproof.metrics.llm_calls import CallSize, size_of
from gameproof.metrics.readers import describe_persona
from gameproof.prompts.loading import Prompt, Slot, Trusted, load
from gameproof.prompts.messages import Message
from gameproof.records import Item, Scores

__all__ = ["STYLES", "Judge", "JudgeOptions", "build_judge", "item_slots", "judge_wording"]

STYLES = ("score", "annotator")
LOW = 1
PARTS = 1_000_000  # of a variance: counts that processes add up are whole numbers
TOP_LOGPROBS = 20
TOKENS_OUT = 90  # of a reply with its reason, roughly: for estimates before a run

_SCORE = re.compile(r'"score"\s*:\s*"?')


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """What a judge sees and how it is asked."""

    dimension: str
    high: int
    style: str
    refs: str  # all, first or none
    source: bool
    query: bool
    persona: bool
    expectation: bool
    samples: int
    temperature: float

    @property
    def needs(self) -> frozenset[str]:
        """What items must have."""
        shown = {"source": self.source, "query": self.query, "persona": self.persona}
        needed = {name for name, is_shown in shown.items() if is_shown} | {"llm"}
        return frozenset(needed if self.refs == "none" else needed | {"references"})


class Repeats:
    """How far the samples of a judge agree with one another, over a run and all its processes."""

    def __init__(self) -> None:
        """Have seen nothing."""
        self._counts = RunCounts()

    def add(self, grades: Sequence[Sequence[float]]) -> None:
        """Count items that were graded more than once."""
        for found in grades:
            if len(found) > 1:
                self._counts["texts"] += 1
                self._counts["alike"] += len(set(found)) == 1
                self._counts["variance"] += round(PARTS * float(np.var(found)))

    def notes(self, n_samples: int) -> Iterator[str]:
        """Say how repeatable the grades are: the share of texts whose samples are alike, and their sd."""
        n_texts, n_alike = self._counts["texts"], self._counts["alike"]
        if n_texts:
            sd = math.sqrt(self._counts["variance"] / PARTS / n_texts)
            yield (
                f"self-consistency {n_alike / n_texts:.0%}, sd {sd:.2g} over {n_samples} samples"
                f" of {n_texts:,} texts"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """A judge of candidates, one at a time."""

    name: str
    full_name: str
    options: JudgeOptions
    asker: Asker
    repeats: Repeats = field(default_factory=Repeats, compare=False)
    higher_is_better: bool = True
    estimated: str | None = None  # its calls are known beforehand

    @property
    def needs(self) -> frozenset[str]:
        """What items must have, and a language model."""
        return self.options.needs

    @property
    def notes(self) -> tuple[str, ...]:
        """What befell the calls so far."""
        return (*self.asker.notes(), *self.repeats.notes(self.options.samples))

    def signature(self) -> str:
        """Return the name with every option, the wording and the model."""
        return self.full_name

    async def prepare(self, pool: Sequence[Item]) -> "Judge":
        """Return the judge itself: nothing depends on the whole data."""
        del pool
        return self

    async def score(self, items: Sequence[Item]) -> Scores:
        """Grade items; the samples of an item that can be read are averaged."""
        blocked = [missing_before_scoring(item, self.needs) for item in items]
        rows = [row for row, reason in enumerate(blocked) if reason is None]
        asked = [(row, sample) for sample in range(self.options.samples) for row in rows]
        questions = [self._question(items[row], sample) for row, sample in asked]
        grades: list[list[float]] = [[] for _ in items]
        reasons = list(blocked)
        for (row, _), answer in zip(asked, await self.asker.ask(questions), strict=True):
            if isinstance(answer, Unread):
                reasons[row] = reasons[row] or answer.reason
            else:
                grades[row].append(answer)
        values = [
            math.fsum(found) / len(found) if found else reason or UNREADABLE
            for found, reason in zip(grades, reasons, strict=True)
        ]
        scores = scores_from(self.full_name, items, values)
        if self.options.samples == 1:
            return scores
        self.repeats.add(grades)
        return replace(scores, spread=_spread(grades))

    async def planned_calls(self, pool: Sequence[Item], items: Sequence[Item]) -> Mapping[Hashable, CallSize]:
        """Return one call for each item that can be graded, times samples."""
        del pool
        requests = [
            self._question(item, sample).request
            for item in items
            if missing_before_scoring(item, self.needs) is None
            for sample in range(self.options.samples)
        ]
        return {
            (self.asker.name, request.digest("")): size_of(request, tokens_out=TOKENS_OUT)
            for request in requests
        }

    def _question(self, item: Item, sample: int) -> Question[float]:
        options = self.options
        slots = item_slots(item, options) | {
            "low": LOW,
            "high": options.high,
            "reason_first": not options.expectation,
            "candidate": item.candidate,
        }
        messages = judge_prompt(options.style).render(**slots)
        request = Request(
            model=self.asker.name,
            messages=messages,
            temperature=options.temperature,
            sample=sample,
            schema=_schema(options),
            schema_name="grade",
            top_logprobs=TOP_LOGPROBS if options.expectation else None,
            purpose="judge",
        )
        return Question(request=request, read=partial(_read, options=options, prompt=messages))


def build_judge(order: Order) -> Judge:
    """Build a judge from a complete order."""
    if order.asker is None:
        raise PlanError("a judge needs a language model.")
    get = order.options
    options = JudgeOptions(
        dimension=get["dimension"],
        high=int(get["scale"]),
        style=get["style"],
        refs=get["refs"],
        source=get["source"] == "true",
        query=get["query"] == "true",
        persona=get["persona"] == "true",
        expectation=get["expectation"] == "true",
        samples=int(get["samples"]),
        temperature=float(get["temperature"]),
    )
    return Judge(name=order.name, full_name=order.signature, options=options, asker=order.asker)


def judge_prompt(style: str) -> Prompt:
    """Return the prompt of a style of judging."""
    return load("judge", style)


def judge_wording(options: Mapping[str, str]) -> dict[str, str]:
    """Return the prompt of a judge as signatures pin it."""
    return {"prompt": judge_prompt(options.get("style", "score")).label}


def item_slots(item: Item, options: JudgeOptions) -> dict[str, Slot]:
    """Return what a judge sees of an item besides its candidate; None leaves a part out."""
    dimension = DIMENSIONS[options.dimension]
    references = tuple(reference for reference in item.references if reference.strip())
    shown = {"none": None, "first": references[:1], "all": references}[options.refs]
    return {
        "dimension": Trusted(dimension.phrase),
        "rubric": Trusted(dimension.rubric),
        "references": shown,
        "source": item.source if options.source else None,
        "query": item.query if options.query else None,
        "reader": describe_persona(item.persona) if options.persona and item.persona is not None else None,
    }


def _read(
    reply: Reply, *, options: JudgeOptions, prompt: Sequence[Message]
) -> float | Unread | Repaired[float]:
    read = read_score(reply, LOW, options.high, prompt=prompt)
    if read.value is None:
        return Unread(reason=read.reason or UNREADABLE)
    if not options.expectation:
        return Repaired(float(read.value)) if read.repaired else float(read.value)
    places = list(_SCORE.finditer(reply.text))
    start = places[-1].end() if places else 0
    menu = [str(grade) for grade in range(LOW, options.high + 1)]
    chances = word_probabilities(reply, start, menu)
    if isinstance(chances, str):
        return Unread(reason=chances)
    return math.fsum(int(grade) * chance for grade, chance in chances.items())


def _schema(options: JudgeOptions) -> dict[str, object]:
    score = {"type": "integer", "enum": list(range(LOW, options.high + 1))}
    if options.expectation:
        return closed_object({"score": score})
    if options.style == "annotator":
        return closed_object({"notes": {"type": "array", "items": {"type": "string"}}, "score": score})
    return closed_object({"reason": {"type": "string"}, "score": score})


def _spread(grades: Sequence[Sequence[float]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the standard deviation of each item's samples about their mean; NaN with fewer than two."""
    return np.array([np.std(found) if len(found) > 1 else np.nan for found in grades])
