"""Population effects of every perturbation on every metric, from fresh planted tasks.

    python -m tests.calibration.planted_population --worlds 278 --workers 2

writes ``tests/golden/planted_population.json``; with ``--only CHECK...`` it makes the effects of these checks
anew and keeps the others. The tasks come in worlds of the demo's size (72 tasks), each
scored on its own, because a metric's negatives and rarity weights depend on the size of the data: 278 worlds
are 20,016 tasks, with two candidates each. The effects are plain moments, computed here without the audit's
statistics, which they are there to check.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tests.calibration.planted_scores import FIRST_POPULATION_SEED, METRICS, score_world

from gameproof._version import __version__
from gameproof.engine.table import MetricScores
from gameproof.perturbations.base import Perturbation
from gameproof.records import Scores

GOLDEN = Path(__file__).parents[1] / "golden" / "planted_population.json"
CANDIDATES = 2

Moments = npt.NDArray[np.float64]
Column = tuple[str, str, int | None]  # metric, perturbation, level; no level for the slope of a ladder


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A standardised mean change, or the standardised mean slope of a ladder."""

    effect: float
    standard_error: float  # jackknife over worlds
    n_tasks: int


def world_moments(seed: int, *, only: Sequence[str] | None = None) -> dict[Column, Moments]:
    """Return sums over one world: tasks, task means of the change, then count, sum and squares by side."""
    scored = score_world(seed, METRICS, candidates=CANDIDATES, only=only)
    task_of = {item.id: item.task_id for item in scored.world.dataset.items}
    moments: dict[Column, Moments] = {}
    for name, table in zip(METRICS, scored.tables, strict=True):
        for perturbation in scored.perturbations:
            for level, sums in change_sums(table, perturbation, task_of).items():
                moments[name, perturbation.name, level] = sums
    return moments


def effects(worlds: Sequence[Mapping[Column, Moments]]) -> dict[Column, Effect]:
    """Pool the sums of all worlds."""
    by_column: dict[Column, list[Moments]] = defaultdict(list)
    for world in worlds:
        for column, sums in world.items():
            by_column[column].append(sums)
    return {column: _effect(np.array(sums)) for column, sums in by_column.items()}


def load_population() -> dict[Column, Effect]:
    """Read the golden file."""
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return {
        (row["metric"], row["check"], row["level"]): Effect(
            effect=row["effect"], standard_error=row["standard_error"], n_tasks=row["n_tasks"]
        )
        for row in golden["effects"]
    }


def change_sums(
    table: MetricScores, perturbation: Perturbation, task_of: Mapping[str, str]
) -> dict[int | None, Moments]:
    """Return by level what `world_moments` sums over one world for one perturbation."""
    original = _by_item(table.original)
    levels = {
        level: _by_item(scores)
        for (name, level), scores in table.variants.items()
        if name == perturbation.name
    }
    if not levels:
        return {}
    if perturbation.family == "ladder" and perturbation.expect in {"decrease", "increase"}:
        scale = {level or 0: values for level, values in levels.items()}
        if perturbation.expect == "decrease":
            scale[0] = original
        return {None: _ladder_sums(scale, task_of)}
    return {level: _change_sums(original, values, task_of) for level, values in levels.items()}


def _by_item(scores: Scores) -> dict[str, float]:
    pairs = zip(scores.item_ids, scores.values.tolist(), strict=True)
    return {item_id: value for item_id, value in pairs if not np.isnan(value)}


def _change_sums(
    before: Mapping[str, float], after: Mapping[str, float], task_of: Mapping[str, str]
) -> Moments:
    ids = [item_id for item_id in after if item_id in before]
    changes = {item_id: after[item_id] - before[item_id] for item_id in ids}
    sides = [np.array([side[item_id] for item_id in ids]) for side in (before, after)]
    return np.array([*_task_sums(changes, task_of), *(part for side in sides for part in _side_sums(side))])


def _ladder_sums(scale: Mapping[int, Mapping[str, float]], task_of: Mapping[str, str]) -> Moments:
    levels = np.array(sorted(scale), float)
    z = dict(zip(sorted(scale), (levels - levels.mean()) / levels.std(), strict=True))
    slopes: dict[str, float] = {}
    for item_id in {item_id for values in scale.values() for item_id in values}:
        has = [level for level in z if item_id in scale[level]]
        if len(has) > 1:
            slopes[item_id] = float(
                np.polyfit([z[level] for level in has], [scale[level][item_id] for level in has], 1)[0]
            )
    sides = [np.array(list(scale[level].values())) for level in z]
    return np.array([*_task_sums(slopes, task_of), *(part for side in sides for part in _side_sums(side))])


def _task_sums(values: Mapping[str, float], task_of: Mapping[str, str]) -> tuple[float, float]:
    by_task: dict[str, list[float]] = defaultdict(list)
    for item_id, value in values.items():
        by_task[task_of[item_id]].append(value)
    return float(len(by_task)), float(sum(np.mean(found) for found in by_task.values()))


def _side_sums(values: npt.NDArray[np.float64]) -> tuple[float, float, float]:
    return float(values.size), float(values.sum()), float((values**2).sum())


def _effect(sums: Moments) -> Effect:
    total = sums.sum(axis=0)
    without = np.array([_standardised(total - one) for one in sums])
    n_worlds = len(sums)
    error = (
        np.sqrt((n_worlds - 1) / n_worlds * ((without - without.mean()) ** 2).sum())
        if n_worlds > 1
        else np.nan
    )
    return Effect(effect=_standardised(total), standard_error=float(error), n_tasks=round(total[0]))


def _standardised(total: Moments) -> float:
    change = total[1] / total[0]
    counts, sums, squares = total[2::3], total[3::3], total[4::3]
    spread = np.sqrt(np.mean(squares / counts - (sums / counts) ** 2))
    return float(change / spread) if spread > 0 else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", type=int, default=278)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", nargs="+", metavar="CHECK")
    asked = parser.parse_args()
    only: list[str] | None = asked.only
    kept = load_population() if only else {}
    seeds = range(FIRST_POPULATION_SEED, FIRST_POPULATION_SEED + asked.worlds)
    with ProcessPoolExecutor(asked.workers) as pool:
        worlds = list(pool.map(partial(world_moments, only=only), seeds))
    made = {**kept, **effects(worlds)}
    rows = [
        {"metric": metric, "check": check, "level": level, **asdict(effect)}
        for (metric, check, level), effect in made.items()
    ]
    golden = {
        "made_by": f"gameproof {__version__}, effects computed in tests/calibration/planted_population.py",
        "command": f"python -m tests.calibration.planted_population --worlds {asked.worlds}",
        "effects": rows,
    }
    GOLDEN.write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
