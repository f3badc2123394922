"""Any result survives the way through JSON and can be shown everywhere."""

import io
import json
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from gameproof.audits.result import (
    AuditResult,
    Card,
    CardMark,
    CheckRow,
    CorrelationRow,
    Cost,
    ExchangeRate,
    MetricResult,
)
from gameproof.reports.html import ReportedRun, render_html
from gameproof.reports.latex import render_latex
from gameproof.reports.markdown import render_markdown
from gameproof.reports.notebook import html_table
from gameproof.reports.result_json import parse_result, render_json
from gameproof.reports.run_tables import render_checks_csv
from gameproof.reports.terminal import print_result
from gameproof.stats.results import Interval, Note, State, Verdict

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAME = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=30)
NUMBER = st.none() | st.floats(-10, 10)
SHARE = st.none() | st.floats(0, 1)
COUNT = st.integers(0, 10**6)

FAMILIES = st.sampled_from(
    [
        ("degradation", "decrease"),
        ("manipulation", "no_increase"),
        ("ladder", "decrease"),
        ("ladder", "increase"),
        ("ladder", "stable"),
        ("probe", "none"),
    ]
)
EXCHANGES = st.builds(
    ExchangeRate,
    value=st.floats(-5, 5),
    interval=st.builds(
        Interval,
        low=st.just(float("-inf")) | st.floats(-5, 0),
        high=st.just(float("inf")) | st.floats(0, 5),
    ),
    verdict=st.sampled_from(Verdict),
)


@st.composite
def checks(draw):
    family, expect = draw(FAMILIES)
    return draw(
        st.builds(
            CheckRow,
            check=NAME,
            family=st.just(family),
            expect=st.just(expect),
            suite=st.sampled_from(["strategic", "satisfaction"]),
            effect=NUMBER,
            low=NUMBER,
            high=NUMBER,
            effect_original=NUMBER,
            pvalue_zero=SHARE,
            pvalue_zero_adjusted=SHARE,
            pvalue_margin=SHARE,
            pvalue_margin_adjusted=SHARE,
            verdict=st.none() | st.sampled_from(Verdict),
            note=st.none() | st.sampled_from(Note),
            state=st.none() | st.sampled_from(State),
            detail=st.none() | TEXT,
            parity_verdict=st.sampled_from([None, "pass", "fail", "undefined"]),
            n=COUNT,
            n_tasks=COUNT,
            n_missing=COUNT,
            missing=st.dictionaries(TEXT, COUNT, max_size=2),
            smallest_detectable=NUMBER,
            rho=NUMBER,
            match_rate=SHARE,
            share_right=SHARE,
            exchange=st.none() | EXCHANGES,
        )
    )


CORRELATIONS = st.builds(
    CorrelationRow,
    dimension=st.just("mean") | NAME,
    level=st.sampled_from(["pooled", "within_task", "system"]),
    rho=NUMBER,
    low=NUMBER,
    high=NUMBER,
    n=COUNT,
    state=st.none() | st.sampled_from(State),
    state_detail=st.none() | TEXT,
    ceiling=NUMBER,
    n_tied=SHARE,
)
MARK = st.sampled_from(CardMark)
METRICS = st.builds(
    MetricResult,
    metric=NAME,
    signature=TEXT,
    higher_is_better=st.booleans(),
    card=st.builds(Card, statistical=MARK, sensitive=MARK, resistant=MARK, satisfied=MARK, trusted=MARK),
    correlation=st.lists(CORRELATIONS, max_size=3).map(tuple),
    checks=st.lists(checks(), max_size=4, unique_by=lambda row: row.check).map(tuple),
    alarms=st.lists(TEXT, max_size=1).map(tuple),
    cost=st.builds(Cost, calls=COUNT, tokens_in=COUNT, tokens_out=COUNT),
    summary=st.dictionaries(NAME, NUMBER, max_size=3),
)
RUNS = st.dictionaries(NAME, TEXT | COUNT | st.none() | st.lists(TEXT, max_size=2), max_size=3)
RESULTS = st.builds(AuditResult, run=RUNS, metrics=st.lists(METRICS, max_size=3).map(tuple))


@given(RESULTS)
@settings(max_examples=60, deadline=None)
def test_a_result_comes_back_from_json_as_it_was(result):
    text = json.dumps(render_json(result), allow_nan=False)

    assert parse_result(json.loads(text)) == result


@given(RESULTS, st.integers(60, 140))
@settings(max_examples=40, deadline=None)
def test_any_result_can_be_shown_and_commands_no_terminal(result, width):
    console = Console(file=io.StringIO(), width=width, color_system=None)

    print_result(result, console, exit_code=3, report="report.html")

    assert "\x1b" not in console.file.getvalue()


@given(RESULTS)
@settings(max_examples=40, deadline=None)
def test_any_result_has_a_page_whose_tags_close(result):
    class Page(HTMLParser):
        def __init__(self):
            super().__init__()
            self.open = []

        def handle_starttag(self, tag, attrs):
            del attrs
            assert tag != "script"
            if tag not in {"meta", "link", "br"}:
                self.open.append(tag)

        def handle_endtag(self, tag):
            assert self.open.pop() == tag

    for text in (render_html(result, exit_code=4), html_table(result)):
        page = Page()
        page.feed(text)
        assert page.open == []
    run = ReportedRun(result=result)
    render_markdown([run])
    render_checks_csv([run])
    render_latex([run])
