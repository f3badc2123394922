"""Which page a reader is on: a pure function of the study and of what happened.

So reload, back button, second tab and crash are the same case.

How a web page uses it (through `gameproof.study.desk.Desk`, which adds the store):

1. `page_of(study, events)` says what to show. A `Page` holds texts, numbers and a `step`; it never holds a condition,
   a model or a position, so that nothing can leak.
2. The page's form posts its `step` back with the fields that `answer` names. `answer` returns a `Draft` to record, or
   None where the step is not the current one: the click was made before, on another tab or in an old page. Either way
   the reader is redirected to the current page.
3. The key of a draft is made of its step, and the store keeps the first event of a key: a double click, a second tab and
   a repeated request after a crash record one choice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gameproof.study.assign import draw_assignment, read_schedule
from gameproof.study.cleaning import clean
from gameproof.study.events import Choice, Document, Draft, Event, Reading, read_documents
from gameproof.study.model import ProfileQuestion, Study
from gameproof.study.tournament import Bracket, play

__all__ = [
    "AnswerError",
    "Comparison",
    "FieldProblem",
    "Notice",
    "Page",
    "PageKind",
    "Preparing",
    "answer",
    "bracket_of",
    "page_of",
    "query_is_over",
    "shown",
]

PageKind = Literal["consent", "profile", "query", "preparing", "compare", "thanks"]
Notice = Literal[
    "nothing_found", "search_failed", "too_few_summaries"
]  # why the last query led to no comparison
MAX_LOST = 2  # times the number of queries: so many may be given in all, lost ones included
MAX_LIST = 20  # entries of a profile question of kind `list`
CHOICES: Mapping[str, Choice] = {"left": "left", "right": "right", "neither": "neither"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparing:
    """How far a query's summaries are: honest counts, without saying which."""

    searching: bool  # documents are not there yet
    n_documents: int
    n_written: int
    n_failed: int
    n_summaries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two summaries side by side."""

    number: int  # from 1
    n: int  # at most so many in this query
    left: str  # text with citations [1] ...; hostile: escape it (see `gameproof.study.citations`)
    right: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a reader sees now."""

    kind: PageKind
    step: str  # posted back with the form
    n_answered: int  # queries that are through
    n_queries: int
    language: str | None = None  # what the reader chose
    query: int | None = None  # number of the current query, for addresses of documents
    text: str | None = None  # of the current query; on a page that asks again, of the lost one
    documents: tuple[Document, ...] = ()  # that citations point to: [1] is the first
    source: str | None = None  # where they come from, as the reader may know it
    n_without_abstract: int = 0  # that were found and could not be used
    preparing: Preparing | None = None
    comparison: Comparison | None = None
    notice: Notice | None = None
    can_resume: bool = False  # on `thanks`: whether one more query is allowed


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldProblem:
    """What is wrong with one field of a form; the page words it in the reader's language."""

    field: str
    code: Literal["needed", "too_long", "not_a_choice", "too_many"]
    limit: int | None = None


class AnswerError(ValueError):
    """A form cannot be recorded; all of its problems."""

    def __init__(self, problems: Sequence[FieldProblem]) -> None:
        """Keep the problems."""
        super().__init__("; ".join(f"{problem.field}: {problem.code}" for problem in problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    study: Study
    reading: Reading
    language: str | None = None
    n_answered: int = 0

    def page(self, kind: PageKind, step: str, **fields: Any) -> Page:  # Any: fields of a page
        return Page(
            kind=kind,
            step=step,
            n_answered=self.n_answered,
            n_queries=self.study.n_queries,
            language=self.language,
            **fields,
        )


def page_of(study: Study, events: Sequence[Event]) -> Page:
    """Return the page a participant is on.

    Args:
        study: As served.
        events: All of the participant's, in any order.
    """
    reading = Reading.of(events)
    consent = reading.find("consent")
    state = _State(study=study, reading=reading)
    if consent is None:
        return state.page("consent", "consent")
    language = consent.data.get("language")
    if study.questions and reading.find("profile") is None:
        return _State(study=study, reading=reading, language=language).page("profile", "profile")
    n_given = reading.n_queries
    n_answered = sum(_fate(reading, query) == "answered" for query in range(1, n_given + 1))
    state = _State(study=study, reading=reading, language=language, n_answered=n_answered)
    if n_given and _fate(reading, n_given) == "open":
        return _page_of_query(state, n_given)
    n_finished, n_resumed = _count(reading, "finished"), _count(reading, "resumed")
    used_up = n_answered >= study.n_queries or n_given >= MAX_LOST * study.n_queries
    if used_up or n_finished > n_resumed:
        return state.page("thanks", f"thanks:{n_resumed + 1}", can_resume=not used_up)
    lost = _fate(reading, n_given) if n_given else None
    asked_again = lost not in {None, "answered"}
    return state.page(
        "query",
        f"query:{n_given + 1}",
        query=n_given + 1,
        notice=lost if asked_again else None,
        text=_text(reading, n_given) if asked_again else None,
    )


def answer(
    study: Study,
    events: Sequence[Event],
    *,
    participant: str,
    number: int,
    step: str,
    form: Mapping[str, str],
) -> Draft | None:
    """Return what a posted form records.

    Args:
        study: As served.
        events: All of the participant's.
        participant: The id, for the draw of positions.
        number: The participant's number in the study, from 0.
        step: Of the page that the form was on.
        form: Fields by kind of page. ``consent``: agree ("yes"), language. ``profile``: a field for each question (a
            `list` has one entry a line). ``query``: text, or finish ("yes"). ``compare``: choice (left, right or
            neither). ``thanks``: more ("yes").

    Returns:
        None where the step is not the current one, or nothing is to be recorded on this page.

    Raises:
        AnswerError: Fields are missing, too long or not among the choices.
    """
    page = page_of(study, events)
    if page.step != step:
        return None
    draft = None
    if page.kind == "consent":
        draft = _consent(study, form)
    elif page.kind == "profile":
        draft = Draft(kind="profile_given", key="profile", data={"answers": _profile(study.questions, form)})
    elif page.kind == "query":
        draft = _query(study, Reading.of(events), participant, number, form)
    elif page.kind == "compare" and page.query is not None and page.comparison is not None:
        draft = _choice(Reading.of(events), page.query, page.comparison.number, form)
    elif page.kind == "thanks" and page.can_resume and form.get("more") == "yes":
        draft = Draft(kind="resumed", key=f"resumed:{step.partition(':')[2]}")
    return draft


def shown(page: Page) -> Draft:
    """Return the event that a page was shown: its first one starts the clock of "time per page"."""
    return Draft(kind="shown", key=f"shown:{page.step}", query=page.query, data={"step": page.step})


def bracket_of(reading: Reading, query: int) -> Bracket | None:
    """Return the matches of a query in their states; None where it was not given."""
    given = reading.find(f"query:{query}")
    if given is None:
        return None
    schedule = read_schedule(given.data["schedule"])
    chosen = {match.number: reading.find(f"chosen:{query}:{match.number}") for match in schedule}
    return play(
        schedule,
        {number: event.data["choice"] for number, event in chosen.items() if event is not None},
        [
            place
            for place in range(len(given.data["positions"]))
            if (event := reading.find(f"summary:{query}:{place}")) is not None
            and event.kind == "generation_failed"
        ],
    )


def query_is_over(events: Sequence[Event], query: int) -> bool:
    """Say whether nothing is left to do for a query: all compared, or lost."""
    return _fate(Reading.of(events), query) != "open"


def _fate(reading: Reading, query: int) -> Literal["open", "answered"] | Notice:
    """Return what became of a query that was given."""
    given, retrieval = reading.find(f"query:{query}"), reading.find(f"retrieval:{query}")
    if given is None or retrieval is None:
        return "open"
    if retrieval.kind == "retrieval_failed":
        return "search_failed"
    if not retrieval.data["documents"]:
        return "nothing_found"
    places = range(len(given.data["positions"]))
    if any(reading.find(f"summary:{query}:{place}") is None for place in places):
        return "open"
    bracket = bracket_of(reading, query)
    if bracket is None or not bracket.is_over:
        return "open"
    return "answered" if any(state.choice for state in bracket.matches) else "too_few_summaries"


def _page_of_query(state: _State, query: int) -> Page:
    reading = state.reading
    retrieval = reading.find(f"retrieval:{query}")
    documents = () if retrieval is None else read_documents(retrieval.data)
    given = reading.by_key[f"query:{query}"]
    places = range(len(given.data["positions"]))
    summaries = [reading.find(f"summary:{query}:{place}") for place in places]
    known: dict[str, Any] = {  # Any: fields of a page
        "query": query,
        "text": _text(reading, query),
        "documents": documents,
        "source": None if retrieval is None else retrieval.data.get("source"),
        "n_without_abstract": 0 if retrieval is None else retrieval.data.get("n_without_abstract", 0),
    }
    bracket = bracket_of(reading, query)
    match = None if bracket is None or None in summaries else bracket.next
    if bracket is None or match is None or match.left is None or match.right is None:
        preparing = Preparing(
            searching=retrieval is None,
            n_documents=len(documents),
            n_written=sum(event is not None and event.kind == "generated" for event in summaries),
            n_failed=sum(event is not None and event.kind == "generation_failed" for event in summaries),
            n_summaries=len(summaries),
        )
        return state.page("preparing", f"preparing:{query}", preparing=preparing, **known)
    texts = [
        str(event.data["text"]) if event is not None and event.kind == "generated" else ""
        for event in summaries
    ]
    comparison = Comparison(
        number=match.match.number,
        n=len(bracket.matches),
        left=texts[match.left],
        right=texts[match.right],
    )
    return state.page("compare", f"chosen:{query}:{match.match.number}", comparison=comparison, **known)


def _consent(study: Study, form: Mapping[str, str]) -> Draft:
    if form.get("agree") != "yes":
        raise AnswerError([FieldProblem(field="agree", code="needed")])
    language = form.get("language") or study.languages[0]
    if language not in study.languages:
        raise AnswerError([FieldProblem(field="language", code="not_a_choice")])
    return Draft(kind="consented", key="consent", data={"language": language, "consent": study.digest})


def _profile(questions: Sequence[ProfileQuestion], form: Mapping[str, str]) -> dict[str, object]:
    problems: list[FieldProblem] = []
    answers: dict[str, object] = {}
    for question in questions:
        text = clean(form.get(question.name, ""))
        entries = [entry for line in text.splitlines() if (entry := line.strip())]
        problem = _problem_of(question, text, entries)
        if problem is not None:
            problems.append(problem)
        elif text:
            answers[question.name] = entries if question.kind == "list" else text
    if problems:
        raise AnswerError(problems)
    return answers


def _problem_of(question: ProfileQuestion, text: str, entries: Sequence[str]) -> FieldProblem | None:
    if not text:
        return FieldProblem(field=question.name, code="needed") if question.required else None
    if question.kind == "choice" and text not in question.choices:
        return FieldProblem(field=question.name, code="not_a_choice")
    if question.kind == "list" and len(entries) > MAX_LIST:
        return FieldProblem(field=question.name, code="too_many", limit=MAX_LIST)
    longest = max(map(len, entries), default=0) if question.kind == "list" else len(text)
    if longest > question.max_length:
        return FieldProblem(field=question.name, code="too_long", limit=question.max_length)
    return None


def _query(study: Study, reading: Reading, participant: str, number: int, form: Mapping[str, str]) -> Draft:
    if form.get("finish") == "yes":
        return Draft(kind="finished", key=f"finished:{_count(reading, 'finished') + 1}")
    text = clean(form.get("text", ""))
    if not text:
        raise AnswerError([FieldProblem(field="text", code="needed")])
    if len(text) > study.max_query_length:
        raise AnswerError([FieldProblem(field="text", code="too_long", limit=study.max_query_length)])
    query = reading.n_queries + 1
    assignment = draw_assignment(study, participant, number, query)
    return Draft(kind="query_given", key=f"query:{query}", query=query, data={"text": text, **assignment})


def _choice(reading: Reading, query: int, comparison: int, form: Mapping[str, str]) -> Draft:
    choice = CHOICES.get(form.get("choice", ""))
    if choice is None:
        raise AnswerError(
            [FieldProblem(field="choice", code="not_a_choice" if form.get("choice") else "needed")]
        )
    bracket = bracket_of(reading, query)
    state = None if bracket is None else bracket.next
    sides = {} if state is None else {"left": state.left, "right": state.right}
    return Draft(
        kind="chosen",
        key=f"chosen:{query}:{comparison}",
        query=query,
        data={"comparison": comparison, "choice": choice, **sides},
    )


def _count(reading: Reading, kind: str) -> int:
    n = 0
    while reading.find(f"{kind}:{n + 1}") is not None:
        n += 1
    return n


def _text(reading: Reading, query: int) -> str | None:
    given = reading.find(f"query:{query}")
    return None if given is None else str(given.data["text"])
