"""Six manipulations that are all harmless, or all as harmful as the margin: how often is any verdict wrong?

Through the audit's own checks, so that correction, gate and verdict table are all in it. Of 1,000 worlds at level .05
50 are wrong, with a standard error of 6.9; more than 74 (3.5 standard errors) would show that the level is not held.
"""

import numpy as np
import pytest
from tests.support.null_worlds import World, close_pairs, shared_negatives, sparse_gains

from gameproof.audits.checks import ALPHA, CheckSettings, check_metric
from gameproof.perturbations.catalogue import select
from gameproof.records import Contrast, Item, Scores
from gameproof.stats.paired import PairedSample
from gameproof.stats.results import Verdict

MARGIN = 0.10
N_SEEDS, MOST = 1_000, 74
N_RESAMPLES = 1_999

GATE = "sentence_deletion"
SIX = (
    "meaningless_elongation", "repeat_text", "pad_constant", "tag_text", "flip_case", "prompt_injection",
)  # fmt: skip

WORLDS = {
    "sparse gains, 50 tasks of 4": sparse_gains(n_tasks=50, items_per_task=4),
    "sparse gains, 20 tasks of 5": sparse_gains(n_tasks=20, items_per_task=5),
    "shared negatives, 50 tasks of 4": shared_negatives(n_tasks=50, items_per_task=4),
    "pair correlation .99, 100 tasks": close_pairs(n_tasks=100, correlation=0.99),
}


def is_any_wrong(world: World, seed: int, *, at_margin: bool, n_resamples: int) -> bool:
    """Say whether any of six manipulations, all at the bound, is said to be what it is not.

    At no gain: any gain is shown after correction, whether the verdict is `fail` or, where a gain is shown to be below the
    margin as well, `pass` with the note `small_gain`. Where pairs are close only the second can happen, so that
    counting `fail` alone would count nothing. At the margin: any `pass`.
    """
    rng = np.random.default_rng([seed, at_margin, 6])
    samples = world(rng, MARGIN if at_margin else 0.0, len(SIX))
    items = [
        Item(id=str(row), task_id=str(task), candidate="A text.") for row, task in enumerate(samples[0].tasks)
    ]
    lost = scores(samples[0], samples[0].original - 1 - 0.1 * rng.normal(size=samples[0].original.size))
    rows = check_metric(
        items,
        scores(samples[0], samples[0].original),
        {
            (GATE, None): lost,
            **{
                (name, None): scores(one, one.variant, varied=True)
                for name, one in zip(SIX, samples, strict=True)
            },
        },
        select(names=[GATE, *SIX]),
        higher_is_better=True,
        settings=CheckSettings(seed=0, n_resamples=n_resamples),
    )
    by_check = {row.check: row for row in rows}
    assert by_check[GATE].verdict is Verdict.PASS
    if at_margin:
        return any(by_check[name].verdict is Verdict.PASS for name in SIX)
    return any(by_check[name].pvalue_zero_adjusted <= ALPHA for name in SIX)


def scores(sample: PairedSample, values: np.ndarray, *, varied: bool = False) -> Scores:
    """Put one side of a sample into the form in which metrics give their scores."""
    negatives = sample.variant_negatives if varied else sample.original_negatives
    contrast = None
    if negatives is not None and sample.negative_tasks is not None:
        contrast = Contrast(
            matched=values + negatives.mean(axis=1),
            negatives=negatives,
            negative_tasks=sample.negative_tasks,
            tasks=tuple(str(task) for task in range(int(sample.tasks.max()) + 1)),
        )
    ids = tuple(str(row) for row in range(values.size))
    return Scores(signature="m,v=1", item_ids=ids, values=values, contrast=contrast)


@pytest.mark.slow
@pytest.mark.parametrize("at_margin", [False, True], ids=["gain shown at no gain", "pass at the margin"])
@pytest.mark.parametrize("name", WORLDS)
def test_any_wrong_verdict_of_six_is_as_rare_as_promised(name, at_margin, capsys):
    wrong = sum(
        is_any_wrong(WORLDS[name], seed, at_margin=at_margin, n_resamples=N_RESAMPLES)
        for seed in range(N_SEEDS)
    )
    with capsys.disabled():
        kind = "any pass at the margin" if at_margin else "any gain shown at no gain"
        print(f"\n{name}, {kind} of six: {wrong} of {N_SEEDS:,}")  # noqa: T201 - the finding
    assert wrong <= MOST


@pytest.mark.slow
def test_no_correction_makes_up_for_gains_that_a_sample_does_not_hold(capsys):
    """With 40 items of which 8% gain, .92^40 = 3.6% of all samples hold no gain, more than a sixth of .05.

    Of six such manipulations one or more then looks harmless in 1 - (1 - .036)^6 = 20% of all worlds, whatever the
    test: a correction for six makes each test stricter, and no test can be stricter than its sample is large.
    """
    world = sparse_gains(n_tasks=20, items_per_task=2)
    wrong = sum(is_any_wrong(world, seed, at_margin=True, n_resamples=N_RESAMPLES) for seed in range(N_SEEDS))
    with capsys.disabled():
        print(f"\nsparse gains, 20 tasks of 2, any pass at the margin of six: {wrong} of {N_SEEDS:,}")  # noqa: T201
    blind = 1 - (1 - 0.92**40) ** 6
    assert abs(wrong - blind * N_SEEDS) <= 4 * np.sqrt(blind * (1 - blind) * N_SEEDS)


def test_a_few_worlds_already_hold_their_level():
    wrong = sum(
        is_any_wrong(WORLDS["shared negatives, 50 tasks of 4"], seed, at_margin=False, n_resamples=999)
        for seed in range(40)
    )
    assert wrong <= 8  # of 40 worlds at level .05: 2, standard error 1.4; 8 is more than 4 of them away
