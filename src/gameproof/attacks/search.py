"""Search for texts that a metric likes better: the loop, whatever the strategy.

The attacker is told scores and nothing else. Each text has its own budget of scored proposals, which is never
exceeded; the draws for a text depend on the seed, the text and the round only, so the same seed finds the same texts
and a stopped attack goes on where it was.
"""

import hashlib
import math
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gameproof.attacks.moves import Move, Scene
from gameproof.attacks.strategies import Strategy
from gameproof.records import Item
from gameproof.seeds import rng_for
from gameproof.text import sentences, words

__all__ = ["Allow", "Arms", "Found", "Hunt", "Limits", "Search"]

MOST_TRIES = 12  # to make one new legal text, before the round goes on without it
MOST_IDLE = 4  # rounds without a new legal text, before the rest of a budget is given up
FIRST_MOVES = 3  # of `from_original`
EXPLORATION = 0.7  # of the bandit: the constant of UCB1, in units of a text's own spread of scores


Allow = Callable[[Sequence[Item]], Awaitable[Sequence[bool]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an attacked text has to keep."""

    budget: int = 64  # scored proposals for each text
    longest: float = 2.0  # times the words of the original
    allow: Allow | None = None  # a floor of fluency


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A text that was scored."""

    text: str
    score: float  # larger is better, whatever the metric's own direction
    moves: tuple[str, ...] = ()
    call: int = 0  # which proposal it was: 1 is the first, 0 the original


@dataclass(slots=True)
class Hunt:
    """What is known of one item's attack."""

    item: Item
    kept: list[Found]  # best first; starts with the original
    record: list[Found]  # each text that was the best so far, the original first
    n_calls: int = 0
    n_rounds: int = 0
    n_idle: int = 0  # rounds since a new text could be made
    failures: dict[str, int] = field(default_factory=dict[str, int])  # reason -> proposals
    seen: set[str] = field(default_factory=set[str])  # digests of all texts that were proposed

    @property
    def original(self) -> Found:
        """The text nobody attacked."""
        return self.record[0]

    @property
    def spread(self) -> float:
        """How far the scores of its texts lie apart: the unit of the bandit's curiosity."""
        scores = [found.score for found in (*self.kept, *self.record)]
        return float(np.ptp(scores)) or abs(self.original.score) or 1.0

    def best_within(self, budget: int) -> Found:
        """Return the best text of the first so many proposals."""
        return [found for found in self.record if found.call <= budget][-1]


@dataclass(slots=True)
class Arms:
    """What each move gained so far: the memory of the bandit."""

    pulls: dict[str, int] = field(default_factory=dict[str, int])
    gains: dict[str, float] = field(default_factory=dict[str, float])

    def learn(self, move: str, gain: float) -> None:
        """Take note of what a move gained over the text it was made of."""
        self.pulls[move] = self.pulls.get(move, 0) + 1
        self.gains[move] = self.gains.get(move, 0.0) + gain

    def choose(self, moves: Sequence[Move], scale: float, rng: np.random.Generator) -> Move:
        """Choose by UCB1: the mean gain of a move and what is still unknown of it; untried ones first."""
        fresh = [move for move in moves if move.name not in self.pulls]
        if fresh:
            return fresh[int(rng.integers(len(fresh)))]
        total = math.log(sum(self.pulls[move.name] for move in moves) + 1)
        bounds = [
            self.gains[move.name] / self.pulls[move.name]
            + EXPLORATION * scale * math.sqrt(total / self.pulls[move.name])
            for move in moves
        ]
        return moves[int(np.argmax(bounds))]


# (items with proposed texts) -> a score each, larger is better, or the reason why there is none
Scorer = Callable[[Sequence[Item]], Awaitable[Sequence[float | str]]]
Proposer = Callable[[Sequence[tuple[Hunt, Found]]], Awaitable[Sequence[str | None]]]
Keeper = Callable[[Sequence[Hunt], Arms], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """An attack on one metric, ready to start or to go on.

    Attributes:
        name: Of the attack, so that two attacks of a run draw differently.
        scenes: Item id -> what moves may look at.
        moves: Item id -> legal moves.
        strategy: A row of the table.
        score: The metric that is attacked.
        limits: Budget, length, and a floor of fluency.
        seed: Of all draws.
        propose: A language model that proposes texts, one for each of the given; half of all proposals are its.
    """

    name: str
    scenes: Mapping[str, Scene]
    moves: Mapping[str, Sequence[Move]]
    strategy: Strategy
    score: Scorer
    limits: Limits
    seed: int
    propose: Proposer | None = None

    async def run(self, hunts: Sequence[Hunt], arms: Arms, after_round: Keeper) -> None:
        """Attack texts until each budget is spent; `hunts` and `arms` are changed in place.

        Args:
            hunts: One for each item, with the original's score in it.
            arms: What the bandit knows already.
            after_round: Told when a round is complete, to keep it.
        """
        for each in hunts:
            each.seen.update(digest(found.text) for found in [*each.kept, *each.record])
        while active := [each for each in hunts if self._goes_on(each)]:
            made = [(each, *pair) for each in active for pair in self._by_moves(each, arms)]
            made = await self._fluent([*made, *await self._by_model(active)])
            scores = await self.score([each.item.with_candidate(found.text) for each, _, found in made])
            for (each, parent, found), value in zip(made, scores, strict=True):
                _take(each, parent, found, value, arms)
            busy = {id(each) for each, _, _ in made}
            for each in active:
                each.n_rounds += 1
                each.n_idle = 0 if id(each) in busy else each.n_idle + 1
                each.kept.sort(key=lambda found: (-found.score, found.call))
                del each.kept[self.strategy.kept :]
            after_round(hunts, arms)

    def _goes_on(self, each: Hunt) -> bool:
        return (
            each.n_calls < self.limits.budget
            and each.n_idle < MOST_IDLE
            and not math.isnan(each.original.score)
        )

    def _room(self, each: Hunt) -> int:
        return min(self.strategy.per_round, self.limits.budget - each.n_calls)

    def _fits(self, each: Hunt, text: str) -> bool:
        longest = self.limits.longest * max(len(words(each.original.text)), 1)
        return bool(text.strip()) and digest(text) not in each.seen and len(words(text)) <= longest

    def _by_moves(self, each: Hunt, arms: Arms) -> Iterator[tuple[Found, Found]]:
        """Yield (parent, proposal) for one round of one item."""
        if not self.moves[each.item.id]:
            return
        rng = rng_for(self.seed, "attack", self.name, each.item.id, each.n_rounds)
        room = self._room(each)
        for _ in range(room if self.propose is None else (room + 1) // 2):
            for tried in range(MOST_TRIES):
                first = self.strategy.from_original
                parent = each.original if first else each.kept[int(rng.integers(len(each.kept)))]
                by_bandit = self.strategy.bandit and tried < MOST_TRIES // 2
                text, used = self._change(parent, each, arms if by_bandit else None, rng)
                if text is not None and self._fits(each, text):
                    each.seen.add(digest(text))
                    yield parent, Found(text=text, score=math.nan, moves=(*parent.moves, *used))
                    break
                if self.strategy.bandit and used:
                    arms.learn(used[-1], 0.0)  # what cannot be done gains nothing, and is tried less

    def _change(
        self, parent: Found, each: Hunt, arms: Arms | None, rng: np.random.Generator
    ) -> tuple[str | None, tuple[str, ...]]:
        strategy, moves = self.strategy, self.moves[each.item.id]
        if strategy.crossing and len(each.kept) > 1 and rng.random() < strategy.crossing:
            other = each.kept[int(rng.integers(len(each.kept)))]
            return _cross(parent.text, other.text, rng), ("cross",)
        text: str | None = parent.text
        used: list[str] = []
        for _ in range(1 + int(rng.integers(FIRST_MOVES)) if strategy.from_original else 1):
            move = (
                arms.choose(moves, each.spread, rng)
                if arms is not None
                else moves[int(rng.integers(len(moves)))]
            )
            text = move.make(text, self.scenes[each.item.id], rng)
            used.append(move.name)
            if text is None:
                break
        return text, tuple(used)

    async def _by_model(self, active: Sequence[Hunt]) -> list[tuple[Hunt, Found, Found]]:
        """Let a language model propose the other half of a round."""
        if self.propose is None:
            return []
        asked = [
            (each, each.kept[place % len(each.kept)])
            for each in active
            for place in range(self._room(each) // 2)
        ]
        made: list[tuple[Hunt, Found, Found]] = []
        for (each, parent), text in zip(asked, await self.propose(asked), strict=True):
            if text is not None and self._fits(each, text):
                each.seen.add(digest(text))
                moves = (*parent.moves, "proposal")
                made.append((each, parent, Found(text=text, score=math.nan, moves=moves)))
        return made

    async def _fluent(self, made: list[tuple[Hunt, Found, Found]]) -> list[tuple[Hunt, Found, Found]]:
        if self.limits.allow is None or not made:
            return made
        allowed = await self.limits.allow([each.item.with_candidate(found.text) for each, _, found in made])
        return [row for row, good in zip(made, allowed, strict=True) if good]


def digest(text: str) -> str:
    """Return what a text is remembered by."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _cross(first: str, second: str, rng: np.random.Generator) -> str | None:
    """Put the beginning of one text before the end of another."""
    head, tail = list(sentences(first)), list(sentences(second))
    if len(head) < 2 or len(tail) < 2:
        return None
    return " ".join(
        [*head[: 1 + int(rng.integers(len(head) - 1))], *tail[1 + int(rng.integers(len(tail) - 1)) :]]
    )


def _take(each: Hunt, parent: Found, found: Found, value: float | str, arms: Arms) -> None:
    """Enter a scored proposal; one without a score has used up its call all the same."""
    each.n_calls += 1
    if isinstance(value, str):
        each.failures[value] = each.failures.get(value, 0) + 1
        return
    scored = replace(found, score=value, call=each.n_calls)
    each.kept.append(scored)
    if len(scored.moves) > len(parent.moves):
        arms.learn(scored.moves[-1], value - parent.score)
    if value > each.record[-1].score:
        each.record.append(scored)
