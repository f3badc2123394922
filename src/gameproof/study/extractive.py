"""Put a summary together from sentences of the documents: no language model, and never presented as one.

For demonstrations, tests and dry runs of a study. Two rules, each with or without the reader's profile:

- ``lead``: the first sentences of the documents that match best.
- ``central``: the sentences that share most with the question, each new one less for what it repeats.

With a profile its words join the question's, at half weight.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gameproof.records import Persona
from gameproof.study.events import Document
from gameproof.study.retrieve.bm25 import BM25, terms
from gameproof.text import sentences, words

__all__ = ["RULES", "summarise"]

PROFILE_WEIGHT = 0.5
REPEATED = 0.6  # of a sentence's score for each share of its words that is told already
MIN_TERMS = 5  # of a sentence that may be taken


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    document: int  # from 1
    place: int  # in its document, from 0
    text: str
    terms: tuple[str, ...]


def summarise(
    rule: str, query: str, persona: Persona | None, documents: Sequence[Document], *, n_words: int
) -> str:
    """Return sentences of the documents, each with its document's number in brackets.

    Args:
        rule: One of `RULES`.
        query: What the reader asked.
        persona: The reader, where the condition tells.
        documents: Best first.
        n_words: About so many; at least one sentence is taken.

    Example:
        >>> rain = Document(id="1", title="Rain", text="It rained for three days. The river rose above its banks.")
        >>> summarise("lead", "rain", None, [rain], n_words=5)
        'It rained for three days [1].'
    """
    weights = dict.fromkeys(terms(query), 1.0)
    if persona is not None:
        for part in (persona.role, persona.domain, persona.needs, persona.use_case):
            for term in set(terms(part or "")):
                weights[term] = weights.get(term, 0.0) + PROFILE_WEIGHT
    candidates = [
        _Sentence(document=number, place=place, text=text, terms=tuple(terms(text)))
        for number, document in enumerate(documents, start=1)
        for place, text in enumerate(sentences(document.text))
    ]
    candidates = [each for each in candidates if len(each.terms) >= MIN_TERMS] or candidates
    taken: list[_Sentence] = []
    n = 0
    for sentence in RULES[rule](candidates, weights):
        length = len(words(sentence.text))
        if taken and n + length > n_words:
            break
        taken.append(sentence)
        n += length
    return " ".join(_cited(sentence) for sentence in taken)


def _lead(candidates: Sequence[_Sentence], weights: Mapping[str, float]) -> list[_Sentence]:
    """Order by place in the document, then by how well the document matches."""
    texts: dict[int, list[str]] = {}
    for sentence in candidates:
        texts.setdefault(sentence.document, []).extend(sentence.terms)
    index = BM25(list(texts.values()))
    matched = dict(zip(texts, _weighted(index, weights), strict=True))
    return sorted(candidates, key=lambda each: (each.place, -matched[each.document], each.document))


def _central(candidates: Sequence[_Sentence], weights: Mapping[str, float]) -> list[_Sentence]:
    """Order greedily by match, less what is told already."""
    index = BM25([sentence.terms for sentence in candidates])
    scores = _weighted(index, weights)
    left = list(range(len(candidates)))
    told: set[str] = set()
    order: list[_Sentence] = []
    while left:
        best = max(
            left, key=lambda place: (scores[place] * (1 - REPEATED * _share(candidates[place], told)), -place)
        )
        left.remove(best)
        order.append(candidates[best])
        told.update(candidates[best].terms)
    return order


def _weighted(index: BM25, weights: Mapping[str, float]) -> list[float]:
    columns = [[weight * score for score in index.scores([term])] for term, weight in weights.items()]
    return [sum(column) for column in zip(*columns, strict=True)] if columns else [0.0] * len(index)


def _share(sentence: _Sentence, told: set[str]) -> float:
    own = set(sentence.terms)
    return len(own & told) / len(own) if own else 1.0


def _cited(sentence: _Sentence) -> str:
    text = sentence.text.strip()
    ending = text[-1] if text and text[-1] in ".!?" else "."
    return f"{text.rstrip('.!?')} [{sentence.document}]{ending}"


# Rule -> in which order it takes sentences.
RULES: Mapping[str, Callable[[Sequence[_Sentence], Mapping[str, float]], list[_Sentence]]] = {
    "lead": _lead,
    "central": _central,
}
