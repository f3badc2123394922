"""METEOR: words matched as they are, by their stems, and by their synonyms, with a penalty for disorder.

S. Banerjee and A. Lavie, "METEOR: An Automatic Metric for MT Evaluation with Improved Correlation with Human
Judgments", ACL workshop 2005. With m matched words in c chunks (runs that stand together in both texts),
P = m / words of the candidate, and R = m / words of the reference:

    Fmean = P R / (alpha P + (1 - alpha) R), alpha = 0.9        score = Fmean (1 - 0.5 (c / m)^3)

Each stage matches what the one before left over, from the last word of the candidate to the first, with the last
word of the reference that fits. This is NLTK's alignment, except that NLTK looks up the synonyms of stems
('happi'), which WordNet does not have; here those of the words are looked up. ``compat=nltk`` gives the value of
NLTK. Neither is the scale of the Java program METEOR 1.5, whose weights were fitted and differ.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gameproof.metrics.lexical import Order, ReferenceMetric
from gameproof.metrics.porter import stem
from gameproof.metrics.rouge_texts import WHOLE, Reader
from gameproof.metrics.wordnet import Synonyms, find_wordnet, open_wordnet, wordnet_version

__all__ = ["COMPATIBLE", "build_meteor", "meteor_versions"]

COMPATIBLE = ("none", "nltk")
ALPHA = 0.9  # the weight of precision in the denominator: recall counts nine times as much
BETA = 3.0
GAMMA = 0.5
UNIT = "unicode"

# A word left over of a text, with its place.
Placed = tuple[int, str]


def build_meteor(order: Order) -> ReferenceMetric:
    """Build METEOR over the WordNet that an order names or that is found here."""
    meteor = Meteor(
        reader=Reader(tok=UNIT, split=order.splits.get(UNIT, WHOLE), stem=False, memo=order.memo),
        synonyms=open_wordnet(find_wordnet(order.options.get("data", ""))),
        looks_up_stems=order.options["compat"] == "nltk",
    )
    return ReferenceMetric(
        name=order.name,
        full_name=order.signature,
        refs=order.options["refs"],
        score_candidates=meteor.score_candidates,
    )


def meteor_versions(options: Mapping[str, str]) -> dict[str, str]:
    """Return the WordNet that a signature pins."""
    return {"wordnet": wordnet_version(find_wordnet(options.get("data", "")))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Meteor:
    """METEOR with one WordNet."""

    reader: Reader
    synonyms: Synonyms
    looks_up_stems: bool

    def score_candidates(self, reference: str, candidates: tuple[str, ...]) -> list[float | str]:
        """Score candidates against one reference."""
        known = self.reader.reference_words(reference).row
        return [self.score_words(self.reader.candidate_words(text).row, known) for text in candidates]

    def score_words(self, candidate: Sequence[str], reference: Sequence[str]) -> float | str:
        """Score a candidate in words."""
        if not candidate or not reference:
            return "no words"
        matches = self.align(candidate, reference)
        if not matches:
            return 0.0
        precision, recall = len(matches) / len(candidate), len(matches) / len(reference)
        mean = precision * recall / (ALPHA * precision + (1 - ALPHA) * recall)
        return (1 - GAMMA * (_count_chunks(matches) / len(matches)) ** BETA) * mean

    def align(self, candidate: Sequence[str], reference: Sequence[str]) -> list[tuple[int, int]]:
        """Return the matched places of candidate and reference, sorted."""
        left, right = list(enumerate(candidate)), list(enumerate(reference))
        matches, left, right = _match(left, right, None)
        if left and right:
            stems = (
                [(place, stem(word)) for place, word in left],
                [(place, stem(word)) for place, word in right],
            )
            more, left_stems, right_stems = _match(*stems, None)
            matches += more
            if self.looks_up_stems:
                left, right = left_stems, right_stems
            else:
                left = [(place, candidate[place]) for place, _ in left_stems]
                right = [(place, reference[place]) for place, _ in right_stems]
        if left and right:
            matches += _match(left, right, self.synonyms.of)[0]
        matches.sort()
        return matches


def _match(
    left: Sequence[Placed], right: Sequence[Placed], synonyms: Callable[[str], Collection[str]] | None
) -> tuple[list[tuple[int, int]], list[Placed], list[Placed]]:
    """Match words from the last to the first; return the matches and what is left over of both texts."""
    places: dict[str, list[int]] = {}
    for place, word in right:
        places.setdefault(word, []).append(place)
    matches: list[tuple[int, int]] = []
    rest: list[Placed] = []
    for place, word in reversed(left):
        open_places = places.get(word)
        if synonyms is not None:
            found = [open_places] if open_places else []
            found += [others for other in synonyms(word) if (others := places.get(other))]
            open_places = max(found, key=_last, default=None)
        if open_places:
            matches.append((place, open_places.pop()))
        else:
            rest.append((place, word))
    rest.reverse()
    taken = {place for _, place in matches}
    return matches, rest, [placed for placed in right if placed[0] not in taken]


def _last(places: Sequence[int]) -> int:
    return places[-1]


def _count_chunks(matches: Sequence[tuple[int, int]]) -> int:
    """Count the runs of matches that follow one another in both texts."""
    return 1 + sum(
        (after[0] - before[0], after[1] - before[1]) != (1, 1) for before, after in pairwise(matches)
    )
