"""`gameproof list` without a kind, and the embedded data set where a file may stand."""

import json

from typer.testing import CliRunner

from gameproof.cli.app import app
from gameproof.cli.list_ import Kind


def run(*args):
    return CliRunner().invoke(app, list(args))


def test_without_a_kind_the_kinds_are_shown():
    done = run("list")
    assert done.exit_code == 0, done.stderr
    kinds = [row["kind"] for row in json.loads(run("list", "--json").stdout)]
    assert kinds == [kind.value for kind in Kind]
    assert all(kind in done.stdout for kind in kinds)


def test_filters_of_published_values_need_no_kind():
    asked = ("--table", "p1_table10", "--metric", "ROUGE-L")
    assert run("list", *asked).stdout == run("list", "published", *asked).stdout != ""


def test_filters_of_published_values_beside_another_kind_are_refused():
    done = run("list", "moves", "--metric", "ROUGE-L")
    assert done.exit_code == 2
    assert "choose published values" in done.stderr


def test_planted_data_are_checked_like_a_file():
    done = run("data", "check", "planted,tasks=2", "--json")
    assert done.exit_code == 0, done.stderr
    # two tasks in each of three domains, four texts each (datasets/planted/world.py)
    assert json.loads(done.stdout)["rows"] == 24
