import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from tests.support.fake_results import fake_result
from tests.support.fake_runs import LONG_WORD, fake_run, hostile_run

from gameproof.audits.result import AuditResult
from gameproof.reports.html import ReportedRun, render_html, render_page
from gameproof.reports.html.sections import plan

VOID = {"meta", "link", "br"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}


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


def values(page, wanted):
    return [value for name, value in page.attributes if name == wanted]


def test_the_margin_that_the_verdicts_were_reached_by_is_shown():
    # `gameproof check --margin .30` leaves the plan of the run folder as it was.
    run = fake_run()
    checked = replace(run.result, run={**run.result.run, "margin": ".30"})
    told = plan.view(replace(run, result=checked, plan={"margin": ".10", "note": "kept"}), "").settings
    assert dict(told)["margin"] == ".30"
    assert dict(told)["note"] == "kept"


@pytest.mark.parametrize("n_runs", [1, 3])
def test_the_page_is_closed_in_order_and_every_reference_has_its_id(n_runs):
    page = Page(render_page([fake_run()] * n_runs))

    ids = values(page, "id")
    assert len(set(ids)) == len(ids)
    targets = [value[1:] for value in values(page, "href") if value.startswith("#")]
    named = [one for value in values(page, "aria-labelledby") for one in value.split()]
    assert {*targets, *named} <= set(ids)


@pytest.mark.parametrize("n_runs", [1, 2])
def test_no_level_of_headings_is_left_out(n_runs):
    levels = [int(tag[1]) for tag in Page(render_page([fake_run()] * n_runs)).tags if tag in HEADINGS]

    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_page_asks_the_network_for_nothing_and_runs_no_script():
    text = render_page([fake_run()])
    page = Page(text)

    assert "script" not in page.tags
    assert not re.search(r"https?://|@import|url\(", text)
    assert not [value for name, value in page.attributes if name.startswith("on") or name in {"src", "style"}]


def test_the_policy_allows_this_style_and_nothing_else():
    text = render_page([fake_run()])
    style = text[text.index("<style>") + len("<style>") : text.index("</style>")]
    policy = next(value for value in values(Page(text), "content") if value.startswith("default-src"))

    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'")


def test_hostile_text_stays_text():
    for runs in ([hostile_run()], [hostile_run(), fake_run()]):
        text = render_page(runs)
        page = Page(text)

        assert "script" not in page.tags
        assert "<script>alert('1')</script>" in page.text
        assert not re.search("[\u202e\u2066\x1b\x00]", text)
        assert "<U+202E>evil<U+2066><U+001B>[2J<U+0000>" in page.text


@pytest.mark.parametrize("place", ["metric", "note"])
def test_a_word_of_100_000_characters_does_not_blow_the_page_up(place):
    run = hostile_run(LONG_WORD) if place == "metric" else hostile_run()

    assert len(render_page([run]).encode()) < 1_000_000
    assert LONG_WORD[:5_000] not in render_page([run])


def test_right_to_left_text_is_isolated_but_kept():
    result = replace(fake_result(), run={"data": "نص", "notes": ["نص"]})

    assert "<bdi>نص</bdi>" in render_html(result)


def test_the_headline_says_what_to_conclude():
    page = Page(render_html(fake_result()))

    # of the five hand-made metrics one fails, two are trusted
    assert "2 of 5 metrics can be trusted as a target on planted" in page.text


def test_the_page_says_why_and_what_is_missing():
    text = Page(render_page([fake_run()])).text

    assert (
        "the score rises under meaningless elongation (+2.31, the same for every text: deterministic)" in text
    )
    assert "surface report : needs a language model or variants in the data" in text
    assert "the ratings are planted by a formula" in text
    assert "Exit code 3" in text
    assert "length,tok=unicode,v=0.1.0" in text
    assert "version of numpy 2.0" in text
    assert "padding, sentence deletion" in text


def test_the_human_ceiling_stands_beside_every_correlation():
    # 4 of the 5 metrics have a correlation, the fifth has a ceiling all the same: three levels each
    assert Page(render_html(fake_result())).text.count("ceiling 0.71") == 15


def test_every_picture_has_a_name_and_says_what_it_shows():
    text = render_page([fake_run()])
    pictures = re.findall(r"<svg[^>]*role=\"img\"[^>]*>(.*?)</svg>", text, re.DOTALL)
    lanes = sum(row.effect is not None for metric in fake_result().metrics for row in metric.checks)

    # a lane for every effect; two maps; a histogram and a ladder for each metric
    assert len(pictures) == lanes + 2 + 5 + 5
    assert all("<title" in picture and "<desc" in picture for picture in pictures)
    assert "effect \u22121.45, interval [\u22121.53, \u22121.37]" in text


def test_failed_checks_are_letters_with_a_shape_of_their_own_and_their_names():
    text = render_html(fake_result())

    assert '<abbr class="letter wrong" title="meaningless elongation">M</abbr>' in text
    assert '<abbr class="letter unmoved" title="random replacement">R</abbr>' in text
    assert '<abbr class="letter open" title="meaningless elongation">M</abbr>' in text


def test_examples_mark_the_words_that_differ_and_say_how_they_are_cut():
    text = Page(render_page([fake_run()])).text
    markup = render_page([fake_run()])

    assert "<mark>b. In short.</mark>" in markup or "<mark>In short.</mark>" in markup
    assert "t1/a : 1 → 1.5 (+2.25)" in text
    assert "a text is cut after 500 characters" in text


def test_without_a_run_folder_there_are_no_examples_and_no_distributions():
    text = Page(render_html(fake_result())).text

    assert "The largest wrong moves" not in text
    assert "Distributions of scores" not in text


def test_several_runs_have_a_section_each_below_an_overview():
    other = replace(
        fake_run(), result=replace(fake_result(), run={**fake_result().run, "data": "x/other.jsonl"})
    )
    page = Page(render_page([fake_run(), other]))

    assert {"overview", "run-1-top", "run-2-top", "run-2-verdicts"} <= set(values(page, "id"))
    assert "2 of 5 metrics can be trusted as a target on both data sets" in page.text
    assert "other m = " in page.text


def test_runs_of_the_same_data_are_told_apart():
    text = Page(render_page([fake_run(), fake_run()])).text

    assert "planted (1)" in text
    assert "planted (2)" in text


@pytest.mark.parametrize("margin", [".5sent", None, ".10"])
def test_any_margin_can_be_shown(margin):
    result = replace(fake_result(), run={**fake_result().run, "margin": margin})

    text = Page(render_html(result)).text

    assert ("at the margin of 0.10" in text) == (margin == ".10")


def test_an_empty_audit_is_a_page_too():
    page = Page(render_html(AuditResult(run={}, metrics=())))

    assert "No metric was audited" in page.text


def test_no_run_at_all_is_a_page_too():
    assert "No run is given" in Page(render_page([])).text


def test_the_same_run_gives_the_same_page():
    assert render_page([fake_run()]) == render_page([fake_run()])


def test_a_gate_alone_decides_the_exit_code():
    run = ReportedRun(result=fake_result(), exit_code=0, gate="rougeL")

    assert "Exit code 0" in Page(render_page([run])).text
