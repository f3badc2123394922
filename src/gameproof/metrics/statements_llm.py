"""Statements of references as a language model finds them: once for each reference of a run, or several times.

The first decomposition is the model's likeliest (temperature 0), and so the same however many are asked for; the
others are drawn at a temperature where a model finds other cuts and words for the same content.
"""

from collections.abc import Iterable, Mapping
from functools import partial

from gameproof.llm.asking import Asker, Question, Unread
from gameproof.llm.client import Request
from gameproof.metrics.reference_pool import used_references
from gameproof.metrics.representations import NO_STATEMENT, Units, report
from gameproof.metrics.statement_verdicts import LIST_SCHEMA, read_statements
from gameproof.prompts.loading import Prompt, load
from gameproof.records import Item

__all__ = ["decompose_references", "decomposition_digest", "decomposition_requests", "recall_decompositions"]

# Where items do not say their domain, a reference is taken for a collection of facts.
PROMPTS: Mapping[str | None, str] = {
    "reviews": "review",
    "summaries": "summary",
    "answers": "answer",
    None: "summary",
}
DRAWN_AT = 0.7  # the temperature of further decompositions


def decomposition_digest() -> str:
    """Return the first eight digits that pin the wording of all decomposition prompts."""
    from gameproof.files import digest_of  # noqa: PLC0415 - signatures of other metrics do not need it

    return digest_of([load("decompose", name).digest for name in sorted(set(PROMPTS.values()))])[:8]


async def decompose_references(
    items: Iterable[Item], *, refs: str, asker: Asker, decompositions: int = 1
) -> list[dict[str, Units]]:
    """Ask for the statements of every reference; one without any, or a failure, is its reason.

    Returns:
        For each decomposition, reference -> units.
    """
    texts = _references(items, refs)
    questions = [
        Question(request=request, read=partial(read_statements, prompt=request.messages))
        for request in _requests(texts, asker, decompositions)
    ]
    answers = iter(await asker.ask(questions))
    return [
        {text: _units(answer) for text, answer in zip(texts, answers, strict=False)}
        for _ in range(decompositions)
    ]


def recall_decompositions(
    items: Iterable[Item], *, refs: str, asker: Asker, decompositions: int = 1
) -> list[dict[str, Units]]:
    """Return what `decompose_references` would, of the references whose statements are stored; nothing is asked."""
    texts = _references(items, refs)
    found: list[dict[str, Units]] = [{} for _ in range(decompositions)]
    requests = iter(_requests(texts, asker, decompositions))
    for known in found:
        for text in texts:
            request = next(requests)
            read = partial(read_statements, prompt=request.messages)
            answer = asker.recall(Question(request=request, read=read))
            if answer is not None:
                known[text] = _units(answer)
    return found


def decomposition_requests(
    items: Iterable[Item], *, refs: str, asker: Asker, decompositions: int = 1
) -> list[Request]:
    """Return the requests that `decompose_references` makes."""
    return _requests(_references(items, refs), asker, decompositions)


def _units(answer: tuple[str, ...] | Unread) -> Units:
    return f"its statements: {answer.reason}" if isinstance(answer, Unread) else answer or NO_STATEMENT


def _references(items: Iterable[Item], refs: str) -> dict[str, str | None]:
    """Return each reference once, with the domain of the first item that has it; word-less ones are no question."""
    domains: dict[str, str | None] = {}
    for item in sorted(items, key=lambda item: (item.task_id, item.id)):
        for text in used_references(item, refs):
            if not isinstance(report(text), str):
                domains.setdefault(text, item.domain)
    return domains


def _requests(texts: Mapping[str, str | None], asker: Asker, decompositions: int) -> list[Request]:
    """Return first the first decomposition of every reference, then the second, and so on."""
    return [
        Request(
            model=asker.name,
            messages=_prompt_for(domain).render(reference=text),
            temperature=DRAWN_AT if sample else 0.0,
            sample=sample,
            schema=LIST_SCHEMA,
            schema_name="statements",
            purpose="decompose",
        )
        for sample in range(decompositions)
        for text, domain in texts.items()
    ]


def _prompt_for(domain: str | None) -> Prompt:
    return load("decompose", PROMPTS.get(domain, PROMPTS[None]))
