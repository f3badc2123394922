"""Draw where each summary stands and who meets whom, from the study's seed.

The draw is made when a query is given and stored with it, so that what was shown never depends on the program's
version. A reader cannot learn anything from it: positions are a random permutation of the conditions for every query,
sides are drawn anew for every match.

Designs:

- ``tournament``: single elimination, as the paper. Fewest comparisons (3 of 4 summaries), but it *loses information*:
  finals are held between winners, so an effect is amplified by selection (methods 4.5), and a "neither" costs the
  final as well. Head-to-head shares of the first round are the ones to read.
- ``all_pairs``: every pair once, in random order: no selection.
- ``balanced``: a few pairs of each query, such that over readers and queries every pair is met equally often, and
  every condition as often as possible within a query.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, cast

import numpy as np

from gameproof.seeds import rng_for
from gameproof.study.model import Study
from gameproof.study.tournament import Entrant, Match, WinnerOf

__all__ = ["draw_assignment", "pairs_in_rounds", "read_schedule", "round_names"]

PAIRS = "pairs"


def draw_assignment(study: Study, participant: str, number: int, query: int) -> dict[str, object]:
    """Draw the places and the matches of one query; the same arguments give the same draw.

    Args:
        study: Its seed, conditions and design.
        participant: The reader's id.
        number: The reader's number in the study, from 0: what a balanced design rotates over.
        query: From 1.

    Returns:
        ``positions`` (condition ids, by position) and ``schedule`` (rows of number, round, left, right; a winner of
        match m is written ``"w<m>"``), as JSON has them.
    """
    rng = rng_for(study.seed, "study", "assign", participant, query)
    ids = [condition.id for condition in study.conditions]
    n = len(ids)
    if study.design.kind == "tournament":
        order = rng.permutation(n)
        matches = _elimination(n, rng)
    else:
        order = np.arange(n) if study.design.kind == "balanced" else rng.permutation(n)
        pairs = (
            list(combinations(range(n), 2))
            if study.design.kind == "all_pairs"
            else _block(study, number, query)
        )
        matches = _separate(pairs, rng)
        if study.design.kind == "balanced":  # pairs are of conditions: move them with their places
            order = rng.permutation(n)
            place_of = {int(condition): place for place, condition in enumerate(order)}
            matches = [
                Match(
                    number=m.number,
                    round=m.round,
                    left=place_of[cast("int", m.left)],
                    right=place_of[cast("int", m.right)],
                )
                for m in matches
            ]
    return {
        "positions": [ids[int(place)] for place in order],
        "schedule": [
            {"number": m.number, "round": m.round, "left": _written(m.left), "right": _written(m.right)}
            for m in matches
        ],
    }


def read_schedule(rows: Sequence[Mapping[str, Any]]) -> tuple[Match, ...]:
    """Read a stored schedule.

    Example:
        >>> read_schedule([{"number": 1, "round": "pairs", "left": 0, "right": 1}])[0].right
        1
    """
    return tuple(
        Match(number=row["number"], round=row["round"], left=_read(row["left"]), right=_read(row["right"]))
        for row in rows
    )


def round_names(n_rounds: int) -> list[str]:
    """Name the rounds of an elimination.

    Example:
        >>> round_names(3)
        ['round1', 'round2', 'final']
    """
    return [*(f"round{place + 1}" for place in range(n_rounds - 1)), "final"]


def pairs_in_rounds(n: int) -> list[tuple[int, int]]:
    """Return all pairs of n in an order in which neighbours share nobody, by the circle method.

    Any n // 2 pairs that follow one another from the start of a round have everybody (but one, where n is odd) once.

    Example:
        >>> pairs_in_rounds(4)
        [(0, 3), (2, 1), (2, 0), (3, 1), (0, 1), (3, 2)]
    """
    players = [*range(n), *([-1] if n % 2 else [])]
    found: list[tuple[int, int]] = []
    for turn in range(len(players) - 1):
        for place in range(len(players) // 2):
            one, other = players[place], players[-1 - place]
            if -1 not in {one, other}:
                found.append((one, other) if (turn + place) % 2 == 0 else (other, one))
        players = [players[0], players[-1], *players[1:-1]]
    return found


def _block(study: Study, number: int, query: int) -> list[tuple[int, int]]:
    """Return the pairs of conditions of one query of a balanced design: the next so many of an endless round."""
    pairs = pairs_in_rounds(len(study.conditions))
    size = study.n_comparisons
    start = (number * study.n_queries + query - 1) * size
    return [pairs[(start + place) % len(pairs)] for place in range(size)]


def _elimination(n: int, rng: np.random.Generator) -> list[Match]:
    """Pair neighbours, then winners, until one is left; sides of later rounds are drawn."""
    entrants: list[Entrant] = list(range(n))
    matches: list[Match] = []
    for name in round_names(max(n.bit_length() - 1, 1)):
        winners: list[Entrant] = []
        for place in range(0, len(entrants), 2):
            sides = entrants[place : place + 2]
            if isinstance(sides[0], WinnerOf) and rng.random() < 1 / 2:
                sides.reverse()
            matches.append(Match(number=len(matches) + 1, round=name, left=sides[0], right=sides[1]))
            winners.append(WinnerOf(match=len(matches)))
        entrants = winners
    return matches


def _separate(pairs: Sequence[tuple[int, int]], rng: np.random.Generator) -> list[Match]:
    """Put pairs into a random order, each on random sides."""
    matches: list[Match] = []
    for place in rng.permutation(len(pairs)):
        one, other = pairs[int(place)]
        left, right = (one, other) if rng.random() < 1 / 2 else (other, one)
        matches.append(Match(number=len(matches) + 1, round=PAIRS, left=left, right=right))
    return matches


def _written(entrant: Entrant) -> int | str:
    return entrant if isinstance(entrant, int) else f"w{entrant.match}"


def _read(written: int | str) -> Entrant:
    return written if isinstance(written, int) else WinnerOf(match=int(written[1:]))
