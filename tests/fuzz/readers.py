"""Every reader of what strangers write, as a function of bytes that may only return or raise an error for the user."""

import io
import json
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

from pydantic import BaseModel
from starlette.exceptions import HTTPException
from tests.support.fake_results import fake_result

from gameproof.aio.reported import RESULT_FILE, read_result
from gameproof.audits.plan import make_plan, read_plan
from gameproof.engine.score_files import SCORES_FILE, read_scores
from gameproof.errors import GameproofError
from gameproof.files import load, load_comparisons, read_variants, write_rows
from gameproof.files.manifest import MANIFEST, read_manifest
from gameproof.fmi import spec
from gameproof.llm.client import Reply
from gameproof.llm.replies import read_choice, read_json, read_score, read_statement_verdicts
from gameproof.llm.store import read_exported
from gameproof.metrics.catalogue import metric
from gameproof.metrics.spec_text import split_spec
from gameproof.records import Item
from gameproof.reports.result_json import render_json
from gameproof.study.flow import AnswerError, answer, page_of
from gameproof.study.layout import read_layout
from gameproof.study.study_file import new_study_text, parse_study, read_study
from gameproof.web.forms import DeleteForm, InviteForm, ReaderForm, SecretForm, parse_form

__all__ = ["READERS", "Reader"]

REFUSED = (GameproofError, HTTPException, AnswerError)  # what a reader may raise


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A reader, and what it can read, to start from."""

    read: Callable[[bytes], object]
    seeds: tuple[bytes, ...]

    def __call__(self, data: bytes) -> None:
        """Read; any error but one for the user comes through."""
        with suppress(*REFUSED):
            self.read(data)


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="gameproof-fuzz-"))


def _from_file(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def run(data: bytes) -> object:
        path = _folder() / name
        path.write_bytes(data)
        return read(path)

    return run


def _in_folder(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def run(data: bytes) -> object:
        folder = _folder() / name.replace(".", "-")
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
        return read(folder)

    return run


def _text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "replace"))


ROWS: Sequence[Mapping[str, object]] = [
    {
        "id": "a",
        "task_id": "t",
        "candidate": "It rained.",
        "references": ["Rain fell."],
        "source": "s",
        "system": "A",
        "ratings": {"x": 3.5},
        "raters": {"ann": {"x": 3}, "bob": {"x": 4}},
        "persona": {"role": "nurse", "knows": ["k"]},
        "query": "q",
        "domain": "answers",
    },
    {"id": "b", "task_id": "u", "candidate": "", "references": None, "ratings": {"x": None}},
]
PAIRS = [
    {
        "task_id": "t",
        "candidate_a": "It rained.",
        "candidate_b": "It snowed.",
        "choice": "a",
        "annotator": "ann",
    }
]


def _json_lines(rows: Sequence[Mapping[str, object]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _parquet() -> bytes:
    path = _folder() / "seed.parquet"
    write_rows(path, [{"candidate": "It rained.", "references": ["Rain fell."], "rating": 3.5}] * 3)
    return path.read_bytes()


class _Asked(BaseModel):
    statements: list[str]


def _reply(text: str) -> None:
    for finish in ("stop", "length"):
        reply = Reply(text=text, finish=finish)
        read_choice(reply, ("yes", "no", "unclear"))
        read_score(reply, 1, 5)
        read_json(reply, _Asked)
        read_statement_verdicts(reply, ["S1", "S2"], ["yes", "no"])


REPLIES = (
    b'Sure!\n```json\n{"score": 3, // fine\n}\n```\nHope that helps',
    b'{"reason": "uses \\$x and C:\\new", "score": 2, "verdict": "yes"}',
    b"[RESULT] 5 [RESULT] 2\nRating: 4/5\nVerdict: **no**",
    b'{"verdicts": [{"id": "S1", "verdict": "yes"}, {"id": "S2", "verdict": "no"}]}',
    b'{"S1": "yes", "S2": {"verdict": "no"}}\nS1: yes\nS2 - no',
    b'{"statements": ["It rained.", "It snowed.',
)


def _specs(text: str) -> None:
    with suppress(*REFUSED):
        split_spec(text)
    with suppress(*REFUSED):
        spec.parse(text)
    # A name with a colon runs what it names: a function or a model of the user's own.
    if ":" not in text and "/" not in text:
        metric(text)


def _plan(path: Path) -> None:
    make_plan(read_plan(path))


PLAN = b'data = "items.jsonl"\nmetrics = ["rougeL", "TV+fvar+statement+overlap,neg=4"]\nmargin = 0.2\nsample = 100\n[map]\ncandidate = "text"\n'
VARIANTS = (
    b'{"item": "a", "variant": "repeat_text", "text": "x"}\n'
    b'{"item": "b", "variant": "distractors", "level": 2, "reason": "one task only"}\n'
)
SCORES = (
    b'{"item": "a", "variant": null, "level": null, "metric": "m", "score": 0.5, "reason": null}\n'
    b'{"item": "a", "variant": "v", "level": 1, "metric": "m", "score": null, "reason": "empty", "remark": "r", "spread": 0.5}\n'
)
MANIFEST_SEED = (
    b'{"schema": "gameproof.manifest/1", "plan": {"seed": 7}, "versions": {"numpy": "2"}, '
    b'"stages": {"perturb": {"inputs": "5f0c", "files": {"a.jsonl": "00"}, "finished": "2026-01-01T00:00:00+00:00"}}}'
)
CALL = b'{"key": "k", "model": "m", "purpose": "p", "request": {}, "reply": {"text": "t"}, "tokens_in": 1, "tokens_out": 2, "created": 1.5}\n'


def _scores(folder: Path) -> object:
    return read_scores(folder, [Item(id="a", task_id="t", candidate="c")], {"m": ("m,v=1", True)})


@cache
def _study() -> object:
    return parse_study(new_study_text("demo"))


def _form(data: bytes) -> None:
    fields = dict(parse_qsl(data.decode("utf-8", "replace"), keep_blank_values=True))
    for kind in (ReaderForm, SecretForm, InviteForm, DeleteForm):
        with suppress(HTTPException):
            parse_form(kind, fields)
    page = page_of(_study(), [])
    answer(_study(), [], participant="reader-1", number=0, step=page.step, form=fields)


SESSION = {
    "token": "reader-1",
    "language": "en",
    "pre_task_answers": {"role": "nurse", "knows": ["k"]},
    "page_times": [["consent", 3.5]],
    "n_queries": 1,
    "annotations": [
        {
            "query_index": 0,
            "query": "q",
            "summaries": {"A": "a.", "B": "b.", "C": "c.", "D": "d."},
            "metadata": {name: {"model": "m", "has_pre_question": name in "AC"} for name in "ABCD"},
            "paper_ids": ["W1"],
            "round1_ab": "A",
            "round1_cd": "N",
            "final": None,
        },
        {
            "query": "q",
            "summaries": {"A": "a.", "B": "b."},
            "metadata": {name: {"model": "m", "has_pre_question": True, "condition": name} for name in "AB"},
            "documents": [{"id": "W1", "title": "t", "text": "x", "url": None, "year": 2020}],
            "comparisons": [
                {"number": 1, "round": "round1", "left": "A", "right": "B", "choice": "A", "seconds": 2.5}
            ],
            "at": "2026-01-01T00:00:00+00:00",
            "wait_seconds": 1.5,
        },
    ],
}


def _layout(data: bytes) -> None:
    path = _folder() / "study.zip"
    if not data.startswith(b"PK"):  # what stands in results/*.json is fuzzed as well as the archive around it
        data = _zipped(data)
    path.write_bytes(data)
    read_layout(path)


def _zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("results/reader-1.json", data)
    return file.getvalue()


READERS: Mapping[str, Reader] = {
    "items-jsonl": Reader(read=_from_file("a.jsonl", load), seeds=(_json_lines(ROWS), b"[" + _json_lines(ROWS[:1]) + b"]")),
    "items-csv": Reader(
        read=_from_file("a.csv", load),
        seeds=(
            b'candidate,references,rating_x,task_id\n"It rained.","[""Rain fell."", ""b""]",3.5,t\nc,"[\'a\', \'b\']",,u\n',
            b'\xef\xbb\xbfcandidate;reference;ratings\nIt rained;Rain;"{""x"": 1}"\n',
        ),
    ),
    "items-parquet": Reader(read=_from_file("a.parquet", load), seeds=(_parquet(),)),
    "pairs": Reader(read=_from_file("p.jsonl", load_comparisons), seeds=(_json_lines(PAIRS),)),
    "replies": Reader(read=_text(_reply), seeds=REPLIES),
    "specs": Reader(
        read=_text(_specs),
        seeds=(b"TV+fvar+statement+overlap,neg=4", b"rougeL,tok=legacy,stem=true,refs=first", b"GEM", b'judge,scale=10,llm="m@http"'),
    ),
    "plan": Reader(read=_from_file("plan.toml", _plan), seeds=(PLAN,)),
    "variants": Reader(read=_from_file("v.jsonl", read_variants), seeds=(VARIANTS,)),
    "scores": Reader(read=_in_folder(SCORES_FILE, _scores), seeds=(SCORES,)),
    "manifest": Reader(read=_in_folder(MANIFEST, read_manifest), seeds=(MANIFEST_SEED,)),
    "result": Reader(
        read=_in_folder(RESULT_FILE, read_result), seeds=(json.dumps(render_json(fake_result())).encode(),)
    ),
    "calls": Reader(
        read=_text(lambda text: list(read_exported(text.splitlines(), "calls.jsonl"))), seeds=(CALL,)
    ),
    "study": Reader(read=_from_file("study.toml", read_study), seeds=(new_study_text("demo").encode(), new_study_text().encode())),
    "study-forms": Reader(
        read=_form, seeds=(b"agree=yes&language=en&token=t", b"count=3&days=10&participant=reader-0a", b"step=consent&secret=s")
    ),
    "study-import": Reader(read=_layout, seeds=(json.dumps(SESSION).encode(), _zipped(json.dumps(SESSION).encode()))),
}  # fmt: skip
