"""Texts that stored values of other programs belong to, and those values.

A golden file names its program, version and command, and the digest of its texts: 240 pairs of the embedded
planted world, and 240 of SummEval where its folder is there. Only values are stored, never texts.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.scoring import read_summeval, score_items

from gameproof.datasets.catalogue import load_dataset
from gameproof.files.digest import digest_items
from gameproof.metrics.catalogue import build_metrics
from gameproof.records import Item
from gameproof.text import words

FOLDER = Path(__file__).resolve().parents[1] / "golden" / "battery"
N_PAIRS = 240


@cache
def planted_pairs() -> list[Item]:
    """Return the pairs of the embedded world that have a candidate and a source, the first 240."""
    found = [item for item in load_dataset("planted").items if item.candidate.strip() and item.source]
    return found[:N_PAIRS]


@cache
def summeval_pairs(shared_folder: Path) -> list[Item]:
    """Return every fifth of SummEval's first 1,200 summaries: 240 of 75 articles, from all 16 systems."""
    return read_summeval(shared_folder)[: N_PAIRS * 5 : 5]


@cache
def read_golden(name: str) -> dict[str, Any]:
    """Return a golden file."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def golden_values(name: str, texts: str, items: Sequence[Item]) -> dict[str, list[float]]:
    """Return the values another program gave these texts; other texts than those are an error."""
    stored = read_golden(name)["texts"][texts]
    assert digest_items(items) == stored["digest"], "these are not the texts the values belong to"
    return stored["values"]


def our_values(name: str, items: Sequence[Item]) -> list[float]:
    """Return our scores of items, each of which must have one."""
    (metric,) = build_metrics([name])
    scores = score_items(metric, items)
    assert not scores.reasons
    return scores.values.tolist()


def tokens(text: str) -> str:
    """Return the words of a text as other programs take them: with a space between."""
    return " ".join(words(text))
