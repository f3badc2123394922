"""Which page a reader is on, and what a posted form records."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from gameproof.study.events import Draft, Event
from gameproof.study.flow import AnswerError, Page, answer, page_of, shown
from gameproof.study.model import Study
from gameproof.study.study_file import new_study_text, parse_study

START = datetime(2026, 1, 1, tzinfo=UTC)
STUDY = parse_study(new_study_text("demo"))
DOCUMENT = {"id": "1", "title": "Rain", "text": "It rained.", "url": None, "year": None}


class Reader:
    """Keeps events in a list, as the store would."""

    def __init__(self, study: Study = STUDY) -> None:
        self.study = study
        self.events: list[Event] = []

    def record(self, draft: Draft) -> None:
        if all(event.key != draft.key for event in self.events):
            number = len(self.events)
            self.events.append(
                Event(
                    number=number,
                    participant="reader-1",
                    kind=draft.kind,
                    key=draft.key,
                    query=draft.query,
                    data=draft.data,
                    at=START + timedelta(seconds=number),
                )
            )

    @property
    def page(self) -> Page:
        return page_of(self.study, self.events)

    def post(self, form: Mapping[str, str], step: str | None = None) -> bool:
        draft = answer(
            self.study, self.events, participant="reader-1", number=0, step=step or self.page.step, form=form
        )
        if draft is not None:
            self.record(draft)
        return draft is not None

    def begin(self) -> "Reader":
        self.post({"agree": "yes"})
        self.post({"role": "planner"})
        return self

    def ask(self, text: str = "rain", *, failed: tuple[int, ...] = (), n_documents: int = 1) -> "Reader":
        self.post({"text": text})
        query = sum(event.kind == "query_given" for event in self.events)
        documents = [DOCUMENT] * n_documents
        self.record(
            Draft(
                kind="retrieved",
                key=f"retrieval:{query}",
                data={"source": "s", "documents": documents, "n_without_abstract": 2},
            )
        )
        for place in range(4 if n_documents else 0):
            kind = "generation_failed" if place in failed else "generated"
            self.record(
                Draft(
                    kind=kind,
                    key=f"summary:{query}:{place}",
                    data={"text": f"text {place}", "reason": "down"},
                )
            )
        return self

    def choose(self, *choices: str) -> "Reader":
        for choice in choices:
            assert self.page.kind == "compare"
            self.post({"choice": choice})
        return self


def test_the_way_through_a_study() -> None:
    reader = Reader()
    assert reader.page.kind == "consent"
    reader.post({"agree": "yes"})
    assert reader.page.kind == "profile"
    reader.post({"role": "planner"})
    assert reader.page.kind == "query"
    reader.post({"text": "rain"})
    assert reader.page.kind == "preparing"
    for query in range(1, STUDY.n_queries + 1):
        reader.ask().choose("left", "right", "neither")
        assert reader.page.n_answered == query
    assert (reader.page.kind, reader.page.can_resume) == ("thanks", False)


def test_without_consent_nothing_is_recorded() -> None:
    with pytest.raises(AnswerError) as caught:
        Reader().post({"role": "x"})
    assert [(each.field, each.code) for each in caught.value.problems] == [("agree", "needed")]


def test_all_problems_of_a_form_are_told_together() -> None:
    study = parse_study(new_study_text())
    reader = Reader(study)
    reader.post({"agree": "yes"})
    with pytest.raises(AnswerError) as caught:
        reader.post(
            {
                "role": "  ",
                "needs": "x" * 1001,
                "knows": "\n".join("abcdefghijklmnopqrstuvw"),
                "use_case": "a",
            }
        )
    assert {(each.field, each.code) for each in caught.value.problems} == {
        ("role", "needed"), ("domain", "needed"), ("needs", "too_long"), ("knows", "too_many"),
    }  # fmt: skip


def test_case_71_a_click_of_an_old_page_records_nothing() -> None:
    """Back button and second tab: the step of the form is not the current one any more."""
    reader = Reader().begin().ask()
    first = reader.page.step
    reader.choose("left")
    assert not reader.post({"choice": "right"}, step=first)
    assert reader.page.step == "chosen:1:2"


def test_a_step_that_is_yet_to_come_records_nothing() -> None:
    reader = Reader().begin().ask()
    assert not reader.post({"choice": "right"}, step="chosen:1:3")
    assert not reader.post({"text": "x"}, step="query:9")


def test_pages_hold_no_condition_and_no_position() -> None:
    reader = Reader().begin().ask()
    shown_text = repr(reader.page)
    for condition in STUDY.conditions:
        assert condition.id not in shown_text
        assert condition.model not in shown_text
    assert set(reader.page.step) <= set("chosen:0123456789")


def test_reload_shows_the_same_page() -> None:
    reader = Reader().begin().ask()
    assert reader.page == reader.page
    assert shown(reader.page).key == "shown:chosen:1:1"


def test_a_failed_summary_does_not_block_the_others() -> None:
    reader = Reader().begin().ask(failed=(0,))
    assert reader.page.comparison is not None
    assert reader.page.comparison.number == 2
    reader.choose("left")  # the final is cancelled: no walkover
    assert (reader.page.kind, reader.page.n_answered) == ("query", 1)


@pytest.mark.parametrize(
    ("failed", "n_documents", "notice"),
    [((0, 1, 2, 3), 1, "too_few_summaries"), ((0, 2), 1, "too_few_summaries"), ((), 0, "nothing_found")],
)
def test_a_query_without_comparison_does_not_count_and_its_text_is_offered_again(
    failed: tuple[int, ...], n_documents: int, notice: str
) -> None:
    reader = Reader().begin().ask("dry wells", failed=failed, n_documents=n_documents)
    page = reader.page
    assert (page.kind, page.notice, page.text, page.n_answered) == ("query", notice, "dry wells", 0)


def test_a_failed_search_asks_again() -> None:
    reader = Reader().begin()
    reader.post({"text": "rain"})
    reader.record(Draft(kind="retrieval_failed", key="retrieval:1", data={"reason": "down"}))
    assert (reader.page.kind, reader.page.notice, reader.page.query) == ("query", "search_failed", 2)


def test_lost_queries_come_to_an_end() -> None:
    """At most twice as many queries as the study asks for may be given (MAX_LOST)."""
    reader = Reader().begin()
    for _ in range(2 * STUDY.n_queries):
        reader.ask(n_documents=0)
    assert reader.page.kind == "thanks"


def test_a_reader_may_stop_and_go_on_and_stop_again() -> None:
    reader = Reader().begin()
    for _ in range(3):
        assert reader.post({"finish": "yes"})
        assert (reader.page.kind, reader.page.can_resume) == ("thanks", True)
        assert reader.post({"more": "yes"})
        assert reader.page.kind == "query"


def test_progress_is_honest() -> None:
    reader = Reader().begin()
    reader.post({"text": "rain"})
    assert reader.page.preparing is not None
    assert reader.page.preparing.searching
    reader.record(
        Draft(
            kind="retrieved",
            key="retrieval:1",
            data={"source": "s", "documents": [DOCUMENT] * 3, "n_without_abstract": 2},
        )
    )
    reader.record(Draft(kind="generated", key="summary:1:2", data={"text": "x"}))
    reader.record(Draft(kind="generation_failed", key="summary:1:0", data={"reason": "down"}))
    found = reader.page.preparing
    assert found is not None
    assert (found.searching, found.n_documents, found.n_written, found.n_failed, found.n_summaries) == (
        False,
        3,
        1,
        1,
        4,
    )
    assert reader.page.n_without_abstract == 2


def test_control_characters_are_no_text_and_joiners_are() -> None:
    reader = Reader().begin()
    with pytest.raises(AnswerError):
        reader.post({"text": "\x00\x07 \ud800"})
    reader.post({"text": "a\x00b می‌خواهم"})
    assert reader.page.text == "ab می‌خواهم"


def test_the_language_is_one_of_the_study() -> None:
    study = parse_study(
        new_study_text("demo").replace("queries = 8", 'languages = ["en", "de"]\nqueries = 8')
    )
    reader = Reader(study)
    with pytest.raises(AnswerError):
        reader.post({"agree": "yes", "language": "fr"})
    reader.post({"agree": "yes", "language": "de"})
    assert reader.page.language == "de"


def test_a_choice_that_the_list_does_not_have_is_a_problem_of_its_field() -> None:
    text = new_study_text("demo")
    study = parse_study(text)
    question = replace(study.questions[0], kind="choice", choices=("planner", "nurse"))
    reader = Reader(replace(study, questions=(question, *study.questions[1:])))
    reader.post({"agree": "yes"})
    with pytest.raises(AnswerError) as caught:
        reader.post({question.name: "pilot"})
    assert ("not_a_choice", question.name) in [(each.code, each.field) for each in caught.value.problems]


def test_a_query_that_is_too_long_is_told_with_the_limit() -> None:
    reader = Reader().begin()
    with pytest.raises(AnswerError) as caught:
        reader.post({"text": "x" * (STUDY.max_query_length + 1)})
    (problem,) = caught.value.problems
    assert (problem.field, problem.code, problem.limit) == ("text", "too_long", STUDY.max_query_length)
    assert reader.post({"text": "x" * STUDY.max_query_length})
