"""Each click is kept once, in both databases."""

import multiprocessing
import sqlite3
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.study_simulation import simulate

from gameproof.errors import InputError, StoreError
from gameproof.study.events import Draft
from gameproof.study.opening import open_record
from gameproof.study.store import Store, is_database, open_store


def choice(text: str = "left") -> Draft:
    return Draft(kind="chosen", key="chosen:1:1", query=1, data={"comparison": 1, "choice": text})


def test_case_71_the_same_click_is_recorded_once_and_the_first_one_stays(store: Store) -> None:
    who = store.enrol().id
    assert store.append(who, choice("left"))
    assert not store.append(who, choice("right"))
    assert [event.data["choice"] for event in store.events(who)] == ["left"]


def test_an_event_comes_back_as_it_was_recorded(store: Store) -> None:
    who = store.enrol().id
    data = {"text": "Ünïcode \u0000 \ud800 '; DROP TABLE events; --", "list": [1, None, True], "empty": ""}
    store.append(who, Draft(kind="query_given", key="query:1", query=1, data=data))
    event = store.events(who)[0]
    assert (event.kind, event.key, event.query, event.data) == ("query_given", "query:1", 1, data)
    assert event.at.utcoffset() == timedelta(0)


def test_the_same_key_of_two_participants_is_two_events(store: Store) -> None:
    one, other = store.enrol().id, store.enrol().id
    assert store.append(one, choice())
    assert store.append(other, choice())
    assert {who: len(events) for who, events in store.all_events().items()} == {one: 1, other: 1}


def test_case_71_many_threads_with_the_same_clicks_record_each_once(opened: Callable[[], Store]) -> None:
    stores = [opened(), opened()]
    who = stores[0].enrol().id
    keys = [f"chosen:1:{number}" for number in range(10)]
    new: list[str] = []
    barrier = threading.Barrier(8)

    def click(store: Store) -> None:
        barrier.wait()
        new.extend(key for key in keys if store.append(who, Draft(kind="chosen", key=key)))

    threads = [threading.Thread(target=click, args=(stores[place % 2],)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(new) == sorted(keys)
    assert sorted(event.key for event in stores[0].events(who)) == sorted(keys)


def test_participants_who_come_at_once_get_numbers_of_their_own(opened: Callable[[], Store]) -> None:
    stores = [opened(), opened()]
    barrier = threading.Barrier(6)

    def come(store: Store) -> None:
        barrier.wait()
        for _ in range(4):
            store.enrol()

    threads = [threading.Thread(target=come, args=(stores[place % 2],)) for place in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [participant.number for participant in stores[0].participants()] == list(range(24))


def test_a_limit_of_participants_holds_when_many_come_at_once(opened: Callable[[], Store]) -> None:
    stores = [opened(), opened()]
    barrier = threading.Barrier(12)
    taken: list[bool] = []

    def come(store: Store) -> None:
        barrier.wait()
        taken.append(store.enrol_up_to(5) is not None)

    threads = [threading.Thread(target=come, args=(stores[place % 2],)) for place in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [False] * 7 + [True] * 5
    assert [participant.number for participant in stores[0].participants()] == list(range(5))
    assert stores[0].enrol_up_to(6) is not None
    assert stores[0].enrol_up_to(6) is None


def _click_and_die(address: str, who: str, first: int) -> None:
    store = open_store(address)
    for number in range(first, first + 20):
        store.append(who, Draft(kind="chosen", key=f"chosen:1:{number}"))
    multiprocessing.current_process().kill()


def test_case_71_what_was_accepted_survives_a_kill_of_the_process(address: str) -> None:
    store = open_store(address)
    who = store.enrol().id
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_click_and_die, args=(address, who, first)) for first in (0, 10)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    keys = sorted(event.key for event in store.events(who))
    assert keys == sorted(f"chosen:1:{number}" for number in range(30))  # 10 of them were clicked by both
    store.close()


def test_a_deleted_participant_leaves_a_count_and_nothing_else(store: Store, address: str) -> None:
    gone, stays = store.invite(valid_days=1), store.invite(valid_days=1)
    session = store.open_session(gone.participant)
    told = "a sentence that must not be found again"
    store.append(gone.participant, Draft(kind="query_given", key="query:1", data={"text": told}))
    store.append(stays.participant, choice())
    assert store.delete(gone.participant)
    assert store.events(gone.participant) == ()
    assert store.redeem(gone.token) is None
    assert store.session(session) is None
    assert store.number_of(gone.participant) is None
    assert store.n_deleted() == 1
    assert not store.append(gone.participant, choice())
    assert not store.delete(gone.participant)
    assert len(store.events(stays.participant)) == 1
    if "://" not in address:  # nor in the bytes of the files
        held = b"".join(path.read_bytes() for path in Path(address).parent.glob("study.db*"))
        assert told.encode() not in held
        assert gone.participant.encode() not in held


def test_a_link_works_again_and_again_until_it_is_revoked(store: Store) -> None:
    invited = store.invite(valid_days=1)
    assert store.redeem(invited.token) == store.redeem(invited.token) == invited.participant
    again = store.invite(valid_days=1, participant=invited.participant)
    assert store.redeem(again.token) == invited.participant
    session = store.open_session(invited.participant)
    assert store.revoke(invited.participant) == 2
    assert store.redeem(invited.token) is store.redeem(again.token) is None
    assert store.session(session) is None
    assert [each.invitation for each in store.participants()] == ["revoked"]


def test_a_link_ends_with_its_days(store: Store) -> None:
    invited = store.invite(valid_days=-1)
    assert store.redeem(invited.token) is None
    assert [each.invitation for each in store.participants()] == ["expired"]


@pytest.mark.parametrize("token", ["", "x", "' OR 1=1 --", "é" * 500, "\x00"])
def test_a_guessed_token_opens_nothing(store: Store, token: str) -> None:
    store.invite(valid_days=1)
    assert store.redeem(token) is None
    assert store.session(token) is None


def test_a_session_ends_when_it_is_closed_or_over(store: Store) -> None:
    who = store.enrol().id
    token, old = store.open_session(who), store.open_session(who, days=-1)
    assert (store.session(token), store.session(old)) == (who, None)
    store.close_session(token)
    assert store.session(token) is None


def test_secrets_are_not_in_the_database(tmp_path: Path) -> None:
    store = open_store(tmp_path / "study.db")
    invited = store.invite(valid_days=1)
    session = store.open_session(invited.participant)
    store.close()
    held = b"".join(path.read_bytes() for path in tmp_path.glob("study.db*"))
    assert invited.token.encode() not in held
    assert session.encode() not in held


def test_the_study_file_is_kept_once_for_each_text(store: Store) -> None:
    assert store.study_source() is None
    store.keep_study("one", "a")
    store.keep_study("one", "a")
    store.keep_study("two", "b")
    assert store.study_source() == "two"


def test_a_study_is_read_from_either_database(store: Store, address: str) -> None:
    desk = simulate(store, sessions=(1, 1))
    found = open_record(address)
    assert len(found.sessions) == 2
    assert {reader.id for reader in found.readers} == {row.participant.id for row in desk.overview()}
    assert [row.n_answered for row in desk.overview()] == [1, 1]


def test_what_is_no_database_is_refused_with_its_name(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("hello")
    assert not is_database(text)
    with pytest.raises(InputError, match="no database of a study"):
        open_store(text)
    with pytest.raises(InputError, match="there is no database"):
        open_store(tmp_path / "none.db", create=False)
    with pytest.raises(InputError, match="of a kind that is not known"):
        open_store("mongodb://localhost/x")


def test_a_database_that_does_not_answer_is_told_without_its_password() -> None:
    with pytest.raises(StoreError) as caught:
        open_store("postgresql://me:secret-word@127.0.0.1:1/none")
    assert "secret-word" not in str(caught.value)


def test_a_file_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    open_store(tmp_path / "study.db").close()
    with sqlite3.connect(tmp_path / "study.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(StoreError, match="version 9999"):
        open_store(tmp_path / "study.db")
