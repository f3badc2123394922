"""Choose a design of a metric: correlation with ratings, as far as no manipulation pays and every loss is seen.

Designs are compared on some tasks and judged on others. For each fold of tasks, the design with the highest
correlation among those that keep the constraints *on the other folds* is taken, and what it shows on the fold
itself is kept. Pooled over folds that is an honest estimate of what the choice yields; the numbers of the designs
on all tasks are not, since the best of many is partly the luckiest.

    resistant    for every manipulation, the one-sided 95% upper bound of its effect is below the margin
    sensitive    every degradation would be shown at the 5% level with the wanted power on so many tasks

Effects are mean changes in units of s_av, tasks weighing alike. Designs that no other beats in both correlation and
worst manipulation form the Pareto front, which is what is reported: not one winner. Negatives come from all
tasks, so the references of a fold are seen when designs are compared; its candidates and ratings are not.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.audits.optimise_evidence import MAX_MISSING, Evidence, Shown, judge
from gameproof.errors import InputError
from gameproof.records import FloatArray, IntArray
from gameproof.seeds import rng_for

__all__ = ["CAPS", "Optimised", "optimise"]

CAPS = (0.05, 0.1, 0.2, math.inf)  # margins that the held-out front is told for, besides the one asked for
N_FOLDS = 5
MIN_TASKS_PER_FOLD = 4
N_RESAMPLES = 2_000
CONFIDENCE_LEVEL = 0.95
CONSTRAINTS = ("resistant", "sensitive", "scored")


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimised:
    """All designs, the front among them, and what choosing by each margin yields on tasks not chosen on."""

    designs: tuple[dict[str, object], ...]  # by correlation, on all tasks
    front: tuple[dict[str, object], ...]
    held_out: tuple[dict[str, object], ...]  # one record for each margin
    about: dict[str, object]
    notes: tuple[str, ...]

    def record(self) -> dict[str, object]:
        """Return everything as JSON has it."""
        return {
            "schema": "gameproof.optimise/1",
            **self.about,
            "front": list(self.front),
            "held_out": list(self.held_out),
            "designs": list(self.designs),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    margin: float
    power: float

    def keeps(self, shown: Shown, margin: float) -> bool:
        """Say whether a design keeps the constraints; without a margin there are none."""
        if math.isnan(shown.rho):
            return False
        if math.isinf(margin):
            return True
        return float(shown.uppers[shown.worst]) < margin and float(shown.powers[shown.weakest]) >= self.power


def optimise(
    designs: Sequence[Evidence],
    *,
    margin: float = 0.1,
    power: float = 0.8,
    n_folds: int = N_FOLDS,
    seed: int = 0,
) -> Optimised:
    """Search designs under constraints, by folds of tasks.

    Args:
        designs: What each design shows, task by task; all of the same tasks and perturbations.
        margin: Effects of manipulations must be shown to stay below it, in units of s_av.
        power: At which every degradation must be seen.
        n_folds: Of tasks.
        seed: Of the folds and the resamples.

    Raises:
        InputError: There are no designs, too few tasks, no ratings within tasks, or no perturbations.
    """
    n_tasks = _check(designs, n_folds)
    rules = _Rules(margin=margin, power=power)
    fit = [design for design in designs if design.missing <= MAX_MISSING]
    everything = np.ones(n_tasks, dtype=np.bool_)
    shown = {design.design: judge(design, everything) for design in designs}
    fold_of = rng_for(seed, "optimise", "folds").permutation(n_tasks) % n_folds
    trained = [{one.design: judge(one, fold_of != fold) for one in fit} for fold in range(n_folds)]
    fronts = [_front(each) for each in trained]
    stable = Counter(name for front in fronts for name in front)
    records = {
        one.design: {
            **_design_record(one, shown[one.design], rules),
            "folds": stable[one.design] / n_folds,
        }
        for one in designs
    }
    front = _front({one.design: shown[one.design] for one in fit})
    caps = sorted({margin, *CAPS})
    held_out = [_held_out(cap, fit, trained, fold_of, rules=rules, seed=seed) for cap in caps]
    return Optimised(
        designs=tuple(sorted(records.values(), key=_by_rho)),
        front=tuple(sorted((records[name] for name in front), key=_by_rho)),
        held_out=tuple(held_out),
        about={
            "n_designs": len(designs),
            "n_tasks": n_tasks,
            "n_folds": n_folds,
            "margin": margin,
            "power": power,
            "manipulations": list(designs[0].names[: designs[0].n_manipulations]),
            "degradations": list(designs[0].names[designs[0].n_manipulations :]),
            "seed": seed,
        },
        notes=tuple(_notes(records, held_out, margin)),
    )


def _check(designs: Sequence[Evidence], n_folds: int) -> int:
    if not designs:
        raise InputError("designs: there are none.")
    first = designs[0]
    n_tasks = len(first.rho)
    if n_folds < 2 or n_tasks < MIN_TASKS_PER_FOLD * n_folds:
        raise InputError(
            f"folds: {n_folds} folds of at least {MIN_TASKS_PER_FOLD} tasks need {MIN_TASKS_PER_FOLD * n_folds} tasks;"
            f" there are {n_tasks}.",
            hint="Use more tasks, or fewer folds (at least 2).",
        )
    if not any(np.any(~np.isnan(design.rho)) for design in designs):
        raise InputError(
            "ratings: no task has three rated candidates whose ratings differ, so there is no correlation to raise.",
            hint="Give each task at least three rated candidates.",
        )
    if not 0 < first.n_manipulations < len(first.names):
        raise InputError("perturbations: at least one manipulation and one degradation are needed.")
    return n_tasks


def _front(shown: Mapping[str, Shown]) -> list[str]:
    """Return the designs that no other beats in correlation and in the effect of its worst manipulation."""
    points = {
        name: (one.rho, float(one.effects[: one.n_manipulations].max()))
        for name, one in shown.items()
        if not math.isnan(one.rho)
    }
    kept: list[str] = []
    lowest = math.inf
    for name, (_, effect) in sorted(points.items(), key=lambda entry: (-entry[1][0], entry[1][1], entry[0])):
        if effect < lowest:
            kept.append(name)
            lowest = effect
    return kept


def _design_record(design: Evidence, shown: Shown, rules: _Rules) -> dict[str, object]:
    top = int(np.argmax(shown.effects[: shown.n_manipulations]))
    broken = [
        name
        for name, kept in zip(
            CONSTRAINTS,
            (
                float(shown.uppers[shown.worst]) < rules.margin,
                float(shown.powers[shown.weakest]) >= rules.power,
                design.missing <= MAX_MISSING,
            ),
            strict=True,
        )
        if not kept
    ]
    return {
        "design": design.design,
        "rho": _number(shown.rho),
        "worst_effect": _number(float(shown.effects[top])),
        "worst": design.names[top],
        "worst_upper": _number(float(shown.uppers[shown.worst])),
        "least_power": _number(float(shown.powers[shown.weakest])),
        "weakest": design.names[shown.weakest],
        "allowed": not broken,
        "breaks": ", ".join(broken),
        "effects": {
            name: _number(effect) for name, effect in zip(design.names, shown.effects.tolist(), strict=True)
        },
        "missing": design.missing,
        "signature": design.signature,
    }


def _held_out(
    cap: float,
    designs: Sequence[Evidence],
    trained: Sequence[Mapping[str, Shown]],
    fold_of: IntArray,
    *,
    rules: _Rules,
    seed: int,
) -> dict[str, object]:
    """Choose on all folds but one, and keep what the choice shows on that one."""
    by_name = {design.design: design for design in designs}
    n_tasks = len(fold_of)
    rho = np.full(n_tasks, np.nan)
    effects = np.full((len(designs[0].names) if designs else 0, n_tasks), np.nan)
    chosen: list[str] = []
    promised: list[float] = []
    for fold, shown in enumerate(trained):
        kept = [name for name, one in shown.items() if rules.keeps(one, cap)]
        if not kept:
            continue
        name = max(kept, key=lambda name: (shown[name].rho, name))
        chosen.append(name)
        promised.append(shown[name].rho)
        tasks = fold_of == fold
        rho[tasks] = by_name[name].rho[tasks]
        scales = np.where(shown[name].scales > 0, shown[name].scales, np.nan)
        effects[:, tasks] = by_name[name].changes[:, tasks] / scales[:, None]
    found = _mean_interval(rho, rng_for(seed, "optimise", "held out"))
    n_manipulations = designs[0].n_manipulations if designs else 0
    names = designs[0].names if designs else ()
    worst = _extreme(effects[:n_manipulations], names[:n_manipulations])
    weakest = _extreme(effects[n_manipulations:], names[n_manipulations:])
    return {
        "margin": None if math.isinf(cap) else cap,
        "rho": found[0],
        "low": found[1],
        "high": found[2],
        "in_sample": math.fsum(promised) / len(promised) if promised else None,
        "worst_effect": worst[0],
        "worst_upper": worst[1],
        "worst": worst[2],
        "weakest_effect": weakest[0],
        "weakest": weakest[2],
        "folds": len(chosen),
        "chosen": dict(Counter(chosen).most_common()),
    }


def _mean_interval(
    values: FloatArray, rng: np.random.Generator
) -> tuple[float | None, float | None, float | None]:
    """Return the mean over tasks with a percentile interval over resampled tasks."""
    there = values[~np.isnan(values)]
    if there.size < 2:
        return None, None, None
    means = there[rng.integers(there.size, size=(N_RESAMPLES, there.size))].mean(axis=1)
    tail = (1 - CONFIDENCE_LEVEL) / 2
    low, high = np.quantile(means, [tail, 1 - tail]).tolist()
    return float(there.mean()), low, high


def _extreme(effects: FloatArray, names: Sequence[str]) -> tuple[float | None, float | None, str | None]:
    """Return the highest mean effect with its 95% upper bound over tasks, and whose it is."""
    best: tuple[float | None, float | None, str | None] = (None, None, None)
    for row, name in zip(effects, names, strict=True):
        there = row[~np.isnan(row)]
        if there.size < 2:
            continue
        mean = float(there.mean())
        if best[0] is None or mean > best[0]:
            best = (mean, mean + 1.645 * float(there.std(ddof=1)) / math.sqrt(there.size), name)
    return best


def _notes(
    records: Mapping[str, dict[str, object]], held_out: Sequence[dict[str, object]], margin: float
) -> Iterator[str]:
    allowed = sum(bool(record["allowed"]) for record in records.values())
    if not allowed:
        broken = Counter(name for record in records.values() for name in str(record["breaks"]).split(", "))
        said = ", ".join(f"{count:,} are not {name}" for name, count in broken.most_common())
        yield f"no design keeps the constraints on all tasks: of {len(records):,}, {said}"
    row = next(row for row in held_out if row["margin"] == margin)
    n_folds = max(int(str(one["folds"])) for one in held_out)
    if int(str(row["folds"])) < n_folds:
        yield f"in {n_folds - int(str(row['folds']))} of {n_folds} folds no design keeps the constraints: nothing is chosen"
    in_sample, rho = row["in_sample"], row["rho"]
    if isinstance(in_sample, float) and isinstance(rho, float):
        yield f"the choice promises a correlation of {in_sample:.3f} where it is made and yields {rho:.3f} elsewhere"


def _by_rho(record: Mapping[str, object]) -> tuple[float, str]:
    rho = record["rho"]
    return (-rho if isinstance(rho, float) else math.inf, str(record["design"]))


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
