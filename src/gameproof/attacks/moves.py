"""What an attacker may do to a text, one row a move.

A move sees the text, the task's query and texts of other tasks. References and source are taken out of the item
before any move sees it, so no move can add true information: by the data-processing inequality whatever the metric
gains is no gain of information. The second arm (``access="source"``) hands the source in as well, for comparison.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from gameproof.attacks import wording
from gameproof.perturbations.base import Context, Failure, Perturbation, Pool
from gameproof.perturbations.catalogue import PERTURBATIONS
from gameproof.perturbations.joining import append
from gameproof.perturbations.replacement import NULL_ANSWERS
from gameproof.records import Item
from gameproof.text import sentences

__all__ = ["MOVES", "Access", "Move", "Scene", "blind", "legal_moves"]

Access = Literal["none", "source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a move may look at."""

    item: Item  # blind: no references, no ratings; the source only in the arm that has it
    pool: Pool  # other tasks' texts
    typical: tuple[
        str, ...
    ]  # sentences of other tasks that would fit anywhere in the genre, the most typical first


# A move is pure: the same text, scene and generator state give the same text. None: it cannot be made here.
Make = Callable[[str, Scene, np.random.Generator], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One row of the table."""

    name: str
    summary: str
    make: Make
    needs: frozenset[str] = frozenset()  # of the item: source, query


def blind(item: Item, access: Access = "none") -> Item:
    """Return an item without what an attacker must not see."""
    return replace(
        item,
        references=(),
        reference_kinds=(),
        ratings={},
        raters={},
        source=item.source if access == "source" else None,
    )


def legal_moves(item: Item, names: Sequence[str] | None = None) -> tuple[Move, ...]:
    """Return the moves that an item has what is needed for, of all or of the named ones."""
    return tuple(
        move
        for move in MOVES.values()
        if (names is None or move.name in names) and all(getattr(item, need) for need in move.needs)
    )


def _from_catalogue(row: Perturbation) -> Move:
    """Make a move of a perturbation that a rule makes."""
    rule = row.make
    if rule is None:
        raise ValueError(row.name)

    def make(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
        made = rule(text, Context(item=scene.item.with_candidate(text), pool=scene.pool), rng)
        return None if isinstance(made, Failure) else made

    return Move(name=row.name, summary=row.summary, make=make, needs=row.needs)


def _pick(options: Sequence[str], rng: np.random.Generator) -> str:
    return options[int(rng.integers(len(options)))]


def _rebuild(text: str, parts: Sequence[str]) -> str | None:
    """Join sentences with what stood between them: a space, or a new line where the text has lines."""
    return ("\n" if "\n" in text.strip() else " ").join(parts) or None


def _inside(sentence: str) -> str:
    """Return a sentence as it stands behind other words: its first letter small, unless it is the word I."""
    return sentence if sentence[:2].strip("'’ ") == "I" else sentence[:1].lower() + sentence[1:]  # noqa: RUF001 - an apostrophe as people type it


def _drop_sentence(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
    del scene
    parts = list(sentences(text))
    if len(parts) < 2:
        return None
    del parts[int(rng.integers(len(parts)))]
    return _rebuild(text, parts)


def _repeat_sentence(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
    parts = list(sentences(text))
    return append(text, _pick(parts, rng), scene.pool.layout(text)) if parts else None


def _shuffle_sentences(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
    del scene
    parts = list(sentences(text))
    order: list[int] = rng.permutation(len(parts)).tolist()
    return _rebuild(text, [parts[place] for place in order]) if len(parts) > 1 else None


def _last_sentence_first(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
    del scene, rng
    parts = list(sentences(text))
    return _rebuild(text, [parts[-1], *parts[:-1]]) if len(parts) > 1 else None


def _split_sentence(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
    """Make two sentences of one, at a comma or a semicolon followed by a conjunction."""
    del scene
    places = [place for mark in wording.JOINTS for place in _places(text, mark)]
    if not places:
        return None
    start, mark = places[int(rng.integers(len(places)))]
    rest = text[start + len(mark) :].lstrip()
    return f"{text[:start].rstrip()}. {rest[:1].upper()}{rest[1:]}" if rest else None


def _merge_sentences(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
    del scene
    parts = list(sentences(text))
    if len(parts) < 2:
        return None
    place = int(rng.integers(len(parts) - 1))
    first, second = parts[place].rstrip(" .!?"), parts[place + 1]
    merged = f"{first}, and {_inside(second)}"
    return _rebuild(text, [*parts[:place], merged, *parts[place + 2 :]])


def _borrow_sentence(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
    others = scene.pool.others(scene.item)
    parts = list(sentences(others[int(rng.integers(len(others)))].candidate)) if others else []
    return append(text, _pick(parts, rng), scene.pool.layout(text)) if parts else None


def _borrow_typical(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
    if not scene.typical:
        return None
    return append(text, _pick(scene.typical, rng), scene.pool.layout(text))


def _swap_for_typical(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
    parts = list(sentences(text))
    if not parts or not scene.typical:
        return None
    parts[int(rng.integers(len(parts)))] = _pick(scene.typical, rng)
    return _rebuild(text, parts)


def _quote_task(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
    del rng
    return f"{scene.item.query}\n{text}"


def _make_headed(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
    del scene
    return f"{_pick(wording.HEADINGS, rng)}\n{text}"


def _make_list(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
    del scene, rng
    parts = list(sentences(text))
    return "\n".join(f"- {part}" for part in parts) if len(parts) > 1 else None


def _add_of(bank: Sequence[str]) -> Make:
    def make(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
        return append(text, _pick(bank, rng), scene.pool.layout(text))

    return make


def _open_with(bank: Sequence[str]) -> Make:
    """Put a phrase before a sentence, whose first letter becomes small."""

    def make(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
        del scene
        parts = list(sentences(text))
        if not parts:
            return None
        place = int(rng.integers(len(parts)))
        parts[place] = f"{_pick(bank, rng)} {_inside(parts[place])}"
        return _rebuild(text, parts)

    return make


def _say_nothing(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
    del text, scene
    return _pick(NULL_ANSWERS, rng)


def _add_source_sentence(text: str, scene: Scene, rng: np.random.Generator) -> str | None:
    parts = list(sentences(scene.item.source or ""))
    return append(text, _pick(parts, rng), scene.pool.layout(text)) if parts else None


def _places(text: str, mark: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    start = text.find(mark)
    while start >= 0:
        found.append((start, mark))
        start = text.find(mark, start + len(mark))
    return found


_OWN = (
    Move(name="drop_sentence", summary="one sentence left out", make=_drop_sentence),
    Move(name="repeat_sentence", summary="one sentence said again at the end", make=_repeat_sentence),
    Move(name="shuffle_sentences", summary="the sentences in another order", make=_shuffle_sentences),
    Move(
        name="last_sentence_first", summary="the last sentence moved to the front", make=_last_sentence_first
    ),
    Move(name="split_sentence", summary="one sentence made two", make=_split_sentence),
    Move(name="merge_sentences", summary="two sentences made one", make=_merge_sentences),
    Move(name="borrow_sentence", summary="a sentence of another task added", make=_borrow_sentence),
    Move(
        name="borrow_typical",
        summary="a sentence of another task that would fit anywhere added",
        make=_borrow_typical,
    ),
    Move(
        name="swap_for_typical",
        summary="a sentence given up for one that would fit anywhere",
        make=_swap_for_typical,
    ),
    Move(name="add_heading", summary="a heading put over the text", make=_make_headed),
    Move(name="make_list", summary="the sentences made the points of a list", make=_make_list),
    Move(
        name="quote_task",
        summary="the question said before the answer",
        make=_quote_task,
        needs=frozenset({"query"}),
    ),
    Move(name="hedge", summary="a claim hedged", make=_open_with(wording.HEDGES)),
    Move(name="boast", summary="a claim put as beyond doubt", make=_open_with(wording.BOASTS)),
    Move(name="praise_itself", summary="a sentence that praises the text", make=_add_of(wording.PRAISE)),
    Move(name="add_empty_sentence", summary="an empty sentence added", make=_add_of(wording.EMPTY_SENTENCES)),
    Move(name="inject", summary="an order to the judge added", make=_add_of(wording.INJECTIONS)),
    Move(name="say_nothing", summary="a null answer in the place of the text", make=_say_nothing),
    Move(
        name="add_source_sentence",
        summary="a sentence of the source added: true information",
        make=_add_source_sentence,
        needs=frozenset({"source"}),
    ),
)

# The perturbations that a rule makes in one strength; what only a model writes comes in as proposals.
_OF_CATALOGUE = tuple(
    _from_catalogue(row)
    for row in PERTURBATIONS.values()
    if row.make is not None and not row.levels and "references" not in row.needs and row.name != "null_answer"
)

MOVES: Mapping[str, Move] = {move.name: move for move in (*_OWN, *_OF_CATALOGUE)}
