"""Let a language model write variants that no rule can make."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from gameproof.llm.asking import Asker, Question, Unread
from gameproof.llm.client import Reply, Request
from gameproof.llm.replies import FILTERED, TRUNCATED, own_words
from gameproof.metrics.readers import describe_reader
from gameproof.perturbations.apply import EMPTY, UNCHANGED, applies
from gameproof.perturbations.base import Failure, Perturbation, Rewrite
from gameproof.perturbations.crossing import next_readers
from gameproof.prompts.loading import Slot, Trusted, load
from gameproof.prompts.messages import Message
from gameproof.records import Item, Variant
from gameproof.text import is_splittable, split_layout, words

__all__ = [
    "GAP",
    "Task",
    "ask_for_rewrites",
    "plan_rewrites",
    "read_written_text",
    "recall_rewrite",
    "request_of",
    "same_family",
]

GAP = "[gap]"  # stands for a sentence that was taken out
TOO_SHORT = "fewer than two sentences"
NO_SOURCE = "no source to write from"
NO_OTHER_READER = "its task has no other reader"
NO_TEXT = "the reply holds no text"
REFUSED = "the model refused"

TENTH = 0.1  # of the length: an ultra-concise version
FEWEST_WORDS = 8
BEGINNING = 200  # characters of a text between the tags in which a refusal says what it refuses
WEAK_SENTENCES = 2  # of a source, where it has no title line: what a headline and a lead give away
READERS = {
    1: "a student in the first year, who knows none of the terms",
    2: "the readers of a newspaper, who want to know what matters about it",
    3: "a specialist in the field, who knows all terms and wants no introduction",
}

Slots = Mapping[str, Slot]

_TAGGED = re.compile(r"<text>\s*(?P<text>.*?)\s*(?:</text>|\Z)", re.DOTALL | re.IGNORECASE)
_CHATTER = re.compile(
    r"\A(?:sure|certainly|of course|okay|here(?:'s| is| are))\b[^\n]{0,120}:\s*\n+", re.IGNORECASE
)
_REFUSAL = re.compile(
    r"\A(?:i['’]?m sorry|i am sorry|sorry,|i can(?:no|['’])t|i cannot|i am unable|i['’]m unable|as an ai)\b",  # noqa: RUF001 - an apostrophe as people type it
    re.IGNORECASE,
)
# What a refusal speaks of. A text may well begin like one: "I cannot recommend this hotel."
_ABOUT_THE_TASK = re.compile(
    r"\b(?:help (?:with|you)|assist|comply|fulfil+|(?:this|that|your|the) request|rewrit\w*|rephras\w*|language model)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One text to be written, or the reason why it cannot even be asked for."""

    item: Item
    perturbation: Perturbation
    level: int | None
    messages: tuple[Message, ...] = ()
    reason: str | None = None

    def variant(self, text: str | None, reason: str | None = None) -> Variant:
        """Return what became of it."""
        return Variant(
            item_id=self.item.id,
            name=self.perturbation.name,
            level=self.level,
            text=text,
            reason=reason,
        )


def plan_rewrites(
    items: Sequence[Item], perturbations: Sequence[Perturbation], *, given: Sequence[Variant] = ()
) -> list[Task]:
    """Say which texts a language model has to write; nothing is asked.

    Args:
        items: The originals.
        perturbations: Rows of the catalogue; those that rules make are passed over.
        given: Variants made elsewhere. Where a perturbation has any, none of its variants is written.
    """
    given_names = {variant.name for variant in given}
    crossed = any(row.family == "crossing" and row.rewrite is not None for row in perturbations)
    following = next_readers(items) if crossed else {}
    return [
        _task(item, row, row.rewrite, level, following.get(item.id))
        for item in items
        for row in perturbations
        if row.rewrite is not None and row.name not in given_names and applies(row, item)
        for level in row.levels or (None,)
    ]


def request_of(task: Task, model: str) -> Request:
    """Return the request that writing one text takes."""
    return Request(model=model, messages=task.messages, purpose="rewrite")


def recall_rewrite(task: Task, asker: Asker) -> Variant | None:
    """Return what became of a text in an earlier run; None where it has yet to be asked for."""
    if task.reason is not None:
        return task.variant(None, task.reason)
    answer = asker.recall(_question(task, asker))
    return None if answer is None else _written(task, answer)


async def ask_for_rewrites(tasks: Sequence[Task], asker: Asker) -> list[Variant]:
    """Let the model write. What it fails at is a variant with a reason, never the unchanged text."""
    asked = [task for task in tasks if task.reason is None]
    answers = await asker.ask([_question(task, asker) for task in asked])
    found = dict(zip(map(id, asked), answers, strict=True))
    return [_written(task, found.get(id(task), Unread(reason=task.reason or NO_TEXT))) for task in tasks]


def same_family(first: str, second: str) -> bool:
    """Say whether two model names look like one family, whose judges prefer what its writers write.

    Example:
        >>> same_family("openrouter/anthropic/claude-haiku-4.5", "claude-sonnet-5")
        True
        >>> same_family("anthropic:claude-haiku-4.5", "claude-sonnet-5")
        True
        >>> same_family("planted:judge", "planted:rewriter")
        False
    """
    return _family(first) == _family(second)


def _family(name: str) -> str:
    last = name.rpartition("/")[2].lower()
    if last.startswith("planted:"):
        return last.partition(",")[0]
    found = re.match(r"[a-z]+", last.rpartition(":")[2])
    return {"o": "gpt", "chatgpt": "gpt"}.get(found[0], found[0]) if found is not None else last


def _task(item: Item, row: Perturbation, rewrite: Rewrite, level: int | None, following: Item | None) -> Task:
    if row.family == "crossing":
        slots = _for_one_reader(item, level, following) if words(item.candidate) else Failure(EMPTY)
    else:
        slots = _slots(item, row.name, level)
    if isinstance(slots, Failure):
        return Task(item=item, perturbation=row, level=level, reason=slots.reason)
    messages = load("rewrites", rewrite.prompt, rewrite.version).render(
        domain=Trusted(item.domain or ""), **slots
    )
    return Task(item=item, perturbation=row, level=level, messages=messages)


def _slots(item: Item, name: str, level: int | None) -> Slots | Failure:
    """Return what goes into a prompt, or why there is nothing to ask."""
    if not words(item.candidate):
        return Failure(EMPTY)
    return _SLOTS.get(name, _candidate)(item, level)


def _candidate(item: Item, _level: int | None) -> Slots:
    return {"candidate": item.candidate}


def _source_alone(item: Item, _level: int | None) -> Slots | Failure:
    weak = _weak_material(item.source or "")
    return {"source": weak, "n_words": len(words(item.candidate))} if weak else Failure(NO_SOURCE)


def _gapped(item: Item, _level: int | None) -> Slots | Failure:
    gapped = _with_gaps(item.candidate)
    return {"candidate": gapped} if gapped is not None else Failure(TOO_SHORT)


def _tenth(item: Item, _level: int | None) -> Slots:
    target = max(round(TENTH * len(words(item.candidate))), FEWEST_WORDS)
    return {"candidate": item.candidate, "target_words": target}


def _for_reader(item: Item, level: int | None) -> Slots:
    return {"candidate": item.candidate, "reader": Trusted(READERS[level or 1])}


def _for_one_reader(item: Item, level: int | None, following: Item | None) -> Slots | Failure:
    """Return what goes into a prompt for the own reader (level 1) or for the next one of the task (2)."""
    if following is None:
        return Failure(NO_OTHER_READER)
    reader = describe_reader(item if level == 1 else following)
    return {
        "candidate": item.candidate,
        "reader": reader,
        "source": item.source or None,
        "n_words": len(words(item.candidate)),
    }


def _resized(item: Item, level: int | None, *, sign: int) -> Slots:
    n_words, percent = len(words(item.candidate)), level or 0
    return {
        "candidate": item.candidate,
        "percent": percent,
        "n_words": n_words,
        "target_words": round(n_words * (1 + sign * percent / 100)),
    }


_SLOTS: Mapping[str, Callable[[Item, int | None], Slots | Failure]] = {
    "surface_report": _source_alone,
    "deletion_and_completion": _gapped,
    "ultra_concise_compression": _tenth,
    "audience": _for_reader,
    "lengthen": partial(_resized, sign=1),
    "shorten": partial(_resized, sign=-1),
}


def _weak_material(source: str) -> str:
    """Return what a title and a first paragraph give away: the title line with the lead."""
    if not source.strip() or not is_splittable(source):
        return ""
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n|\n", source) if part.strip()]
    if len(paragraphs) > 1:
        return "\n\n".join(paragraphs[:2])
    return split_layout(source.strip()).first(WEAK_SENTENCES)


def _with_gaps(text: str) -> str | None:
    """Put a mark in place of every second sentence of each section; None where there is none to take out."""
    if not is_splittable(text):
        return None
    layout = split_layout(text)
    dropped = {place for section in layout.sections for place in section[1::2]}
    return layout.with_sentences(dict.fromkeys(dropped, GAP)) if dropped else None


def _question(task: Task, asker: Asker) -> Question[str]:
    return Question(request=request_of(task, asker.name), read=partial(_read, task=task))


def _written(task: Task, answer: str | Unread) -> Variant:
    text, reason = (None, answer.reason) if isinstance(answer, Unread) else (answer, None)
    return task.variant(text, reason)


def _read(reply: Reply, *, task: Task) -> str | Unread:
    text = read_written_text(reply, task.messages)
    return Unread(reason=UNCHANGED) if text == task.item.candidate.strip() else text


def read_written_text(reply: Reply, messages: tuple[Message, ...]) -> str | Unread:
    """Return the text that a model was asked to write between ``<text>`` marks, or why there is none."""
    if reply.finish in {"length", "filter"}:
        return Unread(reason=TRUNCATED if reply.finish == "length" else FILTERED)
    said = own_words(reply, messages).strip()
    found = list(_TAGGED.finditer(said))
    text = found[-1]["text"] if found else _CHATTER.sub("", said).strip()
    text = text.strip("`").strip()
    if _REFUSAL.match(text) and (not found or _ABOUT_THE_TASK.search(text[:BEGINNING])):
        return Unread(reason=REFUSED)
    if not text or "<<<" in text or GAP in text:
        return Unread(reason=NO_TEXT if not text else "the reply repeats its prompt")
    return text
