"""How often the recipe shows effects of .2, .3 and .5 standard deviations, and what textbooks promise for them.

Two questions: is a gain shown (a manipulation fails), is a loss beyond the margin shown (a degradation passes). The
promise for a normal change is that of a t test with G tasks and the standard error s_av sqrt(2 (1 - r) / G).
"""

import numpy as np
import pytest
from scipy import stats
from tests.support.null_worlds import World, close_pairs, shared_negatives, sparse_gains

from gameproof.stats.paired import infer_paired

ALPHA, MARGIN = 0.05, 0.10
N_SEEDS = 1_000
EFFECTS = (0.2, 0.3, 0.5)

# The world, and for those with a textbook's answer: tasks, correlation of the pairs.
WORLDS = {
    "20 tasks, pair correlation .8": (close_pairs(n_tasks=20, correlation=0.8), (20, 0.8)),
    "50 tasks, pair correlation .8": (close_pairs(n_tasks=50, correlation=0.8), (50, 0.8)),
    "100 tasks, pair correlation .8": (close_pairs(n_tasks=100, correlation=0.8), (100, 0.8)),
    "100 tasks, pair correlation .5": (close_pairs(n_tasks=100, correlation=0.5), (100, 0.5)),
    "100 tasks, pair correlation .99": (close_pairs(n_tasks=100, correlation=0.99), (100, 0.99)),
    "shared negatives, 50 tasks of 4": (shared_negatives(n_tasks=50, items_per_task=4), None),
    "shared negatives, 100 tasks of 16": (shared_negatives(n_tasks=100, items_per_task=16), None),
    "sparse gains, 20 tasks of 5": (sparse_gains(n_tasks=20, items_per_task=5), None),
    "sparse gains, 50 tasks of 4": (sparse_gains(n_tasks=50, items_per_task=4), None),
}
LARGEST_SPARSE = 0.41  # root of 2 x .08 / .92: no gain of 8% of the items is larger in units of s_av


def shares(world: World, effect: float, n_seeds: int = N_SEEDS) -> tuple[float, float]:
    """Return how often a gain of this size is shown, and how often a loss of this size is shown to exceed the margin."""
    shown = np.zeros((n_seeds, 2), dtype=bool)
    for seed in range(n_seeds):
        [sample] = world(np.random.default_rng([seed, 21]), effect, 1)
        gain = infer_paired(sample, margins=(MARGIN,))
        # A loss is the same world seen from the other side.
        shown[seed] = gain.zero.above <= ALPHA, gain.margins[MARGIN].above <= ALPHA
    first, second = shown.mean(axis=0).tolist()
    return first, second


def promised(n_tasks: int, correlation: float, effect: float) -> float:
    """Power of a one-sided t test at an effect, from the noncentral t distribution."""
    error = np.sqrt(2 * (1 - correlation) / n_tasks)
    critical = stats.t.ppf(1 - ALPHA, n_tasks - 1)
    return float(stats.nct.sf(critical, n_tasks - 1, effect / error))


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_power_is_what_was_promised(name, capsys):
    world, known = WORLDS[name]
    for effect in EFFECTS:
        if name.startswith("sparse") and effect > LARGEST_SPARSE:
            continue
        gain, beyond = shares(world, effect)
        told = [promised(*known, effect), promised(*known, effect - MARGIN)] if known else []
        with capsys.disabled():
            print(  # noqa: T201 - the finding
                f"\n{name}, d = {effect}: gain shown {gain:.3f}, beyond the margin {beyond:.3f}"
                f"{f'; a t test promises {told[0]:.3f}, {told[1]:.3f}' if told else ''}"
            )
        for found, wanted in zip((gain, beyond), told, strict=False):
            # .05 for the price of a bootstrap that is right for skewed changes, and 3.3 standard errors of a share.
            assert found >= wanted - 0.05 - 3.3 * np.sqrt(0.25 / N_SEEDS)


def test_a_large_effect_is_shown_in_nearly_every_world():
    gain, beyond = shares(WORLDS["100 tasks, pair correlation .8"][0], 0.5, n_seeds=20)
    assert (gain, beyond) == (1.0, 1.0)  # promised: more than .9999 each
