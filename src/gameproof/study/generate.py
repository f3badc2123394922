"""Write the summaries of a query: all conditions from the same documents, each a stored outcome, text or reason."""

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from gameproof.errors import GameproofError
from gameproof.llm.client import LanguageModel, Request
from gameproof.metrics.readers import describe_persona
from gameproof.prompts.loading import Slot, Trusted
from gameproof.records import Persona
from gameproof.study.citations import cited_numbers
from gameproof.study.cleaning import clean
from gameproof.study.events import Document, Draft
from gameproof.study.extractive import summarise
from gameproof.study.model import EXTRACTIVE, Condition, Study
from gameproof.study.wording import find_prompt

__all__ = ["ModelOf", "Writer", "summary_key"]

LOGGER = logging.getLogger(__name__)
EMPTY = "the model wrote nothing"
CUT = "the text was cut at the limit of tokens"
FILTERED = "the endpoint's content filter"
MAX_REASON = 300  # characters
MAX_TEXT = 50_000  # characters of a summary: a page shows no more
# Languages by their name, for the prompt; others are named by their code.
LANGUAGES: Mapping[str, str] = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch", "pl": "Polish", "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "ar": "Arabic", "hi": "Hindi",
}  # fmt: skip


class ModelOf(Protocol):
    """Finds the language model that a condition names, as `gameproof.study.models.StudyModels` does."""

    def __call__(self, name: str | None) -> LanguageModel:
        """Return a model; InputError where there is none."""
        ...


class Writer:
    """Writes one summary at a time; never raises for a model that fails."""

    def __init__(self, study: Study, model_of: ModelOf) -> None:
        """Ask nothing yet."""
        self._study = study
        self._model_of = model_of
        self._prompts = {each.id: find_prompt(each.prompt, study.folder) for each in study.conditions}

    async def write(
        self,
        condition: Condition,
        *,
        query: int,
        place: int,
        text: str,
        persona: Persona,
        documents: Sequence[Document],
        language: str,
    ) -> Draft:
        """Write the summary of one condition.

        Args:
            condition: Model, and whether it is told about the reader.
            query: The query's number.
            place: The summary's position.
            text: The query.
            persona: The reader.
            documents: What was found, best first: the same for all conditions.
            language: Of the summary.

        Returns:
            A `generated` or `generation_failed` event; both have the same key, so the first outcome stays.
        """
        started = time.monotonic()
        reader = replace(persona, query=None) if condition.persona else None
        try:
            data = await asyncio.wait_for(
                self._write(condition, text, reader, documents, language), self._study.generation.timeout_s
            )
        except TimeoutError:
            return self._failed(
                condition, query, place, f"no text within {self._study.generation.timeout_s:g} s"
            )
        except GameproofError as error:
            return self._failed(condition, query, place, error.message)
        except Exception as error:
            # Whatever it is: without an outcome the page would wait for ever, and ask the model again and again.
            LOGGER.exception("writing a summary failed")
            return self._failed(condition, query, place, f"a bug: {type(error).__name__}")
        problem = data.pop("problem")
        if problem is not None:
            return self._failed(condition, query, place, problem)
        summary = str(data["text"])
        data |= {
            "condition": condition.id,
            "seconds": round(time.monotonic() - started, 3),
            "cited": list(cited_numbers(summary, len(documents))),
        }
        return Draft(kind="generated", key=summary_key(query, place), query=query, data=data)

    async def _write(
        self,
        condition: Condition,
        text: str,
        reader: Persona | None,
        documents: Sequence[Document],
        language: str,
    ) -> dict[str, Any]:  # Any: JSON
        if condition.model.startswith(EXTRACTIVE):
            rule = condition.model.removeprefix(EXTRACTIVE)
            # In a thread: ranking sentences is work, and pages are served by this loop.
            summary = await asyncio.to_thread(
                summarise, rule, text, reader, documents, n_words=self._study.generation.words
            )
            return {"text": summary, "model": condition.model, "problem": None if summary else EMPTY}
        settings = self._study.generation
        prompt = self._prompts[condition.id]
        described = describe_persona(reader) if reader is not None else ""
        slots: dict[str, Slot] = {
            "question": text,
            "reader": described or None,
            "abstracts": {str(n): f"{each.title}. {each.text}" for n, each in enumerate(documents, start=1)},
            "language": Trusted(LANGUAGES.get(language.partition("-")[0], language)),
            "words": settings.words,
        }
        messages = prompt.render(**slots)
        model = self._model_of(condition.model)
        request = Request(
            model=model.name,
            messages=messages,
            max_tokens=settings.max_tokens,
            temperature=settings.temperature,
            purpose="study",
        )
        reply = await model.complete(request)
        written = clean(reply.text)
        problem = {"length": CUT, "filter": FILTERED}.get(reply.finish) or (None if written else EMPTY)
        return {
            "text": written[:MAX_TEXT],
            "problem": problem,
            "model": condition.model,
            "answered_by": reply.model,
            "prompt": prompt.label,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "parameters": {"max_tokens": settings.max_tokens, "temperature": settings.temperature},
            "dropped": list(reply.dropped),
            "tokens_in": reply.tokens_in,
            "tokens_out": reply.tokens_out,
        }

    def _failed(self, condition: Condition, query: int, place: int, reason: str) -> Draft:
        shown = " ".join(reason.split())[:MAX_REASON]
        return Draft(
            kind="generation_failed",
            key=summary_key(query, place),
            query=query,
            data={"condition": condition.id, "model": condition.model, "reason": shown},
        )


def summary_key(query: int, place: int) -> str:
    """Return the key of a summary's outcome."""
    return f"summary:{query}:{place}"
