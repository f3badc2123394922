"""How strong each condition is: Bradley-Terry over all comparisons, with ties, an effect of the side, and readers resampled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.records import FloatArray
from gameproof.stats.bootstrap import count_blocks, percentile_bounds
from gameproof.stats.bradley_terry import SAME_ORDER, BradleyTerry, Duels, fit_bradley_terry
from gameproof.stats.resampling import number_labels
from gameproof.stats.results import Interval
from gameproof.study.duels import Duel
from gameproof.study.record import ConditionRecord

__all__ = ["Contrast", "Strength", "Strengths", "fit_strengths"]

N_RESAMPLES = 999
# Of a normal prior on every strength: so weak that it only keeps resamples finite in which one side always wins.
PRECISION = 0.01
FIRST, SECOND, TIE = 0, 1, 2
ONE_SIDED = "fitted with a weak prior: some condition won or lost all of its comparisons"
SAME_SIDES = "conditions kept their side, so that a gain of the left side cannot be told from strength: it is taken for none"
FEW_READERS = "one reader made all comparisons: no interval"


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """One condition: log odds against the mean of all."""

    condition: str
    value: float
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """A difference of strengths, in log odds."""

    name: str
    value: float
    interval: Interval | None
    pvalue: float | None  # 2 min(P(value* <= 0), P(value* >= 0)) over resampled readers, with the +1


@dataclass(frozen=True, slots=True, kw_only=True)
class Strengths:
    """The fitted model, or the reason why there is none."""

    conditions: tuple[Strength, ...] = ()
    contrasts: tuple[Contrast, ...] = ()  # of the factors, where conditions are crossed
    side: Contrast | None = None  # gain of standing on the left, in log odds
    tie: float | None = None  # nu: how common "neither" is between equals
    n: int = 0
    n_readers: int = 0
    reason: str | None = None
    note: str | None = None


def fit_strengths(
    duels: Sequence[Duel], conditions: Sequence[ConditionRecord], *, seed: int = 0
) -> Strengths:
    """Fit the strengths of conditions.

    Readers, not comparisons, are resampled: choices of one reader hang together. "Neither" is a tie (Davidson 1970);
    the left side may have a gain of its own (Davidson and Beaver 1977). Comparisons with unknown sides are left out of the
    whole fit; where all of them are unknown, the fit is without an effect of the side.

    Args:
        duels: Comparisons that were made.
        conditions: All of the study's.
        seed: Of the resamples.
    """
    known = [duel for duel in duels if duel.sides_known]
    used = known or list(duels)
    met = [
        condition for condition in conditions if any(condition in {duel.left, duel.right} for duel in used)
    ]
    if len(met) < 2:
        return Strengths(reason="nothing was compared", n=len(used))
    places = {condition.id: place for place, condition in enumerate(met)}
    counts, pairs = _count_by_reader(used, places)
    side, notes = bool(known), list[str]()
    fitted = _fit(counts.sum(axis=0), pairs, len(met), side=side, precision=0.0)
    if fitted.reason == SAME_ORDER:
        side = False
        notes.append(SAME_SIDES)
        fitted = _fit(counts.sum(axis=0), pairs, len(met), side=side, precision=0.0)
    if fitted.reason is not None:
        fitted = _fit(counts.sum(axis=0), pairs, len(met), side=side, precision=PRECISION)
        notes.append(ONE_SIDED)
    if fitted.reason is not None:
        return Strengths(reason=fitted.reason, n=len(used), n_readers=len(counts))
    if len(known) < len(duels) and known:
        notes.append(f"{len(duels) - len(known):,} comparisons with unknown sides are left out")
    if len(counts) < 2:
        notes.append(FEW_READERS)
    draws = _draws(counts, pairs, len(met), side=side, seed=seed)
    values, samples = fitted.strengths, draws[:, : len(met)]
    return Strengths(
        conditions=tuple(
            Strength(condition=each.id, value=float(values[place]), interval=_interval(samples[:, place]))
            for each, place in ((each, places[each.id]) for each in met)
        ),
        contrasts=tuple(
            _contrast(name, float(weights @ values), samples @ weights)
            for name, weights in _factors(met).items()
        ),
        side=_contrast("left", fitted.order_effect, draws[:, -1]) if side else None,
        tie=fitted.tie,
        n=len(used),
        n_readers=len(counts),
        note="; ".join(notes) or None,
    )


Pairs = tuple[tuple[int, int], ...]


def _count_by_reader(duels: Sequence[Duel], places: Mapping[str, int]) -> tuple[FloatArray, Pairs]:
    """Return how each ordered pair ended, by reader: (G, m, 3)."""
    pairs = tuple(dict.fromkeys((places[duel.left.id], places[duel.right.id]) for duel in duels))
    readers = number_labels([duel.reader for duel in duels])
    counts = np.zeros((int(readers.max()) + 1, len(pairs), 3))
    row_of = {pair: row for row, pair in enumerate(pairs)}
    for reader, duel in zip(readers.tolist(), duels, strict=True):
        outcome = TIE if duel.winner is None else FIRST if duel.winner == duel.left else SECOND
        counts[reader, row_of[places[duel.left.id], places[duel.right.id]], outcome] += 1.0
    return counts, pairs


def _fit(counts: FloatArray, pairs: Pairs, n: int, *, side: bool, precision: float) -> BradleyTerry:
    held = counts.sum(axis=1) > 0
    first, second = (np.array([pair[end] for pair in pairs], dtype=np.int64)[held] for end in (0, 1))
    duels = Duels(first=first, second=second, counts=counts[held], n_items=n)
    return fit_bradley_terry(duels, order_effect=side, precision=precision)


def _draws(counts: FloatArray, pairs: Pairs, n: int, *, side: bool, seed: int) -> FloatArray:
    """Return strengths and the gain of the left side in each resample of readers: (B, n + 1); NaN where there are none."""
    if len(counts) < 2:
        return np.full((1, n + 1), np.nan)
    rows: list[FloatArray] = []
    flat = counts.reshape(len(counts), -1)
    for block in count_blocks(len(counts), N_RESAMPLES, seed):
        for weights in block:
            fitted = _fit(
                (weights @ flat).reshape(counts.shape[1:]), pairs, n, side=side, precision=PRECISION
            )
            rows.append(np.append(fitted.strengths, fitted.order_effect))
    return np.array(rows)


def _factors(conditions: Sequence[ConditionRecord]) -> dict[str, FloatArray]:
    """Return contrasts of the factors, where models and personas are fully crossed."""
    models = sorted({condition.model for condition in conditions})
    cells = {(condition.model, condition.persona): place for place, condition in enumerate(conditions)}
    if len(cells) < len(conditions):
        return {}
    crossed = [model for model in models if (model, True) in cells and (model, False) in cells]
    found: dict[str, FloatArray] = {}
    if crossed:
        effect = {
            model: _weights(cells, len(conditions), {(model, True): 1.0, (model, False): -1.0})
            for model in crossed
        }
        found["told about the reader"] = np.mean(list(effect.values()), axis=0)
        if len(crossed) > 1:
            found |= {f"told about the reader, {model}": effect[model] for model in crossed}
        if len(models) == len(crossed) == 2:
            one, other = models
            found[f"{one} rather than {other}"] = _weights(
                cells,
                len(conditions),
                {(one, told): 0.5 for told in (True, False)}
                | {(other, told): -0.5 for told in (True, False)},
            )
            found[f"interaction: telling helps {one} more than {other}"] = effect[one] - effect[other]
    return found


def _weights(
    cells: Mapping[tuple[str, bool], int], n: int, of: Mapping[tuple[str, bool], float]
) -> FloatArray:
    weights = np.zeros(n)
    for cell, weight in of.items():
        weights[cells[cell]] = weight
    return weights


def _contrast(name: str, value: float, draws: FloatArray) -> Contrast:
    defined = draws[~np.isnan(draws)]
    interval = _interval(draws)
    if interval is None:
        return Contrast(name=name, value=value, interval=None, pvalue=None)
    below, above = ((1 + int(np.sum(side))) / (defined.size + 1) for side in (defined <= 0, defined >= 0))
    return Contrast(name=name, value=value, interval=interval, pvalue=min(1.0, 2 * min(below, above)))


def _interval(draws: FloatArray) -> Interval | None:
    defined = draws[~np.isnan(draws)]
    if defined.size < len(draws) / 2 or defined.size < 2:
        return None
    bounds = percentile_bounds(defined[None, :], 0.95)
    return Interval(low=float(bounds[0, 0]), high=float(bounds[1, 0]))
