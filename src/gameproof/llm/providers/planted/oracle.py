"""The planted oracle: it understands the planted language, and errs as models do: always in the same places."""

import hashlib
import json
from dataclasses import dataclass
from functools import partial
from typing import Literal

from gameproof.datasets.planted.reading import Reading
from gameproof.errors import CallError
from gameproof.llm.client import Reply, Request
from gameproof.llm.providers.planted.asking import Question, read_question
from gameproof.llm.providers.planted.elicitation import (
    agree,
    common_points,
    is_about_points,
    points_of_text,
)
from gameproof.llm.providers.planted.readers import NO_NEEDS, list_requirements, of_use
from gameproof.llm.providers.planted.understanding import ABOUT_THE_TEXT, Support, bearing, read_text
from gameproof.text import sentences

__all__ = ["Errors", "ErrsBy", "PlantedOracle", "chance", "counted"]

ErrsBy = Literal["text", "meaning", "statement"]

CANDIDATE = ("candidate", "text", "passage", "response", "found")
STATEMENT = ("statement", "reference", "report")

UNKNOWN_TASK = "the planted oracle does not know this task"
NOT_PLANTED = "the planted oracle reads only texts of the planted world"


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """How often the oracle errs, of the occasions where it could.

    Whether it errs depends on the statement and, by `errs_by`, on the candidate's exact ``text`` (any change draws
    anew), on its ``meaning`` (padding, order and other words draw nothing anew), or on the ``statement`` alone (it is
    wrong about that one for ever). Asking again never helps.
    """

    topic: float = 0.15  # says yes because the text is about the same sort of thing
    negation: float = 0.2  # takes a denial for a statement
    held_out: float = 0.3  # does not see that a wording it has never met says the same
    order: float = 0.0  # prefers the text that comes first, where two are alike
    missed: float = 0.2  # does not list what a reader needs
    added: float = 0.2  # lists something besides that the reader does not need
    errs_by: ErrsBy = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedOracle:
    """A language model for the planted world that decides whether texts support statements.

    It reads the rendered prompt and nothing else. Where neither the candidate nor the statement is planted,
    the call fails: it would know nothing of them.
    """

    errors: Errors = Errors()
    seed: int = 0
    name: str = "planted:oracle"

    async def complete(self, request: Request) -> Reply:
        """Answer in the format that the prompt asks for; a reference alone is taken apart into statements.

        Raises:
            CallError: The texts are not of the planted world.
        """
        question = read_question(request)
        if is_about_points(question):
            return counted(request, json.dumps(self._about_points(question)), self.name)
        candidate = question.text(*CANDIDATE)
        if not candidate and "reader" in question.texts:
            return counted(request, json.dumps(self._about_reader(question)), self.name)
        if not candidate and "reference" in question.texts:
            stated = [one for one in sentences(question.texts["reference"]) if read_text(one)]
            return counted(request, json.dumps({"statements": stated}), self.name)
        if {"first", "second"} <= question.texts.keys():
            return counted(request, json.dumps({"verdicts": self._compare(question)}), self.name)
        if question.statements:
            verdicts = [
                {"id": key, "verdict": self._verdict(candidate, statement, question)}
                for key, statement in question.statements.items()
            ]
            return counted(request, json.dumps({"verdicts": verdicts}), self.name)
        if not question.text(*STATEMENT):
            raise CallError(UNKNOWN_TASK)
        verdict = self._verdict(candidate, question.text(*STATEMENT), question)
        return counted(request, json.dumps({"verdict": verdict}), self.name)

    async def close(self) -> None:
        """Do nothing: there is nothing to let go of."""

    def support(self, candidate: str, statement: str) -> Support:
        """Say how far the candidate bears the statement out, in this oracle's possibly mistaken view."""
        found = bearing(candidate, statement)
        if found.support == Support.STATED:
            missed = found.held_out and self._errs("held_out", self.errors.held_out, candidate, statement)
            return Support.SILENT if missed else Support.STATED
        if found.support == Support.DENIED:
            taken = self._errs("negation", self.errors.negation, candidate, statement)
            return Support.STATED if taken else Support.DENIED
        if found.same_topic and self._errs("topic", self.errors.topic, candidate, statement):
            return Support.STATED
        return found.support

    def _compare(self, question: Question) -> list[dict[str, str]]:
        """Say of each statement which of two texts bears it out better; where neither does, habit may decide."""
        first, second = question.texts["first"], question.texts["second"]
        verdicts: list[dict[str, str]] = []
        for key, statement in question.statements.items():
            if not any(map(read_text, (first, second, statement))):
                raise CallError(NOT_PLANTED)
            one, other = (max(self.support(text, statement), Support.SILENT) for text in (first, second))
            if one != other:
                verdict = "first" if one > other else "second"
            elif self._errs("order", self.errors.order, f"{first}\n{second}", statement):
                verdict = "first"
            else:
                verdict = "both" if one == Support.STATED else "neither"
            verdicts.append({"id": key, "verdict": verdict})
        return verdicts

    def _about_points(self, question: Question) -> dict[str, list[dict[str, str]]]:
        """Find points, or say who agrees with them."""
        text = question.text("ground_truth", "text")
        if not any(read_text(each) for each in (text, question.text("points"))):
            raise CallError(NOT_PLANTED)
        if "ground_truth" in question.texts:
            return {"points": points_of_text(text)}
        if not text:
            return {"points": common_points(question)}
        return {"verdicts": agree(question, self.support)}

    def _about_reader(self, question: Question) -> dict[str, object]:
        """List what a reader needs of a source, or say which statements are of use."""
        described, source = question.texts["reader"], question.text("source")
        if not source:
            useful = {key: of_use(described, text) for key, text in question.statements.items()}
            if not useful or None in useful.values():
                raise CallError(NO_NEEDS)
            return {
                "verdicts": [{"id": key, "verdict": "yes" if use else "no"} for key, use in useful.items()]
            }
        required = list_requirements(
            described,
            source,
            partial(chance, self.seed),
            missed=self.errors.missed,
            added=self.errors.added,
        )
        if required is None:
            raise CallError(NO_NEEDS)
        return {"requirements": required}

    def _verdict(self, candidate: str, statement: str, question: Question) -> str | int:
        if not read_text(candidate) and not read_text(statement) and statement not in ABOUT_THE_TEXT:
            raise CallError(NOT_PLANTED)
        support = self.support(candidate, statement)
        if "yes" in question.menu:
            return "yes" if support == Support.STATED else "no"
        return int(support)

    def _errs(self, kind: str, rate: float, candidate: str, statement: str) -> bool:
        return chance(self.seed, kind, self._seen(candidate), statement) < rate

    def _seen(self, candidate: str) -> str:
        """Return what of a candidate decides whether the oracle errs."""
        if self.errors.errs_by == "meaning":
            said = {_said(reading) for reading in read_text(candidate) if not reading.general}
            return json.dumps(sorted(map(repr, said)))
        return candidate if self.errors.errs_by == "text" else ""


def _said(reading: Reading) -> tuple[str | None, ...]:
    """Return what a sentence says, whatever its words."""
    return reading.group, reading.key, reading.value, reading.second, str(reading.polarity)


def chance(seed: int, *names: str) -> float:
    """Return a number in [0, 1) that the names decide, the same for ever."""
    whole = json.dumps([seed, *names])
    return int.from_bytes(hashlib.blake2b(whole.encode("ascii"), digest_size=7).digest()) / 2**56


def counted(request: Request, text: str, model: str) -> Reply:
    """Wrap a reply, with words for tokens."""
    asked = sum(len(message.content.split()) for message in request.messages)
    return Reply(text=text, model=model, tokens_in=asked, tokens_out=len(text.split()))
