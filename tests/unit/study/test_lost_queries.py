"""Queries behind which there is nothing to compare: no search, none that answers, no document."""

import asyncio
from dataclasses import replace

from tests.support.study_simulation import simulated_study, stub_models

from gameproof.errors import CallError
from gameproof.study.conduct import Conductor
from gameproof.study.desk import Desk, open_desk
from gameproof.study.events import Document
from gameproof.study.model import Study
from gameproof.study.record import SessionRecord, record_study
from gameproof.study.retrieve import Found
from gameproof.study.store import Store

RAIN = (Document(id="d1", title="Rain", text="It rained for three days."),)


class OneList:
    """Finds the same documents for every query."""

    source = "a test"

    def __init__(self, documents: tuple[Document, ...] | Exception) -> None:
        self.documents = documents
        self.n_searches = 0

    async def search(self, query: str, n: int) -> Found:
        del query
        self.n_searches += 1
        if isinstance(self.documents, Exception):
            raise self.documents
        return Found(documents=self.documents[:n], source=self.source, n_without_abstract=0)

    async def close(self) -> None:
        pass


def prepare(
    store: Store, retriever: OneList, *, study: Study | None = None, asks: bool = True
) -> tuple[Desk, str]:
    """Do the work behind a reader's first query."""
    study = study or simulated_study()
    desk = open_desk(study, store)
    who = store.enrol().id
    desk.answer(who, "consent", {"agree": "yes"})
    desk.answer(
        who, "profile", {"role": "nurse", "domain": "wards", "needs": "numbers", "use_case": "a talk"}
    )
    if asks:
        desk.answer(who, "query:1", {"text": "does it rain?"})

    async def run() -> None:
        async with Conductor(study, desk, models=stub_models, retriever=retriever) as conductor:
            await conductor.prepare(who)

    asyncio.run(run())
    return desk, who


def record_of(desk: Desk, who: str) -> SessionRecord:
    """Return the reader's first query as exports and analyses see it."""
    (found,) = [
        row
        for row in record_study(desk.study, desk.store.all_events(), n_deleted=0).sessions
        if row.reader == who
    ]
    return found


def test_a_reader_without_a_query_costs_no_search(sqlite: Store) -> None:
    retriever = OneList(RAIN)
    prepare(sqlite, retriever, asks=False)
    assert retriever.n_searches == 0


def test_a_search_that_finds_nothing_is_over_without_a_summary(sqlite: Store) -> None:
    desk, who = prepare(sqlite, OneList(()))
    assert [event.key for event in desk.store.events(who) if event.key.startswith("summary:")] == []
    assert record_of(desk, who).lost == "no document was found"


def test_a_search_that_fails_is_the_reason_why_a_query_is_lost(sqlite: Store) -> None:
    desk, who = prepare(sqlite, OneList(CallError("the index is away")))
    assert record_of(desk, who).lost == "the search failed: the index is away"


def test_a_search_that_hangs_is_given_up(sqlite: Store) -> None:
    class Hangs(OneList):
        async def search(self, query: str, n: int) -> Found:
            await asyncio.sleep(3600)
            return await super().search(query, n)

    study = simulated_study()
    quick = replace(
        study, retrieval=replace(study.retrieval, timeout_s=-0.49)
    )  # twice it and a second: .02 s
    desk, who = prepare(sqlite, Hangs(RAIN), study=quick)
    assert record_of(desk, who).lost == "the search failed: no answer in time"


def test_a_query_whose_search_has_not_ended_is_not_lost_yet(sqlite: Store) -> None:
    desk, who = prepare(sqlite, OneList(RAIN), asks=False)
    desk.answer(who, "query:1", {"text": "does it rain?"})
    found = record_of(desk, who)
    assert (found.lost, found.documents, found.wait_seconds) == (None, (), None)
