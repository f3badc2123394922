"""The planted rewriter: it rewrites planted texts as it is told, except for the share that it gets wrong."""

import re
from dataclasses import dataclass

from gameproof.datasets.planted.draws import Draws
from gameproof.datasets.planted.needs import read_needs
from gameproof.datasets.planted.rewriting import BREACHES, REWRITES, complete_text, rewrite_text
from gameproof.errors import CallError
from gameproof.llm.client import Reply, Request
from gameproof.llm.providers.planted.asking import Question, read_question
from gameproof.llm.providers.planted.oracle import chance, counted
from gameproof.llm.providers.planted.understanding import read_text, verdict_of
from gameproof.text import sentences

__all__ = ["PlantedRewriter"]

NOT_PLANTED = "the planted rewriter reads only texts of the planted world"
UNKNOWN_TASK = "the planted rewriter does not know this task"

GAP = "[gap]"
AUDIENCES = {"student": 1, "newspaper": 2, "specialist": 3}  # a word of the instruction -> the level

_TASK = re.compile(r'Rewriting task "(?P<name>[a-z ]+)"')
_STYLE = re.compile(r"Bring this (?P<kind>review|summary|answer) into the plain style")
_WORDS = re.compile(r"about (?P<words>\d+) words")
_PERCENT = re.compile(r"(?P<percent>\d+)%")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedRewriter:
    """A language model that rewrites texts of the planted world, and no others."""

    wrong: float = 0.0  # share of rewrites that do not do what they are asked for
    seed: int = 0
    name: str = "planted:rewriter"

    async def complete(self, request: Request) -> Reply:
        """Rewrite the text of the prompt.

        Raises:
            CallError: The task is none of the rewrites, or the text is not of the planted world.
        """
        question = read_question(request)
        style = _STYLE.search(question.words)
        if style is not None:
            lines = _in_style(question.text("text"), of_review=style["kind"] == "review")
            return counted(request, f"<text>{lines}</text>", self.name)
        found = _TASK.search(question.words)
        name = found["name"].replace(" ", "_") if found is not None else ""
        if name == "audience_rewritten":
            return counted(request, f"<text>{_for_reader(question)}</text>", self.name)
        key = (name, _level(name, question))
        if key not in REWRITES:
            raise CallError(UNKNOWN_TASK)
        text, source = question.text("candidate"), question.text("source")
        draws = Draws(self.seed, "rewriter", name, key[1] or 0, text, source)
        goes_wrong = chance(self.seed, "wrong", name, str(key[1]), text, source) < self.wrong
        if GAP in text:
            written = complete_text(text, gap=GAP, draws=draws, adds=goes_wrong)
        else:
            breach = draws.pick(BREACHES[name]) if goes_wrong else None
            written = rewrite_text(
                text or _as_long(source, question),
                name,
                level=key[1],
                source=source,
                draws=draws,
                breach=breach,
            )
        if written is None:
            raise CallError(NOT_PLANTED)
        return counted(request, f"<text>{written}</text>", self.name)

    async def close(self) -> None:
        """Do nothing: there is nothing to let go of."""


def _for_reader(question: Question) -> str:
    """Tell what a reader needs of the source, then what the text says besides, up to the length asked for.

    Raises:
        CallError: Nothing is planted, or it is not said what the reader needs.
    """
    text, source = question.text("candidate"), question.text("source")
    needs = read_needs(question.text("reader"))
    if needs is None or not read_text(f"{source} {text}"):
        raise CallError(NOT_PLANTED)
    found = _WORDS.search(question.words)
    limit = int(found["words"]) if found is not None else len(text.split())
    graded = {
        one: max((needs.grade(each.key) for each in read_text(one)), default=0)
        for one in (*sentences(source), *sentences(text))
    }
    needed = sorted((one for one in graded if graded[one]), key=lambda one: -graded[one])
    kept: list[str] = []
    for one in dict.fromkeys((*needed, *sentences(text))):
        if kept and sum(len(each.split()) for each in (*kept, one)) > limit:
            break
        kept.append(one)
    return " ".join(kept)


def _in_style(text: str, *, of_review: bool) -> str:
    """Return the sentences that state something, one a line; filler goes.

    Raises:
        CallError: None of them is planted.
    """
    said = sentences(text)
    kept = [sentence for sentence in said if read_text(sentence)]
    if not kept:
        raise CallError(NOT_PLANTED)
    if not of_review:
        return "\n".join(kept)
    openings = {False: "The reviewer faults", True: "The reviewer praises", None: "The reviewer praises"}
    return "\n".join(f"{openings[verdict_of(sentence)]}: {sentence}" for sentence in kept)


def _as_long(source: str, question: Question) -> str:
    """Repeat the source up to the length that is asked for: only the number of its sentences will matter."""
    found = _WORDS.search(question.words)
    wanted = int(found["words"]) if found is not None else 0
    return " ".join([source] * max(1, round(wanted / max(len(source.split()), 1))))


def _level(name: str, question: Question) -> int | None:
    if name == "audience":
        return next((level for word, level in AUDIENCES.items() if word in question.words), None)
    found = _PERCENT.search(question.words) if name in {"lengthen", "shorten"} else None
    return int(found["percent"]) if found is not None else None
