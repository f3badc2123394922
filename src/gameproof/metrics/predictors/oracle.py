"""The predictor that asks a language model how the candidate bears on each unit of a reference.

    binary   T = 1/2 where the model says yes, -1/2 where it says no
    soft     T = P(yes) - 1/2, from the probabilities of the tokens of its verdict
    bins     log r = b log 2, b the whole number from -3 to 3 that it gives: ratios from 1/8 to 8

With ``samples=k`` each question is asked k times and the values are averaged. One question holds one statement
(``batch=statement``), the statements of one reference (``reference``), or all statements that a candidate is
held against, own and foreign ones shuffled so that the model cannot tell which are which (``candidate``).
Statements are asked for by number; those that get no verdict are asked for once more.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gameproof.fmi.estimators import Quantity
from gameproof.llm.asking import Asker, Question, Repaired, Unread
from gameproof.llm.client import Reply, Request
from gameproof.llm.replies import (
    MISSING,
    UNREADABLE,
    StatementVerdicts,
    closed_object,
    read_choice,
    read_statement_verdicts,
)
from gameproof.llm.token_scores import NO_LOGPROBS, word_probabilities
from gameproof.metrics.predictors.base import Block, Predictions
from gameproof.metrics.reference_pool import ReferencePool
from gameproof.prompts.loading import Prompt, load
from gameproof.prompts.messages import Message
from gameproof.records import BoolArray, FloatArray, IntArray
from gameproof.seeds import rng_for

__all__ = ["Oracle", "OracleOptions", "PreparedOracle", "oracle_prompt"]

YES_NO = ("yes", "no")
BINS = tuple(str(number) for number in range(-3, 4))
TOP_LOGPROBS = 10
MIN_SHARE = 1 / 2  # of a reference's statements that must have a verdict

# (representation, asks for bins) -> the prompt, by its name in `prompts/oracle`
PROMPTS = {
    ("statement", False): "supports",
    ("statement", True): "bears",
    ("report", False): "same_subject",
    ("report", True): "bears_report",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleOptions:
    """How the model is asked."""

    representation: str
    critic: str  # binary, soft or bins
    batch: str = "reference"
    samples: int = 1
    temperature: float = 0.0
    first_sample: int = 0

    @property
    def menu(self) -> tuple[str, ...]:
        """The verdicts that are legal."""
        return BINS if self.critic == "bins" else YES_NO


def oracle_prompt(representation: str, critic: str) -> Prompt:
    """Return the prompt of a cell."""
    return load("oracle", PROMPTS[representation, critic == "bins"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Oracle:
    """An oracle, before it knows the references."""

    asker: Asker
    options: OracleOptions

    async def prepare(self, pool: ReferencePool) -> "PreparedOracle":
        """Take note of the units and of which reference each belongs to; nothing is asked."""
        owners = np.full(len(pool.units), -1, dtype=np.int64)
        for number, places in enumerate(pool.units_of):
            owners[places] = number
        return PreparedOracle(
            asker=self.asker,
            options=self.options,
            units=pool.units,
            owners=owners,
            judgeable=np.ones(len(pool.units), dtype=np.bool_),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What the model says of the statements of one question, by their ids."""

    values: Mapping[str, float]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking:
    """One question about one candidate."""

    row: int
    columns: Mapping[str, int]  # id of a statement -> column of the block
    texts: Mapping[str, str]  # id of a statement -> its text
    sample: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedOracle:
    """An oracle that knows the units of the run."""

    asker: Asker
    options: OracleOptions
    units: tuple[str, ...]
    owners: IntArray  # unit -> reference
    judgeable: BoolArray  # all of them
    not_judgeable: str = "the oracle judges every reference"

    def one_sample(self, sample: int) -> "PreparedOracle":
        """Return the oracle that gives only one of the answers that are averaged."""
        return replace(self, options=replace(self.options, samples=1, first_sample=sample))

    async def predict(self, blocks: Sequence[Block], quantity: Quantity) -> list[Predictions]:
        """Ask all questions about all blocks concurrently."""
        del quantity  # follows from the critic
        askings = [(block, asking) for block in blocks for asking in self._askings(block)]
        answers = await self._ask([(block.candidates[asking.row], asking) for block, asking in askings])
        found: dict[int, list[tuple[_Asking, _Answer | Unread]]] = {id(block): [] for block in blocks}
        for (block, asking), answer in zip(askings, answers, strict=True):
            found[id(block)].append((asking, answer))
        return [self._collect(block, found[id(block)]) for block in blocks]

    def requests(self, blocks: Sequence[Block]) -> Iterator[Request]:
        """Yield the requests that `predict` makes if every statement gets its verdict at once."""
        for block in blocks:
            for asking in self._askings(block):
                yield self._question(block.candidates[asking.row], asking.texts, asking.sample).request

    def _askings(self, block: Block) -> Iterator[_Asking]:
        for row, candidate in enumerate(block.candidates):
            for columns in self._groups(candidate, block.units):
                named = {f"S{place}": column for place, column in enumerate(columns, start=1)}
                texts = {name: self.units[int(block.units[column])] for name, column in named.items()}
                for sample in range(self.options.samples):
                    yield _Asking(row=row, columns=named, texts=texts, sample=sample)

    def _groups(self, candidate: str, units: IntArray) -> list[list[int]]:
        """Say which columns of a block share a question."""
        if self.options.representation == "report" or self.options.batch == "statement":
            return [[column] for column in range(len(units))]
        if self.options.batch == "candidate":
            return [rng_for(0, "oracle", candidate).permutation(len(units)).tolist()]
        starts = np.flatnonzero(np.diff(self.owners[units])) + 1
        return [part.tolist() for part in np.split(np.arange(len(units)), starts)]

    def _question(self, candidate: str, texts: Mapping[str, str], sample: int) -> Question[_Answer]:
        options = self.options
        prompt = oracle_prompt(options.representation, options.critic)
        if options.representation == "report":
            (reference,) = texts.values()
            messages = prompt.render(candidate=candidate, reference=reference)
        else:
            messages = prompt.render(candidate=candidate, statements=texts)
        request = Request(
            model=self.asker.name,
            messages=messages,
            temperature=options.temperature,
            sample=options.first_sample + sample,
            schema=_schema(options, texts),
            schema_name="verdicts",
            top_logprobs=TOP_LOGPROBS if options.critic == "soft" else None,
            purpose="oracle",
        )
        return Question(
            request=request, read=partial(_read, ids=tuple(texts), options=options, prompt=messages)
        )

    async def _ask(self, askings: Sequence[tuple[str, _Asking]]) -> list[_Answer | Unread]:
        """Ask about candidates, and once more for the statements that got no verdict."""
        questions = [self._question(candidate, asking.texts, asking.sample) for candidate, asking in askings]
        answers = await self.asker.ask(questions)
        again: list[tuple[int, _Answer]] = [
            (place, answer)
            for place, answer in enumerate(answers)
            if isinstance(answer, _Answer) and answer.missing
        ]
        remainders = [
            self._question(
                askings[place][0],
                {name: askings[place][1].texts[name] for name in answer.missing},
                askings[place][1].sample,
            )
            for place, answer in again
        ]
        for (place, answer), more in zip(again, await self.asker.ask(remainders), strict=True):
            if isinstance(more, _Answer):
                answers[place] = _Answer(values={**answer.values, **more.values}, missing=more.missing)
        return answers

    def _collect(self, block: Block, answers: Sequence[tuple[_Asking, _Answer | Unread]]) -> Predictions:
        """Average the samples of every statement; say where verdicts are missing."""
        shape = (self.options.samples, len(block.candidates), len(block.units))
        values = np.full(shape, np.nan)
        failures: dict[int, Counter[str]] = {row: Counter() for row in range(len(block.candidates))}
        for asking, answer in answers:
            if isinstance(answer, Unread):
                failures[asking.row][answer.reason] += 1
                continue
            for name, value in answer.values.items():
                values[asking.sample, asking.row, asking.columns[name]] = value
            if len(answer.values) < len(asking.columns):
                failures[asking.row][MISSING] += len(asking.columns) - len(answer.values)
        means = _mean_of_samples(values)
        return self._judge_coverage(block, means, failures)

    def _judge_coverage(
        self, block: Block, means: FloatArray, failures: Mapping[int, Counter[str]]
    ) -> Predictions:
        """Give no score where a reference has too few verdicts, and a remark where it has not all."""
        owners = self.owners[block.units]
        there = ~np.isnan(means)
        reasons: dict[int, str] = {}
        remarks: dict[int, str] = {}
        for row, has in enumerate(there):
            if has.all():
                continue
            why = failures[row].most_common(1)
            said = f"{int(has.sum())}/{len(has)} {self.options.representation}s"
            said += f" ({why[0][0]})" if why and why[0][0] != MISSING else ""
            shares = np.array([has[owners == owner].mean() for owner in np.unique(owners)])
            if np.any(shares < MIN_SHARE):
                reasons[row] = failures[row].most_common(1)[0][0]
            else:
                remarks[row] = said
                self.asker.counts["scores that lack the verdict on some statements"] += 1
        return Predictions(values=means, reasons=reasons, remarks=remarks)


def _mean_of_samples(values: FloatArray) -> FloatArray:
    """Average over the samples that are there."""
    counts = (~np.isnan(values)).sum(axis=0)
    return np.where(counts > 0, np.nansum(values, axis=0) / np.maximum(counts, 1), np.nan)


def _read(
    reply: Reply, *, ids: tuple[str, ...], options: OracleOptions, prompt: Sequence[Message]
) -> _Answer | Unread | Repaired[_Answer]:
    if options.representation == "report":
        choice = read_choice(reply, options.menu, prompt=prompt)
        if choice.value is None:
            return Unread(reason=choice.reason or UNREADABLE)
        verdicts = StatementVerdicts(values={ids[0]: choice.value}, repaired=choice.repaired)
    else:
        verdicts = read_statement_verdicts(reply, ids, options.menu, prompt=prompt)
        if verdicts.reason is not None:
            return Unread(reason=verdicts.reason)
    if options.critic == "soft":
        values = {name: _soft(reply, name, options.representation) for name in verdicts.values}
        if None in values.values():
            return Unread(reason=NO_LOGPROBS)
        return _Answer(
            values={name: value for name, value in values.items() if value is not None},
            missing=verdicts.missing,
        )
    value_of = {"yes": 1 / 2, "no": -1 / 2} | {each: int(each) * math.log(2) for each in BINS}
    answer = _Answer(
        values={name: value_of[verdict] for name, verdict in verdicts.values.items()},
        missing=verdicts.missing,
    )
    return Repaired(answer) if verdicts.repaired else answer


def _soft(reply: Reply, name: str, representation: str) -> float | None:
    """Return P(yes) - 1/2 at the place of a statement's verdict."""
    before = r'"verdict"\s*:\s*"'
    if representation == "statement":
        before = rf'"id"\s*:\s*"{name}"\s*,\s*{before}'
    places = list(re.finditer(before, reply.text))
    if not places:
        return None
    found = word_probabilities(reply, places[-1].end(), YES_NO)
    return None if isinstance(found, str) else found["yes"] - 1 / 2


def _schema(options: OracleOptions, ids: Iterable[str]) -> dict[str, object]:
    """Describe the reply, for endpoints that enforce a JSON schema."""
    verdict = {
        "type": "integer" if options.critic == "bins" else "string",
        "enum": [int(each) for each in BINS] if options.critic == "bins" else list(YES_NO),
    }
    if options.representation == "report":
        return closed_object({"reason": {"type": "string"}, "verdict": verdict})
    entry = closed_object({"id": {"type": "string", "enum": list(ids)}, "verdict": verdict})
    return closed_object({"verdicts": {"type": "array", "items": entry}})
