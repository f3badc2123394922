"""The command that downloads data, from a server on this machine that has the files of tests/data/public."""

import hashlib
import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gameproof.cli.app import app

FILES = Path(__file__).resolve().parents[2] / "data" / "public" / "lfqa_e" / "data"
NAMES = ("en_test.json", "zh_test.json")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass


@pytest.fixture
def mirror() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(FILES)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def run(*args: str):
    return CliRunner().invoke(app, ["data", *args])


def test_files_are_named_with_size_and_digest_and_said_how_to_be_used(mirror: str, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    first = run("get", "lfqa_e", "-o", str(folder), "--mirror", mirror)
    again = run("get", "lfqa_e", "-o", str(folder), "--mirror", mirror)

    assert first.exit_code == 0
    lines = first.stdout.replace("\n", " ")
    for name in NAMES:
        content = (FILES / name).read_bytes()
        digest = hashlib.sha256(content).hexdigest()[:12]
        assert (folder / name).read_bytes() == content
        assert f"{len(content):,} bytes, downloaded" in lines
        assert f"({digest})" in lines
    assert f"gameproof audit lfqa_e:{folder} -m rougeL" in first.stderr.replace("\n", " ")
    assert again.stdout.count("was here") == len(NAMES)
    assert run("check", f"lfqa_e:{folder}").exit_code == 0


def test_what_was_had_is_told_as_data(mirror: str, tmp_path: Path) -> None:
    done = run("get", "lfqa_e", "-o", str(tmp_path / "here"), "--mirror", f"{mirror}/", "--json")

    told = json.loads(done.stdout)
    assert told["folder"] == str(tmp_path / "here")
    assert [(row["url"], row["state"], row["bytes"]) for row in told["files"]] == [
        (f"{mirror}/{name}", "downloaded", (FILES / name).stat().st_size) for name in NAMES
    ]
    assert [row["sha256"] for row in told["files"]] == [
        hashlib.sha256((FILES / name).read_bytes()).hexdigest() for name in NAMES
    ]


def test_without_a_folder_it_goes_where_the_help_says(
    mirror: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("get", "lfqa_e", "--mirror", mirror, "--quiet").exit_code == 0
    assert (tmp_path / "gameproof-data" / "lfqa_e" / NAMES[0]).is_file()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("pubmedx", "the public data set 'pubmedx' is unknown: expected one of"),
        ("medaesqa", "MedAESQA has no address that a program can download it from"),
    ],
)
def test_what_cannot_be_downloaded_is_an_error_of_the_input(name: str, told: str, tmp_path: Path) -> None:
    done = run("get", name, "-o", str(tmp_path))
    assert done.exit_code == 2
    assert told in " ".join(done.stderr.split())
    assert not list(tmp_path.iterdir())
