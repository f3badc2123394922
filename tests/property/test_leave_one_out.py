"""Leaving tasks out by arithmetic equals scoring again without them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gameproof.stats.leave_one_out import delete_tasks, means_without, shifts_without, variances_without
from gameproof.stats.paired import PairedSample, infer_paired

# Sums of squares of numbers up to 100 lose about 1e-11; the tolerance leaves a factor of a hundred.
TOLERANCE = 1e-9


@st.composite
def contrastive_scores(draw):
    n_tasks = draw(st.integers(2, 6))
    m = draw(st.integers(0, 5))
    tasks = np.array(draw(st.lists(st.integers(0, n_tasks - 1), min_size=2, max_size=12)))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    negative_tasks = rng.integers(-1, n_tasks + 1, size=(tasks.size, m))  # one task occurs as reference only
    negative_tasks = np.where(negative_tasks == tasks[:, None], -1, negative_tasks)
    negatives = rng.normal(scale=10, size=(tasks.size, m))
    matched = rng.normal(scale=10, size=tasks.size)
    return tasks, matched, negative_tasks, negatives


def _score(matched, negative_tasks, negatives, without=None):
    """Score an item from the start; None if it drops out because all its negatives are gone."""
    used = [v for t, v in zip(negative_tasks, negatives, strict=True) if t >= 0]
    if not used:
        return matched
    left = [v for t, v in zip(negative_tasks, negatives, strict=True) if t >= 0 and t != without]
    return matched - np.mean(left) if left else None


def _scores_without(tasks, matched, negative_tasks, negatives, without):
    found = [
        (task, _score(matched[i], negative_tasks[i], negatives[i], without))
        for i, task in enumerate(tasks)
        if task != without
    ]
    return [(task, score) for task, score in found if score is not None]


def _brute_force(tasks, matched, negative_tasks, negatives):
    labels = sorted(set(tasks.tolist()) | set(negative_tasks[negative_tasks >= 0].tolist()))
    means, variances = [], []
    for without in labels:
        left = _scores_without(tasks, matched, negative_tasks, negatives, without)
        by_task = [np.mean([s for t, s in left if t == task]) for task in sorted({t for t, _ in left})]
        means.append(np.mean(by_task) if by_task else np.nan)
        variances.append(np.var([s for _, s in left], ddof=1) if len(left) > 1 else np.nan)
    return np.array(means), np.array(variances)


@given(contrastive_scores())
@settings(max_examples=300, deadline=None)
def test_means_and_variances_without_each_task_equal_scoring_again(data):
    tasks, matched, negative_tasks, negatives = data
    scores = np.array([_score(matched[i], negative_tasks[i], negatives[i]) for i in range(tasks.size)])
    means, variances = _brute_force(tasks, matched, negative_tasks, negatives)

    deletions = delete_tasks(tasks, negative_tasks)
    shifts = shifts_without(deletions, negatives)

    np.testing.assert_allclose(means_without(deletions, scores, shifts), means, atol=TOLERANCE)
    np.testing.assert_allclose(variances_without(deletions, scores, shifts), variances, atol=1e-8, rtol=1e-9)


@given(contrastive_scores(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_order_of_items_and_numbers_of_tasks_do_not_matter(data, random):
    tasks, matched, negative_tasks, negatives = data
    scores = np.array([_score(matched[i], negative_tasks[i], negatives[i]) for i in range(tasks.size)])
    moved = negatives + np.random.default_rng(0).normal(size=negatives.shape)
    changed = (
        np.array([_score(matched[i], negative_tasks[i], moved[i]) for i in range(tasks.size)]) + 0.1 * tasks
    )
    sample = PairedSample(
        tasks=tasks,
        original=scores,
        variant=changed,
        negative_tasks=negative_tasks,
        original_negatives=negatives,
        variant_negatives=moved,
    )
    order = np.array(random.sample(range(tasks.size), tasks.size))
    numbers = np.array(random.sample(range(10), 10))
    shuffled = PairedSample(
        tasks=numbers[tasks[order]],
        original=scores[order],
        variant=changed[order],
        negative_tasks=np.where(negative_tasks >= 0, numbers[negative_tasks], -1)[order],
        original_negatives=negatives[order],
        variant_negatives=moved[order],
    )
    one, two = (infer_paired(s, margins=(0.1,), n_resamples=199) for s in (sample, shuffled))
    assert one.state == two.state
    assert np.isclose(one.change, two.change, atol=TOLERANCE)
    assert (one.zero is None) == (two.zero is None)
    if one.zero is not None:
        # Sums in another order may turn an exact tie among 199 resamples.
        assert abs(one.zero.below - two.zero.below) <= 2 / 200
        assert one.margins.keys() == two.margins.keys()


@given(st.integers(2, 30), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_turning_all_scores_round_swaps_the_sides(n_tasks, seed):
    rng = np.random.default_rng(seed)
    original, variant = rng.normal(size=n_tasks), rng.normal(size=n_tasks)
    one = infer_paired(
        PairedSample(tasks=np.arange(n_tasks), original=original, variant=variant), n_resamples=1_999
    )
    two = infer_paired(
        PairedSample(tasks=np.arange(n_tasks), original=-original, variant=-variant), n_resamples=1_999
    )
    assert np.isclose(one.effect, -two.effect)
    # Values are sorted before they are resampled, so mirrored values meet other draws: .1 is more than six
    # standard errors of the difference of two p-values of 1/2 from 1,999 resamples.
    assert abs(one.zero.below - two.zero.above) <= 0.1
