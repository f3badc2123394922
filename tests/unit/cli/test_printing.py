"""Words are not torn at the edge of a terminal, numbers never."""

import io
import json
import os
import sys

import pytest
from typer.testing import CliRunner

from gameproof.cli.app import app
from gameproof.cli.printing import LINE, lay_out_terms, print_rows, say


class Terminal(io.StringIO):
    """Standard error as a terminal."""

    def isatty(self) -> bool:
        return True


def shown_in_a_terminal(text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a terminal of 40 columns gets."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((40, 24)))
    say(text)
    return terminal.getvalue()


def test_long_notes_break_at_spaces_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = shown_in_a_terminal(
        "note: 12 of 12 tasks are in groups too small for their negatives", monkeypatch
    )
    assert shown == "note: 12 of 12 tasks are in groups too\nsmall for their negatives\n"


def test_what_explains_a_term_is_indented_below_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    legend = "\nerror   standard deviation of a score about its true one\nitems   texts"
    assert shown_in_a_terminal(legend, monkeypatch) == (
        "\nerror   standard deviation of a score\n        about its true one\nitems   texts\n"
    )


def test_a_signature_is_never_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    signature = "rougeL,refs=first,score=f1,stem=false,tok=unicode,v=0.1.0"
    assert signature in shown_in_a_terminal(f"signature: {signature}", monkeypatch)


def test_a_file_gets_lines_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    say("word " * 40)
    assert capsys.readouterr().err == "word " * 40 + "\n"


def test_numbers_stay_whole_beside_a_long_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    name = "TV+fvar+statement+overlap,control=base_rate,weights=rarity"
    print_rows(
        [{"metric": name, "mean": 0.3548, "sd": 0.06279, "low": 0.1675}], ("metric", "mean", "sd", "low")
    )
    shown = capsys.readouterr().out
    assert all(number in shown for number in ("0.3548", "0.06279", "0.1675"))


def test_terms_keep_to_eighty_columns_and_their_meanings_stand_under_each_other():
    laid_out = lay_out_terms([("p", "of chance " * 12), ("decided", "pairs")]).splitlines()

    assert all(len(line) <= LINE for line in laid_out)
    assert [line[:9] for line in laid_out] == ["p        ", "         ", "decided  "]


@pytest.mark.parametrize(
    "command",
    [
        ("agree", "pairs.jsonl", "-m", "length"),
        ("power", "planted,tasks=1", "-m", "length", "--perturbation", "repeat_text"),
        ("variance", "planted,tasks=2", "-m", "TV+fvar+statement+overlap", "--tasks", "4"),
    ],
)
def test_what_is_told_beside_a_table_keeps_to_eighty_columns(command, tmp_path, monkeypatch):
    pair = {"task_id": "t", "candidate_a": "one", "candidate_b": "two words", "preference": "a"}
    lines = [json.dumps({**pair, "task_id": f"t{n}", "annotator": f"a{n % 3}"}) for n in range(6)]
    (tmp_path / "pairs.jsonl").write_text("\n".join(lines), "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, list(command), env={"COLUMNS": "80"})

    assert done.exit_code == 0
    assert max(len(line.rstrip()) for line in done.output.splitlines()) <= LINE
