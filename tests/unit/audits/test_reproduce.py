"""Printed values that follow from other printed ones."""

from collections import Counter

import pytest

from gameproof.audits.reproduce import Closeness, read_by_our_rule, recompute
from gameproof.stats.results import Verdict


@pytest.fixture(scope="module")
def rows():
    return recompute()


def of(rows, table):
    return [row for row in rows if row.table == table]


def test_flags_of_table_7_follow_from_table_10_but_for_the_one_that_rounding_hides(rows):
    # seed_tables/README.md: 258 of 259 cells agree; in the other the effect equals the half-width as printed.
    flags = of(rows, "p1_table07_degradation_failures")
    assert Counter(row.closeness for row in flags) == {Closeness.EQUAL: 258, Closeness.ROUNDING: 1}
    assert [row.what for row in flags if row.closeness is Closeness.ROUNDING] == [
        "LLM-J / GPT-4o-mini · SPACE · deletion_and_completion"
    ]


def test_flags_of_table_8_follow_from_table_11_but_for_the_one_that_rounding_hides(rows):
    flags = of(rows, "p1_table08_manipulation_failures")  # seed_tables/README.md: 209 of 210
    assert Counter(row.closeness for row in flags) == {Closeness.EQUAL: 209, Closeness.ROUNDING: 1}


def test_the_same_cells_are_all_that_moves_the_counts(rows):
    counts = [row for row in rows if row.table.endswith("_counts")]
    moved = {(row.what, row.published, row.ours) for row in counts if row.closeness is not Closeness.EQUAL}
    assert moved == {
        ("LLM-J / GPT-4o-mini · SPACE", "0", "1"),
        ("LLM-J / GPT-4o-mini · all seven", "10", "11"),
        ("LLM-J / GPT-5-mini · MedAESQA", "2", "1"),
        ("LLM-J / GPT-5-mini · all seven", "19", "18"),
    }


def test_the_regression_follows_from_its_coefficients_and_errors(rows):
    # By hand: 0.619 / 0.311 = 1.990, exp(-0.833) = 0.435, exp(0.523 + 1.96 * 0.295) = 3.008.
    found = {row.what: row for row in of(rows, "p2_table04c_logistic_regression")}
    assert found["Intercept · z"].ours == "1.99"
    assert found["model_pq = Llama-3.3-70B · odds_ratio"].ours == "0.43"
    assert found["model_generic = Llama-3.3-70B · or_ci_high"].ours == "3.01"
    assert {row.closeness for row in found.values()} == {Closeness.EQUAL, Closeness.ROUNDING}


def test_shares_follow_from_counts(rows):
    found = {row.what: row.ours for row in rows if row.table.startswith("p2_table04")}
    assert found["DeepSeek-V3.1 (personalised) · round1_pct"] == "62.9"  # 88 of 140
    assert found["Final round · personalised_pct"] == "63.2"  # 79 of 125


@pytest.mark.parametrize(
    ("metric", "paper", "ours"),
    [
        # Interval arithmetic on the printed tables, as in test_published_flags.
        ("TVD-FVar-Statement", 30, {Verdict.PASS: 28, Verdict.INCONCLUSIVE: 2}),
        ("TVD-FVar-Report", 30, {Verdict.PASS: 11, Verdict.INSENSITIVE: 3, Verdict.INCONCLUSIVE: 16}),
        ("ROUGE-L", 26, {Verdict.PASS: 10, Verdict.INSENSITIVE: 16, Verdict.FAIL: 4}),
        ("BERTScore", 26, {Verdict.INSENSITIVE: 22, Verdict.INCONCLUSIVE: 4, Verdict.FAIL: 4}),
    ],
)
def test_our_rule_on_the_printed_manipulations(metric, paper, ours):
    found = next(row for row in read_by_our_rule() if row.metric == metric)
    assert (found.n, found.passes_by_the_papers_rule) == (30, paper)
    assert found.verdicts == ours
