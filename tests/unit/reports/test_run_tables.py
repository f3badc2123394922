import csv
import io
from dataclasses import replace

from tests.support.fake_results import fake_result
from tests.support.fake_runs import fake_run

from gameproof.audits.result import AuditResult, Cost
from gameproof.reports.html import ReportedRun
from gameproof.reports.run_tables import render_checks_csv, render_csv, render_tables_json, run_tables
from gameproof.reports.tables import Table


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_csv_has_one_row_for_each_check_of_each_metric():
    rows = rows_of(render_checks_csv([fake_run()]))

    assert len(rows) == sum(len(metric.checks) for metric in fake_result().metrics)
    assert rows[0]["verdict"] == "fail"
    assert rows[0]["rho"] == ""


def test_rows_of_several_runs_say_which_data_they_are_about():
    other = replace(fake_run(), result=replace(fake_result(), run={"data": "other"}))

    assert {row["data"] for row in rows_of(render_checks_csv([fake_run(), other]))} == {"planted", "other"}


def test_no_checks_are_a_head_alone():
    assert render_checks_csv([ReportedRun(result=AuditResult(run={}, metrics=()))]) == "data\n"


def test_letters_stand_beside_the_names_of_the_checks():
    row = next(
        row for row in run_tables([fake_run()])["manipulation"].records() if row["rule"] == "gameproof"
    )

    assert (row["metric"], row["letters"], row["names"]) == ("length", "M", "meaningless_elongation")


def test_a_text_that_a_spreadsheet_would_run_is_disarmed_and_numbers_stay_numbers():
    table = Table(title="t", columns=("a", "b"), rows=(("=1+1", -0.5), ("@x", None)))

    assert render_csv(table) == "a,b\n'=1+1,-0.5\n'@x,\n"


def test_calls_that_nobody_has_counted_are_empty_and_counted_ones_are_told():
    run = fake_run()
    counted = replace(run.result.metrics[0], cost=Cost(calls=12, tokens_in=900, tokens_out=30))
    uncounted = replace(run.result.metrics[1], cost=Cost())
    rows = run_tables([replace(run, result=replace(run.result, metrics=(counted, uncounted)))])[
        "scores"
    ].records()
    told = [(row["calls"], row["tokens_in"], row["tokens_out"]) for row in rows]
    assert told == [(12, 900, 30), (None, None, None)]


def test_the_json_has_every_table_with_its_columns():
    tables = render_tables_json([fake_run()])["tables"]

    assert [table["name"] for table in tables] == [
        "card",
        "correlation",
        "checks",
        "degradation",
        "manipulation",
        "scores",
        "alarms",
    ]
    assert all(list(row) == table["columns"] for table in tables for row in table["rows"])
