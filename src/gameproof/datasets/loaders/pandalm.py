"""PandaLM's test set: two answers to an instruction, three annotators."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from gameproof.datasets.loaders.base import (
    BadRecord,
    LeftOut,
    Numbered,
    NumberedRow,
    Place,
    PublicDataset,
    Record,
    Row,
    Shape,
    at_commit,
    part,
    short_digest,
    text,
)
from gameproof.datasets.loaders.records import records_of
from gameproof.files.formats import BadRow

__all__ = ["PANDALM"]

ANNOTATORS = ("annotator1", "annotator2", "annotator3")
CHOICES: Mapping[int, str] = {1: "a", 2: "b", 0: "tie"}
ANSWERS = ("user_oriented_instructions.jsonl", "human_eval/user_oriented_instructions.jsonl")

Written = dict[
    tuple[str, str], tuple[str, str]
]  # instruction and input -> task of self-instruct and its answer


def _pairs(records: Iterable[Numbered], place: Place) -> Iterator[NumberedRow]:
    """Read the pairs; the references are the answers of self-instruct, where that file lies beside this one."""
    written = _written_answers(place)
    for line, record in records:
        if isinstance(record, BadRow):
            yield line, record
            continue
        try:
            rows = list(_choices(record, written))
        except BadRecord as bad:
            yield line, bad.row
            continue
        for row in rows:
            yield line, row


def _choices(record: Record, written: Written) -> Iterator[Row | LeftOut]:
    instruction, given = text(record, "instruction"), text(record, "input")
    a, b = (_response(record, key) for key in ("response1", "response2"))
    if not a.strip() or not b.strip():
        yield LeftOut("pairs with an empty answer")
        return
    group, answer = written.get((instruction, given), (f"instr-{short_digest(instruction)}", None))
    systems = text(record, "cmp_key").split("_", 1)
    for annotator in ANNOTATORS:
        choice = CHOICES.get(part(record, annotator, int, "1, 2 or 0"))
        if choice is None:
            raise BadRecord(f"{annotator!r} is {record[annotator]!r}", "1, 2 or 0")
        yield {
            "task_id": f"pandalm-{part(record, 'idx', int, 'a whole number'):04d}",
            "group": group,
            "question": f"{instruction}\n\n{given}" if given else instruction,
            "source": given or None,
            "candidate_a": a,
            "candidate_b": b,
            "candidate_a_id": systems[0],
            "candidate_b_id": systems[-1],
            "references": [answer] if answer else [],
            "preference": choice,
            "annotator": annotator,
            "app": text(record, "motivation_app"),
        }


def _response(record: Record, key: str) -> str:
    value = record.get(key)
    return str(value) if isinstance(value, bool) else text(record, key)  # six answers are JSON booleans


def _written_answers(place: Place) -> Written:
    found: Written = {}
    for name in ANSWERS:
        path = _beside(place, name)
        if path is None:
            continue
        for _, record in records_of(path):
            if isinstance(record, BadRow):
                continue
            for instance in record.get("instances", ()):
                key = (text(record, "instruction"), text(instance, "input"))
                found[key] = (text(record, "id"), text(instance, "output"))
        break
    return found


def _beside(place: Place, name: str) -> Path | None:
    folders = (place.path.parent, place.root if place.root.is_dir() else place.path.parent)
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


PANDALM = PublicDataset(
    name="pandalm",
    title="PandaLM test set",
    contains="999 pairs of answers to instructions, 3 annotators each, ties; references from self-instruct beside it",
    domain="answers",
    licence="Apache-2.0",
    size="999 pairs, about 2 MB",
    where="github.com/WeOpenML/PandaLM, data/testset-v1.json; references: github.com/yizhongw/self-instruct, human_eval/",
    cite="Wang et al. (2024)",
    groups="own",
    group_rule="the instruction",
    downloads=(
        *at_commit(
            "WeOpenML/PandaLM",
            "3871806e72b4832f815ecafd24d3503c73403f48",
            "data/testset-v1.json -> testset-v1.json",
        ),
        *at_commit(
            "yizhongw/self-instruct",
            "0b26ccaa415992100fa32df62d41b994cf928e23",
            "human_eval/user_oriented_instructions.jsonl -> user_oriented_instructions.jsonl",
        ),
    ),
    shapes=(
        Shape(
            looks="a JSON list with idx, instruction, input, response1, response2, cmp_key and annotator1 to annotator3",
            keys=frozenset({"instruction", "response1", "response2", "annotator1"}),
            convert=_pairs,
            kind="comparisons",
            files=("data/testset-v1.json", "testset-v1.json"),
        ),
    ),
)
