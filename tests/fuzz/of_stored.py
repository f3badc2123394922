"""Readers of what gameproof itself wrote, and a disk, an editor or another version may have changed."""

import asyncio
import io
import json
import shutil
import zipfile
from collections.abc import Mapping
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from tests.fuzz.reader import REFUSED, Reader, folder, from_file, from_text, in_folder, named_lines
from tests.support.fake_results import fake_result

import gameproof
from gameproof.aio.attacked import ATTACK_FILE, read_attack
from gameproof.aio.reported import RESULT_FILE, read_result
from gameproof.attacks.journal import Journal
from gameproof.engine.score_files import SCORES_FILE, read_scores
from gameproof.files.manifest import MANIFEST, read_manifest
from gameproof.llm.client import Message, Request
from gameproof.llm.providers.replay import load_replay
from gameproof.llm.store import CallStore, read_exported
from gameproof.llm.stored import reply_from_json
from gameproof.records import Item
from gameproof.reports.result_json import render_json
from gameproof.study.flow import answer, page_of
from gameproof.study.layout import read_layout
from gameproof.study.model import Study
from gameproof.study.opening import open_record
from gameproof.study.store import open_store
from gameproof.study.study_file import new_study_text, parse_study, read_study
from gameproof.web.forms import DeleteForm, InviteForm, ReaderForm, SecretForm, parse_form

__all__ = ["OF_STORED"]

FORMATS = Path(__file__).parents[1] / "data" / "formats" / "0.1.0"
ITEM = Item(id="a", task_id="t", candidate="c")
SCORES = (
    b'{"item": "a", "variant": null, "level": null, "metric": "m", "score": 0.5, "reason": null}\n'
    b'{"item": "a", "variant": "v", "level": 1, "metric": "m", "score": null, "reason": "empty", "remark": "r", "spread": 0.5}\n'
)
MANIFEST_SEED = (
    b'{"schema": "gameproof.manifest/1", "plan": {"seed": 7}, "versions": {"numpy": "2"}, '
    b'"stages": {"perturb": {"inputs": "5f0c", "files": {"a.jsonl": "00"}, "finished": "2026-01-01T00:00:00+00:00"}}}'
)
REQUEST = Request(model="m", messages=(Message(role="user", content="Is it so?"),))
CALL = {
    "key": "k",
    "model": "m",
    "purpose": "p",
    "request": REQUEST.payload(),
    "reply": {
        "text": "t",
        "finish": "stop",
        "model": "m",
        "tokens_in": 1,
        "tokens_out": 2,
        "dropped": ["top_logprobs"],
        "logprobs": [["t", -0.5, [["u", None]]]],
    },
    "tokens_in": 1,
    "tokens_out": 2,
    "created": 1.5,
}
FOUND = {"text": "a b", "score": 0.5, "moves": ["repeat"], "call": 1}
JOURNAL = {
    "key": "k",
    "arms": {"pulls": {"repeat": 2}, "gains": {"repeat": 0.5}},
    "texts": {
        "a": {
            "kept": [FOUND],
            "record": [FOUND],
            "n_calls": 3,
            "n_rounds": 1,
            "n_idle": 0,
            "failures": {"too long": 1},
            "seen": ["5f0c"],
        }
    },
}


def _scores(place: Path) -> object:
    return read_scores(place, [ITEM], {"m": ("m,v=1", True)})


def _calls(text: str) -> None:
    for call in read_exported(text.splitlines(), "calls.jsonl"):
        with suppress(*REFUSED):
            reply_from_json(call.reply)


def _replay(path: Path) -> None:
    asyncio.run(load_replay(path).complete(REQUEST))


def _database(path: Path) -> None:
    """Do all that the commands do with a store of calls, whatever stands in the file."""
    with closing(CallStore(path)) as store:
        store.statistics()
        for call in store.calls():
            call.to_record()
        kept = store.get("k")
        if kept is not None:
            reply_from_json(kept)


def _study_database(path: Path) -> None:
    for beside in path.parent.glob(f"{path.name}-*"):  # the log of the database before
        beside.unlink()
    open_record(path)


@cache
def _run() -> Path:
    return Path(shutil.copytree(FORMATS / "run", folder() / "run"))


def _run_folder(name: str, data: bytes) -> None:
    """Report, check and compare a run in which one file is not as it was written."""
    path = _run() / name
    if name not in {each.name for each in (FORMATS / "run").iterdir()}:
        return
    path.write_bytes(data)
    try:
        with suppress(*REFUSED):
            gameproof.report(_run(), out=folder() / "page.html")
        with suppress(*REFUSED):
            gameproof.compare(FORMATS / "run", _run())
        gameproof.check(_run())
    finally:
        for each in (FORMATS / "run").iterdir():
            shutil.copy(each, _run() / each.name)


@cache
def _study() -> Study:
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
    path = folder() / "study.zip"
    if not data.startswith(b"PK"):  # what stands in results/*.json is fuzzed as well as the archive around it
        data = _zipped(data)
    path.write_bytes(data)
    read_layout(path)


def _zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("results/reader-1.json", data)
    return file.getvalue()


def _json(record: object) -> bytes:
    return json.dumps(record).encode()


def _call_database() -> bytes:
    path = folder() / "seed.sqlite"
    path.unlink(missing_ok=True)
    with closing(CallStore(path)) as store:
        store.add_all(read_exported([json.dumps(CALL)], "seed"))
        store.prune(model="none")  # writes the log into the file
    return path.read_bytes()


def _study_seed() -> bytes:
    path = folder() / "seed-study.sqlite"
    path.unlink(missing_ok=True)
    store = open_store(path)
    study = new_study_text("demo")
    store.keep_study(study, "5f0c")
    page = page_of(parse_study(study), [])
    token = store.enrol().id
    consent = answer(
        parse_study(study), [], participant=token, number=0, step=page.step, form={"agree": "yes"}
    )
    if consent is not None:
        store.append(token, consent)
    store.close()
    return path.read_bytes()


OF_STORED: Mapping[str, Reader] = {
    "scores": Reader(read=in_folder(SCORES_FILE, _scores), seeds=(SCORES,)),
    "manifest": Reader(read=in_folder(MANIFEST, read_manifest), seeds=(MANIFEST_SEED,)),
    "result": Reader(read=in_folder(RESULT_FILE, read_result), seeds=(_json(render_json(fake_result())),)),
    "attack": Reader(read=in_folder(ATTACK_FILE, read_attack), seeds=((FORMATS / "attack" / ATTACK_FILE).read_bytes(),)),
    "journal": Reader(
        read=from_file("search.json", lambda path: Journal(path=path, key="k").recall([ITEM])), seeds=(_json(JOURNAL),)
    ),
    "run-folder": Reader(
        read=named_lines(_run_folder),
        seeds=tuple(_json(each.name) + b"\n" + each.read_bytes() for each in sorted((FORMATS / "run").iterdir())),
    ),
    "calls": Reader(read=from_text(_calls), seeds=(_json(CALL) + b"\n",)),
    "replay": Reader(read=from_file("replay.jsonl", _replay), seeds=(_json(CALL) + b"\n",)),
    "call-store": Reader(read=from_file("calls.sqlite", _database), seeds=(_call_database(),)),
    "study": Reader(read=from_file("study.toml", read_study), seeds=(new_study_text("demo").encode(), new_study_text().encode())),
    "study-forms": Reader(
        read=_form, seeds=(b"agree=yes&language=en&token=t", b"count=3&days=10&participant=reader-0a", b"step=consent&secret=s")
    ),
    "study-import": Reader(read=_layout, seeds=(_json(SESSION), _zipped(_json(SESSION)))),
    "study-database": Reader(read=from_file("study.sqlite", _study_database), seeds=(_study_seed(),)),
}  # fmt: skip
