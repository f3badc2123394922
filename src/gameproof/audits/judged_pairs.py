"""Pairs of texts of one task, chosen between by a language model: which are drawn, and what came of them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gameproof.errors import InputError
from gameproof.metrics.pairwise import Comparison, PairwiseResult
from gameproof.records import Item
from gameproof.seeds import rng_for

__all__ = ["JudgedPairs", "SystemTally", "draw_pairs", "pair_rows", "tally"]

UNNAMED = "(no system)"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemTally:
    """How one system fared in its pairs with others."""

    system: str
    pairs: int  # that have a winner or are a tie
    wins: int
    ties: int  # those that the order decided among them
    losses: int
    win_rate: float | None  # ties counted half; None without pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPairs:
    """All pairs, and how much the order of presentation had to say."""

    pairs: tuple[tuple[Item, Item], ...]
    comparisons: tuple[Comparison, ...]
    systems: tuple[SystemTally, ...]  # best first
    n_flipped: int  # pairs whose winner is another one in the other order: ties
    n_missing: int
    missing: Mapping[str, int]  # reason -> count
    flip_rate: float | None  # of the pairs that were compared
    first_rate: float | None  # of single answers, those for the text shown first; ties left out
    notes: tuple[str, ...]


def draw_pairs(
    items: Sequence[Item], *, baseline: str | None = None, per_task: int | None = None, seed: int = 0
) -> list[tuple[Item, Item]]:
    """Pair the texts of each task, in the order of the data.

    Args:
        items: Texts.
        baseline: Only pairs with a text of this system, which comes second, and one of another system.
        per_task: At most so many pairs of a task, drawn at random; all where None.
        seed: Of the draw.

    Raises:
        InputError: There are no pairs.
    """
    by_task: dict[str, list[Item]] = {}
    for item in items:
        by_task.setdefault(item.task_id, []).append(item)
    systems = sorted({item.system for item in items if item.system is not None})
    if baseline is not None and baseline not in systems:
        shown = ", ".join(systems) or "the data names none"
        raise InputError(f"baseline: found {baseline!r}; allowed is a system of the data: {shown}.")
    pairs: list[tuple[Item, Item]] = []
    for task, texts in by_task.items():
        found = list(combinations(texts, 2)) if baseline is None else _against(baseline, texts)
        if per_task is not None and len(found) > per_task:
            order = rng_for(seed, "judged pairs", task).permutation(len(found))
            found = [found[int(place)] for place in np.sort(order[:per_task])]
        pairs += found
    if not pairs:
        raise InputError(
            "there are no pairs: no task has two texts to choose between.",
            hint="Rows with the same task_id are texts of one task.",
        )
    return pairs


def tally(pairs: Sequence[tuple[Item, Item]], found: PairwiseResult) -> JudgedPairs:
    """Count what came of the pairs, by system."""
    missing = Counter(each.reason or "" for each in found.comparisons if each.winner is None)
    answers = [
        answer for each in found.comparisons for answer in each.shown_first if answer in {"first", "second"}
    ]
    return JudgedPairs(
        pairs=tuple(pairs),
        comparisons=found.comparisons,
        systems=_tallies(pairs, found.comparisons),
        n_flipped=found.n_flipped,
        n_missing=found.n_missing,
        missing=dict(missing),
        flip_rate=found.flip_rate,
        first_rate=answers.count("first") / len(answers) if answers else None,
        notes=found.notes,
    )


def pair_rows(judged: JudgedPairs) -> Iterator[dict[str, object]]:
    """Yield one row for each pair."""
    for (first, second), each in zip(judged.pairs, judged.comparisons, strict=True):
        winner = {"first": first.id, "second": second.id}.get(each.winner or "", each.winner)
        yield {
            "task": first.task_id,
            "first": first.id,
            "second": second.id,
            "first_system": first.system,
            "second_system": second.system,
            "winner": winner,
            "flipped": each.flipped,
            "reason": each.reason,
        }


def _against(baseline: str, texts: Sequence[Item]) -> list[tuple[Item, Item]]:
    own = [item for item in texts if item.system == baseline]
    return [(other, item) for other in texts if other.system != baseline for item in own]


def _tallies(
    pairs: Sequence[tuple[Item, Item]], comparisons: Sequence[Comparison]
) -> tuple[SystemTally, ...]:
    counts: dict[str, Counter[str]] = {}
    for (first, second), each in zip(pairs, comparisons, strict=True):
        names = (first.system or UNNAMED, second.system or UNNAMED)
        if each.winner is None or names[0] == names[1]:
            continue
        for name, place in zip(names, ("first", "second"), strict=True):
            outcome = "ties" if each.winner == "tie" else "wins" if each.winner == place else "losses"
            counts.setdefault(name, Counter())[outcome] += 1
    found = [
        SystemTally(
            system=name,
            pairs=count.total(),
            wins=count["wins"],
            ties=count["ties"],
            losses=count["losses"],
            win_rate=(count["wins"] + count["ties"] / 2) / count.total(),
        )
        for name, count in counts.items()
    ]
    return tuple(sorted(found, key=lambda one: (-(one.win_rate or 0), one.system)))
