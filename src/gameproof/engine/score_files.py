"""Keep the score table in a run folder: ``scores.jsonl``, and the parts of contrastive scores."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

from gameproof.engine.table import MetricScores, VariantKey
from gameproof.errors import RunFolderError
from gameproof.records import Contrast, Item, Scores

__all__ = [
    "CONTRASTS_FILE",
    "SCORES_FILE",
    "read_contrasts",
    "read_score_table",
    "score_rows",
    "write_contrasts",
]

SCORES_FILE = "scores.jsonl"
CONTRASTS_FILE = "contrasts.npz"

Column = tuple[str, VariantKey | None]  # metric name, variant (None: the originals)


def score_rows(table: Sequence[MetricScores]) -> Iterator[str]:
    """Write every score as one line of JSON (product format ``scores.jsonl``), without line ends.

    The lines are put together by hand because an audit has hundreds of thousands of them: only texts go
    through the JSON encoder, once each.
    """
    ids: dict[str, str] = {}
    for metric in table:
        yield from _column_rows(metric.metric, None, metric.original, ids)
        for key, scores in metric.variants.items():
            yield from _column_rows(metric.metric, key, scores, ids)


def _column_rows(metric: str, key: VariantKey | None, scores: Scores, ids: dict[str, str]) -> Iterator[str]:
    name, level = key if key is not None else (None, None)
    middle = f', "variant": {json.dumps(name)}, "level": {json.dumps(level)}, "metric": {json.dumps(metric)}'
    for item_id, value in zip(scores.item_ids, scores.values.tolist(), strict=True):
        quoted = ids.get(item_id) or ids.setdefault(item_id, json.dumps(item_id, ensure_ascii=False))
        reason = scores.reasons.get(item_id)
        if reason is None:
            yield f'{{"item": {quoted}{middle}, "score": {value!r}, "reason": null}}'
        else:
            yield f'{{"item": {quoted}{middle}, "score": null, "reason": {json.dumps(reason)}}}'


def read_score_table(
    path: Path, items: Sequence[Item], metrics: Mapping[str, tuple[str, bool]]
) -> dict[str, MetricScores]:
    """Read ``scores.jsonl`` back.

    Args:
        path: The file.
        items: The originals of the run, which give the order.
        metrics: Name -> (signature, higher_is_better), from the manifest.

    Raises:
        RunFolderError: A line is not a score row, or a metric lacks the originals.
    """
    order = {item.id: row for row, item in enumerate(items)}
    columns: dict[Column, list[tuple[int, float, str | None]]] = {}
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                variant = row["variant"]
                key = None if variant is None else (variant, row["level"])
                score = row["score"]
                entry = (order[row["item"]], float("nan") if score is None else score, row["reason"])
                columns.setdefault((row["metric"], key), []).append(entry)
            except (ValueError, KeyError, TypeError) as error:
                raise RunFolderError(
                    f"{path.name}:{number} is not a score row of this run: {error}",
                    hint="Run the audit again with --force to score anew.",
                ) from error
    table: dict[str, MetricScores] = {}
    for name, (signature, higher_is_better) in metrics.items():
        if (name, None) not in columns:
            continue
        table[name] = MetricScores(
            metric=name,
            signature=signature,
            higher_is_better=higher_is_better,
            original=_scores(columns[name, None], items, signature),
            variants={
                key: _scores(column, items, signature)
                for (metric, key), column in columns.items()
                if metric == name and key is not None
            },
        )
    return table


def _scores(column: list[tuple[int, float, str | None]], items: Sequence[Item], signature: str) -> Scores:
    column.sort(key=lambda entry: entry[0])
    return Scores(
        signature=signature,
        item_ids=tuple(items[row].id for row, _, _ in column),
        values=np.array([value for _, value, _ in column], dtype=np.float64),
        reasons={items[row].id: reason for row, _, reason in column if reason is not None},
    )


def write_contrasts(path: Path, table: Sequence[MetricScores]) -> bool:
    """Keep matched parts and negatives of contrastive metrics; return whether there were any."""
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    for metric in table:
        for key, scores in [(None, metric.original), *metric.variants.items()]:
            if scores.contrast is None:
                continue
            prefix = json.dumps([metric.signature, *(key or (None, None))])
            arrays[f"{prefix}:matched"] = scores.contrast.matched
            arrays[f"{prefix}:negatives"] = scores.contrast.negatives
            arrays[f"{prefix}:negative_tasks"] = scores.contrast.negative_tasks
            if key is None:
                arrays[f"{prefix}:tasks"] = np.array(scores.contrast.tasks, dtype=np.str_)
    if arrays:
        with path.open("wb") as file:
            np.savez_compressed(
                file, allow_pickle=False, **cast("dict[str, npt.NDArray[np.float64]]", arrays)
            )
    return bool(arrays)


def read_contrasts(
    path: Path, signature: str, keys: Sequence[VariantKey | None]
) -> dict[VariantKey | None, Contrast]:
    """Read the contrasts of one metric back; empty where it has none."""
    if not path.exists():
        return {}
    found: dict[VariantKey | None, Contrast] = {}
    with np.load(path, allow_pickle=False) as arrays:
        tasks_name = f"{json.dumps([signature, None, None])}:tasks"
        if tasks_name not in arrays:
            return {}
        tasks = tuple(str(task) for task in arrays[tasks_name])
        for key in keys:
            prefix = json.dumps([signature, *(key or (None, None))])
            if f"{prefix}:matched" in arrays:
                found[key] = Contrast(
                    matched=arrays[f"{prefix}:matched"],
                    negatives=arrays[f"{prefix}:negatives"],
                    negative_tasks=arrays[f"{prefix}:negative_tasks"],
                    tasks=tasks,
                )
    return found
