import numpy as np
import pytest

from gameproof.stats.paired import PairedSample, infer_combination, infer_paired
from gameproof.stats.parity import paired_t
from gameproof.stats.results import State

# A worked example that was computed independently with scipy 1.17.1.
ORIGINAL = np.array([0.30, 0.55, 0.42, 0.61, 0.47, 0.38, 0.70, 0.52])
PERTURBED = np.array([0.21, 0.50, 0.33, 0.62, 0.40, 0.25, 0.58, 0.49])


def _sample(original, variant, tasks=None):
    numbers = np.arange(len(original)) if tasks is None else np.asarray(tasks)
    return PairedSample(
        tasks=numbers, original=np.asarray(original, float), variant=np.asarray(variant, float)
    )


def _moved(n_tasks=30, change=0.0, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    original = rng.normal(size=n_tasks)
    return _sample(original, original + change + noise * rng.normal(size=n_tasks))


def test_the_worked_example_is_met_to_all_digits():
    result = paired_t(ORIGINAL, PERTURBED, confidence_level=0.95)
    assert result.mean_change == pytest.approx(-0.07125, abs=1e-12)
    assert result.effect == pytest.approx(-0.5086158799, abs=5e-11)
    assert result.statistic == pytest.approx(-4.3123166888, abs=5e-11)
    assert result.pvalue_less == pytest.approx(0.0017565551, abs=5e-11)
    assert result.pvalue_greater == pytest.approx(0.9982434449, abs=5e-11)
    assert result.pvalue == pytest.approx(0.0035131102, abs=5e-11)
    assert result.half_width == pytest.approx(0.2788954363, abs=5e-11)
    assert result.effect_change == pytest.approx(-1.5246341866, abs=1e-10)
    assert -0.07125 / result.effect == pytest.approx(0.1400860705, abs=5e-11)  # s_av


def test_the_papers_interval_leaves_zero_out_exactly_where_the_t_test_rejects():
    rng = np.random.default_rng(5)
    for _ in range(200):
        original = rng.normal(size=12)
        result = paired_t(original, original + 0.3 + rng.normal(size=12), confidence_level=0.95)
        outside = result.interval.low > 0 or result.interval.high < 0
        assert outside == (result.pvalue < 0.05)


def test_the_effect_is_given_by_both_standard_deviations():
    result = infer_paired(_sample(ORIGINAL, PERTURBED))
    assert result.effect == pytest.approx(-0.5086158799, abs=5e-11)
    assert result.effect_original == pytest.approx(-0.07125 / ORIGINAL.std(ddof=1))


def test_tasks_weigh_the_same_whatever_their_size():
    # Task 0 has three items that move by 1, task 1 one item that moves by 3: (1 + 3) / 2.
    result = infer_paired(_sample([0, 1, 2, 5], [1, 2, 3, 8], tasks=[0, 0, 0, 1]))
    assert result.change == pytest.approx(2.0)
    assert (result.n, result.n_tasks) == (4, 2)


def test_a_clear_loss_is_shown_to_lie_below_zero_and_below_the_margin():
    result = infer_paired(_moved(change=-1.0), margins=(-0.1, 0.1))
    # 1 / (9,999 + 1): the smallest p-value there is; never 0.
    assert result.zero.below == result.margins[-0.1].below == 1e-4
    assert result.zero.above == 1.0
    assert result.interval.high < -0.1


def test_the_two_sides_of_one_question_add_up_to_about_one():
    result = infer_paired(_moved(change=0.05), margins=(0.1,))
    assert result.zero.below + result.zero.above == pytest.approx(1.0, abs=2e-4)


def test_the_effect_lies_inside_its_interval():
    result = infer_paired(_moved(change=0.2))
    assert result.interval.low < result.effect < result.interval.high


def test_the_same_seed_gives_the_same_numbers_and_another_seed_nearly_the_same():
    sample = _moved(change=0.1)
    assert infer_paired(sample, seed=3) == infer_paired(sample, seed=3)
    other = infer_paired(sample, seed=4)
    assert other.zero.above == pytest.approx(infer_paired(sample, seed=3).zero.above, abs=0.03)


@pytest.mark.parametrize(
    ("original", "variant", "tasks", "state", "detail"),
    [
        ([], [], [], State.UNDEFINED, "no pair of scores"),
        ([1, 2], [2, 4], [0, 0], State.UNDEFINED, "fewer than 2 tasks"),
        ([1], [1], [0], State.UNDEFINED, "fewer than 2 tasks"),
        ([1, 2, 3], [1, 2, 3], [0, 1, 2], State.NO_CHANGE, "every score is unchanged"),
        ([0.3, 0.5, 0.4], [0.2, 0.4, 0.3], [0, 1, 2], State.DETERMINISTIC, "every score moves by the same"),
        # Two tasks, each with one item up by 1 and one down by 1.
        ([1, 2, 3, 4], [2, 1, 4, 3], [0, 0, 1, 1], State.UNDEFINED, "the same in every task"),
    ],
)
def test_what_cannot_be_inferred_has_a_named_state(original, variant, tasks, state, detail):
    result = infer_paired(_sample(original, variant, tasks), margins=(-0.1, 0.1))
    assert result.state is state
    assert detail in result.detail
    assert result.zero is None
    assert result.interval is None
    assert not result.margins


def test_scores_without_any_spread_have_no_standardised_effect():
    result = infer_paired(_sample([3, 3, 3], [4, 4, 4]))
    assert result.state is State.DETERMINISTIC
    assert result.change == 1.0
    assert result.effect is None
    assert result.effect_original is None


def test_two_tasks_of_one_item_have_a_sign_but_no_margin():
    # Without one of two items a single score is left, and its spread does not exist.
    result = infer_paired(_sample([0, 1], [1, 3]), margins=(0.1,))
    assert result.zero is not None
    assert result.interval is None
    assert not result.margins


def test_the_sign_flip_is_exact_for_few_tasks():
    # All eight changes but one point down; 2 of 2^8 patterns of signs are as extreme, and 2 more that only
    # turn the smallest change (0.01): 4 / 256.
    assert infer_paired(_sample(ORIGINAL, PERTURBED)).sign_flip_pvalue == pytest.approx(4 / 256)


def test_changes_that_cancel_are_as_extreme_as_any_pattern():
    assert infer_paired(_sample([0, 0, 0, 0], [1, -1, 2, -2])).sign_flip_pvalue == 1.0


def test_the_sign_flip_is_drawn_for_many_tasks():
    assert infer_paired(_moved(n_tasks=21, change=-5.0)).sign_flip_pvalue == 1e-4
    assert infer_paired(_moved(n_tasks=21)).sign_flip_pvalue > 0.05


def _contrastive(matched, negatives, tasks, negative_tasks):
    original, variant = (
        np.asarray(part, float) - np.asarray(side, float).mean(axis=1)
        for part, side in zip(matched, negatives, strict=True)
    )
    return PairedSample(
        tasks=np.asarray(tasks),
        original=original,
        variant=variant,
        negative_tasks=np.asarray(negative_tasks),
        original_negatives=np.asarray(negatives[0], float),
        variant_negatives=np.asarray(negatives[1], float),
    )


def test_shared_negatives_widen_the_interval():
    rng = np.random.default_rng(1)
    n_tasks, m = 30, 4
    tasks = np.arange(n_tasks)
    drawn = (tasks[:, None] + rng.permutation(n_tasks - 1)[:m] + 1) % n_tasks
    response = rng.normal(size=n_tasks)  # how each reference reacts to the variant, wherever it is used
    matched = rng.normal(size=n_tasks)
    before = rng.normal(size=(n_tasks, m))
    sample = _contrastive((matched, matched), (before, before + response[drawn]), tasks, drawn)
    alone = PairedSample(tasks=tasks, original=sample.original, variant=sample.variant)
    assert infer_paired(sample).standard_error > 1.5 * infer_paired(alone).standard_error


def test_a_reference_of_a_task_without_items_counts_as_a_task_of_its_own():
    drawn = np.array([[5], [5], [6], [6]])
    zeros, moved = np.zeros((4, 1)), np.array([[1.0], [1.0], [2.0], [2.0]])
    sample = _contrastive((np.arange(4.0), np.arange(4.0)), (zeros, moved), [0, 1, 2, 3], drawn)
    result = infer_paired(sample)
    assert result.n_tasks == 4
    assert result.zero is not None


def test_an_exchange_rate_adds_the_weighted_changes():
    gain, loss = _moved(change=0.2, seed=1), _moved(change=-1.0, seed=1)
    result = infer_combination([(1.0, gain), (0.5, loss)])
    expected = np.mean(gain.variant - gain.original) + 0.5 * np.mean(loss.variant - loss.original)
    assert result.value == pytest.approx(expected)
    assert result.zero.below < 0.05
    assert result.interval.low < result.value < result.interval.high


def test_an_exchange_rate_may_mix_references_that_only_one_side_has():
    drawn = np.array([[4], [5], [6], [7]])
    zeros, moved = np.zeros((4, 1)), np.array([[1.0], [3.0], [2.0], [2.5]])
    matched = np.arange(4.0)
    one = _contrastive((matched, matched), (zeros, moved), [0, 1, 2, 3], drawn)
    two = _contrastive((matched, matched), (zeros, 2 * moved), [0, 1, 2, 3], drawn + 1)
    assert infer_combination([(1.0, one), (0.5, two)]).value == pytest.approx(-2 * moved.mean())


def test_an_exchange_rate_without_spread_is_named():
    gain, loss = _sample([1, 2, 3], [2, 3, 4]), _sample([1, 2, 3], [0, 1, 2])
    assert infer_combination([(1.0, gain), (0.5, loss)]).state is State.DETERMINISTIC
    assert infer_combination([(1.0, gain), (1.0, loss)]).state is State.NO_CHANGE
    assert infer_combination([(1.0, _sample([1], [2]))]).state is State.UNDEFINED
