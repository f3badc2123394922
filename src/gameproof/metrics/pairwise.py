"""A language model compares two texts, in both orders: a winner only where the order does not decide."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from gameproof.errors import InputError
from gameproof.llm.asking import Asker, Question, Unread
from gameproof.llm.client import LanguageModel, Reply, Request
from gameproof.llm.replies import UNREADABLE, closed_object, read_choice
from gameproof.metrics.base import missing_before_scoring
from gameproof.metrics.judge import TOKENS_OUT, JudgeOptions, item_slots
from gameproof.metrics.judge_rubrics import DIMENSIONS
from gameproof.metrics.llm_calls import CallSize, size_requests
from gameproof.prompts.loading import load
from gameproof.prompts.messages import Message
from gameproof.records import Item

__all__ = ["Comparison", "PairwiseResult", "compare_texts", "planned_comparisons"]

MENU = ("first", "second", "tie")
REFS = ("all", "first", "none")
OTHER_ORDER = {"first": "second", "second": "first", "tie": "tie"}
MANY_FLIPS = 0.2  # of the pairs: with more the order of presentation has a say in the result


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What the judge says of one pair; ``first`` is the first text of the pair in either order."""

    winner: str | None  # first, second or tie; None where an answer is missing
    flipped: bool = False  # the two orders have different winners: a tie
    reason: str | None = None  # why there is no winner
    shown_first: tuple[
        str, ...
    ] = ()  # the answer in either order: first is then the text that was shown first


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseResult:
    """All pairs, and how much the order of presentation had to say."""

    comparisons: tuple[Comparison, ...]
    n_flipped: int
    n_missing: int
    notes: tuple[str, ...]

    @property
    def flip_rate(self) -> float | None:
        """The share of compared pairs whose winner depends on the order; None if there are none."""
        compared = len(self.comparisons) - self.n_missing
        return self.n_flipped / compared if compared else None

    @property
    def win_rate(self) -> float | None:
        """The share of compared pairs that the first text wins, ties counted half."""
        points = {"first": 1.0, "tie": 0.5, "second": 0.0}
        won = [points[each.winner] for each in self.comparisons if each.winner is not None]
        return sum(won) / len(won) if won else None


async def compare_texts(
    pairs: Sequence[tuple[Item, Item]],
    llm: LanguageModel,
    *,
    dimension: str = "overall",
    refs: str = "all",
    source: bool = False,
    query: bool = False,
    persona: bool = False,
) -> PairwiseResult:
    """Compare the candidates of pairs of items of one task, each pair in both orders.

    Args:
        pairs: Two items of one task each.
        llm: The model that judges.
        dimension: What is compared: a key of `DIMENSIONS`.
        refs: The references that the judge sees: all, first or none.
        source: Whether it sees the source.
        query: Whether it sees what the texts were written for.
        persona: Whether it sees for whom they were written.

    Raises:
        InputError: A pair is of two tasks, or the dimension or the choice of references is unknown.
    """
    asker = Asker(llm)
    options = _options(pairs, dimension=dimension, refs=refs, source=source, query=query, persona=persona)
    blocked = _blocked(pairs, options)
    answers = iter(await asker.ask(_questions(pairs, blocked, options, asker)))
    comparisons = tuple(
        Comparison(winner=None, reason=reason)
        if reason is not None
        else _combine(next(answers), next(answers))
        for reason in blocked
    )
    return _result(comparisons, asker)


def planned_comparisons(
    pairs: Sequence[tuple[Item, Item]],
    llm: LanguageModel,
    *,
    dimension: str = "overall",
    refs: str = "all",
    source: bool = False,
    query: bool = False,
    persona: bool = False,
) -> Mapping[Hashable, CallSize]:
    """Return the distinct calls that `compare_texts` with the same arguments makes; nothing is asked."""
    options = _options(pairs, dimension=dimension, refs=refs, source=source, query=query, persona=persona)
    questions = _questions(pairs, _blocked(pairs, options), options, Asker(llm))
    return size_requests((question.request for question in questions), tokens_out=TOKENS_OUT)


def _options(
    pairs: Sequence[tuple[Item, Item]], *, dimension: str, refs: str, source: bool, query: bool, persona: bool
) -> JudgeOptions:
    """Check what is asked, and return it."""
    for option, given, allowed in (("dimension", dimension, DIMENSIONS), ("refs", refs, REFS)):
        if given not in allowed:
            raise InputError(f"{option}: found {given!r}; allowed: {', '.join(allowed)}.")
    for first, second in pairs:
        if first.task_id != second.task_id:
            raise InputError(
                f"{first.id} and {second.id} are of different tasks; a pair must be of one.",
                hint="Pair the items that have the same task_id.",
            )
    return JudgeOptions(
        dimension=dimension,
        high=1,  # there is no scale
        style="pairwise",
        refs=refs,
        source=source,
        query=query,
        persona=persona,
        expectation=False,
        samples=1,
        temperature=0.0,
    )


def _blocked(pairs: Sequence[tuple[Item, Item]], options: JudgeOptions) -> list[str | None]:
    """Return for each pair why it cannot be compared; None where it can."""
    return [
        missing_before_scoring(first, options.needs) or missing_before_scoring(second, options.needs)
        for first, second in pairs
    ]


def _questions(
    pairs: Sequence[tuple[Item, Item]],
    blocked: Sequence[str | None],
    options: JudgeOptions,
    asker: Asker,
) -> list[Question[str]]:
    """Return two questions for each pair that can be compared."""
    open_pairs = [pair for pair, reason in zip(pairs, blocked, strict=True) if reason is None]
    return [
        _question(one, other, options, asker)
        for first, second in open_pairs
        for one, other in ((first, second), (second, first))
    ]


def _question(first: Item, second: Item, options: JudgeOptions, asker: Asker) -> Question[str]:
    slots = item_slots(first, options) | {"first": first.candidate, "second": second.candidate}
    messages = load("judge", "pairwise").render(**slots)
    request = Request(
        model=asker.name,
        messages=messages,
        schema=closed_object(
            {"reason": {"type": "string"}, "verdict": {"type": "string", "enum": list(MENU)}}
        ),
        schema_name="comparison",
        purpose="pairwise",
    )
    return Question(request=request, read=partial(_read, prompt=messages))


def _read(reply: Reply, *, prompt: Sequence[Message]) -> str | Unread:
    read = read_choice(reply, MENU, prompt=prompt)
    return Unread(reason=read.reason or UNREADABLE) if read.value is None else read.value


def _combine(forward: str | Unread, backward: str | Unread) -> Comparison:
    """Put both orders together: what they do not agree on is a tie."""
    if isinstance(forward, Unread):
        return Comparison(winner=None, reason=forward.reason)
    if isinstance(backward, Unread):
        return Comparison(winner=None, reason=backward.reason)
    shown = (forward, backward)
    if forward == OTHER_ORDER[backward]:
        return Comparison(winner=forward, shown_first=shown)
    return Comparison(winner="tie", flipped=True, shown_first=shown)


def _result(comparisons: tuple[Comparison, ...], asker: Asker) -> PairwiseResult:
    n_flipped = sum(each.flipped for each in comparisons)
    n_missing = sum(each.winner is None for each in comparisons)
    n_compared = len(comparisons) - n_missing
    notes = list(asker.notes())
    if n_compared and n_flipped / n_compared > MANY_FLIPS:
        notes.append(
            f"order decides: {n_flipped:,} of {n_compared:,} pairs have another winner in the other order,"
            " and count as ties"
        )
    return PairwiseResult(
        comparisons=comparisons, n_flipped=n_flipped, n_missing=n_missing, notes=tuple(notes)
    )
