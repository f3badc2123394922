"""What readers require of texts: given in the data, or asked of a language model before any text is seen.

A reader is somebody with a question about a source. What the reader requires is fixed once for each reader, so that
all texts of a session are held against one list. The model grades how much each requirement matters without being told
what the reader knows: importance and novelty are then two answers, where one answer would hold only their product.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from gameproof.llm.asking import Asker, Question, Repaired, Unread
from gameproof.llm.client import Reply, Request
from gameproof.llm.replies import OFF_MENU, UNREADABLE, closed_object, read_json
from gameproof.metrics.readers import describe_persona, describe_reader
from gameproof.metrics.representations import report
from gameproof.prompts.loading import Prompt, load
from gameproof.prompts.messages import Message
from gameproof.records import Item, Requirement

__all__ = [
    "NO_REQUIREMENT",
    "PURPOSE",
    "Reader",
    "ask_requirements",
    "reader_of",
    "recall_requirements",
    "requirements_prompt",
    "requirements_requests",
]

NO_REQUIREMENT = "its source has nothing that its reader needs"
NO_QUERY = "no query, neither of the item nor of its persona"

PURPOSE = "requirements"  # of the calls
GRADES = (1, 2, 3)
SCHEMA = closed_object(
    {
        "requirements": {
            "type": "array",
            "items": closed_object(
                {"text": {"type": "string"}, "importance": {"type": "integer", "enum": list(GRADES)}}
            ),
        }
    }
)

# Requirements of a reader, or why there are none.
Required = tuple[Requirement, ...] | str


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Reader:
    """Somebody with a question about a source; items of one task that are for the same reader share it."""

    task_id: str
    described: str  # who asks what, as models are told; without what the reader knows
    knows: tuple[str, ...] = ()
    source: str = ""
    given: tuple[tuple[str, float], ...] = ()  # requirements that stand in the data, with their importance

    @property
    def required(self) -> tuple[Requirement, ...]:
        """The requirements that stand in the data."""
        return tuple(Requirement(text=text, importance=importance) for text, importance in self.given)

    @property
    def known(self) -> str:
        """What the reader knows, as a text."""
        return "\n".join(self.knows)


def reader_of(item: Item, *, given: bool) -> Reader | str:
    """Return who an item is for, or what is missing to say so.

    Args:
        item: The item.
        given: Whether requirements are taken from the data; else it takes a persona, a question and a source to ask.
    """
    persona = item.persona
    knows = tuple(each for each in (persona.knows if persona else ()) if not isinstance(report(each), str))
    if given:
        usable = [each for each in item.requirements if not isinstance(report(each.text), str)]
        if not usable:
            return "no requirements"
        return Reader(
            task_id=item.task_id,
            described="" if persona is None else describe_persona(replace(persona, knows=())),
            knows=knows,
            given=tuple((each.text, each.importance) for each in usable),
        )
    if persona is None:
        return "no persona"
    if not item.query and not persona.query:
        return NO_QUERY
    if not item.source:
        return "no source"
    return Reader(
        task_id=item.task_id,
        described=describe_reader(item, knows=False),
        knows=knows,
        source=item.source,
    )


def requirements_prompt() -> Prompt:
    """Return the prompt that asks for requirements."""
    return load("persona", "requirements", 2)


async def ask_requirements(asker: Asker, readers: Sequence[Reader]) -> list[Required]:
    """Ask what readers require, once for each description and source."""
    answers = await asker.ask([_question(asker, reader) for reader in readers])
    return [_required(answer) for answer in answers]


def recall_requirements(asker: Asker, reader: Reader) -> Required | None:
    """Return what an earlier run has found a reader to require; None where it has yet to be asked."""
    answer = asker.recall(_question(asker, reader))
    return None if answer is None else _required(answer)


def requirements_requests(asker: Asker, readers: Sequence[Reader]) -> list[Request]:
    """Return the requests that `ask_requirements` makes."""
    return [_question(asker, reader).request for reader in readers]


def _required(answer: tuple[Requirement, ...] | Unread) -> Required:
    if isinstance(answer, Unread):
        return f"what its reader needs: {answer.reason}"
    return answer or NO_REQUIREMENT


def _question(asker: Asker, reader: Reader) -> Question[tuple[Requirement, ...]]:
    messages = requirements_prompt().render(reader=reader.described, source=reader.source)
    request = Request(
        model=asker.name, messages=messages, schema=SCHEMA, schema_name="requirements", purpose=PURPOSE
    )
    return Question(request=request, read=partial(_read, prompt=messages))


def _read(
    reply: Reply, *, prompt: Sequence[Message]
) -> tuple[Requirement, ...] | Unread | Repaired[tuple[Requirement, ...]]:
    from gameproof.metrics.reply_forms import Requirements  # noqa: PLC0415 - slow to load, and most runs ask no model

    read = read_json(reply, Requirements, prompt=prompt)
    if read.value is None:
        return Unread(reason=read.reason or UNREADABLE)
    found: dict[str, Requirement] = {}
    for entry in read.value.requirements:
        if entry.importance not in GRADES:
            return Unread(reason=f"{OFF_MENU}: importance {entry.importance}")
        text = " ".join(entry.text.split())
        if not isinstance(report(text), str):
            found.setdefault(text, Requirement(text=text, importance=float(entry.importance)))
    required = tuple(found.values())
    return Repaired(required) if read.repaired else required
