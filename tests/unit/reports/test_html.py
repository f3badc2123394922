import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from tests.support.fake_results import check, fake_result

from gameproof.audits.result import AuditResult
from gameproof.reports.html import Example, render_html

HOSTILE = "<script>alert('1')</script>\"'&amp;\u202eevil\u2066\x1b[2J"
VOID = {"meta", "link", "br", "rect", "line", "path", "circle"}


class Page(HTMLParser):
    """Collects tags, attributes, texts and ids; fails on a tag that is not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.texts = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.extend(attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.extend(attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


def hostile_result():
    result = fake_result()
    rows = (check(HOSTILE, "manipulation", 0.1, detail=HOSTILE, missing={HOSTILE: 2}, n_missing=2),)
    metric = replace(
        result.metrics[0],
        metric=HOSTILE,
        signature=HOSTILE,
        checks=rows,
        alarms=(HOSTILE,),
        correlation=(replace(result.metrics[0].correlation[0], dimension=HOSTILE, state_detail=HOSTILE),),
    )
    return AuditResult(
        run={"data": HOSTILE, "notes": [HOSTILE], HOSTILE: {"a": [HOSTILE]}}, metrics=(metric,)
    )


def example(**change):
    values = {"metric": "length", "check": "padding", "item": "t1/a", "before": "A.", "after": "A. B."}
    return Example(**{**values, "score_before": 1.0, "score_after": None, **change})


def test_the_page_is_closed_in_order_and_has_unique_ids():
    page = Page(render_html(fake_result(), exit_code=3, examples=[example()]))

    ids = [value for name, value in page.attributes if name == "id"]
    assert len(set(ids)) == len(ids)
    targets = [value[1:] for name, value in page.attributes if name == "href" and value.startswith("#")]
    assert set(targets) <= set(ids)


def test_the_page_asks_the_network_for_nothing_and_runs_no_script():
    text = render_html(fake_result())
    page = Page(text)

    assert "script" not in page.tags
    assert not re.search(r"https?://|@import|url\(", text)
    assert not [value for name, value in page.attributes if name.startswith("on") or name == "src"]


def test_hostile_text_stays_text():
    examples = [example(metric=HOSTILE, check=HOSTILE, item=HOSTILE, before=HOSTILE, after=HOSTILE)]
    text = render_html(hostile_result(), examples=examples)
    page = Page(text)

    assert "script" not in page.tags
    assert "<script>alert('1')</script>" in page.text
    assert not re.search("[\u202e\u2066\x1b]", text)
    assert "<U+202E>evil<U+2066><U+001B>[2J" in page.text


def test_right_to_left_text_is_isolated_but_kept():
    result = replace(fake_result(), run={"data": "نص", "notes": []})

    assert "<bdi>نص</bdi>" in render_html(result)


def test_the_page_says_why_and_what_is_missing():
    text = Page(render_html(fake_result(), exit_code=3)).text

    assert (
        "the score rises under meaningless elongation (+2.31, the same for every text: deterministic)" in text
    )
    assert "surface report : needs a language model or variants in the data" in text
    assert "the ratings are planted by a formula" in text
    assert "Exit code 3" in text
    assert "length,tok=unicode,v=0.1.0" in text


def test_the_human_ceiling_stands_beside_every_correlation():
    # 4 of the 5 metrics have a correlation, the fifth has a ceiling all the same: three levels each
    assert Page(render_html(fake_result())).text.count("ceiling 0.71") == 15


def test_every_check_with_an_effect_has_a_lane_with_words():
    page = Page(render_html(fake_result()))

    labels = [value for name, value in page.attributes if name == "aria-label"]
    with_effect = [row for metric in fake_result().metrics for row in metric.checks if row.effect is not None]
    assert len(labels) == len(with_effect)
    assert "effect \u22121.45, interval [\u22121.53, \u22121.37]" in labels


def test_examples_appear_only_where_there_are_some():
    assert "Examples" not in Page(render_html(fake_result())).text
    assert "after: \u2013" in Page(render_html(fake_result(), examples=[example()])).text


@pytest.mark.parametrize("margin", [".5sent", None, ".10"])
def test_any_margin_can_be_shown(margin):
    result = replace(fake_result(), run={**fake_result().run, "margin": margin})

    text = Page(render_html(result)).text

    assert ("at the margin of 0.10" in text) == (margin == ".10")


def test_an_empty_audit_is_a_page_too():
    page = Page(render_html(AuditResult(run={}, metrics=())))

    assert "Which metrics can be trusted as a target?" in page.text


def test_the_same_result_gives_the_same_page():
    assert render_html(fake_result()) == render_html(fake_result())
