"""What the web page talks to: one participant's page, and one posted form, over the store.

    store = open_store("study.db")
    desk = Desk(study, store)
    async with Conductor(study, desk) as conductor:
        page = await asyncio.to_thread(desk.page, participant)            # GET
        if page.kind == "preparing": conductor.ensure(participant)
        await asyncio.to_thread(desk.answer, participant, step, form)     # POST, then redirect to GET

Methods block (SQL), so call them from a thread. Everything a page shows is in `Page`; the addresses a page needs are
its own: `/`, a document's number within the current query, and a summary's side. Ids of conditions are in no `Page`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from gameproof.errors import InputError, PlanError
from gameproof.study.events import Document, Reading, read_documents
from gameproof.study.flow import Page, answer, page_of, query_is_over, shown
from gameproof.study.model import Study
from gameproof.study.store import Participant, Store
from gameproof.study.study_file import parse_study

__all__ = ["Desk", "Overview", "UnknownParticipantError", "open_desk"]

# Key of the study file -> field: what must stay as it is once there are answers.
FIXED = {"conditions": "conditions", "design": "design", "seed": "seed", "queries": "n_queries"}


class UnknownParticipantError(InputError):
    """There is no such participant, or not any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Where a participant is, for the admin page; it holds no answer."""

    participant: Participant
    page: str  # kind of page
    n_answered: int
    n_lost: int  # queries that led to no comparison
    n_failed: int  # summaries that could not be made
    reasons: tuple[str, ...]  # why, each once; they name models, so they are for the admin alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One study with its store."""

    study: Study
    store: Store

    def page(self, participant: str) -> Page:
        """Return the page a participant is on, and record that it was shown.

        Raises:
            UnknownParticipantError: There is no such participant (any more).
        """
        self._number_of(participant)
        events = self.store.events(participant)
        page = page_of(self.study, events)
        draft = shown(page)
        if all(event.key != draft.key for event in events):
            self.store.append(participant, draft)
        return page

    def answer(self, participant: str, step: str, form: Mapping[str, str]) -> bool:
        """Record a posted form, if its step is the current one.

        Args:
            participant: Who posts.
            step: Of the page that the form was on.
            form: As `gameproof.study.flow.answer` says.

        Returns:
            Whether something new was recorded; False for a repeated or outdated click. Redirect either way.

        Raises:
            AnswerError: Fields are missing, too long or not among the choices: show the page again with them.
            UnknownParticipantError: As in `page`.
        """
        number = self._number_of(participant)
        events = self.store.events(participant)
        draft = answer(self.study, events, participant=participant, number=number, step=step, form=form)
        return draft is not None and self.store.append(participant, draft)

    def document(self, participant: str, query: int, number: int) -> Document | None:
        """Return document [number] of one of the participant's own queries; None where there is none."""
        retrieval = Reading.of(self.store.events(participant)).find(f"retrieval:{query}")
        if retrieval is None or retrieval.kind != "retrieved":
            return None
        documents = read_documents(retrieval.data)
        return documents[number - 1] if 1 <= number <= len(documents) else None

    def overview(self) -> tuple[Overview, ...]:
        """Return where everybody is."""
        events_of = self.store.all_events()
        rows: list[Overview] = []
        for participant in self.store.participants():
            events = events_of.get(participant.id, ())
            page = page_of(self.study, events)
            n_given = Reading.of(events).n_queries
            n_over = sum(query_is_over(events, query) for query in range(1, n_given + 1))
            failures = [event for event in events if event.kind in {"generation_failed", "retrieval_failed"}]
            rows.append(
                Overview(
                    participant=participant,
                    page=page.kind,
                    n_answered=page.n_answered,
                    n_lost=n_over - page.n_answered,
                    n_failed=sum(event.kind == "generation_failed" for event in failures),
                    reasons=tuple(
                        dict.fromkeys(
                            f"{event.data.get('condition', 'search')}: {event.data['reason']}"
                            for event in failures
                        )
                    ),
                )
            )
        return tuple(rows)

    def _number_of(self, participant: str) -> int:
        number = self.store.number_of(participant)
        if number is None:
            raise UnknownParticipantError("there is no such participant (any more).")
        return number


def open_desk(study: Study, store: Store) -> Desk:
    """Put a study and its store together, and keep the study's file in the store.

    Raises:
        PlanError: The store has comparisons of other conditions or another design: they would be mixed up.
    """
    before = store.study_source()
    if before is not None and any(
        event.kind == "query_given" for events in store.all_events().values() for event in events
    ):
        old = parse_study(before, folder=study.folder, check_paths=False)
        changed = [key for key, name in FIXED.items() if getattr(old, name) != getattr(study, name)]
        if changed:
            raise PlanError(
                f"the database holds answers, and the study file has other {', '.join(changed)} than they were given under.",
                hint="Put the file back as it was, or start a new database with --db.",
            )
    store.keep_study(study.source, study.digest)
    return Desk(study=study, store=store)
