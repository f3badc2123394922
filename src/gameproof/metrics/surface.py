"""Surface statistics: how much of a candidate is copied from its source, how much is new, what it repeats.

Coverage, density and compression are those of M. Grusky, M. Naaman and Y. Artzi, "Newsroom", NAACL 2018,
section 4.1. A *fragment* is a run of words that candidate and source share. The candidate is cut into
fragments from the left, each the longest one that starts at its word. Fragments of lengths |f| in a candidate
of |S| words with a source of |A| words give

    coverage = sum |f| / |S|        density = sum |f|^2 / |S|        compression = |A| / |S|

The code that came with the paper resumes its search in the source behind each match it tries, so it can miss
the longest one: 'a a b' in 'a a a b' has density 9/3 = 3, and that code says 5/3. ``compat=newsroom`` gives its
value.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from gameproof.metrics.against_source import SourceMetric
from gameproof.metrics.lexical import Order, TextMetric
from gameproof.metrics.rouge_texts import WHOLE, Reader

__all__ = ["COMPATIBLE", "LENGTHS", "build_copied", "build_novel", "build_repeated", "fragment_lengths"]

COMPATIBLE = ("none", "newsroom")
LENGTHS = ("1", "2", "3")  # of the n-grams that are looked at
UNIT = "unicode"  # the tokeniser
NO_WORDS = "no words"
SHORT: Mapping[int, str] = {1: NO_WORDS, 2: "fewer than two words", 3: "fewer than three words"}
NOWHERE = -1
BYTES_PER_PLACE = 40  # of a number in a list of places


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The words of a source, and where each stands: a chain from its last place to its first.

    A chain takes two numbers a word, where a list for each different word would take most of the time.
    """

    row: Sequence[str]
    last: Mapping[str, int]
    before: Sequence[int]  # for each place, the one before it with the same word; `NOWHERE` at the first

    @property
    def nbytes(self) -> int:
        """Return the memory of the places, roughly."""
        return BYTES_PER_PLACE * len(self.row) + 100 * len(self.last)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """The lengths of runs of words that a candidate shares with its source."""

    lengths: Sequence[int]

    @property
    def nbytes(self) -> int:
        """Return the memory of the lengths, roughly."""
        return 100 + 8 * len(self.lengths)


def build_copied(order: Order) -> SourceMetric:
    """Build coverage, density or compression, as the order's name says."""
    kind = order.signature.partition(",")[0]
    is_greedy = order.options.get("compat") == "newsroom"
    score = partial(_copied, _reader(order), STATISTICS[kind], is_greedy)
    return SourceMetric(name=order.name, full_name=order.signature, score_candidate=score)


def build_novel(order: Order) -> SourceMetric:
    """Build the share of a candidate's different n-grams that its source does not have."""
    score = partial(_novel, _reader(order), int(order.options["n"]))
    return SourceMetric(
        name=order.name, full_name=order.signature, score_candidate=score, higher_is_better=False
    )


def build_repeated(order: Order) -> TextMetric:
    """Build the share of a candidate's different n-grams that occur more than once in it."""
    score = partial(_repeated, _reader(order), int(order.options["n"]))
    return TextMetric(name=order.name, full_name=order.signature, score_text=score, higher_is_better=False)


def fragment_lengths(candidate: Sequence[str], source: Places, *, is_greedy: bool = False) -> list[int]:
    """Return the lengths of the shared runs of words that a candidate is cut into, from the left.

    Args:
        candidate: The words of the candidate.
        source: The words of the source with their places.
        is_greedy: Search as the code of the Newsroom paper does, which can miss the longest run.
    """
    find = _first_runs if is_greedy else _longest_run
    lengths: list[int] = []
    start, last = 0, source.last
    while start < len(candidate):
        place = last.get(candidate[start], NOWHERE)
        length = find(candidate, start, source, place) if place != NOWHERE else 0
        if length:
            lengths.append(length)
        start += length or 1
    return lengths


def _longest_run(candidate: Sequence[str], start: int, source: Places, place: int) -> int:
    """Return the length of the longest run that starts at a word of the candidate.

    Args:
        candidate: The words of the candidate.
        start: Where the run starts in it.
        source: The words of the source.
        place: The last one with the word at the start.
    """
    row, before = source.row, source.before
    longest, n_candidate, n_source = 0, len(candidate), len(row)
    while place != NOWHERE:
        if start + longest >= n_candidate:
            break
        end = place + longest
        if end < n_source and row[end] == candidate[start + longest]:  # else not longer than what is known
            length = _run(candidate, start, row, place)
            if length > longest:  # noqa: PLR1730 - a call of max() costs as much as the rest
                longest = length
        place = before[place]
    return longest


def _first_runs(candidate: Sequence[str], start: int, source: Places, place: int) -> int:
    """Return the length of the longest run among those that do not overlap in the source, from its beginning."""
    places: list[int] = []
    while place != NOWHERE:
        places.append(place)
        place = source.before[place]
    longest = free = 0
    for first in reversed(places):
        if first >= free:
            length = _run(candidate, start, source.row, first)
            longest, free = max(longest, length), first + length
    return longest


def _run(candidate: Sequence[str], start: int, source: Sequence[str], place: int) -> int:
    most = min(len(candidate) - start, len(source) - place)
    length = 1
    while length < most and candidate[start + length] == source[place + length]:
        length += 1
    return length


def _coverage(lengths: Sequence[int], n_candidate: int, n_source: int) -> float:
    del n_source
    return sum(lengths) / n_candidate


def _density(lengths: Sequence[int], n_candidate: int, n_source: int) -> float:
    del n_source
    return sum(length * length for length in lengths) / n_candidate


STATISTICS: Mapping[str, Callable[[Sequence[int], int, int], float] | None] = {
    "coverage": _coverage,
    "density": _density,
    "compression": None,  # needs no fragments
}


def _copied(
    reader: Reader,
    statistic: Callable[[Sequence[int], int, int], float] | None,
    is_greedy: bool,
    source: str,
    candidate: str,
) -> float | str:
    row = reader.candidate_words(candidate).row
    if not row:
        return NO_WORDS
    places = _places(reader, source)
    if not places.row:
        return "the source has no words"
    if statistic is None:
        return len(places.row) / len(row)
    fragments = reader.memo.candidates.get(  # coverage and density need the same ones
        ("fragments", UNIT, is_greedy, source, candidate),
        lambda: Runs(lengths=fragment_lengths(row, places, is_greedy=is_greedy)),
    )
    return statistic(fragments.lengths, len(row), len(places.row))


def _novel(reader: Reader, length: int, source: str, candidate: str) -> float | str:
    row = reader.candidate_words(candidate).row
    grams = list(_ngrams(row, length))
    if not grams:
        return SHORT[length]
    places = _places(reader, source)
    if length == 1:
        return len(set(grams) - places.last.keys()) / len(set(grams))
    reach = reader.memo.candidates.get(
        ("reach", UNIT, source, candidate), lambda: Runs(lengths=reach_of(row, places))
    )
    new = {gram for gram, known in zip(grams, reach.lengths, strict=False) if known < length}
    return len(new) / len(set(grams))


def reach_of(candidate: Sequence[str], source: Places) -> list[int]:
    """Return how long the longest run of words is that starts at each word and that the source has, at most 3.

    No n-gram of the source is kept, of which there are many more than of the candidate.
    """
    row, last, before = (*source.row, None, None), source.last, source.before
    ahead = (*candidate, "", "")  # no word is empty
    lengths: list[int] = []
    for start, word in enumerate(candidate):
        place, longest = last.get(word, NOWHERE), 0
        second, third = ahead[start + 1], ahead[start + 2]
        while place != NOWHERE:
            if row[place + 1] == second:
                longest = 2
                if row[place + 2] == third:
                    longest = 3
                    break
            elif not longest:
                longest = 1
            place = before[place]
        lengths.append(longest)
    return lengths


def _repeated(reader: Reader, length: int, candidate: str) -> float | str:
    counts = Counter(_ngrams(reader.candidate_words(candidate).row, length))
    if not counts:
        return SHORT[length]
    return (len(counts) - list(counts.values()).count(1)) / len(counts)


def _ngrams(row: Sequence[str], length: int) -> Iterable[Hashable]:
    return row if length == 1 else zip(*[row[start:] for start in range(length)], strict=False)


def _places(reader: Reader, source: str) -> Places:
    return reader.memo.references.get(
        ("places", UNIT, source), lambda: places_of(reader.reference_words(source).row)
    )


def places_of(row: Sequence[str]) -> Places:
    """Note where each word of a source stands."""
    last: dict[str, int] = {}
    before = [NOWHERE] * len(row)
    for place, word in enumerate(row):
        if word in last:
            before[place] = last[word]
        last[word] = place
    return Places(row=row, last=last, before=before)


def _reader(order: Order) -> Reader:
    return Reader(tok=UNIT, split=order.splits.get(UNIT, WHOLE), stem=False, memo=order.memo)
