import io
import re
from dataclasses import replace

import pytest
from rich.console import Console
from tests.support.fake_results import check, fake_result

from gameproof.audits.result import AuditResult
from gameproof.reports.terminal import print_result
from gameproof.stats.results import Note, Verdict


def show(result, width=80, **options):
    console = Console(file=io.StringIO(), width=width, color_system=None)
    print_result(result, console, **{"details": True, **options})
    return console.file.getvalue()


@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_no_line_is_wider_than_the_terminal_and_nothing_is_cut(width):
    text = show(fake_result(), width)

    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text


@pytest.mark.parametrize("width", [1, 20, 50])
def test_a_terminal_of_any_width_gets_the_whole_result(width):
    assert "Verdicts" in show(fake_result(), width).replace("\n", "")


@pytest.mark.parametrize("width", [80, 120])
def test_no_word_of_a_verdict_is_broken(width):
    text = show(fake_result(), width)

    for word in ("inconclusive", "insensitive", "not measured", "wrong way", "meaningless", "replacement"):
        assert word in text


def test_every_cell_of_a_check_stands_under_its_metric():
    lines = show(fake_result(), 120).splitlines()
    header = next(line for line in lines if line.startswith("verdict, effect"))
    cells = next(line for line in lines if line.startswith("meaningless elongation"))

    assert cells.index("✗ fail") == header.index("length")
    assert cells.index("insensitive") == header.index("rougeL")


def test_the_papers_verdict_stands_beside_ours():
    assert "+0.03 [F]" in show(fake_result())


def test_a_deterministic_change_is_marked():
    assert "= +2.31 [F]" in show(fake_result())


def test_more_metrics_than_fit_are_shown_in_even_blocks():
    result = fake_result()
    many = replace(result, metrics=(*result.metrics, *result.metrics[:3]))

    headers = [line for line in show(many, 80).splitlines() if line.startswith("verdict,")]

    assert [len(line.split()) - 1 for line in headers] == [4, 4]


def test_the_verdicts_come_last_so_that_they_stay_on_the_screen():
    text = show(fake_result(), exit_code=3, report="run/report.html")

    assert text.index("Checks") < text.index("Verdicts") < text.index("Report: run/report.html")
    assert text.rstrip().endswith("Exit code 3: at least one property was measured and failed (length).")


def test_the_human_ceiling_stands_beside_the_correlation():
    line = next(line for line in show(fake_result(), 120).splitlines() if line.startswith("rougeL  "))

    assert re.search(r"\+0\.31 \[0\.25, 0\.38\] .*0\.71", line)


def test_the_ceiling_is_said_to_be_that_within_tasks():
    lines = show(fake_result(), 120).splitlines()
    header = next(place for place, line in enumerate(lines) if line.endswith("human ceiling"))

    assert lines[header + 1].endswith("within task  ")
    assert "how well one rater agrees with the mean of the others" in "\n".join(lines)


def test_a_note_that_does_not_fit_beside_its_verdict_stands_below_it():
    row = check("repeat_text", "manipulation", 1.86, Verdict.INSENSITIVE, note=Note.SMALL_GAIN)
    result = fake_result()

    text = show(replace(result, metrics=(replace(result.metrics[0], checks=(row,)),)))

    assert "(small gain)" in text
    assert "\u2026" not in text


def test_a_strangers_text_cannot_command_the_terminal():
    metric = replace(fake_result().metrics[0], metric="a\x1b[2J[bold]b", alarms=("\x1b]0;title\x07",))

    text = show(replace(fake_result(), metrics=(metric,)), 120)

    assert "\x1b" not in text
    assert "\x07" not in text
    assert "a<U+001B>[2J[bold]b" in text


def test_a_check_that_one_metric_lacks_is_not_run():
    result = fake_result()
    extra = replace(result.metrics[0], checks=(check("only_here", "probe", 0.1),))

    line = next(
        line
        for line in show(replace(result, metrics=(extra, result.metrics[1])), 120).splitlines()
        if line.startswith("only here")
    )

    assert "not run" in line


def test_a_check_that_no_metric_could_be_put_to_takes_no_line_of_the_table():
    checks = show(fake_result()).split("How to read this")[0]

    assert "surface report" not in checks
    assert "surface report: needs a language model" in show(fake_result())


def test_colour_adds_nothing_that_is_not_there_without_it():
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="standard")
    print_result(fake_result(), console, details=True)

    plain = re.sub(r"\x1b\[[0-9;]*m", "", console.file.getvalue())

    assert plain == show(fake_result())


def test_a_printed_result_is_its_verdicts():
    text = str(fake_result())

    assert text.startswith("planted \u00b7 400 texts")
    assert "AuditResult(" not in text
    assert "not resistant: the score rises under meaningless elongation" in text


def test_an_empty_audit_can_be_shown():
    assert "Verdicts" in show(AuditResult(run={}, metrics=()), exit_code=0)


def in_short(result, width=80, **options):
    return show(result, width, details=False, **options)


def test_three_metrics_take_about_a_screen_and_begin_with_the_verdicts():
    result = replace(fake_result(), metrics=fake_result().metrics[:3])
    text = in_short(result, exit_code=3, report="run/report.html")

    assert len(text.splitlines()) <= 60  # a screen of a laptop
    assert "How to read this" not in text
    assert text.index("Verdicts") < text.index("length") < text.index("Not measured") < text.index("Report: ")
    assert "--verbose" in text


def test_the_short_result_says_why_and_how_many_checks_are_missing():
    text = in_short(fake_result())

    assert "not resistant: the score rises under meaningless elongation" in " ".join(text.split())
    assert "needs a language model" in text


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_of_the_short_result_is_wider_than_the_terminal(width):
    assert max(map(len, in_short(fake_result(), width).splitlines())) <= width


def test_without_any_score_there_is_no_table_of_checks():
    result = fake_result()
    empty = replace(
        result.metrics[0], checks=(), correlation=(), summary={"n": 0.0}, alarms=("missing: 4 of 4",)
    )
    for text in (show(replace(result, metrics=(empty,))), in_short(replace(result, metrics=(empty,)))):
        assert "Checks" not in text
        assert "How to read this" not in text
        assert "no text has a score" in text
        assert "missing: 4 of 4" in text


def test_many_notes_are_counted_where_details_are_not_asked_for():
    result = fake_result()
    noted = replace(result, run={**result.run, "notes": [f"note {n}" for n in range(9)]})

    assert "and 5 more notes" in in_short(noted)
    assert "note 8" in show(noted)
