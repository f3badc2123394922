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

from collections import Counter, defaultdict
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
BYTES_PER_PLACE = 40  # of a number in a list of places
BYTES_PER_NGRAM = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The words of a source, and where each stands."""

    row: Sequence[str]
    of: Mapping[str, Sequence[int]]

    @property
    def nbytes(self) -> int:
        """Return the memory of the places, roughly."""
        return BYTES_PER_PLACE * len(self.row) + 200 * len(self.of)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ngrams:
    """The different n-grams of a source."""

    found: frozenset[Hashable]

    @property
    def nbytes(self) -> int:
        """Return the memory of the n-grams, roughly."""
        return BYTES_PER_NGRAM * len(self.found)


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
    start = 0
    while start < len(candidate):
        places = source.of.get(candidate[start])
        length = find(candidate, start, source.row, places) if places else 0
        if length:
            lengths.append(length)
        start += max(length, 1)
    return lengths


def _longest_run(candidate: Sequence[str], start: int, source: Sequence[str], places: Iterable[int]) -> int:
    """Return the length of the longest run that starts at a word of the candidate."""
    longest, n_candidate, n_source = 0, len(candidate), len(source)
    for place in places:
        if start + longest >= n_candidate:
            break
        end = place + longest
        if end >= n_source or source[end] != candidate[start + longest]:
            continue  # cannot be longer than what is known
        length = _run(candidate, start, source, place)
        if length > longest:  # noqa: PLR1730 - a call of max() costs as much as the rest
            longest = length
    return longest


def _first_runs(candidate: Sequence[str], start: int, source: Sequence[str], places: Iterable[int]) -> int:
    """Return the length of the longest run among those that do not overlap in the source."""
    longest = free = 0
    for place in places:
        if place >= free:
            length = _run(candidate, start, source, place)
            longest, free = max(longest, length), place + length
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
    return statistic(fragment_lengths(row, places, is_greedy=is_greedy), len(row), len(places.row))


def _novel(reader: Reader, length: int, source: str, candidate: str) -> float | str:
    found = set(_ngrams(reader.candidate_words(candidate).row, length))
    if not found:
        return SHORT[length]
    known = reader.memo.references.get(
        ("source n-grams", UNIT, length, source),
        lambda: Ngrams(found=frozenset(_ngrams(reader.reference_words(source).row, length))),
    )
    return len(found - known.found) / len(found)


def _repeated(reader: Reader, length: int, candidate: str) -> float | str:
    counts = Counter(_ngrams(reader.candidate_words(candidate).row, length))
    if not counts:
        return SHORT[length]
    return sum(count > 1 for count in counts.values()) / len(counts)


def _ngrams(row: Sequence[str], length: int) -> Iterable[Hashable]:
    return row if length == 1 else zip(*(row[start:] for start in range(length)), strict=False)


def _places(reader: Reader, source: str) -> Places:
    return reader.memo.references.get(
        ("places", UNIT, source), lambda: places_of(reader.reference_words(source).row)
    )


def places_of(row: Sequence[str]) -> Places:
    """Note where each word of a source stands."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(row):
        found[word].append(place)
    return Places(row=row, of=found)


def _reader(order: Order) -> Reader:
    return Reader(tok=UNIT, split=order.splits.get(UNIT, WHOLE), stem=False, memo=order.memo)
