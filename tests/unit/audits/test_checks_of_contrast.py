import numpy as np
import pytest
from tests.support.checking import (
    N_TASKS,
    ORIGINAL,
    PER_TASK,
    N,
    as_scores,
    checked,
    noise,
)

from gameproof.records import Contrast
from gameproof.stats.results import State, Verdict


def _contrastive(change, *, missing_negative=None):
    """Score every text against one reference of each of the next three tasks."""
    tasks = tuple(f"task {task}" for task in range(N_TASKS))
    own = np.repeat(np.arange(N_TASKS), PER_TASK)
    drawn = (own[:, None] + np.array([1, 2, 3])) % N_TASKS
    negatives = np.random.default_rng(2).normal(size=(N, 3))
    if missing_negative is not None:
        negatives[missing_negative] = np.nan
    matched = ORIGINAL + change
    contrast = Contrast(matched=matched, negatives=negatives, negative_tasks=drawn, tasks=tasks)
    values = matched - np.nanmean(np.where(np.isnan(negatives).all(axis=1)[:, None], 0, negatives), axis=1)
    return as_scores(values, contrast=contrast)


def test_a_contrastive_metric_is_inferred_with_its_references_left_out():
    rows = checked(
        {
            ("sentence_deletion", None): _contrastive(-1 + noise()),
            ("repeat_text", None): _contrastive(noise(seed=2)),
        },
        original=_contrastive(0),
    )
    assert rows["sentence_deletion"].verdict is Verdict.PASS
    assert rows["repeat_text"].verdict is Verdict.PASS


def test_a_negative_that_one_side_lacks_is_left_out_of_both():
    whole = checked({("repeat_text", None): _contrastive(1.0)}, original=_contrastive(0))["repeat_text"]
    part = checked(
        {("repeat_text", None): _contrastive(1.0, missing_negative=(0, 1))}, original=_contrastive(0)
    )["repeat_text"]
    # Both sides move by exactly 1, whatever stands in the negatives.
    assert whole.state is part.state is State.DETERMINISTIC


def test_a_pair_without_a_common_negative_is_missing():
    row = checked({("repeat_text", None): _contrastive(1.0, missing_negative=0)}, original=_contrastive(0))[
        "repeat_text"
    ]
    assert row.missing == {"no negative reference on both sides": 1}


def test_a_contrastive_ladder_keeps_the_same_negatives_at_every_level():
    levels = {("distractor_sentences", k): _contrastive(-0.2 * k + noise(seed=k)) for k in (1, 2, 3)}
    levels["distractor_sentences", 2] = _contrastive(-0.4 + noise(seed=2), missing_negative=(0, 1))
    row = checked(levels, original=_contrastive(0))["distractor_sentences"]
    assert (row.verdict, row.n, row.n_missing) == (Verdict.PASS, N, 0)


def test_a_contrastive_ladder_may_lack_levels():
    kept = slice(0, N // 2)
    levels = {("distractor_sentences", k): _contrastive(-0.2 * k + noise(seed=k)) for k in (1, 2)}
    levels["distractor_sentences", 2] = levels["distractor_sentences", 2].take(range(N)[kept])
    row = checked(levels, original=_contrastive(0))["distractor_sentences"]
    assert (row.n, row.n_missing) == (N, 0)


def test_parts_that_only_some_columns_have_are_a_mistake_of_the_program():
    with pytest.raises(ValueError, match="lack the parts"):
        checked({("repeat_text", None): ORIGINAL}, original=_contrastive(0))
