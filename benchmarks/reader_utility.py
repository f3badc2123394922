"""Reader Utility against Persona Recall, a judge and ROUGE on planted readers: `python -m benchmarks.reader_utility`.

Every number is over seeds, each a world of its own with 48 queries, two readers a query, four texts and six choices a
reader. Seeds 1 to 3 and 101 to 120 were looked at while this was written; the table takes 201 to 220. Persona Recall is given the same
requirements and the same predictor; the judge is told who reads and is biased as judges are.
"""

import argparse
import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.stats import t as student

from gameproof.audits.checks import CheckSettings
from gameproof.audits.run import Run, run_audit
from gameproof.datasets.planted.readers import ReaderSpec, ReaderWorld, make_reader_world
from gameproof.llm.providers.planted import PlantedJudge, PlantedOracle
from gameproof.metrics.base import Metric
from gameproof.metrics.catalogue import build_metrics
from gameproof.perturbations.catalogue import select
from gameproof.records import FloatArray, Scores
from gameproof.stats.choices import accuracy, auc, make_sample
from gameproof.stats.resampling import make_resampling

UNSEEN = range(201, 221)
UTILITY, NO_NOVELTY, FIT, RECALL = (
    "reader-utility",
    "reader-utility,novelty=false",
    "reader-fit",
    "persona_recall",
)
JUDGE, ROUGE = "judge,persona=true,refs=none,source=true", "rouge1"
METRICS = (UTILITY, NO_NOVELTY, FIT, RECALL, JUDGE, ROUGE)
MAIN = "different readers, some knowledge"
WORLDS: Mapping[str, ReaderSpec] = {
    MAIN: ReaderSpec(),
    "identical readers": ReaderSpec(readers="identical"),
    "no prior knowledge": ReaderSpec(knowledge="none"),
}
TASKS_PER_DOMAIN = 24  # in two domains
CODES = {"a": 1, "b": -1, "tie": 0}
FEW = 2  # resamples: here seeds are what varies
CONFIDENCE = 0.95

Row = dict[str, float]  # figure -> value in one world


def measure(spec: ReaderSpec, names: Sequence[str] = METRICS) -> Row:
    """Return accuracy, AUC and the audience interaction of metrics in one world, and their differences."""
    return asyncio.run(_measure(spec, names))


def summarise(rows: Sequence[Row]) -> dict[str, tuple[float, float, float, int, int]]:
    """Return for each figure the mean over worlds, its t interval, how many are above 0, and how many there are."""
    found: dict[str, tuple[float, float, float, int, int]] = {}
    for figure in rows[0]:
        values = np.array([row[figure] for row in rows])
        values = values[~np.isnan(values)]
        if not values.size:
            continue
        half = student.ppf((1 + CONFIDENCE) / 2, values.size - 1) * values.std(ddof=1) / np.sqrt(values.size)
        mean = float(values.mean())
        found[figure] = (mean, mean - half, mean + half, int((values > 0).sum()), values.size)
    return found


async def _measure(spec: ReaderSpec, names: Sequence[str]) -> Row:
    world = make_reader_world(spec)
    oracle, judge = PlantedOracle(seed=spec.seed), PlantedJudge(seed=spec.seed)
    metrics: list[Metric] = [
        build_metrics([name], seed=spec.seed, llm=judge if name == JUDGE else oracle)[0] for name in names
    ]
    items = world.comparisons.items
    prepared = [await metric.prepare(items) for metric in metrics]
    scores = [await metric.score(items) for metric in prepared]
    row = _agreement(world, names, scores)
    run = Run(
        dataset=world.dataset,
        perturbations=select(names=["audience_crossing"]),
        settings=CheckSettings(seed=spec.seed, n_resamples=999),
        seed=spec.seed,
    )
    result = await run_audit(run, metrics)
    for name, found in zip(names, result.metrics, strict=True):
        (check,) = found.checks
        row[f"interaction {name}"] = -check.effect if check.effect is not None else np.nan
        row[f"pass {name}"] = float(str(check.verdict) == "pass")
    return row


def _agreement(world: ReaderWorld, names: Sequence[str], scores: Sequence[Scores]) -> Row:
    """Return how metrics agree with choices; differences take the pairs that both metrics score."""
    rows = {item.id: place for place, item in enumerate(world.comparisons.items)}
    pairs = [(rows[one.a], rows[one.b]) for one in world.comparisons.judgements]
    choices = np.array([CODES[one.choice] for one in world.comparisons.judgements])
    gaps: dict[str, FloatArray] = {
        name: np.array([found.values[a] - found.values[b] for a, b in pairs])
        for name, found in zip(names, scores, strict=True)
    }
    resampling = make_resampling([str(place) for place in range(len(pairs))])
    row: Row = {}
    for name in names:
        sample = make_sample(gaps[name], choices, resampling)
        row[f"accuracy {name}"] = accuracy(sample, n_resamples=FEW).value or np.nan
        row[f"auc {name}"] = auc(sample, n_resamples=FEW).value or np.nan
        row[f"scored {name}"] = float(np.mean(~np.isnan(gaps[name])))
        utilities = np.array([world.utilities[item.id] for item in world.comparisons.items])
        values = scores[list(names).index(name)].values
        there = ~np.isnan(values)
        if there.sum() > 1 and np.ptp(values[there]) > 0:
            row[f"r {name}"] = float(np.corrcoef(values[there], utilities[there])[0, 1])
        else:
            row[f"r {name}"] = np.nan
    for name in names[1:]:
        both = ~np.isnan(gaps[names[0]] + gaps[name])
        for figure, of in (("accuracy", accuracy), ("auc", auc)):
            first, second = (
                of(make_sample(np.where(both, gaps[one], np.nan), choices, resampling), n_resamples=FEW).value
                for one in (names[0], name)
            )
            row[f"{figure} {names[0]} - {name}"] = (
                np.nan if first is None or second is None else first - second
            )
    return row


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="*", default=list(UNSEEN))
    parser.add_argument("--worlds", nargs="*", choices=list(WORLDS), default=list(WORLDS))
    parser.add_argument("--out", type=Path, help="write every figure of every world here")
    parser.add_argument(
        "--read", type=Path, nargs="*", default=[], help="files of --out to put together instead"
    )
    options = parser.parse_args()
    kept: dict[str, list[Row]] = {}
    for path in options.read:
        for title, rows in json.loads(path.read_text(encoding="utf-8")).items():
            kept.setdefault(title, []).extend(rows)
    for title in () if options.read else options.worlds:
        worlds = [
            replace(WORLDS[title], seed=seed, tasks_per_domain=TASKS_PER_DOMAIN) for seed in options.seeds
        ]
        kept[title] = [measure(one, METRICS if title == MAIN else METRICS[:3]) for one in worlds]
    for title, rows in kept.items():
        print(
            f"\n{title}, {len(rows)} seeds\n\n| figure | mean | 95% interval | above 0 |\n|---|---|---|---|"
        )
        for figure, (mean, low, high, above, n) in summarise(rows).items():
            print(f"| {figure} | {mean:+.3f} | {low:+.3f} to {high:+.3f} | {above} of {n} |")
    if options.out is not None:
        options.out.write_text(json.dumps(kept), encoding="utf-8")


if __name__ == "__main__":
    main()
