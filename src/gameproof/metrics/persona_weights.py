"""Weights of statements by how much they matter to the reader, judged by a language model before any candidate.

An item's own references are weighed for its own reader. As a negative, a task is weighed for all readers of its
items in turn: matched and negative references then come with readers of one law, and a text that is the same for
everybody earns nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from gameproof.fmi.aggregation import Weights
from gameproof.llm.asking import Asker, Question, Repaired, Unread
from gameproof.llm.client import Reply, Request
from gameproof.llm.replies import closed_object, read_statement_verdicts
from gameproof.metrics.readers import describe_persona
from gameproof.metrics.reference_pool import ReferencePool, numbered, used_references
from gameproof.prompts.loading import load
from gameproof.prompts.messages import Message
from gameproof.records import FloatArray, Item

__all__ = ["IRRELEVANT", "PersonaWeights", "relevance_requests", "weigh_by_persona"]

IRRELEVANT = "no statement of its references matters to its persona"
UNKNOWN_READER = "its persona is not in the data the metric was prepared on"
LEFT_OUT = "statements without a grade of relevance, left out"

GRADES = ("0", "1", "2", "3")
MIN_SHARE = 1 / 2  # of a reference's statements that must have a grade

PROMPT = load("weights", "relevance")


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaWeights:
    """Grades of relevance, for each reader and reference."""

    pool: ReferencePool
    grades: Mapping[tuple[str, int], FloatArray | str]  # (reader, reference) -> of each unit, or why none
    readers_of: Mapping[int, Mapping[str, int]]  # task -> reader -> how many of its items are for that reader

    def weigh(self, task: int, references: Sequence[int], reader: str | None) -> Weights | str:
        """Return w_k = the grade of statement k over the sum of a reference's, mixed over the readers."""
        readers = self.readers_of.get(task, {}) if reader is None else {reader: 1}
        lengths = [len(self.pool.units_of[number]) for number in references]
        joint = np.zeros(sum(lengths))
        reasons: Counter[str] = Counter()
        for each, count in readers.items():
            parts = [self.grades.get((each, number), UNKNOWN_READER) for number in references]
            reasons.update(part for part in parts if isinstance(part, str))
            shares = [
                np.zeros(length) if isinstance(part, str) or not part.any() else part / part.sum()
                for part, length in zip(parts, lengths, strict=True)
            ]
            n_there = sum(bool(share.any()) for share in shares)
            joint += count * np.concatenate(shares) / max(n_there, 1)
        if not joint.any():
            return reasons.most_common(1)[0][0] if reasons else IRRELEVANT
        of_references = np.array([part.sum() for part in np.split(joint, np.cumsum(lengths)[:-1])])
        return Weights(units=joint, references=of_references)


async def weigh_by_persona(
    pool: ReferencePool, items: Iterable[Item], *, refs: str, asker: Asker
) -> PersonaWeights:
    """Ask how much each statement matters, once for each reader and reference."""
    asked = _asked(pool, items, refs)
    questions = [
        Question(
            request=request,
            read=partial(_read, n_statements=len(pool.units_of[number]), prompt=request.messages),
        )
        for (_, number), request in zip(asked, _requests(pool, asked, asker), strict=True)
    ]
    grades: dict[tuple[str, int], FloatArray | str] = {}
    for key, answer in zip(asked, await asker.ask(questions), strict=True):
        if isinstance(answer, Unread):
            grades[key] = f"the relevance of its statements: {answer.reason}"
            continue
        if np.isnan(answer).any():
            asker.counts[LEFT_OUT] += int(np.isnan(answer).sum())
        grades[key] = np.nan_to_num(answer)
    readers_of: dict[int, Counter[str]] = {}
    task_numbers = {task.id: number for number, task in enumerate(pool.tasks)}
    for item in items:
        if item.persona is not None:
            readers = readers_of.setdefault(task_numbers[item.task_id], Counter())
            readers[describe_persona(item.persona)] += 1
    return PersonaWeights(pool=pool, grades=grades, readers_of=readers_of)


def relevance_requests(
    pool: ReferencePool, items: Iterable[Item], *, refs: str, asker: Asker
) -> list[Request]:
    """Return the requests that `weigh_by_persona` makes."""
    return _requests(pool, _asked(pool, items, refs), asker)


def _asked(pool: ReferencePool, items: Iterable[Item], refs: str) -> list[tuple[str, int]]:
    """Return readers with the references that are weighed for them: those of their tasks, each once."""
    task_of = {task.id: task for task in pool.tasks}
    asked: dict[tuple[str, int], None] = {}
    for item in items:
        if item.persona is None:
            continue
        reader = describe_persona(item.persona)
        own = numbered(used_references(item, refs), pool.numbers)
        for number in dict.fromkeys((*own, *task_of[item.task_id].references)):
            asked[reader, number] = None
    return sorted(asked)


def _requests(pool: ReferencePool, asked: Iterable[tuple[str, int]], asker: Asker) -> list[Request]:
    entry = closed_object({"id": {"type": "string"}, "verdict": {"type": "string", "enum": list(GRADES)}})
    schema = closed_object({"verdicts": {"type": "array", "items": entry}})
    return [
        Request(
            model=asker.name,
            messages=PROMPT.render(
                reader=reader,
                statements={
                    f"S{place}": text for place, text in enumerate(_statements(pool, number), start=1)
                },
            ),
            schema=schema,
            schema_name="verdicts",
            purpose="weigh",
        )
        for reader, number in asked
    ]


def _statements(pool: ReferencePool, number: int) -> list[str]:
    return [pool.units[int(place)] for place in pool.units_of[number]]


def _read(
    reply: Reply, *, n_statements: int, prompt: Sequence[Message]
) -> FloatArray | Unread | Repaired[FloatArray]:
    """Read grades by the statements' ids; NaN where there is none."""
    ids = [f"S{place}" for place in range(1, n_statements + 1)]
    read = read_statement_verdicts(reply, ids, GRADES, prompt=prompt)
    if read.reason is not None:
        return Unread(reason=read.reason)
    if len(read.values) < MIN_SHARE * n_statements:
        return Unread(reason="too few statements have a grade")
    grades = np.array([float(read.values.get(name, "nan")) for name in ids])
    return Repaired(grades) if read.repaired else grades
