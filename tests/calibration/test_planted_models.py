"""Audits of metrics that ask planted models agree with the population, through prompts and replies.

With 45 worlds for the population and the candidate's statements in one question, on the twenty seeds: 123 of 123
decided verdicts of the oracle agreed, 131 of 131 with held-out wordings, 192 of 192 of the judge.
"""

from collections import Counter, defaultdict

import pytest
from tests.calibration.planted_agreement import agrees, is_decided
from tests.calibration.planted_model_population import (
    ASKED,
    CELL,
    FIRST_AUDIT_SEED,
    Asked,
    population,
    same_scores,
)

from gameproof.audits.checks import CheckSettings, check_metric
from gameproof.audits.result import CheckRow
from gameproof.llm.providers.planted import Errors, PlantedOracle
from gameproof.stats.results import Verdict

N_SEEDS = 20
N_RESAMPLES = 1_999  # enough for p = .05 after correction for a dozen checks
REQUIRED_SHARE = 0.95  # as for the metrics without a model: each verdict errs in one of twenty at most

# What the judge likes (length, hedges, words of certainty) and nothing else of what these do.
LIKED = ("meaningless_elongation", "opinion_shift_neutral", "opinion_shift_strong", "repeat_text")


def audit(asked: Asked, seed: int) -> tuple[CheckRow, ...]:
    """Audit on a fresh world of 72 tasks; every verdict of the model goes through a prompt and a reply."""
    scored = asked.score_through_prompts(seed)
    [table] = scored.tables
    return check_metric(
        scored.world.dataset.items,
        table.original,
        table.variants,
        scored.perturbations,
        higher_is_better=table.higher_is_better,
        settings=CheckSettings(seed=seed, n_resamples=N_RESAMPLES),
    )


def called_for(name: str) -> dict[str, dict[int | None, float]]:
    """Return the population effect of every check, by level."""
    found: dict[str, dict[int | None, float]] = defaultdict(dict)
    for (_, check, level), effect in population(name).items():
        found[check][level] = effect.effect
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
def test_verdicts_on_unseen_worlds_agree_with_the_population(name: str):
    expected = called_for(name)
    decided, right = Counter[str](), Counter[str]()
    for seed in range(FIRST_AUDIT_SEED, FIRST_AUDIT_SEED + N_SEEDS):
        for row in audit(ASKED[name], seed):
            if is_decided(row):
                decided[row.check] += 1
                right[row.check] += agrees(row, expected[row.check])

    table = {check: f"{right[check]}/{decided[check]}" for check in decided}
    print(name, table)  # noqa: T201 - pytest shows it on failure and with -s
    assert right.total() >= REQUIRED_SHARE * decided.total(), table


@pytest.mark.slow
def test_the_biased_judge_sees_a_loss_and_fails_what_it_likes_on_every_seed():
    for seed in range(FIRST_AUDIT_SEED, FIRST_AUDIT_SEED + N_SEEDS):
        rows = {row.check: row for row in audit(ASKED["judge"], seed)}
        assert rows["sentence_deletion"].verdict is Verdict.PASS, seed
        assert {name: rows[name].verdict for name in LIKED} == dict.fromkeys(LIKED, Verdict.FAIL), seed


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
def test_models_asked_directly_give_the_scores_they_give_through_prompts(name: str):
    seed = FIRST_AUDIT_SEED + N_SEEDS
    [direct] = ASKED[name].score_directly(seed).tables
    [through] = ASKED[name].score_through_prompts(seed).tables

    assert same_scores(direct, through)


@pytest.mark.slow
def test_a_cell_with_a_faultless_oracle_sees_a_loss_and_nothing_in_padding():
    faultless = PlantedOracle(errors=Errors(topic=0, negation=0, held_out=0))
    rows = {row.check: row for row in audit(Asked(metric=CELL, model=faultless), FIRST_AUDIT_SEED)}
    # Half of the sentences hold half of the facts; what says nothing changes no verdict of such a reader.
    assert rows["sentence_deletion"].verdict is Verdict.PASS
    for name in ("meaningless_elongation", "repeat_text"):
        assert rows[name].verdict is Verdict.PASS
        assert rows[name].effect == 0
