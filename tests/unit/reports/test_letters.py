import csv
from dataclasses import replace

import pytest
from tests.support.fake_results import check, fake_result

from gameproof.perturbations.catalogue import PERTURBATIONS
from gameproof.reports.letters import FAMILIES, letters_of, metric_groups, our_cell, papers_cell
from gameproof.stats.results import Verdict


def metric_with(*rows):
    return replace(fake_result().metrics[0], checks=rows)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_check_of_a_family_has_a_letter_of_its_own(family):
    letters = letters_of(family)

    assert set(letters) == {row.name for row in PERTURBATIONS.values() if row.family == family}
    assert len(set(letters.values())) == len(letters)
    assert "?" not in letters.values()


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("family", "file"),
    [
        ("degradation", "p1_table07_degradation_failures.csv"),
        ("manipulation", "p1_table08_manipulation_failures.csv"),
    ],
)
def test_capitals_are_the_letters_of_the_papers_tables(family, file, shared_folder):
    # "Scoring Rules!", legends of tables 7 and 8
    with (shared_folder / "seed_tables" / file).open(encoding="utf-8") as rows:
        printed = {row["strategy"]: row["code"] for row in csv.DictReader(rows)}

    own = letters_of(family)
    assert {name: own[name] for name in printed} == printed


def test_an_undecided_check_stands_in_brackets_and_is_no_failure():
    cell = our_cell(
        metric_with(
            check("rephrase", "manipulation", 0.5, Verdict.FAIL),
            check("meaningless_elongation", "manipulation", 0.1, Verdict.INSENSITIVE),
            check("flip_case", "manipulation", -0.2, Verdict.PASS),
        ),
        "manipulation",
    )

    assert (cell.text(), cell.n, cell.n_failed, cell.n_open) == ("R(M)", 3, 1, 1)


def test_a_score_that_rises_is_told_from_one_that_stands_still():
    cell = our_cell(
        metric_with(
            check("random_replacement", "degradation", 0.5, Verdict.WRONG_WAY),
            check("sentence_deletion", "degradation", 0.0, Verdict.FAIL),
        ),
        "degradation",
    )

    assert [mark.fault for mark in cell.marks] == ["wrong", "unmoved"]


def test_the_papers_rule_has_its_own_colours_by_its_own_interval():
    # tables 7 and 10: red where the interval lies above 0, orange where it holds 0
    cell = papers_cell(
        metric_with(
            check(
                "random_replacement",
                "degradation",
                0.3,
                parity_verdict="fail",
                parity_low=0.1,
                parity_high=0.5,
            ),
            check(
                "sentence_deletion",
                "degradation",
                0.0,
                parity_verdict="fail",
                parity_low=-0.1,
                parity_high=0.1,
            ),
            check("null_answer", "degradation", 0.0, parity_verdict="fail", extra=True),
        ),
        "degradation",
    )

    assert [(mark.letter, mark.fault) for mark in cell.marks] == [("R", "wrong"), ("S", "unmoved")]


def test_nothing_failed_is_a_tick_and_nothing_measured_a_dash():
    passed = metric_with(check("rephrase", "manipulation", -0.5, Verdict.PASS))

    assert our_cell(passed, "manipulation").text() == "✓"
    assert our_cell(passed, "degradation").text() == "\N{EN DASH}"


def test_cells_and_presets_are_one_group_and_everything_else_the_other():
    names = ["chrf++", "GEM,llm=x", "TV+fvar+statement+overlap,neg=8", "judge,scale=10", "chrf++"]

    assert metric_groups(names) == [
        ("Mutual-information metrics", ["GEM,llm=x", "TV+fvar+statement+overlap,neg=8"]),
        ("Other metrics", ["chrf++", "judge,scale=10"]),
    ]
