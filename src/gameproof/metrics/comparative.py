"""The comparative critic: which of two candidates supports a statement better, own and foreign statements alike.

A pair of candidates a, b of one task is held against the same statements as a cell of the oracle would hold each of
them alone, and shown in both orders. A verdict c(a, b; psi) is 1 where a supports psi better, -1 where b does, 0 for
both or neither; that is t(a, psi) - t(b, psi) of the absolute critic t = +-1/2, asked as one question. The contrast

    C(a, b) = mean over k of c(a, b; psi_k) - mean over j of mean over k of c(a, b; psi_jk)

therefore estimates S(a) - S(b) of total variation, f-variational. The same holds of Reader Utility and Fit, whose
statements are what readers require: candidates for the same reader are compared.
"""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, runtime_checkable

import numpy as np

from gameproof.errors import SpecError
from gameproof.fmi.aggregation import average_units
from gameproof.fmi.spec import Spec, is_spec
from gameproof.llm.asking import Asker, Question, Repaired, Unread
from gameproof.llm.client import Reply, Request
from gameproof.llm.replies import MISSING, closed_object, read_statement_verdicts
from gameproof.metrics.base import Metric
from gameproof.metrics.catalogue import metric
from gameproof.metrics.fmi import TOKENS_PER_VERDICTS, build_fmi
from gameproof.metrics.fmi_preparation import Plan
from gameproof.metrics.llm_calls import CallSize, size_requests
from gameproof.metrics.reader_utility import FIT, UTILITY, ReaderMetric
from gameproof.prompts.loading import Prompt, load
from gameproof.prompts.messages import Message
from gameproof.records import FloatArray, Item, Scores
from gameproof.seeds import rng_for

__all__ = [
    "CELL",
    "Comparative",
    "Match",
    "PlannedSupport",
    "compare_support",
    "draw_matches",
    "plan_support",
]

CELL = "TV+fvar+statement+oracle"  # whose statements, negatives and absolute scores are used
READER_METRICS = (UTILITY, FIT)
MENU: Mapping[str, int] = {"first": 1, "second": -1, "both": 0, "neither": 0}
MIN_SHARE = 1 / 2  # of the statements of a match that must have both verdicts

SCHEMA = closed_object(
    {
        "verdicts": {
            "type": "array",
            "items": closed_object(
                {"id": {"type": "string"}, "verdict": {"type": "string", "enum": list(MENU)}}
            ),
        }
    }
)


@runtime_checkable
class HoldsAgainst(Metric, Protocol):
    """A metric that holds candidates against the same statements whichever they are."""

    @property
    def units(self) -> tuple[str, ...]:
        """All statements."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the scores must know."""
        ...

    @property
    def estimated(self) -> str | None:
        """Why the number of calls is an estimate."""
        ...

    async def rehearse(self, pool: Sequence[Item]) -> "HoldsAgainst":
        """Prepare as far as that is known before a run; nothing is asked."""
        ...

    async def planned_calls(self, pool: Sequence[Item], items: Sequence[Item]) -> Mapping[Hashable, CallSize]:
        """Return the calls that preparing and scoring takes."""
        ...

    def plan(self, item: Item) -> Plan | str:
        """Return which statements an item is held against, or why it has no score."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Two candidates of one task; positive numbers speak for the first of the pair, in whichever order shown.

    Verdicts have shape (2 orders, n statements), own statements first; NaN where there is none.
    """

    first: int  # row of an item
    second: int
    verdicts: FloatArray
    n_own: int  # statements of the task's own references
    own: float = np.nan  # mean over own statements
    contrast: float = np.nan  # C(a, b)
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparative:
    """All matches of a run, beside the absolute scores of the same cell."""

    matches: tuple[Match, ...]
    absolute: Scores
    signature: str
    notes: tuple[str, ...]


async def compare_support(
    items: Sequence[Item], asker: Asker, *, cell: str = CELL, opponents: int | None = 4, seed: int = 0
) -> Comparative:
    """Hold pairs of candidates of the same task against their own and foreign statements, in both orders.

    Args:
        items: Candidates; a task needs two to be compared.
        asker: Who asks the model.
        cell: A statement-level TV+fvar cell of the oracle, with its options (neg, decompose, refs ...), or
            reader-utility or reader-fit with the binary oracle.
        opponents: How many others of its task each candidate meets, one more where an odd number does not go
            round; None for all.
        seed: Of the pairs and of the negatives.

    Raises:
        SpecError: The cell is another one.
    """
    prepared = await _open_cell(cell, asker, seed).prepare(items)
    assert isinstance(prepared, HoldsAgainst)  # noqa: S101 - a metric stays what it is
    absolute = await prepared.score(items)
    open_matches = list(_open_matches(items, prepared, opponents=opponents, seed=seed))
    askings = _askings(open_matches)
    questions = _questions(items, prepared, open_matches, askings, asker)
    verdicts = [np.full((2, len(plan.units)), np.nan) for _, plan in open_matches]
    failures: dict[int, str] = {}
    for (place, order, columns), answer in zip(askings, await asker.ask(questions), strict=True):
        if isinstance(answer, Unread):
            failures[place] = answer.reason
        else:
            for column, verdict in answer.items():
                verdicts[place][order, columns[column]] = verdict
    matches = tuple(
        _match(pair, plan, found, failures.get(place, MISSING))
        for place, ((pair, plan), found) in enumerate(zip(open_matches, verdicts, strict=True))
    )
    signature = f"comparative,opponents={opponents or 'all'},prompt={_prompt().label},{prepared.signature()}"
    return Comparative(matches=matches, absolute=absolute, signature=signature, notes=prepared.notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSupport:
    """What a run of `compare_support` takes, before it is known what statements there are."""

    calls: Mapping[Hashable, CallSize]
    n_pairs: int
    metric: HoldsAgainst  # whose absolute scores are asked for as well


async def plan_support(
    items: Sequence[Item], asker: Asker, *, cell: str = CELL, opponents: int | None = 4, seed: int = 0
) -> PlannedSupport:
    """Count the calls of `compare_support` with the same arguments; nothing is asked."""
    metric_of_cell = _open_cell(cell, asker, seed)
    rehearsed = await metric_of_cell.rehearse(items)
    matches = list(_open_matches(items, rehearsed, opponents=opponents, seed=seed))
    questions = _questions(items, rehearsed, matches, _askings(matches), asker)
    calls = dict(await metric_of_cell.planned_calls(items, items))
    calls |= size_requests((question.request for question in questions), tokens_out=TOKENS_PER_VERDICTS)
    return PlannedSupport(calls=calls, n_pairs=len(matches), metric=metric_of_cell)


def draw_matches(
    members: Sequence[int], opponents: int | None, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Draw pairs so that everybody meets equally many: neighbours on a random ring, at several distances.

    An odd number of opponents takes an even number of members; with an odd one, everybody meets one more.

    Example:
        >>> sorted(draw_matches([0, 1, 2], None, np.random.default_rng(0)))
        [(0, 1), (0, 2), (1, 2)]
    """
    n = len(members)
    order: list[int] = rng.permutation(n).tolist()
    ring = [members[place] for place in order]
    met = {
        (min(one, other), max(one, other))
        for distance in _distances(n, opponents)
        for place, one in enumerate(ring)
        if (other := ring[(place + distance) % n]) != one
    }
    return sorted(met)


def _distances(n: int, opponents: int | None) -> list[int]:
    """Return how far apart on a ring those are who meet: two opponents each, but one at half its length."""
    if opponents is None or opponents >= n - 1:
        return list(range(1, n // 2 + 1))
    n_pairs, is_odd = divmod(opponents, 2)
    last = n // 2 if n % 2 == 0 else n_pairs + 1
    return [*range(1, n_pairs + 1), *([last] if is_odd else [])]


def _open_cell(cell: str, asker: Asker, seed: int) -> HoldsAgainst:
    """Build what has the statements and the matching absolute scores."""
    if cell.partition(",")[0] in READER_METRICS:
        built = metric(cell, seed=seed, llm=asker.model)
        if isinstance(built, ReaderMetric) and str(built.spec).startswith(CELL) and _is_binary(built.spec):
            return built
    elif is_spec(cell):
        found = build_fmi(cell, seed=seed, ask=lambda _metric, _llm: asker)
        if str(found.spec).startswith(CELL):
            return found
    raise SpecError(
        f"cell {cell!r}: texts are compared on statements, and only {CELL}, reader-utility and reader-fit with a binary"
        " oracle have the matching absolute scores.",
        hint=f"Write {CELL}, with options such as neg=8 or decompose=rules.v1.",
    )


def _is_binary(spec: Spec) -> bool:
    return spec.get("critic") == "binary"


def _prompt() -> Prompt:
    return load("oracle", "compares")


def _open_matches(
    items: Sequence[Item], prepared: HoldsAgainst, *, opponents: int | None, seed: int
) -> Iterator[tuple[tuple[int, int], Plan]]:
    """Yield pairs of rows that are held against the same statements, with what these are."""
    tasks: dict[tuple[str, bytes], list[int]] = {}
    plans: dict[int, Plan] = {}
    for row, item in enumerate(items):
        plan = prepared.plan(item)
        if not isinstance(plan, str):
            plans[row] = plan
            tasks.setdefault((item.task_id, plan.units.tobytes()), []).append(row)
    for (task, _), rows in sorted(tasks.items()):
        members = sorted(rows, key=lambda row: items[row].id)
        for pair in draw_matches(members, opponents, rng_for(seed, "matches", task)):
            yield pair, plans[pair[0]]


def _askings(matches: Sequence[tuple[tuple[int, int], Plan]]) -> list[tuple[int, int, list[int]]]:
    """Return (place of the match, order, columns of the statements) for each question."""
    return [
        (place, order, columns)
        for place, (_, plan) in enumerate(matches)
        for order in (0, 1)
        for columns in _by_reference(plan)
    ]


def _questions(
    items: Sequence[Item],
    prepared: HoldsAgainst,
    matches: Sequence[tuple[tuple[int, int], Plan]],
    askings: Sequence[tuple[int, int, list[int]]],
    asker: Asker,
) -> list[Question[dict[int, int]]]:
    units = prepared.units
    return [
        _question(items, matches[place][0], order, _texts(units, matches[place][1], columns), asker)
        for place, order, columns in askings
    ]


def _by_reference(plan: Plan) -> list[list[int]]:
    """Return the columns of each reference: they share a question."""
    runs = plan.layout.references
    return [
        list(range(start, start + length))
        for start, length in zip(runs.starts.tolist(), runs.lengths.tolist(), strict=True)
    ]


def _texts(units: Sequence[str], plan: Plan, columns: Sequence[int]) -> dict[str, str]:
    return {f"S{place}": units[int(plan.units[column])] for place, column in enumerate(columns, start=1)}


def _question(
    items: Sequence[Item], pair: tuple[int, int], order: int, texts: Mapping[str, str], asker: Asker
) -> Question[dict[int, int]]:
    shown = pair if order == 0 else pair[::-1]
    messages = _prompt().render(
        first=items[shown[0]].candidate, second=items[shown[1]].candidate, statements=texts
    )
    request = Request(
        model=asker.name,
        messages=messages,
        schema=SCHEMA,
        schema_name="verdicts",
        purpose="comparative",
    )
    read = partial(_read, ids=tuple(texts), sign=1 if order == 0 else -1, prompt=messages)
    return Question(request=request, read=read)


def _read(
    reply: Reply, *, ids: tuple[str, ...], sign: int, prompt: Sequence[Message]
) -> dict[int, int] | Unread | Repaired[dict[int, int]]:
    """Return verdicts by the places of their statements, for the first of the pair."""
    read = read_statement_verdicts(reply, ids, tuple(MENU), prompt=prompt)
    if read.reason is not None:
        return Unread(reason=read.reason)
    found = {int(name[1:]) - 1: sign * MENU[verdict] for name, verdict in read.values.items()}
    return Repaired(found) if read.repaired else found


def _match(pair: tuple[int, int], plan: Plan, verdicts: FloatArray, failure: str) -> Match:
    """Average both orders, then statements, references and negatives, as the cell does."""
    n_own = int(plan.layout.references.lengths[: int(plan.layout.tasks.lengths[0])].sum())
    both = verdicts.mean(axis=0, keepdims=True)  # NaN where an order is missing
    there = ~np.isnan(both[0])
    if there[:n_own].mean() < MIN_SHARE or there[n_own:].mean() < MIN_SHARE:
        return Match(first=pair[0], second=pair[1], verdicts=verdicts, n_own=n_own, reason=failure)
    means: list[float] = average_units(both, plan.layout)[0].tolist()
    foreign = [mean for mean in means[1:] if not math.isnan(mean)]
    return Match(
        first=pair[0],
        second=pair[1],
        verdicts=verdicts,
        n_own=n_own,
        own=means[0],
        contrast=means[0] - math.fsum(foreign) / len(foreign),
    )
