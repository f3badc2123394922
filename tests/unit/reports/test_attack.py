"""Attacks in reports: the record, the figure, the page, and the section of an audit."""

import json
import math
import re
from dataclasses import replace

import pytest

import gameproof
from gameproof.attacks.result import Goodhart
from gameproof.errors import PlanError, RunFolderError
from gameproof.metrics.base import as_metric
from gameproof.reports.attack import conclusion, render_markdown
from gameproof.reports.attack_json import parse_attacks, render_attacks
from gameproof.reports.html.attack_view import render_attack_page
from gameproof.reports.svg.goodhart import Frame, draw_goodhart
from gameproof.stats.best_of_n import GoodhartCurve, GoodhartPoint
from gameproof.stats.results import Interval

DATA = "planted,tasks=2,systems=4"
LENGTH = "length"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    place = tmp_path_factory.mktemp("attacked")
    gameproof.audit(DATA, [LENGTH], perturbations=["sentence_deletion"], out=place / "audit")
    gameproof.attack(DATA, LENGTH, budget=4, universal_budget=200, out=place / "attack")
    return place


@pytest.fixture(scope="module")
def found(folders):
    return parse_attacks(json.loads((folders / "attack" / "attack.json").read_text(encoding="utf-8")))


def test_what_was_written_is_read_back_whole(found, folders):
    written = json.loads((folders / "attack" / "attack.json").read_text(encoding="utf-8"))
    assert render_attacks(found) == written
    assert found.results[0].verdict == "gamed"
    assert found.results[0].largest.result.gap_interval.low > 0
    assert found.results[0].goodhart.curve.points[-1].n == 4


def test_an_interval_without_an_end_is_written_and_read_back(found):
    step = found.results[0].steps[0]
    open_ended = replace(step.result, gap_interval=Interval(low=0.1, high=math.inf))
    changed = replace(found, results=(replace(found.results[0], steps=(replace(step, result=open_ended),)),))
    record = json.loads(json.dumps(render_attacks(changed), allow_nan=False))
    assert record["metrics"][0]["steps"][0]["result"]["gap_interval"] == {"low": 0.1, "high": None}
    assert parse_attacks(record) == changed


def test_a_gap_without_a_gain_is_not_decided_and_the_sentence_says_what_is_missing(found):
    (result,), step = found.results, found.results[0].steps[0]
    shown = replace(
        step.result, state=None, n_tasks=24, gain_pvalue=0.2, gap_pvalue=0.01, gap_margin_pvalue=0.9
    )
    unsure = replace(result, steps=(replace(step, result=shown), *result.steps[1:]))
    assert unsure.verdict == "inconclusive"
    assert "is shown, but not that the metric's own score rises" in conclusion(unsure)
    assert "either side" not in conclusion(unsure)


@pytest.mark.parametrize(
    ("gap", "margin", "verdict", "said"),
    [
        (0.01, 0.9, "gamed", "a gap of"),
        (
            0.01,
            0.01,
            "gamed",
            "The gap is small: it is shown to be below 0.1.",
        ),  # gamed iff gain and gap are shown
        (0.9, 0.01, "held", "is shown to be below 0.1."),
        (0.9, 0.9, "inconclusive", "may lie on either side of 0.1."),
    ],
)
def test_a_gain_and_a_gap_that_are_shown_are_gamed_however_small_the_gap_is(
    found, gap, margin, verdict, said
):
    (result,), step = found.results, found.results[0].steps[0]
    shown = replace(
        step.result, state=None, n_tasks=24, gain_pvalue=0.01, gap_pvalue=gap, gap_margin_pvalue=margin
    )
    changed = replace(result, steps=(replace(step, result=shown),))
    assert changed.verdict == verdict
    assert (changed.smallest_gamed is not None) == (verdict == "gamed")
    assert said in conclusion(changed)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "gameproof.attack/9"}, "this version reads"),
        ({"seed": "one"}, "seed: found 'one'"),
        ({"metrics": [{"metric": "length"}]}, r"metrics\[0\].signature: found nothing"),
        ({"metrics": 3}, "metrics: found 3"),
    ],
)
def test_a_damaged_record_is_refused(found, change, message):
    with pytest.raises(RunFolderError, match=message):
        parse_attacks({**render_attacks(found), **change})


def _curve(*quality):
    points = tuple(
        GoodhartPoint(
            n=2**step, metric=float(step), quality=value, honest=0.1 * step, share=None, interval=None
        )
        for step, value in enumerate(quality)
    )
    return GoodhartCurve(
        points=points, rho=0.1, area_lost=None, area_interval=None, late_change=None, late_interval=None,
        n_tasks=9, n_left_out=0,
    )  # fmt: skip


def test_the_figure_says_its_numbers_and_its_labels_do_not_lie_over_each_other():
    frame = Frame(name="narrow", width=330, height=280, right=84)
    drawn = str(draw_goodhart(_curve(0.0, 0.1, 0.2, 0.3), frame, "curve"))
    assert "best of 8: +0.30, honest +0.30" in drawn
    heights = [float(y) for y in re.findall(r'y="([\d.]+)" class="curve-name', drawn)]
    assert len(heights) == 2
    assert (
        abs(heights[0] - heights[1]) >= 12
    )  # the height of their letters, where both lines end in one place


def test_a_flat_curve_is_drawn_flat():
    frame = Frame(name="wide", width=620, height=300, right=96)
    points = re.findall(r'points="([^"]*)"', str(draw_goodhart(_curve(0.0, 1e-6), frame, "c")))
    heights = [float(pair.split(",")[1]) for pair in points[-1].split()]
    assert max(heights) - min(heights) < 1


def test_the_page_names_each_table_for_the_keyboard(found):
    page = render_attack_page(found)
    assert 'role="region"' not in page
    labelled = re.findall(r'<section class="scroll[^"]*" aria-labelledby="([^"]+)" tabindex="0">', page)
    ids = set(re.findall(r'id="([^"]+)"', page))
    assert len(labelled) >= 4
    assert all(set(names.split()) <= ids for names in labelled)
    assert len(re.findall(r'id="', page)) == len(ids)
    assert "curve-quality" in page


def test_without_a_curve_the_page_says_why(found):
    bare = replace(found.results[0], goodhart=Goodhart(by="the ratings", curve=None, why_not="too few texts"))
    page = render_attack_page(replace(found, results=(bare,)))
    assert "<svg" not in page
    assert "No Goodhart curve: too few texts." in page


def test_markdown_shows_the_texts_and_their_moves(found):
    text = render_markdown(found)
    example = found.results[0].examples[0]
    assert f"moves: {example.moves[0]}".replace("_", "\\_") in text
    assert "  - attacked: " in text


def test_an_attack_on_the_same_data_is_a_section_of_the_audits_report(folders, tmp_path):
    both = [folders / "audit", folders / "attack"]
    page = gameproof.report(both, out=tmp_path / "both.html").read_text(encoding="utf-8")
    assert '<a href="#attacks">What an attack found</a>' in page
    assert "Texts that gained most where it was measured" in page
    assert len(re.findall(r' id="', page)) == len(set(re.findall(r' id="([^"]+)"', page)))
    text = gameproof.report(both, out=tmp_path / "both.md").read_text(encoding="utf-8")
    assert "## What an attack found" in text
    tables = json.loads(gameproof.report(both, out=tmp_path / "both.json").read_text(encoding="utf-8"))
    rows = next(table["rows"] for table in tables["tables"] if table["name"] == "attacks")
    assert [row["budget"] for row in rows] == [4, 2, 1]
    assert rows[0]["gamed"] is True
    alone = gameproof.report(folders / "audit", out=tmp_path / "alone.html").read_text(encoding="utf-8")
    assert "What an attack found" not in alone


def test_an_attack_alone_is_written_as_its_own_page(folders, tmp_path):
    path = gameproof.report(folders / "attack", out=tmp_path / "attack.html")
    assert path.read_bytes() == (folders / "attack" / "attack.html").read_bytes()
    with pytest.raises(PlanError, match=r"written as \.html, \.md, \.json"):
        gameproof.report(folders / "attack", out=tmp_path / "attack.tex")


def test_an_attack_on_other_data_has_no_place_in_a_report(folders, tmp_path):
    shout = as_metric(lambda item: float(item.candidate.count("!")), name="shout", version="1")
    gameproof.attack("planted,tasks=2,systems=1", shout, budget=1, universal_budget=0, out=tmp_path / "other")
    with pytest.raises(PlanError, match="no run is on that data"):
        gameproof.report([folders / "audit", tmp_path / "other"], out=tmp_path / "both.html")


def test_what_an_attack_can_and_cannot_say_is_told_apart(found):
    """No gap, no gain, and a gap that is small enough on too few tasks."""
    (result,), step = found.results, found.results[0].steps[0]

    def said(**changes):
        changed = replace(step.result, state=None, **changes)
        return conclusion(replace(result, steps=(replace(step, result=changed),)))

    assert said(gain=None, gap=None, gain_pvalue=None, gap_pvalue=None, detail="no text has a quality") == (
        "Nothing can be said: no text has a quality."
    )
    assert said(gain=None, gap=None, gain_pvalue=None, gap_pvalue=None, detail=None) == (
        "Nothing can be said: there is no spread."
    )
    few = said(n_tasks=6, gain_pvalue=0.9, gap_pvalue=0.9, gap_margin_pvalue=0.01)
    assert few.startswith("Not decided: with 4 scored proposals a text the metric rose by")
    assert "but 6 tasks are too few to show that a metric holds" in few
    rose = said(gain=None, gap=None, gain_pvalue=0.01, gap_pvalue=0.01, detail="all originals had one score")
    assert rose == "Gamed: with 4 scored proposals a text the metric rose; all originals had one score."
