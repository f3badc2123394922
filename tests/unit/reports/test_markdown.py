from dataclasses import replace

from tests.support.fake_results import fake_result

from gameproof.reports.html import ReportedRun
from gameproof.reports.markdown import render_markdown


def markdown(result):
    return render_markdown([ReportedRun(result=result)])


def test_every_table_row_has_as_many_cells_as_its_head():
    blocks = [block for block in markdown(fake_result()).split("\n\n") if block.startswith("| ")]

    assert len(blocks) == 8  # card, two tables of letters, four families, correlations
    for block in blocks:
        assert len({line.count("|") for line in block.splitlines()}) == 1


def test_a_strangers_text_is_no_markup():
    metric = replace(fake_result().metrics[0], alarms=("[a](b) *c* <d>",))

    assert r"\[a\](b) \*c\* \<d\>" in markdown(replace(fake_result(), metrics=(metric,)))


def test_reasons_and_gaps_are_told():
    text = markdown(fake_result())

    assert "not resistant: the score rises under meaningless elongation" in text
    assert "## What could not be measured, and why" in text


def test_the_conclusion_comes_first():
    assert markdown(fake_result()).splitlines()[2].startswith("**2 of 5 metrics can be trusted")


def test_the_papers_tables_are_there_with_their_letters():
    assert "| `length` | M |" in markdown(fake_result())


def test_several_runs_stand_below_a_table_of_all():
    other = replace(fake_result(), run={**fake_result().run, "data": "other"})
    text = render_markdown([ReportedRun(result=fake_result()), ReportedRun(result=other)])

    assert text.startswith("# 2 of 5 metrics can be trusted as a target on both data sets")
    assert "| metric | planted | other |" in text
    assert text.count("## Verdicts") == 2
