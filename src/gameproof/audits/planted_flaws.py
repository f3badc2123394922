"""Metrics whose flaw is known, and one that has none: what the self-test of the audit is made of."""

import re
from collections.abc import Callable
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


def build_perfect() -> Metric:
    """Build the metric without a flaw: it reads every fact, in whatever words, and wants nothing else."""
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


def _flaw(
    name: str, what: str, function: Callable[[Item], float], *evidence: Evidence, texts: Texts = "short"
) -> Flaw:
    """Return a flawed metric that draws nothing."""
    return Flaw(name=name, what=what, build=lambda _: _metric(name, function), evidence=evidence, texts=texts)


def _check(name: str, moves: Move) -> Evidence:
    return Evidence(kind="check", name=name, moves=moves)


# Where it can be, a flawed metric is the perfect reader with one thing wrong: nothing else is there to be found.
FLAWS = (
    _flaw(
        "length lover",
        "pays for every word",
        lambda item: _read(item) + WORD_BONUS * len(item.candidate.split()),
        _check("meaningless_elongation", "up"),
        _check("lengthen", "up"),
    ),
    _flaw(
        "hedge lover",
        "pays for may, might and could",
        lambda item: _read(item) + HEDGE_BONUS * len(HEDGES.findall(item.candidate)),
        _check("opinion_shift_neutral", "up"),
    ),
    _flaw(
        "position reader",
        "reads the first two sentences",
        _reading(lambda item: " ".join(sentences(item.candidate)[:FIRST_SENTENCES])),
        _check("ending_deletion", "hardly"),
    ),
    _flaw(
        "constant",
        "gives every text the same",
        lambda _: 1.0,
        Evidence(kind="alarm", name="constant metric"),
        _check("sentence_deletion", "hardly"),
    ),
    Flaw(
        name="noisy",
        what="answers anew each time",
        build=_build_noisy,
        evidence=(Evidence(kind="alarm", name="not repeatable"),),
    ),
    _flaw(
        "reference copier",
        "sees only sentences copied word for word",
        _reading(_copied),
        _check("held_out_rephrase", "down"),
    ),
    _flaw(
        "order-blind",
        "counts words, in whatever order",
        _shared_words,
        _check("shuffled_words", "hardly"),
    ),
    _flaw(
        "first-512-tokens reader",
        "reads no further",
        _reading(lambda item: " ".join(item.candidate.split()[:FIRST_TOKENS])),
        _check("ending_deletion", "hardly"),
        texts="long",
    ),
)
