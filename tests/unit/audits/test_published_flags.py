"""Our rules applied to the published effects of "Scoring Rules!", tables 10 and 11."""

import csv
from collections import Counter
from statistics import NormalDist

import pytest

from gameproof.audits.checks import parity_rule
from gameproof.audits.verdicts import Evidence, judge_manipulation
from gameproof.stats.multiple import holm
from gameproof.stats.parity import PairedT

pytestmark = pytest.mark.real_data

NORMAL = NormalDist()
WIDE = 1.96  # standard errors in a printed half-width
NARROWEST = 0.0025  # a half-width printed as .00 is below .005


def _effects(folder, name):
    with (folder / "seed_tables" / name).open(encoding="utf-8") as lines:
        return {
            (row["metric"], row["dataset"], row["strategy"]): (
                float(row["smd"]),
                float(row["ci95_half_width"]),
            )
            for row in csv.DictReader(lines)
        }


def _flags(folder, name):
    with (folder / "seed_tables" / name).open(encoding="utf-8") as lines:
        return {(row["metric"], row["dataset"], row["strategy"]) for row in csv.DictReader(lines)}


def _parity(effect, half_width):
    """Rebuild the t test from its printed interval: significant exactly where that leaves 0 out."""
    pvalue = 0.01 if abs(effect) > half_width else 0.5
    return PairedT(
        n=200,
        mean_change=effect,
        effect=effect,
        effect_original=None,
        effect_change=None,
        half_width=half_width,
        statistic=None,
        pvalue=pvalue,
        pvalue_less=None,
        pvalue_greater=None,
    )


@pytest.mark.parametrize(
    ("effects", "flags", "decrease", "boundary"),
    [
        (
            "p1_table10_degradation_smd.csv",
            "p1_table07_degradation_failures.csv",
            True,
            ("LLM-J / GPT-4o-mini", "SPACE", "deletion_and_completion"),  # -.12 +- .12, counted as a pass
        ),
        (
            "p1_table11_manipulation_smd.csv",
            "p1_table08_manipulation_failures.csv",
            False,
            ("LLM-J / GPT-5-mini", "MedAESQA", "opinion_shift_strong"),  # +.09 +- .09, counted as a failure
        ),
    ],
)
def test_the_parity_rule_gives_the_printed_flags_but_for_one_boundary_cell_a_table(
    shared_folder, effects, flags, decrease, boundary
):
    printed = _flags(shared_folder, flags)
    flagged_metrics = {"KL-Direct-Autoreg.", "TVD-FVar-Report", "TVD-FVar-Statement"}
    ours = {
        key: parity_rule(_parity(*value), decrease=decrease)
        for key, value in _effects(shared_folder, effects).items()
        if key[0] in flagged_metrics or key[0].startswith("LLM-J")  # those that tables 7 and 8 cover
    }
    different = {key for key, passes in ours.items() if passes == (key in printed)}
    assert len(ours) == (259 if decrease else 210)
    assert different == {boundary}


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        # Interval arithmetic on the printed tables, as computed when the verdict rules were set.
        ("TVD-FVar-Statement", {"pass": 28, "inconclusive": 2}),
        ("ROUGE-L", {"pass": 10, "insensitive": 16, "fail": 4}),
        ("TVD-FVar-Report", {"pass": 11, "insensitive": 3, "inconclusive": 16}),
        ("BERTScore", {"insensitive": 22, "inconclusive": 4, "fail": 4}),
    ],
)
def test_our_verdicts_on_the_printed_manipulations(shared_folder, metric, expected):
    manipulations = _effects(shared_folder, "p1_table11_manipulation_smd.csv")
    degradations = _effects(shared_folder, "p1_table10_degradation_smd.csv")
    found = Counter()
    for dataset in sorted({key[1] for key in manipulations if key[0] == metric}):
        effects = [value for key, value in manipulations.items() if key[:2] == (metric, dataset)]
        gate_met = _pvalue_below(*degradations[metric, dataset, "sentence_deletion"], bound=-0.1) <= 0.05
        below_gain = holm([_pvalue_below(*value, bound=0.1) for value in effects])
        above_zero = holm([1 - _pvalue_below(*value, bound=0.0) for value in effects])
        for gain, zero in zip(below_gain, above_zero, strict=True):
            evidence = Evidence(pvalues={"below_gain": gain, "above_zero": zero}, alpha=0.05, can_pass=True)
            found[judge_manipulation(evidence, margin=0.1, gate_met=gate_met).verdict.value] += 1
    assert found == expected


def _pvalue_below(effect, half_width, *, bound):
    return NORMAL.cdf((effect - bound) / (max(half_width, NARROWEST) / WIDE))
