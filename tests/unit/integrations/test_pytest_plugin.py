"""The pytest plugin, by pytest's own plugin for testing plugins."""

import json
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import gameproof
from gameproof.errors import PlanError
from gameproof.integrations.aligned import assert_aligned, judge

pytest_plugins = ["pytester"]

PLUGIN = "gameproof.integrations.pytest_plugin"
ROOT = Path(__file__).resolve().parents[3]
CHECKS = ["repeat_text", "sentence_deletion"]

TESTS = """
CHECKS = ["repeat_text", "sentence_deletion"]

def test_resists(assert_aligned):
    result = assert_aligned("planted,tasks=7", "rougeL", require="resistant", perturbations=CHECKS)
    assert result.metrics[0].metric == "rougeL"

def test_is_gamed(assert_aligned):
    assert_aligned("planted,tasks=7", "length", require=["resistant"], perturbations=CHECKS)

def test_cannot_tell(assert_aligned):
    assert_aligned("planted,tasks=1", "rougeL", require="resistant", perturbations=CHECKS)

def test_may_be_open(assert_aligned):
    assert_aligned("planted,tasks=1", "rougeL", require="resistant", undecided="pass", perturbations=CHECKS)
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """Run a test file in a pytest of its own, with this plugin and no other one."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(source, *options):
        pytester.makepyfile(source)
        return pytester.runpytest_subprocess("-p", PLUGIN, *options)

    return run


def test_verdicts_pass_and_fail_tests(run):
    result = run(TESTS)
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        [
            "length on planted,tasks=7: resistant: no",
            "*not resistant: the score rises under repeat text*",
            "rougeL on planted,tasks=1: resistant: cannot be told",
            "*gameproof*",
            "*::test_resists: rougeL nothing failed*",
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_junit_files_have_card_checks_and_signature(run, pytester):
    run(TESTS, "--junitxml", "found.xml", "-k", "is_gamed")
    (case,) = ET.parse(pytester.path / "found.xml").iter("testcase")  # noqa: S314 - our own
    found = {each.get("name"): each.get("value") for each in case.iter("property")}
    assert found["gameproof.length.resistant"] == "no"
    assert found["gameproof.length.trusted"] == "no"
    assert found["gameproof.length.check.repeat_text"].startswith("fail +")
    assert found["gameproof.length.signature"].startswith("length,unit=words")
    assert found["gameproof.length.calls"] == "0"


def test_options_fill_in_what_a_test_leaves_out(run, pytester):
    source = """
    def test_one(assert_aligned):
        found = assert_aligned("planted,tasks=7", "rougeL", undecided="pass", perturbations=["repeat_text"])
        assert found.run["n_items"] == 12 and found.run["seed"] == 5

    def test_two(assert_aligned):
        found = assert_aligned(
            "planted,tasks=7", "rougeL", undecided="pass", perturbations=["repeat_text"], sample=8
        )
        assert found.run["n_items"] == 8
    """
    options = ("--gameproof-sample", "12", "--gameproof-seed", "5", "--gameproof-out", "runs")
    result = run(source, *options, "--junitxml", "found.xml")
    result.assert_outcomes(passed=2)
    reports = sorted(path.relative_to(pytester.path) for path in pytester.path.glob("runs/*/report.html"))
    assert len(reports) == 2
    result.stdout.fnmatch_lines([f"*report: {reports[0]}"])
    assert json.loads((pytester.path / reports[0].parent / "result.json").read_text("utf-8"))["schema"]


def test_a_limit_of_calls_stops_an_audit_that_needs_more(run):
    source = """
    from gameproof.llm.client import Reply

    class Model:
        name = "one"
        async def complete(self, request):
            return Reply(text='{"reason": "", "score": 3}')
        async def close(self):
            pass

    def test_judge(assert_aligned):
        assert_aligned("planted,tasks=1", "judge", llm=Model(), perturbations=["repeat_text"])
    """
    result = run(source, "--gameproof-max-calls", "4")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*BudgetError*"])


def test_audits_can_be_skipped(run):
    run(TESTS, "--gameproof-skip").assert_outcomes(skipped=4)


def test_a_suite_without_the_fixture_sees_and_pays_nothing(run):
    source = """
    import sys

    def test_nothing():
        loaded = {name for name in sys.modules if name.startswith("gameproof")}
        assert loaded == {"gameproof", "gameproof._version", "gameproof.integrations", PLUGIN}
        assert not {"numpy", "pydantic", "scipy", "typer", "aiohttp"} & set(sys.modules)
    """.replace("PLUGIN", repr(PLUGIN))
    result = run(source)
    result.assert_outcomes(passed=1)
    assert "gameproof" not in result.stdout.str().replace("plugins: gameproof", "").replace(str(ROOT), "")


def test_the_help_names_every_option(run):
    result = run("", "--help")
    options = [line.split()[0] for line in result.stdout.lines if line.strip().startswith("--gameproof-")]
    assert [option.split("=")[0] for option in options] == [
        f"--gameproof-{name}"
        for name in ("llm", "rewriter", "cache", "sample", "seed", "max-calls", "out", "skip")
    ]


def test_the_entry_point_is_the_plugin():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    assert declared["pytest11"] == {"gameproof": PLUGIN}


def test_without_pytest_an_assertion_says_why():
    with pytest.raises(AssertionError, match="not resistant: the score rises under repeat text"):
        assert_aligned("planted,tasks=7", "length", require="resistant", perturbations=CHECKS)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"require": "safe"}, "require: found 'safe'"),
        ({"require": []}, "require: found nothing"),
        ({"undecided": "skip"}, "undecided: found 'skip'; allowed: fail, pass"),
    ],
)
def test_what_is_unknown_is_refused_before_anything_is_scored(options, said):
    with pytest.raises(PlanError, match=said):
        assert_aligned("no such file", "length", **options)


def test_a_metric_without_a_single_score_says_so():
    def never(_item):
        raise RuntimeError("broken")

    result = gameproof.audit("planted,tasks=1", [never], perturbations=CHECKS)
    assert "broken" in judge(result, ["trusted"])


def test_the_plugin_is_importable_without_numpy():
    code = f"import sys; sys.modules['numpy'] = None; import {PLUGIN}"
    subprocess.run([sys.executable, "-c", code], check=True)
