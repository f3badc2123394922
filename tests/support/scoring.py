"""Score a few texts with a metric given by its name."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from gameproof.metrics.base import Metric
from gameproof.metrics.catalogue import build_metrics
from gameproof.records import Item, Scores


def make_items(pairs: Sequence[tuple[str, Sequence[str]]]) -> list[Item]:
    """Make items of (candidate, references), each its own task."""
    return [
        Item(
            id=f"item {row}",
            task_id=f"task {row}",
            candidate=candidate,
            references=tuple(references),
            source="A source.",
        )
        for row, (candidate, references) in enumerate(pairs)
    ]


def score_items(metric: Metric, items: Sequence[Item]) -> Scores:
    """Prepare a metric on items and score them."""

    async def work() -> Scores:
        prepared = await metric.prepare(items)
        return await prepared.score(items)

    return asyncio.run(work())


def score(name: str, candidate: str, *references: str) -> float | str:
    """Return the score of one candidate, or the reason why there is none."""
    (metric,) = build_metrics([name])
    scores = score_items(metric, make_items([(candidate, references)]))
    return scores.reasons.get("item 0") or float(scores.values[0])


def read_summeval(shared_folder: Path, n_rows: int | None = None) -> list[Item]:
    """Read SummEval's 1,600 rated summaries, or the first of them."""
    lines = (shared_folder / "data/summeval/summeval.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines[:n_rows]]
    return [
        Item(
            id=f"{row['task_id']}/{row['candidate_id']}",
            task_id=row["task_id"],
            candidate=row["candidate"],
            references=tuple(row["references"]),
            source=row["source"],
            system=row["candidate_id"],
            ratings=row["ratings"],
        )
        for row in rows
    ]
