"""Made-up scores of made-up texts, checked."""

import numpy as np

from gameproof.audits.checks import CheckSettings, check_metric
from gameproof.perturbations.catalogue import PERTURBATIONS
from gameproof.records import Item, Scores

__all__ = [
    "ITEMS",
    "N_TASKS",
    "ORIGINAL",
    "PER_TASK",
    "RNG",
    "SEEN_LOSS",
    "SETTINGS",
    "N",
    "as_scores",
    "checked",
    "noise",
]

N_TASKS, PER_TASK = 30, 3
ITEMS = tuple(
    Item(id=f"{task}/{system}", task_id=f"task {task}", candidate="A text.", references=("Another.",))
    for task in range(N_TASKS)
    for system in range(PER_TASK)
)
N = len(ITEMS)
SETTINGS = CheckSettings(n_resamples=999)
RNG = np.random.default_rng(0)
ORIGINAL = RNG.normal(size=N)


def as_scores(values, items=ITEMS, reasons=None, contrast=None):
    return Scores(
        signature="fake",
        item_ids=tuple(item.id for item in items),
        values=np.asarray(values, float),
        reasons=reasons or {},
        contrast=contrast,
    )


def noise(size=0.2, seed=1, n=N):
    return size * np.random.default_rng(seed).normal(size=n)


def checked(
    variants, names=None, *, items=ITEMS, original=ORIGINAL, higher_is_better=True, settings=SETTINGS
):
    names = names or dict.fromkeys(name for name, _ in variants)
    columns = {
        key: value if isinstance(value, Scores) else as_scores(value, items)
        for key, value in variants.items()
    }
    original = original if isinstance(original, Scores) else as_scores(original, items)
    rows = check_metric(
        items,
        original,
        columns,
        [PERTURBATIONS[name] for name in names],
        higher_is_better=higher_is_better,
        settings=settings,
    )
    return {row.check: row for row in rows}


SEEN_LOSS = {("sentence_deletion", None): ORIGINAL - 1 + noise(seed=7)}
