"""USR Topical-Chat in the form of UniEval."""

from collections.abc import Iterable, Iterator

from gameproof.datasets.loaders.base import (
    BadRecord,
    Numbered,
    NumberedRow,
    Place,
    PublicDataset,
    Row,
    Shape,
    at_commit,
    number,
    part,
    text,
)
from gameproof.files.formats import BadRow

__all__ = ["TOPICAL_CHAT"]

HUMAN = ("Original Ground Truth", "New Human Generated")


def _responses(records: Iterable[Numbered], _place: Place) -> Iterator[NumberedRow]:
    """Read the responses; those of people are the references of the others, and of each other."""
    rows: list[tuple[int, Row]] = []
    names: dict[tuple[str, str], str] = {}
    human: dict[str, dict[str, str]] = {}
    for line, record in records:
        if isinstance(record, BadRow):
            yield line, record
            continue
        try:
            history, context = text(record, "source").strip(), text(record, "context").strip()
            marks = part(record, "scores", dict, "an object of scores")
            system, response = text(record, "system_id"), text(record, "system_output").strip()
            ratings = {key: number(marks, key) for key in marks}
        except BadRecord as bad:
            yield line, bad.row
            continue
        name = names.setdefault((history, context), f"tc-{len(names):03d}")
        if system in HUMAN:
            human.setdefault(name, {})[system] = response
        row = {"task_id": name, "group": name, "source": history, "context": context, "candidate": response}
        rows.append((line, {**row, "candidate_id": system, "ratings": ratings}))
    for line, row in rows:
        others = human.get(row["task_id"], {})
        references = [others[who] for who in HUMAN if who in others and others[who] != row["candidate"]]
        yield line, {**row, "references": references}


TOPICAL_CHAT = PublicDataset(
    name="topical_chat",
    title="USR Topical-Chat",
    contains="60 dialogues, 4 systems and 2 human responses; mean of 3 raters on 6 dimensions",
    domain="answers",
    licence="MIT (the copy in UniEval)",
    size="360 responses, about 1 MB",
    where="github.com/maszhongming/UniEval, reproduce/data/dialogue/topical_chat.json",
    cite="Mehri and Eskenazi (2020)",
    downloads=at_commit(
        "maszhongming/UniEval",
        "d33e7b6cfebe97b2bafe435adbd818230d5a416a",
        "reproduce/data/dialogue/topical_chat.json",
    ),
    shapes=(
        Shape(
            looks="a JSON list with source, context, system_id, system_output and scores",
            keys=frozenset({"source", "context", "system_output", "scores"}),
            convert=_responses,
            files=("reproduce/data/dialogue/topical_chat.json", "topical_chat.json"),
        ),
    ),
)
