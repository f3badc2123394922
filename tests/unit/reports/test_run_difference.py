from html.parser import HTMLParser

import pytest
from tests.support.fake_difference import fake_difference, metric_change, property_change
from tests.support.fake_runs import HOSTILE

from gameproof.audits.result import CardMark
from gameproof.reports.run_difference_page import render_difference
from gameproof.reports.run_difference_text import difference_markdown, difference_text
from gameproof.reports.run_difference_words import difference_headline

YES, NO, OPEN, NONE = CardMark.YES, CardMark.NO, CardMark.INCONCLUSIVE, CardMark.NOT_MEASURED


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.open = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        del attrs
        self.tags.append(tag)
        if tag not in {"meta", "link", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    ("name", "before", "after", "code", "said"),
    [
        ("trusted", YES, NO, 3, "No longer trusted: judge"),
        ("trusted", YES, OPEN, 3, "No longer trusted: judge"),
        ("resistant", YES, NO, 3, "Worse than before: judge can be gamed"),
        ("resistant", OPEN, NO, 3, "Worse than before: judge can be gamed"),
        ("resistant", YES, OPEN, 4, "No longer shown: that judge is resistant"),
        ("resistant", YES, NONE, 4, "No longer shown: that judge is resistant"),
        ("resistant", NONE, NO, 0, "No property of any metric got worse; 3 checks have another verdict"),
        ("resistant", NO, NO, 0, "No property of any metric got worse; 3 checks have another verdict"),
        ("resistant", NO, YES, 0, "Nothing got worse; judge is resistant now"),
    ],
)
def test_the_exit_code_and_the_headline_say_what_is_lost(name, before, after, code, said):
    ranks = {NO: 0, OPEN: 1, YES: 2}
    unclear = NONE in {before, after}
    change = (
        "unclear"
        if unclear
        else ("better" if ranks[after] > ranks[before] else "worse" if after != before else "same")
    )
    difference = fake_difference(metric_change(property_change(name, before, after, change)))

    assert (difference.exit_code, difference_headline(difference)) == (code, said)


def test_a_metric_that_the_second_run_lacks_is_no_success():
    difference = fake_difference(metric_change(), only_before=("bleu",))

    assert difference.exit_code == 4
    assert difference_headline(difference) == "Nothing got worse, but the second run lacks bleu"


def test_the_terminal_shows_what_changed_and_ends_in_the_conclusion():
    text = difference_text(fake_difference())

    assert "judge: 40 of 288 scores of the originals changed; their order agrees by 0.970 (Spearman)" in text
    assert "rephrase" in text
    assert "tag text" not in text  # nothing changed there
    assert text.splitlines()[-2:] == [
        "No longer trusted: judge.",
        "Exit code 3: a property that did not fail before fails now, or a trusted metric no longer is.",
    ]
    assert str(fake_difference()) == text


def test_markdown_has_even_tables():
    text = difference_markdown(fake_difference())
    blocks = [block for block in text.split("\n\n") if block.startswith("| ")]

    assert text.startswith("# No longer trusted: judge")
    assert len(blocks) == 3
    assert all(len({line.count("|") for line in block.splitlines()}) == 1 for block in blocks)


def test_the_page_is_closed_in_order_and_has_a_lane_for_every_difference():
    text = render_difference(fake_difference())

    assert "script" not in Page(text).tags
    assert text.count('class="lane') == 3
    assert "not scored in both runs" in text
    assert "seed differs: 0 before, 1 after" in text


def test_hostile_names_stay_text():
    difference = fake_difference(metric_change(name=HOSTILE), notes=(HOSTILE,), only_before=(HOSTILE,))

    page = Page(render_difference(difference))
    assert "script" not in page.tags
    assert "\x1b" not in difference_text(difference)
    assert "<script>" not in difference_markdown(difference)
