"""Choosing a design under constraints, by folds of tasks."""

import asyncio
import math
from dataclasses import replace

import numpy as np
import pytest

from gameproof import aio
from gameproof.audits.optimise import optimise
from gameproof.audits.optimise_cells import design_grid, read_choices
from gameproof.audits.optimise_evidence import Evidence, judge, task_correlations
from gameproof.datasets.catalogue import load_dataset
from gameproof.errors import InputError, PlanError
from gameproof.stats.paired import PairedSample, infer_paired

N_TASKS = 40
NAMES = ("elongation", "rephrase", "deletion")  # two manipulations, one degradation


def evidence(name, *, rho, gains=(0.0, 0.0), loss=-1.0, noise=0.05, seed=0, n_tasks=N_TASKS, missing=0.0):
    """Make a design of given correlation and effects, in units of s_av, two pairs a task."""
    rng = np.random.default_rng(seed)
    means = np.array([*gains, loss])[:, None]
    changes = means + noise * rng.standard_normal((3, n_tasks))
    # Two pairs in each task, at 1 and -1, so that s_av is the root of n/(n-1) of n pairs whatever the tasks.
    return Evidence(
        design=name,
        signature=name,
        rho=np.clip(rho + 0.05 * rng.standard_normal(n_tasks), -1, 1),
        names=NAMES,
        n_manipulations=2,
        changes=changes,
        counts=np.full((3, n_tasks), 2.0),
        sums=np.zeros((2, 3, n_tasks)),
        squares=np.full((2, 3, n_tasks), 2.0),
        missing=missing,
    )


GAMED = evidence("gamed", rho=0.7, gains=(0.4, 0.0), seed=1)
HONEST = evidence("honest", rho=0.5, seed=2)
POOR = evidence("poor", rho=0.2, gains=(0.3, 0.0), seed=3)
BLIND = evidence("blind", rho=0.6, loss=-0.002, seed=4)
ALL = [GAMED, HONEST, POOR, BLIND]


def row(result, margin):
    return next(one for one in result.held_out if one["margin"] == margin)


def test_the_best_correlation_that_keeps_the_constraints_is_chosen_in_every_fold():
    result = optimise(ALL)
    assert row(result, 0.1)["chosen"] == {"honest": 5}
    assert row(result, None)["chosen"] == {"gamed": 5}
    broken = {record["design"]: record["breaks"] for record in result.designs}
    assert broken == {"gamed": "resistant", "honest": "", "poor": "resistant", "blind": "sensitive"}


def test_what_is_held_out_is_what_the_choice_shows_elsewhere():
    found = row(optimise(ALL), 0.1)
    # the choice is always the same, so the tasks held out are all of its tasks
    assert found["rho"] == pytest.approx(float(HONEST.rho.mean()), abs=1e-12)
    assert found["low"] < found["rho"] < found["high"]
    s_av = math.sqrt(64 / 63)  # of the two pairs of the 32 tasks that a choice is made on
    assert found["worst_effect"] == pytest.approx(
        float(HONEST.changes[:2].mean(axis=1).max()) / s_av, abs=1e-12
    )


def test_the_front_has_the_designs_that_no_other_beats_in_both():
    result = optimise(ALL)
    # "poor" follows ratings less than "honest" and pays more for tricks
    names = [record["design"] for record in result.front]
    assert names[0] == "gamed"
    assert "honest" in names or "blind" in names
    assert "poor" not in names
    worst = [record["worst_effect"] for record in result.front]
    assert worst == sorted(worst, reverse=True)


def test_the_best_of_many_equal_designs_promises_more_than_it_keeps():
    # 60 designs whose correlations with ratings are noise about .3: the luckiest is no better than the others
    rng = np.random.default_rng(5)
    designs = [
        replace(evidence(f"d{n:02}", rho=0.3, seed=n), rho=0.3 + 0.5 * rng.standard_normal(N_TASKS))
        for n in range(60)
    ]
    found = row(optimise(designs), 0.1)
    error = 0.5 / math.sqrt(N_TASKS)
    assert found["in_sample"] > 0.3 + 1.5 * error
    assert abs(found["rho"] - 0.3) < 3 * error


def test_no_choice_is_made_where_nothing_keeps_the_constraints():
    result = optimise([GAMED, BLIND])
    assert row(result, 0.1)["folds"] == 0
    assert row(result, 0.1)["rho"] is None
    assert any("no design keeps the constraints on all tasks" in note for note in result.notes)


def test_a_design_that_lacks_many_scores_is_never_chosen():
    lacking = evidence("lacking", rho=0.9, missing=0.2)
    result = optimise([lacking, HONEST])
    assert row(result, None)["chosen"] == {"honest": 5}
    assert result.designs[0]["breaks"] == "scored"


def test_effects_have_bounds_and_power_by_the_normal_theory_of_task_means():
    found = judge(HONEST, np.ones(N_TASKS, dtype=bool))
    changes = HONEST.changes[2] / math.sqrt(80 / 79)  # s_av of two pairs in each of 40 tasks
    error = changes.std(ddof=1) / math.sqrt(N_TASKS)
    assert found.effects[2] == pytest.approx(changes.mean(), abs=1e-12)
    # t(.95, 39) = 1.68488 (published table), z(.95) = 1.64485
    assert found.uppers[2] == pytest.approx(changes.mean() + 1.68488 * error, abs=1e-6)
    z = -BLIND.changes[2].mean() / (BLIND.changes[2].std(ddof=1) / math.sqrt(N_TASKS)) - 1.64485
    power = judge(BLIND, np.ones(N_TASKS, dtype=bool)).powers[2]
    assert power == pytest.approx((1 + math.erf(z / math.sqrt(2))) / 2, abs=1e-4)


def test_the_effect_is_that_of_an_audit():
    rng = np.random.default_rng(8)
    original, variant = rng.normal(size=(2, 3, N_TASKS))  # three texts of each task, by column
    design = replace(
        HONEST,
        changes=np.tile((variant - original).mean(axis=0), (3, 1)),
        counts=np.full((3, N_TASKS), 3.0),
        sums=np.stack([np.tile(values.sum(axis=0), (3, 1)) for values in (original, variant)]),
        squares=np.stack([np.tile((values**2).sum(axis=0), (3, 1)) for values in (original, variant)]),
    )
    sample = PairedSample(
        tasks=np.tile(np.arange(N_TASKS), 3), original=original.ravel(), variant=variant.ravel()
    )
    audited = infer_paired(sample, n_resamples=99)
    found = judge(design, np.ones(N_TASKS, dtype=bool))
    assert found.effects.tolist() == pytest.approx([audited.effect] * 3, abs=1e-12)


def test_a_shift_without_variance_counts_by_its_sign():
    constant = replace(HONEST, changes=np.zeros((3, N_TASKS)), squares=np.zeros((2, 3, N_TASKS)))
    constant = replace(constant, sums=np.zeros((2, 3, N_TASKS)))
    found = judge(constant, np.ones(N_TASKS, dtype=bool))
    assert found.effects.tolist() == [0.0, 0.0, 0.0]
    assert found.powers[2] == 0.0


def test_equal_scores_within_a_task_count_as_no_correlation():
    tasks = np.repeat([0, 1, 2], 3)
    marks = {"quality": np.array([1.0, 2, 3, 1, 2, 3, 5, 5, 5])}
    values = np.array([1.0, 2, 3, 7, 7, 7, 1, 2, 3])
    found = task_correlations(values, marks, tasks)
    assert found[:2].tolist() == [1.0, 0.0]
    assert math.isnan(found[2])  # the ratings do not differ


@pytest.mark.parametrize(
    ("designs", "options", "message"),
    [
        ([], {}, "there are none"),
        (
            [evidence("few", rho=0.3, n_tasks=12)],
            {},
            "5 folds of at least 4 tasks need 20 tasks; there are 12",
        ),
        ([replace(HONEST, rho=np.full(N_TASKS, np.nan))], {}, "no task has three rated candidates"),
        ([replace(HONEST, n_manipulations=3)], {}, "at least one manipulation and one degradation"),
    ],
)
def test_what_cannot_be_searched_is_refused(designs, options, message):
    with pytest.raises(InputError, match=message):
        optimise(designs, **options)


@pytest.mark.parametrize("margin", [math.inf, math.nan, -0.1])
def test_a_margin_that_is_no_size_is_refused(margin):
    with pytest.raises(PlanError, match=r"margin: found .*; allowed: a number of standard deviations"):
        asyncio.run(aio.optimise("planted,tasks=20", margin=margin))


def test_the_grid_has_each_cell_with_every_choice_it_takes():
    found = {
        str(spec) for spec in design_grid(divergences=["TV"], varied={"neg": ("4", "all"), "agg": ("mean",)})
    }
    assert found == {
        "TV+direct+statement+overlap",
        "TV+direct+report+overlap",
        "TV+fvar+statement+overlap",
        "TV+fvar+statement+overlap,neg=all",
        "TV+fvar+report+overlap",
        "TV+fvar+report+overlap,neg=all",
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"predictors": ["rhyme"]}, "predictor 'rhyme' is unknown: expected autoreg, oracle, nli or overlap"),
        ({"divergences": ["L2"]}, "divergence 'L2' is unknown"),
        (
            {"varied": {"neg": ("none",)}},
            "neg=none is legal in none of these cells: expected all or a whole number",
        ),
        ({"varied": {"given": ("source",)}}, "none of these cells takes the option"),
        ({"varied": {"neg": tuple(map(str, range(1, 60)))}}, "are more than 400"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused(options, message):
    with pytest.raises(PlanError, match=message):
        design_grid(**options)


def test_choices_are_read_from_text():
    assert read_choices("weights=equal, rarity") == ("weights", ("equal", "rarity"))
    with pytest.raises(PlanError, match="varies nothing"):
        read_choices("neg")
    with pytest.raises(PlanError, match="'colour' is no option of a cell"):
        read_choices("colour=red")


def test_the_planted_world_is_searched_from_texts_to_front(tmp_path):
    result = asyncio.run(
        aio.optimise(
            load_dataset("planted,tasks=7"),
            divergences=["TV", "KL"],
            varied={"neg": ("4",)},
            perturbations=["meaningless_elongation", "rephrase", "sentence_deletion"],
            out=tmp_path / "found.json",
        )
    )
    assert result.about["n_designs"] == 8
    assert {record["design"] for record in result.front} <= {record["design"] for record in result.designs}
    assert "gameproof.optimise/1" in (tmp_path / "found.json").read_text(encoding="utf-8")
    with pytest.raises(PlanError, match=r"none of \.json, \.csv"):
        asyncio.run(aio.optimise(load_dataset("planted,tasks=7"), out=tmp_path / "found.txt"))
