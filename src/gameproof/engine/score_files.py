"""Keep the score table in a run folder: ``scores.jsonl``, and the parts of contrastive scores."""

import json
import math
import zlib
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from gameproof.engine.summary import spreads_of
from gameproof.engine.table import MetricScores, VariantKey
from gameproof.errors import RunFolderError
from gameproof.files.atomic import AtomicFile, writing_errors
from gameproof.json_text import parse_json
from gameproof.records import Contrast, Item, Scores

__all__ = ["CONTRASTS_FILE", "SCORES_FILE", "read_scores", "score_rows", "write_scores"]

SCORES_FILE = "scores.jsonl"
CONTRASTS_FILE = "contrasts.npz"

Column = tuple[str, VariantKey | None]  # metric name, variant (None: the originals)


def write_scores(folder: Path, table: Sequence[MetricScores]) -> list[str]:
    """Write all scores, and the contrasts where there are any; return the names of the files."""
    scores = folder / SCORES_FILE
    with AtomicFile(scores) as file, writing_errors(scores):
        for line in score_rows(table):
            file.data.write(line.encode("utf-8", "surrogatepass"))
    contrasts = folder / CONTRASTS_FILE
    arrays = _contrast_arrays(table)
    if not arrays:
        return [SCORES_FILE]
    with AtomicFile(contrasts) as file, writing_errors(contrasts):
        np.savez_compressed(file.data, allow_pickle=False, **arrays)
    return [SCORES_FILE, CONTRASTS_FILE]


def score_rows(table: Sequence[MetricScores]) -> Iterator[str]:
    """Yield every score as one line of JSON: item, variant, level, metric, score, reason.

    What a score leaves out (``remark``) and the spread of repeated answers are there where there are any. The lines are put together by hand because an audit has hundreds of thousands of them: only texts go
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
    spreads = spreads_of(scores)
    for item_id, value, spread in zip(scores.item_ids, scores.values.tolist(), spreads, strict=True):
        quoted = ids.get(item_id) or ids.setdefault(item_id, json.dumps(item_id))
        reason, remark = scores.reasons.get(item_id), scores.remarks.get(item_id)
        more = "" if remark is None else f', "remark": {json.dumps(remark)}'
        more += "" if spread is None else f', "spread": {spread!r}'
        if reason is None:
            yield f'{{"item": {quoted}{middle}, "score": {value!r}, "reason": null{more}}}\n'
        else:
            yield f'{{"item": {quoted}{middle}, "score": null, "reason": {json.dumps(reason)}{more}}}\n'


def read_scores(
    folder: Path, items: Sequence[Item], metrics: Mapping[str, tuple[str, bool]]
) -> dict[str, MetricScores]:
    """Read the scores of some metrics back from a run folder.

    Args:
        folder: Holds ``scores.jsonl``, and ``contrasts.npz`` where a metric has contrasts.
        items: The originals of the run, which give the order.
        metrics: Name -> (signature, higher_is_better) of the metrics that are wanted.

    Raises:
        RunFolderError: A line is not a score row, a text has two, or an original has none.
    """
    columns = _read_columns(folder / SCORES_FILE, items, metrics)
    found: dict[str, MetricScores] = {}
    for name, (signature, higher_is_better) in metrics.items():
        own = {
            key: _scores(column, items, signature)
            for (metric, key), column in columns.items()
            if metric == name
        }
        if None not in own:
            continue
        if len(own[None].item_ids) != len(items):
            raise _incomplete(name, f"has {len(own[None].item_ids):,} of {len(items):,} originals")
        contrasts = _read_contrasts(folder / CONTRASTS_FILE, signature, list(own))
        for key, contrast in contrasts.items():
            own[key] = replace(own[key], contrast=contrast)
        found[name] = MetricScores(
            metric=name,
            signature=signature,
            higher_is_better=higher_is_better,
            original=own[None],
            variants={key: scores for key, scores in own.items() if key is not None},
        )
    return found


@dataclass(frozen=True, slots=True)
class _Entry:
    """One row of a column, at the place of its item."""

    row: int
    value: float
    reason: str | None
    remark: str | None
    spread: float


def _read_columns(path: Path, items: Sequence[Item], metrics: Collection[str]) -> dict[Column, list[_Entry]]:
    order = {item.id: row for row, item in enumerate(items)}
    columns: dict[Column, list[_Entry]] = {}
    number = 0
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):  # noqa: B007 - the message names the last one
                row = cast("dict[str, Any]", parse_json(line))  # Any: JSON, checked below
                if row["metric"] not in metrics:
                    continue
                variant = _text(row["variant"])
                key = None if variant is None else (variant, _level(row["level"]))
                entry = _Entry(
                    order[row["item"]],
                    _number(row["score"]),
                    _text(row["reason"]),
                    _text(row.get("remark")),
                    _number(row.get("spread")),
                )
                columns.setdefault((row["metric"], key), []).append(entry)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        where = "after line" if isinstance(error, UnicodeDecodeError) else "line"
        raise RunFolderError(
            f"{path.name}, {where} {number}, is not a score row of this run: {error}",
            hint="Run the audit again with --force to score anew.",
        ) from error
    return columns


def _number(value: object) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r:.40} is no number")
    return float(value)


def _level(value: object) -> int | None:
    if value is not None and type(value) is not int:
        raise TypeError(f"{value!r:.40} is no level")
    return value


def _text(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no text")
    return value


def _scores(column: list[_Entry], items: Sequence[Item], signature: str) -> Scores:
    column.sort(key=lambda entry: entry.row)
    ids = [items[entry.row].id for entry in column]
    if len(set(ids)) < len(ids):
        raise _incomplete(signature, "has two scores of one text")
    spread = np.array([entry.spread for entry in column], dtype=np.float64)
    return Scores(
        signature=signature,
        item_ids=tuple(ids),
        values=np.array([entry.value for entry in column], dtype=np.float64),
        reasons=_said(ids, [entry.reason for entry in column]),
        remarks=_said(ids, [entry.remark for entry in column]),
        spread=None if np.isnan(spread).all() else spread,
    )


def _incomplete(metric: str, what: str) -> RunFolderError:
    return RunFolderError(
        f"{SCORES_FILE}: {metric} {what}.", hint="Run the audit again with --force to score anew."
    )


def _said(ids: Sequence[str], texts: Sequence[str | None]) -> dict[str, str]:
    return {item_id: text for item_id, text in zip(ids, texts, strict=True) if text is not None}


def _contrast_arrays(table: Sequence[MetricScores]) -> dict[str, npt.NDArray[Any]]:
    arrays: dict[str, npt.NDArray[Any]] = {}  # numbers and texts side by side
    for metric in table:
        for key, scores in [(None, metric.original), *metric.variants.items()]:
            if scores.contrast is None:
                continue
            prefix = _prefix(metric.signature, key)
            arrays[f"{prefix}:matched"] = scores.contrast.matched
            arrays[f"{prefix}:negatives"] = scores.contrast.negatives
            arrays[f"{prefix}:negative_tasks"] = scores.contrast.negative_tasks
            if key is None:
                arrays[f"{prefix}:tasks"] = np.array(scores.contrast.tasks, dtype=np.str_)
    return arrays


def _prefix(signature: str, key: VariantKey | None) -> str:
    return json.dumps([signature, *(key or (None, None))])


@contextmanager
def _damage_told(path: Path) -> Generator[None]:
    """Turn what reading a damaged file raises into an error for the user."""
    try:
        yield
    except (BadZipFile, zlib.error, OSError, ValueError, KeyError, TypeError, EOFError, SyntaxError) as error:
        raise RunFolderError(
            f"{path.name} is damaged: {error}.", hint="Run the audit again with --force to score anew."
        ) from error


def _read_contrasts(
    path: Path, signature: str, keys: Sequence[VariantKey | None]
) -> dict[VariantKey | None, Contrast]:
    if not path.exists():
        return {}
    found: dict[VariantKey | None, Contrast] = {}
    with _damage_told(path), path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        tasks_name = f"{_prefix(signature, None)}:tasks"
        if tasks_name not in arrays:
            return {}
        tasks = tuple(str(task) for task in arrays[tasks_name])
        for key in keys:
            prefix = _prefix(signature, key)
            if f"{prefix}:matched" in arrays:
                found[key] = Contrast(
                    matched=arrays[f"{prefix}:matched"],
                    negatives=arrays[f"{prefix}:negatives"],
                    negative_tasks=arrays[f"{prefix}:negative_tasks"],
                    tasks=tasks,
                )
    return found
