"""A study's analysis as a page, as Markdown and as JSON."""

import dataclasses
import json

import pytest
from tests.support.study_played import played

from gameproof.reports.study import render_study_markdown, study_record, study_sections
from gameproof.reports.study_html import render_study_html
from gameproof.study.analysis import StudyAnalysis, analyse_record

HOSTILE = "<script>alert(1)</script>|`x`\x1b[2J"


@pytest.fixture(scope="module")
def analysis() -> StudyAnalysis:
    return dataclasses.replace(analyse_record(played(3, (8,) * 6)), name=HOSTILE, notes=(HOSTILE,))


def test_the_page_escapes_what_strangers_wrote_and_needs_nothing_else(analysis: StudyAnalysis) -> None:
    page = render_study_html(analysis)
    assert "<script" not in page
    assert "\x1b" not in page
    assert "&lt;script&gt;" in page
    assert "src=" not in page
    assert "href=" not in page


def test_markdown_has_no_markup_of_strangers(analysis: StudyAnalysis) -> None:
    text = render_study_markdown(analysis)
    assert "<script" not in text.replace("\\<", "")
    assert text.startswith("# \\<script\\>")


def test_every_row_has_a_cell_for_every_column(analysis: StudyAnalysis) -> None:
    sections = study_sections(analysis)
    assert [section.title for section in sections if section.main] == [
        "What took place",
        "Personalised against generic",
        "Conditions, head to head",
        "Strengths (Bradley-Terry)",
        "Regression of the personalised side's win",
    ]
    for section in sections:
        assert all(len(row) == len(section.columns) for row in section.rows)
        assert set(section.short) <= set(section.columns)


def test_the_record_is_json_without_nan(analysis: StudyAnalysis) -> None:
    record = json.loads(json.dumps(study_record(analysis), allow_nan=False))
    assert record["schema"] == "gameproof.study_analysis/1"
    assert record["agreement"] is None
    assert set(record["counts"]) >= {"sessions", "comparisons", "decided", "neither", "cancelled"}
    assert {row["round"] for row in record["personalised"]} == {"round1", "final", "all"}
