"""Published values beside measured ones: only where data set, metric and check are the same, and never mixed."""

from dataclasses import replace

import pytest

from gameproof.audits.result import AuditResult, Card, CardMark, CheckRow, CorrelationRow, MetricResult
from gameproof.reports.html import ReportedRun, render_page
from gameproof.reports.markdown import render_markdown
from gameproof.reports.published import published_beside, published_table, why_none

NO = CardMark.NOT_MEASURED
CARD = Card(statistical=NO, sensitive=NO, resistant=NO, satisfied=NO, trusted=NO)


def _check(name: str, effect: float, low: float, high: float, family: str = "manipulation") -> CheckRow:
    return CheckRow(
        check=name, family=family, expect="no_increase", suite="strategic", effect=effect, low=low, high=high,
        parity_low=low, parity_high=high, parity_verdict="pass", n=200,
    )  # fmt: skip


def _result(
    metric: str = "rougeL,stem=true", public: str | None = "summeval", signature: str = ""
) -> AuditResult:
    rho = CorrelationRow(dimension="mean", level="pooled", rho=0.2, low=0.1, high=0.3, n=1600)
    return AuditResult(
        run={"data": "x.jsonl", "public": public, "notes": []},
        metrics=(
            MetricResult(
                metric=metric,
                signature=signature or metric,
                higher_is_better=True,
                card=CARD,
                correlation=(rho, replace(rho, level="within_task", rho=0.9)),
                checks=(
                    _check("meaningless_elongation", -0.60, -0.70, -0.50),
                    _check("rephrase", 0.50, 0.40, 0.60),
                    _check("repeat_text", 0.1, 0.0, 0.2),
                ),
            ),
        ),
    )


def test_each_measured_value_stands_beside_its_twin() -> None:
    """Table 11 of "Scoring Rules!": ROUGE-L on SummEval -0.62 +- 0.07 and -0.09 +- 0.07; table 6: 0.111."""
    rho, elongation, rephrase = published_beside(_result())
    assert (rho.check, rho.here, rho.published, rho.overlap) == (None, 0.2, 0.111, None)
    assert elongation.published == -0.62
    assert elongation.difference == pytest.approx(0.02, abs=1e-12)
    assert (elongation.overlap, rephrase.overlap) == (True, False)
    assert rephrase.published_low == pytest.approx(-0.16, abs=1e-12)


def test_what_the_paper_did_not_measure_stands_alone() -> None:
    assert {row.check for row in published_beside(_result())} == {None, "meaningless_elongation", "rephrase"}
    assert published_beside(_result("length")) == ()
    assert "have none for these metrics" in why_none(_result("length"))


def test_another_data_set_has_no_published_values() -> None:
    assert published_beside(_result(public=None)) == ()
    assert "summeval:FILE" in why_none(_result(public=None))
    assert published_beside(_result(public="rose")) == ()


def test_the_papers_flags_stand_beside_ours_where_its_tables_have_the_metric() -> None:
    """Table 8: LLM-J / Claude-Haiku-4.5 fails rephrase on SummEval, and resists meaningless elongation."""
    rows = published_beside(_result("judge,llm=anthropic/claude-haiku-4.5"))
    said = {row.check: row.published_verdict for row in rows if row.check}
    assert said == {"meaningless_elongation": "pass", "rephrase": "fail"}
    assert all(
        row.published_verdict is None for row in published_beside(_result())
    )  # ROUGE-L is not in table 8


def test_a_judge_with_another_model_is_another_metric() -> None:
    assert published_beside(_result("judge,llm=some-other-model")) == ()


def test_the_table_keeps_both_in_columns_of_their_own() -> None:
    record = published_table(_result()).records()[1]
    assert (record["here"], record["published"], record["intervals_overlap"]) == (-0.60, -0.62, "yes")
    assert record["source"] == "Scoring Rules! (arXiv:2608.01423v1), table 11"


def test_reports_show_them_only_when_asked() -> None:
    plain, asked = ReportedRun(result=_result()), ReportedRun(result=_result(), published=True)
    assert "Published values" not in render_markdown([plain])
    assert "copied from the paper and not measured" in render_markdown([asked])
    assert "Published values" not in render_page([plain])
    assert "copied from the paper and not measured" in render_page([asked])
    nothing = ReportedRun(result=_result("length"), published=True)
    assert "papers have none for these metrics" in render_page([nothing])
