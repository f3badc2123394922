"""Find bracketed citations in a summary."""

import re
from dataclasses import dataclass

__all__ = ["Citation", "cited_numbers", "split_citations"]

MAX_DIGITS = 3
_BRACKET = re.compile(rf"\[(\d{{1,{MAX_DIGITS}}}(?:\s*[,;]\s*\d{{1,{MAX_DIGITS}}})*)\]")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A number in brackets that points to a document."""

    number: int  # from 1


def split_citations(text: str, n_documents: int) -> tuple[str | Citation, ...]:
    """Cut a summary into text and citations, so that a page can make links of the latter and escape the former.

    A number without a document stays text: a model may invent citations.

    Example:
        >>> split_citations("It rained [1, 9].", 2)
        ('It rained [', Citation(number=1), ', 9].')
    """
    parts: list[str | Citation] = []
    plain = ""
    done = 0
    for bracket in _BRACKET.finditer(text):
        for number in _NUMBER.finditer(text, bracket.start(), bracket.end()):
            if not 1 <= int(number[0]) <= n_documents:
                continue
            plain += text[done : number.start()]
            parts += [*([plain] if plain else []), Citation(number=int(number[0]))]
            plain, done = "", number.end()
    plain += text[done:]
    return (*parts, *([plain] if plain else []))


def cited_numbers(text: str, n_documents: int) -> tuple[int, ...]:
    """Return the documents that a summary cites, each once, in order.

    Example:
        >>> cited_numbers("One [2]. Two [1; 2].", 3)
        (1, 2)
    """
    parts = split_citations(text, n_documents)
    return tuple(sorted({part.number for part in parts if isinstance(part, Citation)}))
