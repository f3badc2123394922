"""A dry run with prices says what the calls would cost, and what that is reckoned from."""

import json

import pytest
from typer.testing import CliRunner

from gameproof.cli.app import app
from gameproof.cli.estimated_cost import estimate_cost, tell_cost

COMMANDS = (
    ("audit", "planted,tasks=1", "-m", "judge", "--llm", "planted:judge", "--perturbation", "repeat_text"),
    ("sweep", "planted,tasks=1", "--predictor", "oracle", "--llm", "planted:oracle"),
    ("variance", "planted,tasks=2", "-m", "TV+fvar+report+oracle,temperature=0.7", "--llm", "planted:oracle",
     "--tasks", "4"),
)  # fmt: skip
PRICES = ("--price-in", "3", "--price-out", "15")


def run(*args):
    done = CliRunner().invoke(app, list(args))
    assert done.exit_code == 0
    return done.stdout


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_dry_run_with_prices_gives_dollars(command):
    found = json.loads(run(*command, "--dry-run", "--json", *PRICES))
    # Dollars for a million tokens, in and out.
    assert found["cost_usd"] == pytest.approx((3 * found["tokens_in"] + 15 * found["tokens_out"]) / 1e6)
    said = " ".join(run(*command, "--dry-run", *PRICES).split())
    assert f"about ${found['cost_usd']:.2f}" in said
    assert "taken for 4 characters" in said


def test_the_dollars_of_an_attack_stand_beside_each_metric():
    command = (
        "attack",
        "planted,tasks=1",
        "-m",
        "judge",
        "-m",
        "length",
        "--llm",
        "planted:judge",
        "--budget",
        "2",
    )
    judge, length = json.loads(run(*command, "--dry-run", "--json", *PRICES))
    # Dollars for a million tokens, in and out; a count of words asks nobody.
    assert judge["cost_usd"] == pytest.approx((3 * judge["tokens_in"] + 15 * judge["tokens_out"]) / 1e6)
    assert length["cost_usd"] == 0
    assert "about $" in run(*command, "--dry-run", *PRICES)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_without_prices_no_amount_is_given_but_the_way_to_one(command):
    assert "cost_usd" not in json.loads(run(*command, "--dry-run", "--json"))
    said = run(*command, "--dry-run")
    assert "$" not in said
    assert "With --price-in and --price-out" in said


def test_where_no_model_is_asked_nothing_is_said_of_prices():
    assert tell_cost(0, 0, price_in=None, price_out=None) is None


def test_a_price_that_is_not_given_is_said_to_count_as_nothing():
    assert estimate_cost(1_000_000, 1_000_000, price_in=None, price_out=2.0) == 2.0
    assert "Without --price-in that side counts as free." in tell_cost(10, 10, price_in=None, price_out=2.0)
    assert "less than $0.01" in tell_cost(10, 10, price_in=1.0, price_out=2.0)
