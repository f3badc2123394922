import json
import sqlite3
from dataclasses import replace

import pytest
from tests.support.asking import connected, question, texts
from tests.support.stub_server import StubServer, echo_prompt

from gameproof.errors import StoreError
from gameproof.llm.client import Reply, TokenLogProb, public_url
from gameproof.llm.store import CallStore, StoredCall, default_path
from gameproof.llm.store_files import export_calls, merge_calls, open_existing
from gameproof.llm.stored import reply_from_record, reply_to_record

CALL = StoredCall(
    key="k1",
    model="m",
    purpose="judge",
    request='{"model": "m", "messages": []}',
    reply='{"text": "yes"}',
    tokens_in=5,
    tokens_out=1,
    created=1000.0,
)

FOUR = TokenLogProb(token="4", logprob=-0.1, top=(("4", -0.1), ("5", -2.5)))  # noqa: S106 - a token of a text


@pytest.fixture
def store(tmp_path):
    opened = CallStore(tmp_path / "folder that is not there yet" / "calls.sqlite")
    yield opened
    opened.close()


def test_the_first_reply_to_a_question_stays(store):
    assert store.put(CALL) == CALL.reply

    assert store.put(replace(CALL, reply='{"text": "no"}')) == CALL.reply


def test_the_file_is_in_wal_mode_and_holds_json(store):
    store.put(CALL)

    with sqlite3.connect(store.path) as other:
        (mode,) = other.execute("PRAGMA journal_mode").fetchone()
        ((reply,),) = other.execute("SELECT reply FROM calls").fetchall()
    other.close()
    assert mode == "wal"
    assert json.loads(reply) == {"text": "yes"}


def test_statistics_count_by_model_and_purpose(store):
    store.add_all([CALL, replace(CALL, key="k2"), replace(CALL, key="k3", purpose="rewrite")])

    counts = {(row["model"], row["purpose"]): (row["calls"], row["tokens_in"]) for row in store.statistics()}
    assert counts == {("m", "judge"): (2, 10), ("m", "rewrite"): (1, 5)}


def test_pruning_deletes_what_fits_all_conditions(store):
    recent = replace(CALL, key="k2", created=4e9)
    store.add_all([CALL, recent, replace(CALL, key="k3", model="other")])

    assert store.prune(older_than_days=1, model="m") == 1
    assert [call.key for call in store.calls()] == ["k3", "k2"]


def test_an_export_merges_into_an_empty_store_without_loss(store, tmp_path):
    store.add_all([CALL, replace(CALL, key="k2", request='{"text": "schön \\ud83d"}')])
    out = tmp_path / "calls.jsonl"

    assert export_calls(store, out) == 2
    other = CallStore(tmp_path / "other.sqlite")
    assert merge_calls(other, out) == 2
    assert merge_calls(other, out) == 0
    assert [(call.key, json.loads(call.request)) for call in other.calls()] == [
        (call.key, json.loads(call.request)) for call in store.calls()
    ]
    other.close()


def test_a_store_merges_into_another(store, tmp_path):
    store.put(CALL)
    other = CallStore(tmp_path / "other.sqlite")

    assert merge_calls(other, store.path) == 1
    assert other.get("k1") == CALL.reply
    other.close()


def test_a_bad_line_of_an_export_is_named_and_nothing_is_taken_over(store, tmp_path):
    file = tmp_path / "calls.jsonl"
    export_calls(store, file)
    store.put(CALL)
    export_calls(store, file)
    file.write_text(file.read_text() + '{"key": 1}\n')
    other = CallStore(tmp_path / "other.sqlite")

    with pytest.raises(StoreError, match=r"calls\.jsonl:2 is not an exported call"):
        merge_calls(other, file)
    assert list(other.calls()) == []
    other.close()


def test_a_file_that_is_no_store_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("These are notes, and no database at all." * 100)

    with pytest.raises(StoreError, match=r"notes\.txt cannot be used"):
        CallStore(path)


def test_a_store_of_a_newer_version_is_refused(store):
    store.close()
    with sqlite3.connect(store.path) as other:
        other.execute("PRAGMA user_version=99")
    other.close()

    with pytest.raises(StoreError, match="newer gameproof"):
        CallStore(store.path)


def test_a_store_that_is_not_there_is_not_made_by_looking(tmp_path):
    with pytest.raises(StoreError, match="no store of model calls"):
        open_existing(tmp_path / "none.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_the_environment_names_the_file():
    assert str(default_path({"GAMEPROOF_CACHE": "/somewhere/calls.sqlite"})) == "/somewhere/calls.sqlite"


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text="yes"),
        Reply(text="", finish="length", model="m", tokens_in=3, tokens_out=4, dropped=("temperature",)),
        Reply(text="4", logprobs=(FOUR,)),
    ],
)
def test_a_reply_comes_back_from_json_as_it_was(reply):
    assert reply_from_record(json.loads(json.dumps(reply_to_record(reply)))) == reply


def test_the_key_of_a_question_covers_everything_that_can_move_its_answer():
    base = question("text")
    others = [
        question("other text"),
        question("text", model="m2"),
        question("text", max_tokens=5),
        question("text", temperature=1.0),
        question("text", temperature=None),
        question("text", sample=1),
        question("text", schema={"type": "object"}),
        question("text", schema_name="x"),
        question("text", top_logprobs=5),
    ]
    keys = {request.digest("http://a/v1") for request in [base, *others]} | {base.digest("http://b/v1")}

    assert len(keys) == len(others) + 2
    assert question("text", purpose="other").digest("http://a/v1") == base.digest("http://a/v1")


def test_credentials_in_an_address_do_not_change_the_key():
    assert public_url("https://u:p@Host/v1?key=k#f") == "https://host/v1"
    assert question("x").digest("https://u:p@host/v1/") == question("x").digest("https://host/v1")


def test_a_replay_answers_without_an_endpoint(tmp_path):
    path = tmp_path / "calls.sqlite"
    with StubServer(echo_prompt) as stub:
        texts(f"stub@{stub.url}", ["one", "two"], cache=path)
    store = CallStore(path)
    export_calls(store, tmp_path / "calls.jsonl")
    store.close()

    found = texts(f"replay:{tmp_path / 'calls.jsonl'}", ["two", "one", "three"])

    assert found == ["two", "one", None]


def test_nothing_is_kept_where_the_store_is_off(tmp_path):
    environment = {"GAMEPROOF_CACHE": str(tmp_path / "calls.sqlite")}
    with StubServer(echo_prompt) as stub:
        connected(
            lambda model: model.complete(question("one")),
            f"stub@{stub.url}",
            cache="off",
            environment=environment,
        )

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("version", [0, 1, 7])
def test_a_database_of_something_else_is_refused_and_left_as_it_is(store, tmp_path, version):
    file = tmp_path / "people.sqlite"
    with sqlite3.connect(file) as people:
        people.execute("CREATE TABLE people (name TEXT)")
        people.execute(f"PRAGMA user_version={version}")
    people.close()
    before = file.read_bytes()

    for use in (CallStore, lambda path: merge_calls(store, path)):
        with pytest.raises(StoreError, match=r"people\.sqlite is a database of something else"):
            use(file)
    assert file.read_bytes() == before
    assert sorted(path.name for path in tmp_path.glob("people*")) == ["people.sqlite"]
