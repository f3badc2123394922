"""The predictor that asks a classifier of entailment: does the candidate entail a unit of a reference?

    premise     the candidate
    hypothesis  the unit
    p_e, p_n, p_c  probabilities that it is entailed, neither, contradicted

What is neither says nothing, so it counts half for each side. With equal odds beforehand the unit is then true
with probability s and the density ratio is what the candidate does to its odds:

    s = p_e + p_n / 2        log r = log(p_e + p_n / 2) - log(p_c + p_n / 2)        T = s - 1/2  (critic=soft)

A model with two labels tells entailed from not entailed; then s = p_e and log r = log(p_e / (1 - p_e)). The ratio
has no bounds: a model that is certain gives one far beyond 8.

A candidate too long for the model is read in windows of whole sentences, and the window that supports the unit
best counts: nothing is cut off, but a contradiction outside that window is not seen. Units too long to leave room
for a candidate are not judged.
"""

import asyncio
import math
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from gameproof import text as texts
from gameproof.errors import EndpointError
from gameproof.fmi.estimators import Quantity
from gameproof.metrics.predictors.base import Block, Predictions
from gameproof.metrics.reference_pool import ReferencePool
from gameproof.records import BoolArray, FloatArray

__all__ = ["EXAMPLES", "Nli", "NliScores", "PairClassifier", "PreparedNli", "Roles", "read_roles"]

TOO_LONG = "too long for the NLI model: no room is left for a candidate"
MAX_KEPT = 1_000_000  # pairs whose ratio is remembered
SPARE = 2  # tokens that joining sentences may add
MIN_RIGHT = 0.8  # of the built-in comparisons, or the model cannot tell support from its opposite

SUPPORT = ("entail", "support", "imply", "implies")
AGAINST = (
    "contradict",
    "refut",
    "not_entail",
    "not entail",
    "not_support",
    "not support",
    "non_entail",
    "non-entail",
)
NEITHER = ("neutral", "not_enough", "not enough", "nei", "unrelated", "unknown", "neither")

# (premise, what it entails, what it contradicts, what it says nothing about)
EXAMPLES = (
    (
        "The museum bought two paintings in May. Both of them are on view now.",
        "The museum bought two paintings.",
        "The museum did not buy any paintings.",
        "The harbour is deep enough for large ships.",
    ),
    (
        "The bus leaves at seven in the morning and takes two hours.",
        "The bus takes two hours.",
        "The bus does not take two hours.",
        "The pears were picked last week.",
    ),
    (
        "In my view the report is clear, and the tables are complete.",
        "The tables are complete.",
        "The tables are not complete.",
        "The dog sleeps in the kitchen.",
    ),
    (
        "The bridge was closed because its cables were worn.",
        "The bridge was closed.",
        "The bridge was not closed.",
        "The singer has a new teacher.",
    ),
)


class PairClassifier(Protocol):
    """Something that classifies pairs of texts."""

    @property
    def label(self) -> str:
        """What a signature says of it."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """Its labels, in the order of `score`'s columns."""
        ...

    @property
    def max_tokens(self) -> int:
        """How many tokens both texts may have together."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of texts."""
        ...

    def score(self, pairs: Sequence[tuple[str, str]], *, batch: int) -> FloatArray:
        """Return log-probabilities: a row a pair, a column a label."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Which columns of a classifier mean what."""

    support: int
    against: int
    neither: int | None  # None: it has two labels

    def log_ratios(self, log_probabilities: FloatArray) -> FloatArray:
        """Turn rows of log-probabilities into log density ratios."""
        supported, opposed = log_probabilities[:, self.support], log_probabilities[:, self.against]
        if self.neither is None:
            return supported - opposed
        half = log_probabilities[:, self.neither] - math.log(2)
        return np.logaddexp(supported, half) - np.logaddexp(opposed, half)


def read_roles(labels: Sequence[str]) -> Roles:
    """Find out from the names of labels which one means support.

    Raises:
        EndpointError: The names do not say it.

    Example:
        >>> read_roles(("CONTRADICTION", "NEUTRAL", "ENTAILMENT"))
        Roles(support=2, against=0, neither=1)
    """
    named = [label.strip().casefold() for label in labels]
    against = [place for place, name in enumerate(named) if name.startswith(AGAINST)]
    support = [place for place, name in enumerate(named) if name.startswith(SUPPORT)]
    neither = [place for place, name in enumerate(named) if name.startswith(NEITHER)]
    complete = sorted([*support, *against, *neither]) == list(range(len(named)))
    if not (complete and len(support) == len(against) == 1 and len(neither) <= 1):
        raise EndpointError(
            f"the labels of the model ({', '.join(labels)}) do not say which one means support.",
            hint="In its config.json, id2label must name entailment and contradiction, and may name neutral.",
        )
    return Roles(support=support[0], against=against[0], neither=neither[0] if neither else None)


class NliScores:
    """log r of pairs for all metrics of a run: each pair goes through the model once."""

    def __init__(self, classifier: PairClassifier) -> None:
        """Ask nothing yet."""
        self.classifier = classifier
        self._roles: Roles | None = None
        self._kept: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._windowed: dict[str, int] = {}  # candidate -> windows
        self.n_scored = 0

    @property
    def nbytes(self) -> int:
        """Next to nothing: what is kept here has a bound of its own."""
        return 1000

    def __reduce__(self) -> tuple[type["NliScores"], tuple[PairClassifier]]:
        return NliScores, (self.classifier,)

    def notes(self) -> tuple[str, ...]:
        """Say how many candidates were read in windows."""
        if not self._windowed:
            return ()
        most = max(self._windowed.values())
        said = f"{len(self._windowed):,} candidates are longer than {self.classifier.label} reads at once"
        return (f"{said}: they were read in up to {most:,} windows, and the best support counts",)

    def check(self) -> Roles:
        """Read the labels, and try the model on built-in sentences.

        Raises:
            EndpointError: The names do not say which label means support, or the model does not give it to what
                is supported.
        """
        if self._roles is None:
            roles = read_roles(self.classifier.labels)
            _try_out(self.classifier, roles)
            self._roles = roles
        return self._roles

    def judgeable(self, units: Sequence[str]) -> BoolArray:
        """Say which units leave half of the model's room to the candidate."""
        most = self.classifier.max_tokens // 2
        return np.array([count <= most for count in self.classifier.count_tokens(units)], dtype=np.bool_)

    def find(self, pairs: Sequence[tuple[str, str]], *, batch: int) -> list[float]:
        """Return log r of each pair of candidate and unit."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._kept]
        windows = dict(zip(new, self._windows(new), strict=True))
        asked = list(
            dict.fromkeys((window, unit) for (_, unit), parts in windows.items() for window in parts)
        )
        if asked:
            ratios = self.check().log_ratios(self.classifier.score(asked, batch=batch))
            self.n_scored += len(asked)
            found = dict(zip(asked, ratios.tolist(), strict=True))
            for pair, parts in windows.items():
                self._kept[pair] = max(found[window, pair[1]] for window in parts)
        answers = [self._kept[pair] for pair in pairs]
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return answers

    def _windows(self, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
        """Yield what is read of each candidate: itself, or parts of it that fit beside the unit."""
        names = list(dict.fromkeys(text for pair in pairs for text in pair))
        lengths = dict(zip(names, self.classifier.count_tokens(names), strict=True))
        known: dict[tuple[str, int], tuple[str, ...]] = {}
        for candidate, unit in pairs:
            room = self.classifier.max_tokens - lengths[unit]
            if lengths[candidate] <= room:
                yield (candidate,)
                continue
            if (candidate, room) not in known:
                known[candidate, room] = tuple(self._cut(candidate, room - SPARE))
            windows = known[candidate, room]
            self._windowed[candidate] = max(len(windows), self._windowed.get(candidate, 0))
            yield windows

    def _cut(self, candidate: str, room: int) -> Iterator[str]:
        """Yield runs of whole sentences that fit; a sentence that does not fit is halved between words."""
        window: list[str] = []
        taken = 0
        for piece, length in self._pieces(texts.sentences(candidate), room):
            if window and taken + length > room:
                yield " ".join(window)
                window, taken = [], 0
            window.append(piece)
            taken += length
        if window:
            yield " ".join(window)

    def _pieces(self, sentences: Sequence[str], room: int) -> Iterator[tuple[str, int]]:
        for sentence, length in zip(sentences, self.classifier.count_tokens(sentences), strict=True):
            middle = _middle(sentence)
            if length <= room or middle == 0:
                yield sentence, length
            else:
                yield from self._pieces((sentence[:middle].strip(), sentence[middle:].strip()), room)


def _middle(sentence: str) -> int:
    """Return where to halve a sentence: at the space nearest to its middle, or there where it has none."""
    half = len(sentence) // 2
    spaces = [place for place, sign in enumerate(sentence) if sign.isspace()]
    return min(spaces, key=lambda place: abs(place - half)) if spaces else half


def _try_out(classifier: PairClassifier, roles: Roles) -> None:
    """Hold the support of what is entailed against that of what is not, on built-in sentences."""
    pairs = [(premise, said) for premise, *three in EXAMPLES for said in three]
    ratios = roles.log_ratios(classifier.score(pairs, batch=len(pairs))).reshape(len(EXAMPLES), 3)
    entailed, others = ratios[:, 0], ratios[:, 1:]
    right = float((entailed[:, None, None] > others[None, :, :]).mean())
    contradicted = float((entailed[:, None] > others[None, :, 0]).mean())
    if min(right, contradicted) < MIN_RIGHT:
        raise EndpointError(
            f"{classifier.label} cannot tell what is supported: of built-in sentences, those that are entailed got"
            f" more support than contradicted ones in {contradicted:.0%} and than any others in {right:.0%} of"
            f" comparisons (at least {MIN_RIGHT:.0%} is needed).",
            hint=f"Is it a model of entailment, and are its labels right ({', '.join(classifier.labels)})?",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Nli:
    """A classifier of entailment, before it knows the references."""

    scores: NliScores
    batch: int = 8
    looks: bool = True  # at the model, when it prepares

    @property
    def label(self) -> str:
        """What a signature says of the model."""
        return self.scores.classifier.label

    def rehearsal(self) -> "Nli":
        """Return a predictor that prepares without loading the model."""
        return replace(self, looks=False)

    async def prepare(self, pool: ReferencePool) -> "PreparedNli":
        """Check the model, and find the units that are too long for it.

        Raises:
            EndpointError: It cannot tell support from its opposite.
        """
        judgeable = np.ones(len(pool.units), dtype=np.bool_)
        if self.looks:
            await asyncio.to_thread(self.scores.check)
            judgeable = await asyncio.to_thread(self.scores.judgeable, pool.units)
        return PreparedNli(predictor=self, units=pool.units, judgeable=judgeable)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedNli:
    """A classifier of entailment that knows the units of the run."""

    predictor: Nli
    units: tuple[str, ...]
    judgeable: BoolArray
    not_judgeable: str = TOO_LONG

    def notes(self) -> tuple[str, ...]:
        """Say what a reader of the scores must know about how candidates were read."""
        return self.predictor.scores.notes()

    async def predict(self, blocks: Sequence[Block], quantity: Quantity) -> list[Predictions]:
        """Classify all pairs of all blocks, each once."""
        pairs = [
            (candidate, self.units[int(place)])
            for block in blocks
            for candidate in block.candidates
            for place in block.units
        ]
        found = await asyncio.to_thread(self.predictor.scores.find, pairs, batch=self.predictor.batch)
        log_ratios = np.array(found, dtype=np.float64)
        values = log_ratios if quantity == "log_ratio" else np.tanh(log_ratios / 2) / 2  # s - 1/2
        predictions: list[Predictions] = []
        first = 0
        for block in blocks:
            shape = (len(block.candidates), len(block.units))
            size = shape[0] * shape[1]
            predictions.append(Predictions(values=values[first : first + size].reshape(shape)))
            first += size
        return predictions
