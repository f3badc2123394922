"""Lay many texts behind few beginnings, so that no token goes through a model twice.

    beginning  the tokens of a prompt; texts are scored behind it
    header     what all beginnings of a family start with
    branch     the tokens of one text; all branches of one beginning lie in the same row behind it, and a mask
               lets each see the beginning and itself, as if the others were not there

A header goes through the model once, what follows it once for each beginning, and each branch once. The last
token of a branch is predicted and predicts nothing, so it is never put in.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from gameproof.records import BoolArray, IntArray

__all__ = [
    "MAX_WASTE",
    "Batch",
    "Branch",
    "Family",
    "Job",
    "Layout",
    "Row",
    "fewest_tokens",
    "lay_beginnings",
    "lay_rows",
    "plan_families",
]

MAX_WASTE = 1.04  # tokens put in, padding included, against those that say something
ROW_TOKENS = 384  # of branches in one row, roughly: each looks at its whole row, if only to see the mask

Tokens = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One beginning and the texts behind it; beginnings of one family probably start alike."""

    beginning: Tokens  # at least one token
    branches: tuple[Tokens, ...]  # each at least one token
    family: str = ""


@dataclass(frozen=True, slots=True)
class Branch:
    """One text: the place of its job in the batch, its number there, and its tokens."""

    place: int
    number: int
    tokens: Tokens


@dataclass(frozen=True, slots=True)
class Row:
    """Branches of one beginning that lie one after the other."""

    place: int
    branches: tuple[Branch, ...]

    @property
    def length(self) -> int:
        """The number of tokens that are put in."""
        return sum(len(branch.tokens) - 1 for branch in self.branches)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Jobs whose beginnings go through the model together, then their rows in groups."""

    jobs: tuple[int, ...]  # numbers of jobs
    groups: tuple[tuple[Row, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Jobs that share a header of so many tokens."""

    header: Tokens
    batches: tuple[Batch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Arrays of one forward pass: b rows of q tokens, behind k - q columns that are there already."""

    ids: IntArray  # (b, q)
    positions: IntArray  # (b, q)
    visible: BoolArray | None  # (b, q, k); None where every token sees all before it
    n_tokens: int  # b x q
    # Which logits predict what: row, column, the token, and where its log-probability is added.
    rows: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    columns: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    targets: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    owners: IntArray = field(default_factory=lambda: np.empty(0, np.int64))


def fewest_tokens(jobs: Iterable[Job]) -> int:
    """Count the tokens of a run that puts each beginning in once and each of its branches once."""
    return sum(
        len(job.beginning) + sum(len(branch) - 1 for branch in job.branches) for job in jobs if job.branches
    )


def plan_families(jobs: Sequence[Job], *, batch: int, max_tokens: int) -> list[Family]:
    """Decide what goes through the model together.

    Args:
        jobs: In any order; those without branches are left out.
        batch: The most beginnings, or rows, in one forward pass.
        max_tokens: The most tokens in one forward pass, unless a single row has more.
    """
    order = sorted(
        (number for number, job in enumerate(jobs) if job.branches),
        key=lambda number: (jobs[number].family, len(jobs[number].beginning), number),
    )
    families: list[Family] = []
    for _, members in groupby(order, key=lambda number: jobs[number].family):
        numbers = list(members)
        header = _common_header([jobs[number].beginning for number in numbers])
        lengths = [len(jobs[number].beginning) - len(header) for number in numbers]
        batches = [
            _make_batch([numbers[place] for place in places], jobs, batch=batch, max_tokens=max_tokens)
            for places in _group(lengths, most=batch, max_tokens=max_tokens)
        ]
        families.append(Family(header=header, batches=tuple(batches)))
    return families


def lay_beginnings(jobs: Sequence[Job], header: int) -> Layout:
    """Lay what follows the header of each job's beginning, padded on the right."""
    rests = [job.beginning[header:] for job in jobs]
    width = max(map(len, rests))
    ids = np.zeros((len(rests), width), dtype=np.int64)
    for row, rest in enumerate(rests):
        ids[row, : len(rest)] = rest
    places = np.arange(width)
    lengths = np.array([len(rest) for rest in rests])
    visible = None
    if np.any(lengths < width):
        causal = places[None, :] <= places[:, None]
        own = causal[None] & (places[None, None, :] < lengths[:, None, None])
        # A padded place sees itself, so that no row of the mask is empty; nothing sees it.
        own |= np.eye(width, dtype=np.bool_)[None]
        visible = np.concatenate([np.ones((len(rests), width, header), np.bool_), own], axis=2)
    return Layout(
        ids=ids,
        positions=np.broadcast_to(header + places, ids.shape).copy(),
        visible=visible,
        n_tokens=ids.size,
        rows=np.arange(len(rests)),
        columns=lengths - 1,
    )


def lay_rows(rows: Sequence[Row], lengths: Sequence[int], filled: int, first_owner: Sequence[int]) -> Layout:
    """Lay branches behind their beginnings under a mask that keeps them apart.

    Args:
        rows: One for each row of the pass; every branch has at least two tokens.
        lengths: The tokens of each row's beginning.
        filled: Columns that are there already: the longest beginning, the others padded on the right.
        first_owner: For each row, what to add to a branch's number to get its owner.
    """
    width = max(row.length for row in rows)
    ids = np.zeros((len(rows), width), dtype=np.int64)
    positions = np.zeros_like(ids)
    branch_of = np.full((len(rows), width), -1, dtype=np.int64)
    found: list[tuple[int, int, int, int]] = []
    for number, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        column = 0
        for branch in row.branches:
            inputs = branch.tokens[:-1]
            span = slice(column, column + len(inputs))
            ids[number, span] = inputs
            positions[number, span] = length + np.arange(len(inputs))
            branch_of[number, span] = branch.number
            owner = first_owner[number] + branch.number
            found += [(number, column + place, token, owner) for place, token in enumerate(branch.tokens[1:])]
            column += len(inputs)
    places = np.arange(width)
    own = (branch_of[:, :, None] == branch_of[:, None, :]) & (places[None, None, :] <= places[None, :, None])
    before = np.arange(filled)[None, None, :] < np.asarray(lengths)[:, None, None]
    before = np.broadcast_to(before, (len(rows), width, filled))
    wanted = np.array(found, dtype=np.int64).reshape(-1, 4)
    return Layout(
        ids=ids,
        positions=positions,
        visible=np.concatenate([before, own], axis=2),
        n_tokens=ids.size,
        rows=wanted[:, 0],
        columns=wanted[:, 1],
        targets=wanted[:, 2],
        owners=wanted[:, 3],
    )


def _common_header(beginnings: Sequence[Tokens]) -> Tokens:
    """Return what all beginnings start with, leaving each at least one token; nothing for a single one."""
    if len(beginnings) < 2:
        return ()
    low, high = min(beginnings), max(beginnings)
    most = min(map(len, beginnings)) - 1
    same = 0
    while same < most and low[same] == high[same]:
        same += 1
    return low[:same]


def _group(lengths: Sequence[int], *, most: int, max_tokens: int) -> list[list[int]]:
    """Cut a sorted series into runs that waste little when each is padded to its longest."""
    groups: list[list[int]] = []
    total = 0
    for place, length in enumerate(lengths):
        if groups:
            n_members = len(groups[-1]) + 1
            padded = n_members * length
            fits = n_members <= most and padded <= max_tokens and padded <= MAX_WASTE * (total + length)
            if fits:
                groups[-1].append(place)
                total += length
                continue
        groups.append([place])
        total = length
    return groups


def _make_batch(numbers: Sequence[int], jobs: Sequence[Job], *, batch: int, max_tokens: int) -> Batch:
    limit = min(max(1, max_tokens // len(numbers)), ROW_TOKENS)
    rows = [
        row for place, number in enumerate(numbers) for row in _cut_rows(place, jobs[number].branches, limit)
    ]
    rows.sort(key=lambda row: row.length)
    groups = _group([row.length for row in rows], most=batch, max_tokens=max_tokens)
    return Batch(
        jobs=tuple(numbers), groups=tuple(tuple(rows[place] for place in places) for places in groups)
    )


def _cut_rows(place: int, branches: Sequence[Tokens], limit: int) -> list[Row]:
    """Spread branches over rows of about equal length, the longest first.

    Branches of one token need no row: the beginning predicts them.
    """
    longest_first = sorted(
        (Branch(place, number, tokens) for number, tokens in enumerate(branches) if len(tokens) > 1),
        key=lambda branch: -len(branch.tokens),
    )
    total = sum(len(branch.tokens) - 1 for branch in longest_first)
    rows: list[list[Branch]] = [[] for _ in range(-(-total // limit))]
    lengths = [0] * len(rows)
    for branch in longest_first:
        shortest = lengths.index(min(lengths))
        rows[shortest].append(branch)
        lengths[shortest] += len(branch.tokens) - 1
    return [Row(place, tuple(members)) for members in rows if members]
