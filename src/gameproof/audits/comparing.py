"""What comparisons of candidates say: strengths by task, beside absolute scores, and how far to trust them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.audits.correlate import collect_ratings, correlate
from gameproof.audits.result import CorrelationRow
from gameproof.engine.table import MetricScores
from gameproof.metrics.comparative import Comparative, Match
from gameproof.records import FloatArray, Item, Scores
from gameproof.stats.bradley_terry import count_duels, cyclic_triads, fit_bradley_terry
from gameproof.stats.ranks import spearman

__all__ = ["Compared", "analyse_comparisons"]

# A weak normal prior on strengths, of standard deviation 2: within a task some candidate often wins everything.
PRIOR_PRECISION = 1 / 4
MANY_FLIPS = 0.2  # of the verdicts: with more the order of presentation has a say in the result
NEVER_COMPARED = "never compared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One record an item, one a pair, and what is said of them all."""

    items: tuple[dict[str, object], ...]
    pairs: tuple[dict[str, object], ...]
    summary: dict[str, object]
    correlations: Mapping[str, tuple[CorrelationRow, ...]]  # scores -> with ratings, where there are any
    signature: str
    notes: tuple[str, ...]

    def record(self) -> dict[str, object]:
        """Return everything as JSON has it."""
        return {
            "schema": "gameproof.prefer/1",
            "signature": self.signature,
            "summary": self.summary,
            "correlations": {
                name: [
                    {
                        "dimension": row.dimension,
                        "level": row.level,
                        "rho": row.rho,
                        "low": row.low,
                        "high": row.high,
                    }
                    for row in rows
                ]
                for name, rows in self.correlations.items()
            },
            "items": list(self.items),
            "pairs": list(self.pairs),
            "notes": list(self.notes),
        }


def analyse_comparisons(items: Sequence[Item], found: Comparative, *, seed: int = 0) -> Compared:
    """Fit strengths task by task, and hold comparisons against absolute scores, ratings and themselves.

    Strengths are fitted twice, on own and on foreign statements; the score of a candidate is the difference.
    Verdicts on statements of one text are not independent, so strengths bear no intervals of their own: those of
    the correlations come from resampling tasks.
    """
    there = [match for match in found.matches if match.reason is None]
    strengths = _strengths(items, there)
    contrast = _scores(items, found.signature, strengths)
    ratings = collect_ratings(items)
    correlations = {
        name: correlate(ratings, _as_metric(name, scores), seed=seed)
        for name, scores in (("comparative", contrast), ("absolute", found.absolute))
    }
    summary = {**_trust(found.matches), **_circles(items, there), **_against_absolute(there, found.absolute)}
    return Compared(
        items=tuple(_item_records(items, strengths, found)),
        pairs=tuple(_pair_records(items, found)),
        summary=summary,
        correlations={name: rows for name, rows in correlations.items() if rows},
        signature=found.signature,
        notes=(*found.notes, *_remarks(summary)),
    )


@dataclass(frozen=True, slots=True)
class _Strength:
    own: float
    foreign: float

    @property
    def contrast(self) -> float:
        return self.own - self.foreign


def _strengths(items: Sequence[Item], matches: Sequence[Match]) -> dict[int, _Strength]:
    """Fit the candidates of each task, on own and on foreign statements; a row without a fit is left out."""
    tasks: dict[str, list[Match]] = {}
    for match in matches:
        tasks.setdefault(items[match.first].task_id, []).append(match)
    found: dict[int, _Strength] = {}
    for members in tasks.values():
        rows = sorted({row for match in members for row in (match.first, match.second)})
        own, foreign = (_fit(members, rows, own=own) for own in (True, False))
        found |= {
            row: _Strength(one, other)
            for row, one, other in zip(rows, own.tolist(), foreign.tolist(), strict=True)
            if not math.isnan(one + other)
        }
    return found


def _fit(matches: Sequence[Match], rows: Sequence[int], *, own: bool) -> FloatArray:
    """Take every verdict on a statement, in either order, for one comparison."""
    places = {row: place for place, row in enumerate(rows)}
    first: list[int] = []
    second: list[int] = []
    outcomes: list[int] = []
    for match in matches:
        part = match.verdicts[:, : match.n_own] if own else match.verdicts[:, match.n_own :]
        said = part[~np.isnan(part)].astype(int).tolist()
        first += [places[match.first]] * len(said)
        second += [places[match.second]] * len(said)
        outcomes += said
    fit = fit_bradley_terry(count_duels(first, second, outcomes, len(rows)), precision=PRIOR_PRECISION)
    if fit.reason is not None and outcomes and not any(outcomes):
        return np.zeros(len(rows))  # all are ties: nobody is stronger than another
    return fit.strengths


def _scores(items: Sequence[Item], signature: str, strengths: Mapping[int, _Strength]) -> Scores:
    values = np.full(len(items), np.nan)
    for row, strength in strengths.items():
        values[row] = strength.contrast
    return Scores(
        signature=signature,
        item_ids=tuple(item.id for item in items),
        values=values,
        reasons={item.id: NEVER_COMPARED for row, item in enumerate(items) if row not in strengths},
    )


def _as_metric(name: str, scores: Scores) -> MetricScores:
    return MetricScores(
        metric=name, signature=scores.signature, higher_is_better=True, original=scores, variants={}
    )


def _trust(matches: Sequence[Match]) -> dict[str, object]:
    """Say how far the order of presentation decides, over all statements with both verdicts."""
    verdicts = [match.verdicts for match in matches]
    pooled = np.concatenate(verdicts, axis=1) if verdicts else np.empty((2, 0))
    both = _both_orders(pooled)
    decided = np.count_nonzero(both)
    # In the second order the one that is shown first is the second of the pair.
    said_first = np.count_nonzero(both[0] == 1) + np.count_nonzero(both[1] == -1)
    n = both.shape[1]
    return {
        "pairs": len(matches),
        "missing_pairs": sum(match.reason is not None for match in matches),
        "statements": n,
        "flips": np.count_nonzero(both[0] != both[1]) / n if n else None,
        "contradictions": np.count_nonzero(both[0] * both[1] < 0) / n if n else None,
        "decided": decided / (2 * n) if n else None,
        "first_place": said_first / decided if decided else None,
    }


def _both_orders(verdicts: FloatArray) -> FloatArray:
    """Return the verdicts on the statements that have one in both orders."""
    return verdicts[:, ~np.isnan(verdicts).any(axis=0)]


def _circles(items: Sequence[Item], matches: Sequence[Match]) -> dict[str, object]:
    """Count circles a > b > c > a among the contrasts of pairs, task by task."""
    circles = triads = 0
    tasks: dict[str, list[Match]] = {}
    for match in matches:
        tasks.setdefault(items[match.first].task_id, []).append(match)
    for members in tasks.values():
        rows = sorted({row for match in members for row in (match.first, match.second)})
        wins = np.zeros((len(rows), len(rows)))
        for match in members:
            one, other = rows.index(match.first), rows.index(match.second)
            wins[one, other], wins[other, one] = match.contrast, -match.contrast
        found, decided = cyclic_triads(wins)
        circles, triads = circles + found, triads + decided
    return {"triads": triads, "circles": circles, "circle_share": circles / triads if triads else None}


def _against_absolute(matches: Sequence[Match], absolute: Scores) -> dict[str, object]:
    """Hold contrasts of pairs against differences of absolute scores."""
    values = absolute.values
    differences = np.array([values[match.first] - values[match.second] for match in matches])
    contrasts = np.array([match.contrast for match in matches])
    there = ~np.isnan(differences) & ~np.isnan(contrasts)
    differences, contrasts = differences[there], contrasts[there]
    decided = differences * contrasts != 0
    same = np.count_nonzero(differences * contrasts > 0)
    return {
        "absolute_pairs": int(there.sum()),
        "absolute_rho": _rho(contrasts, differences),
        "absolute_gap": float(np.abs(contrasts - differences).mean()) if there.any() else None,
        "same_sign": same / np.count_nonzero(decided) if decided.any() else None,
    }


def _rho(first: FloatArray, second: FloatArray) -> float | None:
    """Return Spearman's correlation, whichever candidate of a pair comes first: each pair counts both ways."""
    return spearman(np.concatenate([first, -first]), np.concatenate([second, -second]))


def _item_records(
    items: Sequence[Item], strengths: Mapping[int, _Strength], found: Comparative
) -> Iterator[dict[str, object]]:
    for row, item in enumerate(items):
        strength = strengths.get(row)
        value = float(found.absolute.values[row])
        yield {
            "task": item.task_id,
            "item": item.id,
            "comparative": None if strength is None else strength.contrast,
            "own": None if strength is None else strength.own,
            "foreign": None if strength is None else strength.foreign,
            "absolute": None if math.isnan(value) else value,
            "reason": NEVER_COMPARED if strength is None else found.absolute.reasons.get(item.id),
        }


def _pair_records(items: Sequence[Item], found: Comparative) -> Iterator[dict[str, object]]:
    values = found.absolute.values
    for match in found.matches:
        difference = float(values[match.first] - values[match.second])
        yield {
            "task": items[match.first].task_id,
            "first": items[match.first].id,
            "second": items[match.second].id,
            "own": None if match.reason else match.own,
            "contrast": None if match.reason else match.contrast,
            "absolute": None if math.isnan(difference) else difference,
            "flips": int(np.count_nonzero(np.diff(_both_orders(match.verdicts), axis=0))),
            "reason": match.reason,
        }


def _remarks(summary: Mapping[str, object]) -> Iterator[str]:
    flips = summary["flips"]
    if isinstance(flips, float) and flips > MANY_FLIPS:
        yield f"order decides: {flips:.0%} of all verdicts change with the order of the two texts"
    if not summary["pairs"]:
        yield "no task has two candidates with the same references: nothing was compared"
