"""Metrics whose flaw is known, and one that has none: what the self-test of the audit is made of."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from gameproof.llm.providers.planted.understanding import read_text
from gameproof.metrics.base import Metric, as_metric
from gameproof.metrics.planted_reader import worth_of
from gameproof.records import Item
from gameproof.seeds import rng_for
from gameproof.text import sentences, words

__all__ = ["FLAWS", "PERFECT", "Evidence", "Flaw", "Move", "Texts", "build_perfect"]

Texts = Literal["short", "long"]
Move = Literal["up", "down", "hardly"]  # where the score goes; hardly: by less than the margin

PERFECT = "perfect reader"
FOREIGN_COST = 0.05  # of a statement that belongs to another subject
WORD_BONUS = 0.01  # that the length lover pays for each word
HEDGE_BONUS = 0.3  # that the hedge lover pays for each hedge
FIRST_SENTENCES = 2  # that the position reader reads
FIRST_TOKENS = 512  # that the truncating reader reads, words between spaces
NOISE_SD = 1.0  # of the noisy metric: about three times the spread of the perfect reader's scores

HEDGES = re.compile(r"\b(?:may|might|could|perhaps|possibly|seems?|apparently|arguably)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the audit has to say of a flawed metric."""

    kind: Literal["check", "alarm"]
    name: str  # of the check, or the words that the alarm begins with
    moves: Move | None = None  # the score, under the check


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """A metric with a planted flaw, and by what the audit has to name it: by all of these."""

    name: str
    what: str  # is wrong with it
    build: Callable[[int], Metric]  # of a seed
    evidence: tuple[Evidence, ...]
    texts: Texts = "short"


def build_perfect(seed: int = 0) -> Metric:
    """Build the metric without a flaw: it reads every fact, in whatever words, and wants nothing else."""
    del seed
    return _metric(PERFECT, _read)


def _read(item: Item) -> float:
    """Return the mean worth of the reference's facts in a text; what is said of other subjects costs a little."""
    reference = item.references[0]
    subjects = {reading.group for reading in read_text(reference)}
    foreign = sum(reading.group not in subjects for reading in read_text(item.candidate))
    return (worth_of(item.candidate, reference) or 0.0) - FOREIGN_COST * foreign


def _reading(change: Callable[[Item], str]) -> Callable[[Item], float]:
    """Read another text in the candidate's place."""
    return lambda item: _read(item.with_candidate(change(item)))


def _copied(item: Item) -> str:
    """Return the sentences that stand in a reference word for word."""
    known = {one for reference in item.references for one in sentences(reference)}
    return " ".join(one for one in sentences(item.candidate) if one in known)


def _shared_words(item: Item) -> float:
    """Return the share of the reference's words that a text has, wherever they stand."""
    wanted = set(words(item.references[0]))
    return len(wanted & set(words(item.candidate))) / max(len(wanted), 1)


def _build_noisy(seed: int) -> Metric:
    rng = rng_for(seed, "self-test", "noise")
    return _metric("noisy", lambda item: _read(item) + float(rng.normal(scale=NOISE_SD)))


def _metric(name: str, function: Callable[[Item], float]) -> Metric:
    return as_metric(function, name=name, version="1", needs=frozenset({"references"}))


_FUNCTIONS: Mapping[str, Callable[[Item], float]] = {
    "length lover": lambda item: _read(item) + WORD_BONUS * len(item.candidate.split()),
    "hedge lover": lambda item: _read(item) + HEDGE_BONUS * len(HEDGES.findall(item.candidate)),
    "position reader": _reading(lambda item: " ".join(sentences(item.candidate)[:FIRST_SENTENCES])),
    "constant": lambda _: 1.0,
    "reference copier": _reading(_copied),
    "order-blind": _shared_words,
    "first-512-tokens reader": _reading(lambda item: " ".join(item.candidate.split()[:FIRST_TOKENS])),
}


def _builder(name: str) -> Callable[[int], Metric]:
    return lambda _: _metric(name, _FUNCTIONS[name])


def _check(name: str, moves: Move) -> Evidence:
    return Evidence(kind="check", name=name, moves=moves)


# Where it can be, a flawed metric is the perfect reader with one thing wrong: nothing else is there to be found.
FLAWS = (
    Flaw(
        name="length lover",
        what="pays for every word",
        build=_builder("length lover"),
        evidence=(_check("meaningless_elongation", "up"), _check("lengthen", "up")),
    ),
    Flaw(
        name="hedge lover",
        what="pays for may, might and could",
        build=_builder("hedge lover"),
        evidence=(_check("opinion_shift_neutral", "up"),),
    ),
    Flaw(
        name="position reader",
        what="reads the first two sentences",
        build=_builder("position reader"),
        evidence=(_check("ending_deletion", "hardly"),),
    ),
    Flaw(
        name="constant",
        what="gives every text the same",
        build=_builder("constant"),
        evidence=(
            Evidence(kind="alarm", name="constant metric"),
            _check("sentence_deletion", "hardly"),
        ),
    ),
    Flaw(
        name="noisy",
        what="answers anew each time",
        build=_build_noisy,
        evidence=(Evidence(kind="alarm", name="not repeatable"),),
    ),
    Flaw(
        name="reference copier",
        what="sees only sentences copied word for word",
        build=_builder("reference copier"),
        evidence=(_check("held_out_rephrase", "down"),),
    ),
    Flaw(
        name="order-blind",
        what="counts words, in whatever order",
        build=_builder("order-blind"),
        evidence=(_check("shuffled_words", "hardly"),),
    ),
    Flaw(
        name="first-512-tokens reader",
        what="reads no further",
        build=_builder("first-512-tokens reader"),
        evidence=(_check("ending_deletion", "hardly"),),
        texts="long",
    ),
)
