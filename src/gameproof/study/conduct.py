"""Do the work behind a query: search, then write all summaries, each step recorded as it is done.

How the page uses it: one `Conductor` in the server's event loop, as ``async with``. Whenever the page of a reader is
`preparing` it calls ``conductor.ensure(participant)``, which returns at once: work that runs is not begun again, work
that was cut off by a crash is taken up where it was. Progress is in the events, so the page just asks for
`Desk.page` again. Nothing here raises into the page: what fails is recorded with its reason.
"""

import asyncio
import logging
from typing import Self

from gameproof.errors import CallError, GameproofError
from gameproof.llm.limits import Limits
from gameproof.study.desk import Desk
from gameproof.study.events import Document, Draft, Reading, read_documents
from gameproof.study.generate import ModelOf, Writer, summary_key
from gameproof.study.model import EXTRACTIVE, Study
from gameproof.study.models import StudyModels
from gameproof.study.personas import persona_of
from gameproof.study.retrieve import OpenedRetriever, Retriever, open_retriever

__all__ = ["Conductor"]

LOGGER = logging.getLogger(__name__)


class Conductor:
    """Prepares queries in the background."""

    def __init__(
        self,
        study: Study,
        desk: Desk,
        *,
        retriever: Retriever | None = None,
        models: ModelOf | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Begin nothing yet.

        Args:
            study: As served.
            desk: Of the same study.
            retriever: Instead of the one that the study names.
            models: Instead of connections to the models that conditions name, for tests.
            limits: Of model calls.

        Raises:
            InputError: The study's corpus cannot be read.
        """
        opened = (
            open_retriever(study.retrieval) if retriever is None else OpenedRetriever(retriever=retriever)
        )
        self.notes = opened.notes  # what the person who runs the study must know
        self.suggestions = opened.suggestions  # queries that a page may suggest
        self.retriever = opened.retriever
        self._study = study
        self._desk = desk
        self._models = StudyModels(limits)
        self._connects = models is None
        self._writer = Writer(study, self._models if models is None else models)
        self._running: dict[str, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        """Connect to the models; one that does not answer yet is noted, and tried again with each summary.

        Raises:
            InputError: A model's name can never work.
        """
        named = [each.model for each in self._study.conditions if not each.model.startswith(EXTRACTIVE)]
        if self._connects:
            self.notes = (*self.notes, *await self._models.check(*named))
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Call off what runs, and close connections; what is done is recorded."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self._models.__aexit__(*exception)
        await self.retriever.close()

    def ensure(self, participant: str) -> None:
        """Begin, or go on with, the work behind a participant's current query; return at once."""
        task = self._running.get(participant)
        if task is None or task.done():
            self._running[participant] = asyncio.create_task(self._prepare_quietly(participant))

    async def prepare(self, participant: str) -> None:
        """Do the work behind a participant's current query, to its end."""
        reading = await self._read(participant)
        query = reading.n_queries
        given = reading.find(f"query:{query}")
        if given is None:
            return
        text, key = str(given.data["text"]), f"retrieval:{query}"
        if reading.find(key) is None:
            await self._record(participant, await self._search(query, text))
            # Another process may have been quicker: its documents count.
            reading = await self._read(participant)
        retrieval = reading.find(key)
        if retrieval is not None and retrieval.kind == "retrieved":
            await self._write_all(participant, reading, query, text, read_documents(retrieval.data))

    async def _prepare_quietly(self, participant: str) -> None:
        try:
            await self.prepare(participant)
        except GameproofError:
            LOGGER.exception("preparing a query failed")  # the page asks again, and so does `ensure`
        finally:
            if self._running.get(participant) is asyncio.current_task():
                del self._running[participant]

    async def _search(self, query: int, text: str) -> Draft:
        key = f"retrieval:{query}"
        try:
            limit_s = 2 * self._study.retrieval.timeout_s + 1
            found = await asyncio.wait_for(
                self.retriever.search(text, self._study.retrieval.n_documents), limit_s
            )
        except CallError as error:
            return Draft(kind="retrieval_failed", key=key, query=query, data={"reason": error.reason})
        except TimeoutError:
            return Draft(kind="retrieval_failed", key=key, query=query, data={"reason": "no answer in time"})
        except Exception as error:
            LOGGER.exception("a search failed")  # as with summaries: there has to be an outcome
            reason = f"a bug: {type(error).__name__}"
            return Draft(kind="retrieval_failed", key=key, query=query, data={"reason": reason})
        data = {
            "source": found.source,
            "documents": [document.record() for document in found.documents],
            "n_without_abstract": found.n_without_abstract,
            "note": found.note,
        }
        return Draft(kind="retrieved", key=key, query=query, data=data)

    async def _write_all(
        self, participant: str, reading: Reading, query: int, text: str, documents: tuple[Document, ...]
    ) -> None:
        if not documents:
            return
        consent, profile = reading.find("consent"), reading.find("profile")
        language = self._study.languages[0] if consent is None else str(consent.data["language"])
        persona = persona_of({} if profile is None else profile.data["answers"])

        async def write_one(place: int, condition_id: str) -> None:
            draft = await self._writer.write(
                self._study.condition(condition_id),
                query=query,
                place=place,
                text=text,
                persona=persona,
                documents=documents,
                language=language,
            )
            await self._record(participant, draft)

        positions = reading.by_key[f"query:{query}"].data["positions"]
        missing = [
            (place, name)
            for place, name in enumerate(positions)
            if reading.find(summary_key(query, place)) is None
        ]
        await asyncio.gather(*(write_one(place, name) for place, name in missing))

    async def _read(self, participant: str) -> Reading:
        return Reading.of(await asyncio.to_thread(self._desk.store.events, participant))

    async def _record(self, participant: str, draft: Draft) -> None:
        await asyncio.to_thread(self._desk.store.append, participant, draft)
