"""The commands of a study, as somebody who runs one uses them."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from tests.support.study_simulation import simulate
from typer.testing import CliRunner

from gameproof.cli.app import app
from gameproof.study.store import open_store
from gameproof.study.study_file import new_study_text

RUN = CliRunner()


def run(*words: str, code: int = 0, typed: str | None = None):
    done = RUN.invoke(app, ["study", *map(str, words)], input=typed)
    assert done.exit_code == code, done.output
    return done


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database with four readers' choices."""
    path = tmp_path_factory.mktemp("study") / "study.db"
    store = open_store(path)
    simulate(store, sessions=(3, 2, 2, 2))
    store.close()
    return path


def test_a_new_file_fits_and_says_what_readers_go_through(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    run("new", path)
    told = run("check", path).output
    assert "Up to 8 queries a reader" in " ".join(told.split())
    assert "OPENALEX_API_KEY is not set" in " ".join(told.split())
    record = json.loads(run("check", path, "--json").stdout)
    assert (record["comparisons"], record["design"]) == (3, "tournament")
    assert "is there already" in run("new", path, code=2).output


def test_links_are_shown_once_and_can_be_revoked(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    run("new", path)
    rows = json.loads(run("invite", path, "-n", "3", "--address", "https://lab.example/s/", "--json").stdout)
    assert len({row["reader"] for row in rows}) == 3
    token = re.fullmatch(r"https://lab\.example/s/join/([\w-]{40,})", rows[0]["link"])
    assert token is not None
    store = open_store(tmp_path / "mine.db")
    assert store.redeem(token[1]) == rows[0]["reader"]
    run("invite", path, "--revoke", rows[0]["reader"])
    assert store.redeem(token[1]) is None
    again = run("invite", path, "--again", rows[0]["reader"]).stdout.split("\t")
    assert again[0] == rows[0]["reader"]
    store.close()
    listed = json.loads(run("invite", path, "--list", "--json").stdout)
    assert [row["link"] for row in listed] == ["active"] * 3
    assert "there is no reader" in run("invite", path, "--revoke", "reader-x", code=2).output
    assert "do not go together" in run("invite", path, "--list", "--again", "x", code=2).output


def test_the_analysis_of_a_database_an_export_and_its_archive_are_one(database: Path, tmp_path: Path) -> None:
    run("export", database, "-o", tmp_path / "out")
    records = [json.loads(run("analyse", source, "--json").stdout) for source in (database, tmp_path / "out")]
    for record in records:
        assert record["schema"] == "gameproof.study_analysis/1"
    assert records[0]["counts"] == records[1]["counts"]
    assert records[0]["personalised"] == records[1]["personalised"]
    assert (tmp_path / "out" / "dictionary.md").exists()
    assert "not empty" in run("export", database, "-o", tmp_path / "out", code=2).output


def test_the_analysis_is_told_in_words_and_written_as_a_page(database: Path, tmp_path: Path) -> None:
    told = run("analyse", database, "-m", "length", "-o", tmp_path / "analysis.html").output
    for part in (
        "What took place",
        "Personalised against generic",
        "Strengths",
        "Metrics against these choices",
    ):
        assert part in told
    page = (tmp_path / "analysis.html").read_text("utf-8")
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert "Win rates as the paper counts (parity)" in page
    run("analyse", database, "-o", tmp_path / "analysis.md")
    assert (tmp_path / "analysis.md").read_text("utf-8").startswith("# What do readers want from summaries?")
    assert "the ending of its name" in run("analyse", database, "-o", tmp_path / "a.pdf", code=2).output


def test_a_reader_is_deleted_on_request_after_a_question(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "study.db"
    with sqlite3.connect(database) as source, sqlite3.connect(copy) as target:
        source.backup(target)
    source.close()
    target.close()
    store = open_store(copy)
    who = store.participants()[0].id
    run("delete", copy, who, typed="n\n")
    assert store.events(who)
    run("delete", copy, who, "--yes")
    assert store.events(who) == ()
    store.close()
    assert json.loads(run("analyse", copy, "--json").stdout)["counts"]["readers"] == 3
    assert "one participant was deleted on request" in run("analyse", copy).output
    assert "there is no reader" in run("delete", copy, who, "--yes", code=2).output


def test_other_conditions_are_refused_once_there_are_answers(database: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.toml"
    run("new", path)
    told = run("invite", path, "--db", database, code=2).output
    assert "has other conditions" in " ".join(told.split())


def test_the_demo_serves_a_page_and_stops_when_it_is_told(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "gameproof",
        "study",
        "demo",
        "--port",
        "0",
        "--db",
        str(tmp_path / "demo.db"),
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as server:
        assert server.stderr is not None
        told = ""
        while (found := re.search(r"http://127\.0\.0\.1:\d+", told)) is None:
            line = server.stderr.readline()
            assert line, told
            told += line
        page = urllib.request.urlopen(found[0], timeout=60).read().decode()  # noqa: S310 - our own server
        server.send_signal(signal.SIGINT)
        server.stderr.read()
        assert server.wait(60) in {0, 130}
    assert "no language model takes part" in page
    assert "no language model" in told


def test_a_study_of_one_s_own_is_served_and_says_how_readers_come_in(tmp_path: Path) -> None:
    """Without a secret there is no admin page; a study by invitation names the command that makes links."""
    study = tmp_path / "mine.toml"
    text = new_study_text("demo").replace("open = true", "open = false")
    study.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "gameproof", "study", "serve", str(study), "--port", "0"]
    environment = {name: value for name, value in os.environ.items() if name != "GAMEPROOF_STUDY_SECRET"}
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment
    ) as server:
        assert server.stderr is not None
        told = ""
        while "Ctrl-C" not in told:
            line = server.stderr.readline()
            assert line, told
            told += line
        server.send_signal(signal.SIGINT)
        server.stderr.read()
        assert server.wait(60) in {0, 130}
    told = " ".join(told.split())
    assert "No admin page: set GAMEPROOF_STUDY_SECRET to have one." in told
    assert f"Readers need a link: gameproof study invite {study} --address http://127.0.0.1:" in told
    assert (tmp_path / "mine.db").is_file()


def test_an_open_study_that_asks_nothing_of_readers_is_told_what_that_means(tmp_path: Path) -> None:
    study = tmp_path / "mine.toml"
    text = new_study_text("demo").replace("open = false", "open = true")
    for known in ("role", "domain", "needs"):
        text = text.replace(f'name = "{known}"', f'name = "x_{known}"')
    study.write_text(text, encoding="utf-8")
    told = " ".join(run("check", study).output.split())
    assert "the study is open: anybody with its address may take part" in told
    assert "personalised summaries know nothing about the reader" in told


def test_readers_are_listed_for_people_and_files_of_an_export_as_data(database: Path, tmp_path: Path) -> None:
    study = tmp_path / "mine.toml"
    run("new", study)
    made = run("invite", study, "-n", "2").stdout.splitlines()
    shown = run("invite", study, "--list").stdout
    assert all(line.split("\t")[0][:10] in shown for line in made)
    assert "there is no reader 'reader-x'" in run("invite", study, "--again", "reader-x", code=2).output
    files = json.loads(run("export", database, "-o", tmp_path / "out", "--json").stdout)
    assert all(Path(file).is_file() for file in files)
    assert "dictionary.md" in {Path(file).name for file in files}
