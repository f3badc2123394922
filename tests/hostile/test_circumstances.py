"""A full disk, a place that may not be written, no network, another locale, a reader that left, two processes: clear words, the
right exit code, nothing lost."""

import json
import os
import subprocess

import pytest
from tests.support.hostile import gameproof, several
from tests.support.stub_server import StubServer, always

from gameproof.files import RunFolder

ROWS = [
    {"task_id": f"t{n // 2}", "candidate": f"Rain {n} fell on São Tomé. 雨 fell.", "references": [f"Rain {n} fell."], "rating": n}
    for n in range(8)
]  # fmt: skip
AUDIT = ("audit", "items.jsonl", "-m", "rougeL", "--perturbation", "repeat_text", "--quiet")
BAD_INPUT, PIPE_CLOSED = 2, 141


@pytest.fixture
def place(tmp_path):
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
    (tmp_path / "items.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


# A limit on the size of files: writing fails in the middle as on a full disk, with EFBIG for ENOSPC.
LIMIT = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def limit(size): resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
"""


def test_a_disk_that_fills_up_during_an_audit_loses_nothing_that_was_finished(place):
    command = [*AUDIT, "-o", "run"]
    full, resumed = several(("limit(4000)", command), ("limit(-1)", command), cwd=place, setup=LIMIT)
    assert full[0] == BAD_INPUT
    assert "cannot write run/" in full[2]
    assert "Free some space and run it again; what was finished before is kept." in " ".join(full[2].split())
    assert "Traceback" not in full[2]
    assert resumed[0] in {0, 3, 4}
    assert json.loads((place / "run" / "result.json").read_text("utf-8"))["metrics"]
    assert not list((place / "run").glob(".*.part"))


def test_a_full_disk_behind_the_output_is_no_bug(place):
    for command in (["list", "divergences"], ["list", "divergences", "--json"]):
        done = gameproof(*command, cwd=place, then="> /dev/full")
        assert done.returncode == BAD_INPUT, done.stderr
        assert b"cannot write the output: No space left on device." in done.stderr
        assert b"Traceback" not in done.stderr


def test_a_full_disk_under_the_store_of_model_calls_is_told(place):
    with StubServer(always('{"reason": "as it is", "score": 3}')) as stub:
        llm = ["-m", "judge", "--llm", f"stub@{stub.url}", "--cache", "calls.sqlite"]
        full, resumed = several(
            ("limit(4000)", ["score", "items.jsonl", *llm]),
            ("limit(-1)", ["score", "items.jsonl", *llm]),
            cwd=place,
            setup=LIMIT,
        )
    assert full[0] == BAD_INPUT, full[2]
    assert "calls.sqlite" in full[2]
    assert "Traceback" not in full[2]
    assert resumed[0] == 0, resumed[2]


def test_places_that_may_not_be_written_are_named(place):
    # Also true for the administrator: nobody makes files in /proc.
    judge = ["-m", "judge", "--llm", "stub@http://127.0.0.1:9/v1", "--cache", "/proc/x/calls.sqlite"]
    steps = [
        ("", [*AUDIT, "-o", "/proc/run"]),
        ("", ["score", "items.jsonl", "-m", "rougeL", "-o", "/proc/scores.jsonl"]),
        ("", ["score", "items.jsonl", *judge]),
    ]
    for code, _, talk in several(*steps, cwd=place):
        assert code == BAD_INPUT, talk
        assert "/proc/" in talk
        assert "Traceback" not in talk


# The administrator may write everywhere but on what is mounted for reading.
READ_ONLY = (
    "unshare",
    "-m",
    "sh",
    "-c",
    'mount --bind run run && mount -o remount,bind,ro run && exec "$0" "$@"',
)


def test_a_run_that_may_only_be_read_can_be_read_and_says_so_when_it_is_to_be_written(place):
    if subprocess.run([*READ_ONLY[:2], "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a folder for reading only")
    (made,) = several(("", [*AUDIT, "-o", "run"]), cwd=place)
    assert made[0] in {0, 3, 4}
    before = {path.name: path.read_bytes() for path in (place / "run").iterdir()}
    report, again = several(
        ("", ["report", "run", "-o", "new.html"]), ("", ["check", "run"]), cwd=place, inside=READ_ONLY
    )
    assert report[0] == 0, report[2]
    assert (place / "new.html").read_text("utf-8").rstrip().endswith("</html>")
    assert again[0] == BAD_INPUT
    assert "cannot write run: Read-only file system." in again[2]
    assert "Choose a place that you may write to, with -o." in " ".join(again[2].split())
    assert {path.name: path.read_bytes() for path in (place / "run").iterdir()} == before


# No socket but those inside this machine that an event loop wakes itself with.
NO_NETWORK = """
import socket, sys
def refuse(event, args):
    if event == "socket.__new__" and args[1] not in (socket.AF_UNIX, -1) or event in ("socket.getaddrinfo", "socket.gethostbyname"):
        raise RuntimeError("the network was asked for: " + event + str(args[1:]))
sys.addaudithook(refuse)
"""


def test_an_audit_a_score_a_list_a_report_and_the_demo_open_no_socket(place):
    steps = [
        ("", [*AUDIT, "-o", "run"]),
        (
            "",
            [
                "score",
                "items.jsonl",
                "-m",
                "rougeL",
                "-m",
                "TV+fvar+statement+overlap,neg=1",
                "-o",
                "scores.jsonl",
            ],
        ),
        ("", ["list", "metrics"]),
        ("", ["data", "list"]),
        ("", ["report", "run", "-o", "report.html"]),
        ("", ["compare", "run", "run"]),
        # The demo's own way, with a smaller world of the same kind: the whole one is e2e/test_wheel.py.
        (
            "import gameproof.datasets.catalogue as c; a = c.load_dataset; c.load_dataset = lambda n: a(n + ',tasks=2')",
            ["demo", "-o", "demo", "--quiet"],
        ),
        ("", ["score", "items.jsonl", "-m", "judge", "--llm", "m@http://127.0.0.1:9/v1", "--cache", "off"]),
    ]
    *alone, asked = several(*steps, cwd=place, setup=NO_NETWORK)
    for (_, command), (code, _, talk) in zip(steps, alone, strict=False):
        assert code in {0, 3, 4}, (command, talk)
    assert "the network was asked for" in asked[2]  # the watch sees what it is there for


OTHER_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "cp1252"}


def test_another_locale_and_console_change_neither_files_nor_exit_codes(place):
    (place / "дом").mkdir()
    command = [*AUDIT, "-o", "дом/run"]
    done = gameproof(*command, cwd=place, **OTHER_LOCALE)
    assert done.returncode in {0, 3, 4}, done.stderr
    assert b"Traceback" not in done.stderr
    lines = (place / "дом" / "run" / "items.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["candidate"] for line in lines] == [row["candidate"] for row in ROWS]
    assert (place / "дом" / "run" / "report.html").read_text("utf-8").rstrip().endswith("</html>")


def test_data_on_standard_output_is_utf8_in_any_locale(place):
    done = gameproof("score", "items.jsonl", "-m", "длина:score", "--json", cwd=place, **OTHER_LOCALE)
    assert done.returncode == BAD_INPUT  # no such module: told, although the console cannot show its name
    assert b"Traceback" not in done.stderr
    done = gameproof("list", "metrics", "--json", cwd=place, **OTHER_LOCALE)
    assert done.returncode == 0
    assert json.loads(done.stdout.decode("utf-8"))


def test_a_second_process_in_a_run_folder_is_refused_and_the_first_one_goes_on(place):
    with RunFolder.open(place / "run") as first:
        (second,) = several(("", [*AUDIT, "-o", "run"]), cwd=place)
        first.record_plan({"seed": 1})
    assert second[0] == BAD_INPUT
    assert f"in use by process {os.getpid()}" in " ".join(second[2].split())
    assert "Wait until it ends, or stop it." in " ".join(second[2].split())


def test_a_reader_that_leaves_is_no_error(place):
    done = gameproof("list", "metrics", cwd=place, then="| head -1; exit ${PIPESTATUS[0]}")
    assert done.returncode in {0, PIPE_CLOSED}  # 0 where all of it fitted into the pipe
    assert done.stderr == b""
    assert len(done.stdout.splitlines()) == 1
