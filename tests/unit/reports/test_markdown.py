import csv
import io
from dataclasses import replace

from tests.support.fake_results import fake_result

from gameproof.audits.result import AuditResult
from gameproof.reports.markdown import render_csv, render_markdown


def test_every_table_row_has_as_many_cells_as_its_head():
    blocks = [block for block in render_markdown(fake_result()).split("\n\n") if block.startswith("| ")]

    assert len(blocks) == 6  # card, four families, correlations
    for block in blocks:
        assert len({line.count("|") for line in block.splitlines()}) == 1


def test_a_strangers_text_is_no_markup():
    metric = replace(fake_result().metrics[0], alarms=("[a](b) *c* <d>",))

    assert r"\[a\](b) \*c\* \<d\>" in render_markdown(replace(fake_result(), metrics=(metric,)))


def test_reasons_and_gaps_are_told():
    text = render_markdown(fake_result())

    assert "not resistant: the score rises under meaningless elongation" in text
    assert "## What could not be measured, and why" in text


def test_the_csv_has_one_row_for_each_check_of_each_metric():
    rows = list(csv.DictReader(io.StringIO(render_csv(fake_result()))))

    assert len(rows) == sum(len(metric.checks) for metric in fake_result().metrics)
    assert rows[0]["verdict"] == "fail"
    assert rows[0]["rho"] == ""


def test_no_checks_are_an_empty_file():
    assert render_csv(AuditResult(run={}, metrics=())) == ""
