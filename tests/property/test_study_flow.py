"""Any order of clicks, crashes, failures and repeated requests leaves one consistent tournament.

The machine plays readers with several tabs, a server that is stopped at any moment, and models that fail. Beside the store
it keeps a model of its own: what each accepted click said.
"""

import shutil

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)
from tests.support.folders import memory_folder

from gameproof.study.desk import Desk, open_desk
from gameproof.study.events import Draft, Reading
from gameproof.study.flow import AnswerError, Page, bracket_of, page_of
from gameproof.study.model import Study
from gameproof.study.store import Store, open_store
from gameproof.study.study_file import new_study_text, parse_study
from gameproof.study.tournament import FAILED, NEITHER

CHOICES = st.sampled_from(["left", "right", "neither", "both", ""])
DESIGNS = ('kind = "tournament"', 'kind = "all_pairs"', 'kind = "balanced"\ncomparisons = 2')


def study_of(design: str) -> Study:
    return parse_study(
        new_study_text("demo").replace("queries = 8", "queries = 2") + f"\n[design]\n{design}\n"
    )


class Readers(RuleBasedStateMachine):
    """Two readers in one study."""

    readers = Bundle("readers")

    @initialize(target=readers, design=st.sampled_from(DESIGNS))
    def begin(self, design: str):
        self.folder = memory_folder()
        self.study = study_of(design)
        self.store: Store = open_store(self.folder / "study.db")
        self.desk: Desk = open_desk(self.study, self.store)
        self.accepted: dict[tuple[str, str], str] = {}  # reader, step -> choice
        self.old_pages: dict[str, list[Page]] = {}
        who = [self.store.enrol().id for _ in range(2)]
        self.old_pages = {reader: [] for reader in who}
        return multiple(*who)

    def _post(self, reader: str, page: Page, form: dict[str, str]) -> None:
        try:
            new = self.desk.answer(reader, page.step, form)
        except AnswerError:
            return
        if new and page.kind == "compare":
            assert (reader, page.step) not in self.accepted
            self.accepted[reader, page.step] = form["choice"]

    @rule(
        reader=readers, choice=CHOICES, text=st.text(max_size=12), finish=st.booleans(), twice=st.booleans()
    )
    def click(self, reader: str, choice: str, text: str, finish: bool, twice: bool) -> None:
        """Do what the current page asks for, maybe by a double click."""
        page = self.desk.page(reader)
        self.old_pages[reader].append(page)
        form = {"agree": "yes", "role": text, "text": text, "choice": choice, "more": "yes"}
        if finish and page.kind == "query":
            form["finish"] = "yes"
        self._post(reader, page, form)
        if twice:
            self._post(reader, page, form | {"choice": "left", "text": "another text"})

    @rule(reader=readers, choice=CHOICES, which=st.integers(0, 50))
    def click_in_an_old_tab(self, reader: str, choice: str, which: int) -> None:
        pages = self.old_pages[reader]
        if pages:
            old = pages[which % len(pages)]
            before = self.store.events(reader)
            current = page_of(self.study, before).step
            self._post(
                reader, old, {"agree": "yes", "role": "x", "text": "old", "choice": choice, "more": "yes"}
            )
            if old.step != current:
                assert self.store.events(reader) == before

    @rule(reader=readers, outcome=st.sampled_from(["found", "nothing", "failed"]))
    def search_ends(self, reader: str, outcome: str) -> None:
        query = Reading.of(self.store.events(reader)).n_queries
        if query:
            document = {"id": "1", "title": "t", "text": "x", "url": None, "year": None}
            data = {"documents": [document] if outcome == "found" else [], "reason": "x", "source": "s"}
            kind = "retrieval_failed" if outcome == "failed" else "retrieved"
            self.store.append(reader, Draft(kind=kind, key=f"retrieval:{query}", query=query, data=data))

    @rule(reader=readers, place=st.integers(0, 3), fails=st.sampled_from([False, False, False, True]))
    def summary_ends(self, reader: str, place: int, fails: bool) -> None:
        reading = Reading.of(self.store.events(reader))
        query = reading.n_queries
        retrieval = reading.find(f"retrieval:{query}")
        if retrieval is not None and retrieval.data["documents"]:
            data = {"condition": "c", "text": f"summary {place}", "reason": "down"}
            kind = "generation_failed" if fails else "generated"
            self.store.append(
                reader, Draft(kind=kind, key=f"summary:{query}:{place}", query=query, data=data)
            )

    @rule(reader=readers)
    def summaries_end(self, reader: str) -> None:
        for place in range(4):
            self.summary_ends(reader, place, fails=False)

    @rule(reader=readers)
    def query_is_prepared(self, reader: str) -> None:
        self.search_ends(reader, "found")
        self.summaries_end(reader)

    @rule()
    def crash_and_restart(self) -> None:
        """End the server without a goodbye: another one opens the same file."""
        self.store = open_store(self.folder / "study.db")
        self.desk = open_desk(self.study, self.store)

    @precondition(lambda self: hasattr(self, "store"))
    @invariant()
    def every_accepted_click_is_there_once_and_nothing_else(self) -> None:
        held = {
            (event.participant, event.key): event.data["choice"]
            for events in self.store.all_events().values()
            for event in events
            if event.kind == "chosen"
        }
        assert held == self.accepted
        for events in self.store.all_events().values():
            assert len({event.key for event in events}) == len(events)

    @precondition(lambda self: hasattr(self, "store"))
    @invariant()
    def every_bracket_is_consistent(self) -> None:
        for events in self.store.all_events().values():
            reading = Reading.of(events)
            page = page_of(self.study, list(reversed(events)))  # the order of events does not matter
            assert page == page_of(self.study, events)
            assert 0 <= page.n_answered <= self.study.n_queries
            for query in range(1, reading.n_queries + 1):
                bracket = bracket_of(reading, query)
                assert bracket is not None
                for state in bracket.matches:
                    chosen = reading.find(f"chosen:{query}:{state.match.number}")
                    assert (chosen is not None) == (state.choice is not None)
                    assert not (state.choice and state.cancelled)
                    if chosen is not None:  # what was stored as shown is what the bracket says was shown
                        assert (chosen.data["left"], chosen.data["right"]) == (state.left, state.right)
                    if state.cancelled == NEITHER:
                        assert any(other.choice == "neither" for other in bracket.matches)
                    if state.cancelled == FAILED:
                        assert any(event.kind == "generation_failed" for event in events)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            shutil.rmtree(self.folder, ignore_errors=True)


Readers.TestCase.settings = settings(
    max_examples=25, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
TestReaders = Readers.TestCase
