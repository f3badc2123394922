"""An attack in the terminal: titles, meanings, an example, the exit code and the page."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

import gameproof
from gameproof.attacks.result import Example
from gameproof.reports.attack_words import TERMS, explain_attack_exit
from gameproof.reports.terminal_attack import print_attacks
from gameproof.stats.results import Interval


@pytest.fixture(scope="module")
def found():
    return gameproof.attack("planted,tasks=2,systems=4", "length", budget=4, universal_budget=100)


def show(found, width=80, **options):
    console = Console(file=io.StringIO(), width=width, color_system=None)
    print_attacks(found, console, **options)
    return console.file.getvalue()


@pytest.fixture(scope="module")
def held(found):
    """The same with verdicts that are set: nothing raised any score."""
    (result,) = found.results
    step = result.steps[0]
    calm = replace(
        step.result, gain_pvalue=0.5, gap_pvalue=0.5, gap_margin_pvalue=0.01, n_tasks=20, state=None
    )
    return replace(found, results=(replace(result, steps=(replace(step, result=calm),)),))


def with_result(found, **changes):
    (result,) = found.results
    step = result.steps[0]
    return replace(
        found,
        results=(
            replace(result, steps=(replace(step, result=replace(step.result, **changes)), *result.steps[1:])),
        ),
    )


def test_what_was_attacked_comes_first_and_the_exit_code_last(found):
    lines = show(found, report="run/attack.html").rstrip().splitlines()

    assert lines[0] == "Attack on 1 metric · planted,systems=4,tasks=2 · seed 0"
    assert "Report: run/attack.html" in lines
    assert " ".join(lines[-2:]).startswith("Exit code 3: gaming is shown (length)")


def test_every_table_has_a_title_and_its_columns_are_explained(found):
    text = show(found, 120)

    for title in (
        "What each budget buys",
        "Moves in the winning texts",
        "Texts that say nothing, and orders to a judge",
        "The best of n texts by the metric",
        "One addition for all texts",
        "The text that gained most where it was measured",
        "How to read this",
        "Verdicts",
    ):
        assert title in text
    legend = text[text.index("How to read this") : text.index("Verdicts")]
    assert [term for term in TERMS if re.search(rf"^{re.escape(term)} ", legend, re.MULTILINE)] == list(TERMS)


def test_an_example_shows_what_became_of_a_text(found):
    example = found.results[0].examples[0]
    text = " ".join(show(found, 100).split())

    assert example.item in text
    assert all(move in text for move in example.moves)
    assert f"original {example.original[:40]}" in text


def test_few_tasks_are_warned_of_by_the_rule_of_an_audit(found):
    note = "no metric can be shown to hold: tasks are what is sampled, and that takes 20, here are 6"

    assert found.notes[-1] == note  # two tasks in each of three domains
    assert note in " ".join(show(found, 100).replace("•", "").split())


def test_a_gap_that_only_the_one_sided_test_shows_is_warned_of(found):
    unsure = with_result(found, gap_interval=Interval(low=-0.7, high=2.1))

    assert "With 6 tasks alone the interval reaches below 0" in " ".join(show(unsure).split())
    assert "reaches below 0" not in show(found)


def test_a_gap_that_is_shown_without_its_size_is_said_to_be(found):
    open_ended = with_result(found, gap_interval=Interval(low=0.0, high=2.1))

    text = " ".join(show(open_ended).split())

    assert "With 6 tasks alone it is shown that there is a gap, and not how large it is" in text
    assert "reaches below 0" not in text


@pytest.mark.parametrize(
    ("changes", "code", "sentence"),
    [
        ({}, 0, "Exit code 0: no metric was gamed, and each is shown to hold (length)."),
        ({"gap_margin_pvalue": 0.5}, 4, "Exit code 4: the data cannot decide (length)."),
        (
            {"n_tasks": 6},
            4,
            "Exit code 4: the data cannot decide (length); fewer than 20 tasks cannot show that a metric holds.",
        ),
    ],
)
def test_the_exit_code_is_explained(held, changes, code, sentence):
    changed = with_result(held, **changes)

    assert changed.exit_code == code
    assert explain_attack_exit(changed) == sentence
    assert " ".join(show(changed).split()).endswith(sentence)


def test_hostile_texts_and_names_command_no_terminal(found):
    hostile = "\x1b[2J\u202e[bold]x"
    example = Example(
        item=hostile,
        original=hostile,
        attacked=f"{hostile} more",
        moves=("a",),
        metric=(0, 1),
        quality=(0, 0),
    )
    (result,) = found.results
    changed = replace(
        found, data=hostile, notes=(hostile,), results=(replace(result, metric=hostile, examples=(example,)),)
    )
    text = show(changed, 200)

    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "<U+001B>[2J<U+202E>[bold]x more" in text


@pytest.mark.parametrize("width", [80, 100, 160])
def test_no_line_is_wider_than_the_terminal(found, width):
    assert max(map(len, show(found, width).splitlines())) <= width
