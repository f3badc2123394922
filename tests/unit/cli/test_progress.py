import io
import sys

from rich.console import Console
from rich.progress import Progress as Bars

from gameproof.cli.progress import _BarProgress, show_progress, show_transfers
from gameproof.engine.progress import Silent


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_nothing_is_shown_where_nobody_looks(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())

    with show_progress(quiet=False) as progress:
        assert isinstance(progress, Silent)


def test_quiet_is_quiet_on_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())

    with show_progress(quiet=True) as progress:
        assert isinstance(progress, Silent)


def test_a_terminal_gets_bars_on_standard_error(monkeypatch, capsys):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)

    with show_progress(quiet=False) as progress:
        progress.start("score", 4)
        progress.advance(4)
        progress.done()

    assert terminal.getvalue()
    assert capsys.readouterr().out == ""


def test_stages_follow_one_another():
    bars = Bars(console=Console(file=io.StringIO()))
    progress = _BarProgress(bars)

    progress.start("perturb", None)
    progress.advance(3)
    progress.start("score", 10)
    progress.advance(4)

    assert [(task.description, task.completed, task.total) for task in bars.tasks] == [("scoring", 4, 10)]
    progress.done()
    progress.advance(1)
    assert bars.tasks == []


def test_a_download_is_told_to_nobody_where_nobody_looks(monkeypatch):
    elsewhere = io.StringIO()
    monkeypatch.setattr(sys, "stderr", elsewhere)

    with show_transfers(quiet=False) as told:
        told("data.json", 10, 100)

    assert not elsewhere.getvalue()


def test_each_file_of_a_download_has_a_line_with_its_bytes(monkeypatch, capsys):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "100")

    with show_transfers(quiet=False) as told:
        told("first.json", 500, 2000)
        told("first.json", 2000, 2000)
        told("second.json", 300, None)  # its server did not say how long it is

    shown = terminal.getvalue()
    assert "first.json" in shown
    assert "2.0/2.0 kB" in shown
    assert "second.json" in shown
    assert "300/? bytes" in shown
    assert capsys.readouterr().out == ""
