"""Style normalisation: a language model brings candidates and references into one plain style before they are compared.

``norm=review`` keeps judgements alone, each a line with one of four openings, and drops what is particular to the
thing reviewed: by design two reviews of different things may become alike. ``norm=summary`` and ``norm=answer`` keep
all facts and change the wording only. The same call is made for every text, original or variant, whichever side it
is on; a reply is read strictly, and a text without one is missing with the reason (Lu et al. 2024; Xu et al. 2025).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from gameproof import text as texts
from gameproof.llm.asking import Asker, Question, Unread
from gameproof.llm.client import Reply, Request
from gameproof.llm.replies import FILTERED, TRUNCATED, UNREADABLE, own_words
from gameproof.metrics.base import EMPTY_CANDIDATE, NO_REFERENCE
from gameproof.metrics.llm_calls import CHARACTERS_PER_TOKEN
from gameproof.metrics.reference_pool import with_used_references
from gameproof.metrics.reference_strata import marked_references
from gameproof.prompts.loading import Prompt, load
from gameproof.prompts.messages import Message
from gameproof.records import Item, Scores

__all__ = ["NOTHING_LEFT", "STEMS", "Normaliser", "Styled", "style_prompt"]

STEMS = ("The reviewer praises", "The reviewer faults", "The reviewer asks", "The reviewer proposes")
NOTHING_LEFT = "nothing is left of it"

_TAGGED = re.compile(r"<text>(?P<text>.*?)</text>", re.DOTALL | re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*\N{BULLET}]|\d{1,3}[.)])\s+")


def style_prompt(style: str) -> Prompt:
    """Return the prompt of a style: review, summary or answer."""
    return load("style", style)


@dataclass(frozen=True, slots=True, kw_only=True)
class Styled:
    """Items in one style; a text without one is left out, with the reason."""

    items: list[Item]
    reasons: Mapping[str, str]  # item id -> why it cannot be scored
    dropped: Mapping[str, int]  # reason -> references left out, each text once

    def explain(self, scores: Scores) -> Scores:
        """Put the reason of the style in the place of a text that is not there."""
        found = {
            item_id: self.reasons.get(item_id, reason)
            if reason in {EMPTY_CANDIDATE, NO_REFERENCE}
            else reason
            for item_id, reason in scores.reasons.items()
        }
        return replace(scores, reasons=found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Normaliser:
    """Brings texts into a style: candidates, and the references that they are scored against."""

    asker: Asker
    style: str
    refs: str = "mean"  # which those are, as a cell says it
    dropped: Counter[str] = field(default_factory=Counter[str], compare=False)  # reason -> references

    def notes(self) -> tuple[str, ...]:
        """Say how many references have no form in this style."""
        return tuple(f"{count:,} references dropped: {reason}" for reason, count in self.dropped.items())

    def planned(self, items: Iterable[Item]) -> list[tuple[Request, int]]:
        """Return the requests that bringing the texts of items into the style takes, with tokens of replies."""
        texts = _texts_of(self._with_used(items))
        return [(self._request(text), len(text) // CHARACTERS_PER_TOKEN + 1) for text in texts]

    async def originals(self, items: Sequence[Item]) -> list[Item]:
        """Bring the originals of a run into the style, and take note of references that have no form in it."""
        styled = await self.apply(items)
        self.dropped.clear()
        self.dropped.update(styled.dropped)
        return styled.items

    async def apply(self, items: Sequence[Item]) -> Styled:
        """Bring candidates and references into the style; each text is asked about once in a run.

        Raises:
            EndpointError: Replies cannot be read, or no call can work.
        """
        used = self._with_used(items)
        names = _texts_of(used)
        requests = [self._request(text) for text in names]
        answers = await self.asker.ask(
            [
                Question(request=request, read=partial(_read, style=self.style, prompt=request.messages))
                for request in requests
            ]
        )
        found = {
            text: replace(answer, reason=f"norm={self.style}: {answer.reason}")
            if isinstance(answer, Unread)
            else answer
            for text, answer in zip(names, answers, strict=True)
        }
        lacking = {
            item.id: f"no reference of {self.refs}"
            for item, one in zip(items, used, strict=True)
            if any(text.strip() for text in item.references) and not one.references
        }
        return _put(used, found, lacking)

    def _with_used(self, items: Iterable[Item]) -> list[Item]:
        return [with_used_references(item, self.refs) for item in items]

    def _request(self, text: str) -> Request:
        return Request(
            model=self.asker.name, messages=style_prompt(self.style).render(text=text), purpose="style"
        )


def _texts_of(items: Iterable[Item]) -> list[str]:
    """Return all texts that are not blank, each once."""
    found: dict[str, None] = {}
    for item in items:
        found.update(dict.fromkeys(text for text in (*item.references, item.candidate) if text.strip()))
    return list(found)


def _put(items: Sequence[Item], found: Mapping[str, str | Unread], lacking: Mapping[str, str]) -> Styled:
    """Put texts in the style in the place of others; `lacking` says why items have no reference."""
    styled: list[Item] = []
    reasons = dict(lacking)
    lost: dict[str, str] = {}
    for item in items:
        candidate = found.get(item.candidate, "")
        marked = [(text, found[text], kind) for text, kind in marked_references(item)]
        kept = [(styled_text, kind) for _, styled_text, kind in marked if isinstance(styled_text, str)]
        failed = {text: answer.reason for text, answer, _ in marked if isinstance(answer, Unread)}
        lost |= failed
        if isinstance(candidate, Unread):
            reasons[item.id] = candidate.reason
            candidate = ""
        elif failed and not kept:
            reasons[item.id] = f"its reference: {next(iter(failed.values()))}"
        references = tuple(text for text, _ in kept)
        kinds = tuple(kind for _, kind in kept) if item.reference_kinds else ()
        styled.append(replace(item, candidate=candidate, references=references, reference_kinds=kinds))
    return Styled(items=styled, reasons=reasons, dropped=Counter(lost.values()))


def _read(reply: Reply, *, style: str, prompt: Sequence[Message]) -> str | Unread:
    """Read the lines of a reply; for a review, those alone that begin as they must."""
    if reply.finish in {"length", "filter"}:
        return Unread(reason=TRUNCATED if reply.finish == "length" else FILTERED)
    found = list(_TAGGED.finditer(own_words(reply, prompt)))
    if not found:
        return Unread(reason=f"{UNREADABLE}: no text between <text> and </text>")
    lines = [" ".join(_BULLET.sub("", line).split()) for line in found[-1]["text"].splitlines()]
    written = [line for line in lines if texts.words(line)]
    kept = [line for line in written if style != "review" or line.casefold().startswith(_OPENINGS)]
    if written and not kept:
        return Unread(reason=f"{UNREADABLE}: no line begins with one of the four openings")
    if not kept:
        return Unread(reason=NOTHING_LEFT)
    return "\n".join(line if line.endswith((".", "!", "?")) else f"{line}." for line in kept)


_OPENINGS = tuple(stem.casefold() for stem in STEMS)
