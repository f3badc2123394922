"""The commands about judges, over the planted ones."""

import json

import pytest
from typer.testing import CliRunner

from gameproof.cli.app import app

JUDGES = ("--llm", "planted:judge", "--llm", "planted:judge,length=0")


def gameproof(*arguments, code=0):
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == code, done.output
    return done


def test_sensitivity_shows_which_verdicts_depend_on_the_model():
    checks = ("--perturbation", "sentence_deletion", "--perturbation", "repeat_text")
    done = gameproof("sensitivity", "planted", "-m", "judge", *JUDGES, "--sample", "40", *checks, "--json")
    found = json.loads(done.stdout)
    assert found["models"] == ["planted:judge", "planted:judge,length=0"]
    assert found["n"] == 40
    # A text that stands there twice is liked by the judge that likes length and by no other.
    assert found["flipped"]["repeat_text"][0] == "fail"
    assert found["flip_rate"] == len(found["flipped"]) / found["n_checks"]
    assert len(found["results"]) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-m", "judge", "--llm", "planted:judge"), "two models are compared, and --llm names 1"),
        (
            ("-m", "judge", "--llm", "planted:judge", "--llm", "planted:judge"),
            "both models are called planted:judge",
        ),
        (("-m", "rougeL", *JUDGES), "rougeL asks no language model"),
        (("-m", "judge", "-m", "rougeL", *JUDGES), "name one metric"),
    ],
)
def test_sensitivity_of_anything_but_two_models_and_one_metric_is_refused(arguments, said):
    options = ("--sample", "4", "--perturbation", "repeat_text")
    assert said in gameproof("sensitivity", "planted", *arguments, *options, code=2).stderr


def test_judge_pairs_counts_wins_ties_and_flips_by_system():
    done = gameproof("judge-pairs", "planted", "--llm", "planted:judge", "--pairs", "1", "--json")
    found = json.loads(done.stdout)
    assert found["n_pairs"] == 72  # the data has 72 tasks
    assert found["n_flipped"] == 0  # the planted judge has no eye for the order
    assert found["systems"][0]["system"] == "alder"  # the best of the planted systems
    for each in found["systems"]:
        assert each["wins"] + each["ties"] + each["losses"] == each["pairs"]


def test_judge_pairs_needs_a_judge_and_a_known_baseline():
    assert "use --llm MODEL" in gameproof("judge-pairs", "planted", code=2).stderr
    done = gameproof("judge-pairs", "planted", "--llm", "planted:judge", "--baseline", "oak", code=2)
    assert "found 'oak'; allowed is a system of the data: alder, birch" in done.stderr
