from dataclasses import replace

from tests.support.fake_results import check, fake_result

from gameproof.reports.tables import card_table, check_rows, check_table, correlation_table, group_checks
from gameproof.reports.words import group_title


def test_cells_are_plain_values():
    result = fake_result()
    tables = [
        card_table(result),
        correlation_table(result),
        *(check_table(metric) for metric in result.metrics),
    ]

    kinds = {type(cell) for table in tables for row in table.rows for cell in row}

    assert kinds <= {str, int, float, bool, type(None)}


def test_the_card_has_one_row_for_each_metric():
    assert card_table(fake_result()).records()[0] == {
        "metric": "length",
        "statistical": "no",
        "sensitive": "no",
        "resistant": "no",
        "satisfied": "no",
        "trusted": "no",
    }


def test_a_correlation_has_the_ceiling_beside_it():
    row = correlation_table(fake_result()).records()[0]

    assert (row["rho"], row["ceiling"], row["level"]) == (0.05, 0.71, "within_task")


def test_the_reason_of_an_undefined_correlation_is_in_the_table():
    rows = [row for row in correlation_table(fake_result()).records() if row["metric"] == "chrf"]

    assert {row["state"] for row in rows} == {"undefined: constant scores"}


def test_missing_texts_keep_their_reasons():
    rows = [row for row in check_rows(fake_result()) if row["n_missing"]]

    assert {row["missing"] for row in rows} == {"empty: 10"}


def test_checks_are_grouped_by_what_is_expected_in_the_order_of_a_reader():
    metrics = fake_result().metrics
    mixed = replace(metrics[0], checks=tuple(reversed(metrics[0].checks)))

    groups = group_checks([mixed, *metrics[1:]])

    assert list(groups) == [
        ("degradation", "decrease"),
        ("manipulation", "no_increase"),
        ("ladder", "decrease"),
        ("probe", "none"),
    ]
    assert set(groups["degradation", "decrease"]) == {
        "random_replacement",
        "sentence_deletion",
        "surface_report",
    }


def test_a_group_that_nobody_foresaw_comes_last_with_its_own_words():
    row = check("odd", "probe", 0.0, expect="stable")
    metric = fake_result().metrics[0]

    groups = group_checks([replace(metric, checks=(row, *metric.checks))])

    assert list(groups)[-1] == ("probe", "stable")
    assert group_title("probe", "stable") == "probe: stable"
