"""The audit is right when its verdict on one small world agrees with the population of tasks."""

from collections import Counter, defaultdict

import pytest
from tests.calibration.planted_agreement import agrees, is_decided
from tests.calibration.planted_population import Effect, effects, load_population, world_moments
from tests.calibration.planted_scores import FIRST_AUDIT_SEED, FIRST_POPULATION_SEED, METRICS, score_world

from gameproof.audits.checks import CheckSettings, check_metric
from gameproof.audits.result import CheckRow
from gameproof.stats.results import Note, Verdict

N_SEEDS = 200
N_RESAMPLES = 1_999  # enough for p = .05 after correction for a dozen checks
REQUIRED_SHARE = 0.95
PROBED_WORLDS = 2  # made again to see whether the golden effects still belong to these metrics


def by_level(
    population: dict[tuple[str, str, int | None], Effect], metric: str
) -> dict[str, dict[int | None, float]]:
    found: dict[str, dict[int | None, float]] = defaultdict(dict)
    for (name, check, level), effect in population.items():
        if name == metric:
            found[check][level] = effect.effect
    return found


def audit(seed: int, metric: str) -> tuple[CheckRow, ...]:
    """Audit one metric on a fresh world of the demo's size."""
    scored = score_world(seed, [metric])
    [table] = scored.tables
    return check_metric(
        scored.world.dataset.items,
        table.original,
        table.variants,
        scored.perturbations,
        higher_is_better=table.higher_is_better,
        settings=CheckSettings(seed=seed, n_resamples=N_RESAMPLES),
    )


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS)
def test_verdicts_on_small_worlds_agree_with_the_population(metric: str):
    population = by_level(load_population(), metric)
    decided, right = Counter[str](), Counter[str]()
    for seed in range(FIRST_AUDIT_SEED, FIRST_AUDIT_SEED + N_SEEDS):
        for row in audit(seed, metric):
            if is_decided(row):
                decided[row.check] += 1
                right[row.check] += agrees(row, population[row.check])

    table = {check: f"{right[check]}/{decided[check]}" for check in decided}
    print(metric, table)  # noqa: T201 - pytest shows it on failure and with -s
    assert right.total() >= REQUIRED_SHARE * decided.total(), table


@pytest.mark.slow
def test_the_golden_effects_belong_to_the_metrics_as_they_are():
    # The golden file holds 278 worlds; two of them must lie where two worlds of 72 tasks can lie.
    population = load_population()
    again = effects([world_moments(FIRST_POPULATION_SEED + place) for place in range(PROBED_WORLDS)])

    assert set(again) == set(population)
    for column, effect in again.items():
        golden = population[column]
        per_world = golden.standard_error * (golden.n_tasks / effect.n_tasks) ** 0.5
        assert abs(effect.effect - golden.effect) <= 5 * per_world + 0.01, column


def row(expect: str, family: str, verdict: Verdict, note: Note | None = None) -> CheckRow:
    return CheckRow(
        check="x", family=family, expect=expect, suite="strategic", effect=None, low=None, high=None,
        verdict=verdict, note=note,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("verdict", "note", "effect", "expected"),
    [
        (Verdict.PASS, None, -0.11, True),
        (Verdict.PASS, None, -0.09, False),
        (Verdict.PASS, Note.WEAK, -0.09, True),
        (Verdict.FAIL, Note.NEGLIGIBLE, -0.05, True),
        (Verdict.FAIL, Note.NEGLIGIBLE, 0.05, False),
        (Verdict.FAIL, Note.BLIND, 0.05, True),
        (Verdict.WRONG_WAY, None, 0.01, True),
        (Verdict.WRONG_WAY, None, -0.01, False),
    ],
)
def test_a_verdict_on_a_degradation_agrees_when_its_claim_is_true(
    verdict: Verdict, note: Note | None, effect: float, expected: bool
):
    assert agrees(row("decrease", "degradation", verdict, note), {None: effect}) is expected


@pytest.mark.parametrize(
    ("verdict", "note", "effect", "expected"),
    [
        (Verdict.PASS, None, 0.09, True),
        (Verdict.PASS, None, 0.11, False),
        (Verdict.PASS, Note.SMALL_GAIN, -0.01, False),
        (Verdict.FAIL, None, 0.05, True),
        (Verdict.FAIL, None, -0.05, False),
        (Verdict.FAIL, Note.MATERIAL, 0.05, False),
    ],
)
def test_a_verdict_on_a_manipulation_agrees_when_its_claim_is_true(
    verdict: Verdict, note: Note | None, effect: float, expected: bool
):
    assert agrees(row("no_increase", "manipulation", verdict, note), {None: effect}) is expected


def test_a_verdict_on_a_ladder_agrees_when_the_slope_has_the_sign_it_claims():
    assert agrees(row("increase", "ladder", Verdict.PASS), {None: 0.2})
    assert not agrees(row("increase", "ladder", Verdict.WRONG_WAY), {None: 0.2})
    assert agrees(row("decrease", "ladder", Verdict.WRONG_WAY), {None: 0.2})


def test_a_verdict_on_stability_speaks_of_every_level():
    assert agrees(row("stable", "ladder", Verdict.PASS), {25: 0.1, 50: -0.15})
    assert agrees(row("stable", "ladder", Verdict.FAIL), {25: 0.1, 50: -0.25})
    assert not agrees(row("stable", "ladder", Verdict.PASS), {25: 0.1, 50: -0.25})


def test_only_verdicts_that_say_something_count():
    assert is_decided(row("stable", "ladder", Verdict.PASS))
    assert not is_decided(row("stable", "ladder", Verdict.INCONCLUSIVE))
    assert not is_decided(row("stable", "ladder", Verdict.INSENSITIVE))
