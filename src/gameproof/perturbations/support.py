"""Ask whether texts bear out statements, for the verification of rewrites: by words, or by a language model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import numpy as np

from gameproof.llm.asking import Asker, Question, Unread
from gameproof.llm.client import Reply, Request
from gameproof.llm.replies import read_statement_verdicts
from gameproof.metrics.predictors.base import Block
from gameproof.metrics.predictors.overlap import Overlap, PreparedOverlap
from gameproof.metrics.reference_pool import index_references
from gameproof.metrics.representations import statements
from gameproof.metrics.text_memo import TextMemo
from gameproof.prompts.loading import load
from gameproof.prompts.messages import Message
from gameproof.records import Item

__all__ = ["Asked", "OracleSupport", "OverlapSupport", "Support", "prepare_overlap"]

YES_NO = ("yes", "no")


@dataclass(frozen=True, slots=True)
class Asked:
    """A text, and the statements that it may or may not bear out."""

    text: str
    statements: tuple[str, ...]


class Support(Protocol):
    """Says which statements a text bears out."""

    @property
    def name(self) -> str:
        """How review files name it."""
        ...

    @property
    def reads_meaning(self) -> bool:
        """Whether it can tell a rewording from a change, and understands statements about a text itself."""
        ...

    async def holds(self, asked: Sequence[Asked]) -> list[tuple[bool | None, ...]]:
        """Say for every statement whether its text bears it out; None where it cannot be told."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapSupport:
    """Support by words: a statement holds if half of its rare words, by weight, occur in the text."""

    prepared: PreparedOverlap
    places: Mapping[str, int]  # statement -> unit
    name: str = "overlap"
    reads_meaning: bool = False

    async def holds(self, asked: Sequence[Asked]) -> list[tuple[bool | None, ...]]:
        """Look words up; statements that were not there when the words were weighed cannot be told."""
        blocks = [
            Block(
                candidates=[each.text],
                units=np.array([self.places.get(one, 0) for one in each.statements], dtype=np.int64),
            )
            for each in asked
        ]
        found = await self.prepared.predict(blocks, "critic")
        return [
            tuple(
                bool(value >= 0) if one in self.places else None
                for one, value in zip(each.statements, predictions.values[0].tolist(), strict=True)
            )
            for each, predictions in zip(asked, found, strict=True)
        ]


async def prepare_overlap(items: Sequence[Item], texts: Mapping[str, Sequence[str]]) -> OverlapSupport:
    """Weigh the words of all statements that will be asked about.

    Args:
        items: The originals.
        texts: Item id -> the texts whose statements will be asked about, the original among them.
    """
    shells = [
        Item(id=item.id, task_id=item.task_id, group=item.group, candidate="", references=tuple(parts))
        for item in items
        if (parts := [*texts.get(item.id, ()), *item.references])
    ]
    pool = index_references(shells, refs="mean", decompose=statements)
    prepared = await Overlap(memo=TextMemo()).prepare(pool)
    places = {unit: place for place, unit in enumerate(pool.units) if prepared.judgeable[place]}
    return OverlapSupport(prepared=prepared, places=places)


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleSupport:
    """Support by a language model that is asked about all statements on one text in one question."""

    asker: Asker
    reads_meaning: bool = True
    prompt: str = field(default="supports")

    @property
    def name(self) -> str:
        """The prompt and the model."""
        return f"{load('oracle', self.prompt).label} by {self.asker.name}"

    async def holds(self, asked: Sequence[Asked]) -> list[tuple[bool | None, ...]]:
        """Ask; a statement without a readable verdict cannot be told."""
        full = [each for each in asked if each.statements]
        answers = dict(zip(full, await self.asker.ask([self._question(each) for each in full]), strict=True))
        found: list[tuple[bool | None, ...]] = []
        for each in asked:
            answer = answers.get(each)
            values = answer if isinstance(answer, dict) else {}
            found.append(tuple(values.get(f"S{place}") for place in range(1, len(each.statements) + 1)))
        return found

    def _question(self, asked: Asked) -> Question[dict[str, bool]]:
        named = {f"S{place}": text for place, text in enumerate(asked.statements, start=1)}
        messages = load("oracle", self.prompt).render(candidate=asked.text, statements=named)
        request = Request(model=self.asker.name, messages=messages, purpose="verify")
        read: Callable[[Reply], dict[str, bool] | Unread] = partial(_read, ids=tuple(named), prompt=messages)
        return Question(request=request, read=read)


def _read(reply: Reply, *, ids: tuple[str, ...], prompt: Sequence[Message]) -> dict[str, bool] | Unread:
    verdicts = read_statement_verdicts(reply, ids, YES_NO, prompt=prompt)
    if verdicts.reason is not None:
        return Unread(reason=verdicts.reason)
    return {name: value == "yes" for name, value in verdicts.values.items()}
