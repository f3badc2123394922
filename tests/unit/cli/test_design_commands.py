"""The commands that explore the design space: prefer, optimise and the lists of its parts."""

import json

import pytest
from typer.testing import CliRunner

from gameproof.cli.app import app


def run(*args):
    return CliRunner().invoke(app, list(args))


def test_compare_prints_scores_and_how_far_the_order_decides():
    done = run("prefer", "planted,tasks=2", "--llm", "planted:oracle", "--cache", "off", "--opponents", "2")
    assert done.exit_code == 0, done.stderr
    assert "comparative" in done.stdout
    assert "verdicts that change with the order of the texts" in done.stdout
    assert "signature: comparative,opponents=2" in done.stderr


def test_compare_writes_all_pairs(tmp_path):
    out = tmp_path / "compared.json"
    done = run(
        "prefer", "planted,tasks=2", "--llm", "planted:oracle", "--cache", "off", "--json", "-o", str(out)
    )
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found == json.loads(out.read_text(encoding="utf-8"))
    # 6 tasks of four candidates, of which each meets two or three others
    assert found["summary"]["pairs"] == len(found["pairs"]) == 36


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("prefer", "planted,tasks=2"), "none is given"),
        (("prefer", "planted,tasks=2", "--llm", "planted:oracle", "--cache", "off", "--opponents", "0"), "--opponents: found '0'"),
        (("prefer", "planted,tasks=2", "--llm", "planted:oracle", "--cache", "off", "-o", "a.csv"), "is not .json"),
        (
            ("prefer", "planted,tasks=2", "--llm", "planted:oracle", "--cache", "off", "--cell", "KL+fvar+statement+oracle"),
            "texts are compared on statements",
        ),
        (("optimise", "planted,tasks=2", "--vary", "neg"), "expected KEY=VALUE,VALUE"),
        (("optimise", "planted,tasks=2", "--vary", "neg=4", "--vary", "neg=8"), "an option is named twice"),
        (("optimise", "planted,tasks=2", "--predictor", "rhyme"), "predictor 'rhyme' is unknown"),
        (("optimise", "planted,tasks=2", "--power", "1.5"), "power: found 1.5"),
        (
            ("optimise", "planted,tasks=2", "--divergence", "TV", "--vary", "neg=4", "--perturbation", "flip_case",
             "--perturbation", "null_answer"),
            "need 20 tasks; there are 6",
        ),
    ],
)  # fmt: skip
def test_bad_input_gives_one_clear_error(args, message):
    done = run(*args)
    assert done.exit_code == 2
    assert message in done.stderr


def test_optimise_prints_the_front_and_what_choosing_yields(tmp_path):
    out = tmp_path / "designs.csv"
    done = run(
        "optimise", "planted,tasks=7", "--divergence", "TV", "--vary", "neg=4", "--quiet", "-o", str(out),
        *(f"--perturbation={name}" for name in ("meaningless_elongation", "sentence_deletion")),
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert "The front, on all tasks" in done.stdout
    assert "1  TV+" in done.stdout
    assert (
        len(out.read_text(encoding="utf-8").splitlines()) == 1 + 4
    )  # TV: two estimators, two representations


@pytest.mark.parametrize("kind", ["cells", "presets", "options", "divergences"])
def test_each_part_of_the_design_space_is_listed(kind):
    shown, data = run("list", kind), run("list", kind, "--json")
    assert shown.exit_code == data.exit_code == 0
    first = next(iter(json.loads(data.stdout)[0].values()))
    assert first in shown.stdout
