"""The self-test names planted flaws with the real audit, and fails with an audit that is broken."""

import asyncio
import json
import os
from dataclasses import replace

import pytest
from tests.support import flawed_by_hand
from typer.testing import CliRunner

from gameproof import aio
from gameproof.audits import checks
from gameproof.audits.card import make_card
from gameproof.audits.planted_flaws import FLAWS, PERFECT, Evidence, Flaw
from gameproof.audits.planted_texts import make_long_texts
from gameproof.audits.result import CardMark
from gameproof.audits.run import run_audit
from gameproof.audits.selftest import SelfTestResult, run_self_test
from gameproof.audits.verdicts import Decision
from gameproof.cli.app import app
from gameproof.metrics.base import as_metric
from gameproof.reports.self_test import conclusion, misses
from gameproof.stats.results import Verdict

NAMES = {flaw.name for flaw in FLAWS}
NAMED_BY_ALARM = {"constant", "noisy"}
BY_HAND = {
    "length lover": flawed_by_hand.length_lover,
    "hedge lover": flawed_by_hand.hedge_lover,
    "position reader": flawed_by_hand.position_reader,
    "constant": flawed_by_hand.constant,
    "reference copier": flawed_by_hand.copier,
    "order-blind": flawed_by_hand.bag_of_words,
    "first-512-tokens reader": flawed_by_hand.first_words,
}


def by_hand(flaw: Flaw) -> Flaw:
    """Put the metric that was written on its own in the place of the planted one."""
    name = f"{flaw.name}, by hand"
    metric = as_metric(BY_HAND[flaw.name], name=name, version="1")
    return replace(flaw, name=name, build=lambda _: metric)


@pytest.fixture(scope="module")
def recorded():
    """Run the self-test once, with the metrics that were written on their own besides, and keep what was said."""
    said = {}

    async def audit(run, metrics):
        said[run.dataset.name] = await run_audit(run, metrics)
        return said[run.dataset.name]

    flaws = (*FLAWS, *(by_hand(flaw) for flaw in FLAWS if flaw.name in BY_HAND))
    return asyncio.run(run_self_test(flaws=flaws, auditor=audit)), said


def again(recorded, change) -> SelfTestResult:
    """Judge again what an audit would say that makes a certain mistake."""
    _, said = recorded

    async def audit(run, metrics):
        names = {metric.name for metric in metrics}
        found = said[run.dataset.name]
        return replace(found, metrics=tuple(change(one) for one in found.metrics if one.metric in names))

    return asyncio.run(run_self_test(auditor=audit))


def missed(result: SelfTestResult) -> set[str]:
    return {row.metric for row in result.missed}


def test_every_planted_flaw_is_named_and_the_perfect_reader_passes(recorded):
    result, _ = recorded
    assert misses(result) == []
    assert result.as_planted
    assert {row.metric for row in result.rows} > NAMES


def test_metrics_that_were_written_on_their_own_are_named_too(recorded):
    result, _ = recorded
    rows = [row for row in result.rows if row.metric.endswith(", by hand")]
    assert len(rows) == len(BY_HAND)
    assert all(row.as_planted for row in rows)


def test_the_perfect_reader_is_trusted_on_short_and_on_long_texts(recorded):
    result, _ = recorded
    rows = [row for row in result.rows if row.metric == PERFECT]
    assert {row.texts for row in rows} == {"short", "long"}
    assert all(row.trusted is CardMark.YES for row in rows)


def test_the_perfect_reader_differs_from_each_flaw_in_what_names_it(recorded):
    _, said = recorded
    for flaw in FLAWS:
        perfect = said[f"planted, {flaw.texts} texts"].metrics[0]
        verdicts = {row.check: row.verdict for row in perfect.checks}
        for evidence in flaw.evidence:
            if evidence.kind == "check":
                assert verdicts[evidence.name] is Verdict.PASS
            else:
                assert not any(alarm.startswith(evidence.name) for alarm in perfect.alarms)


def with_checks(metric, rows):
    return replace(metric, checks=rows, card=make_card(rows, metric.correlation))


def always(verdict):
    return lambda metric: with_checks(
        metric,
        tuple(
            replace(row, verdict=verdict if row.verdict is not None else None, note=None)
            for row in metric.checks
        ),
    )


# What is broken in the audit -> the change of what it says, and the metrics that must be missed then.
MISTAKES = {
    "every check passes": (always(Verdict.PASS), NAMES),
    # A failure without its note does not say that the score hardly moves.
    "every check fails": (
        always(Verdict.FAIL),
        {"position reader", "order-blind", "constant", "first-512-tokens reader", PERFECT},
    ),
    "nothing is ever decided": (always(Verdict.INCONCLUSIVE), (NAMES - {"noisy"}) | {PERFECT}),
    "no alarm is given": (lambda metric: replace(metric, alarms=()), NAMED_BY_ALARM),
    "a check is left out": (
        lambda metric: with_checks(
            metric, tuple(row for row in metric.checks if row.check != "ending_deletion")
        ),
        {"position reader", "first-512-tokens reader"},
    ),
    "gains are taken for losses": (
        lambda metric: with_checks(
            metric,
            tuple(replace(row, effect=None if row.effect is None else -row.effect) for row in metric.checks),
        ),
        {"length lover", "hedge lover", "reference copier"},
    ),
    "whatever it finds, it trusts": (
        lambda metric: replace(metric, card=replace(metric.card, trusted=CardMark.YES)),
        NAMES,
    ),
    "it never trusts": (
        lambda metric: replace(metric, card=replace(metric.card, trusted=CardMark.INCONCLUSIVE)),
        {PERFECT},
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_an_audit_with_a_mistake_does_not_pass(recorded, mistake):
    change, expected = MISTAKES[mistake]
    result = again(recorded, change)
    found = missed(result)
    assert not result.as_planted
    assert found == expected
    assert len(misses(result)) >= len(expected)


def test_a_mistake_in_the_audits_own_code_is_found(monkeypatch):
    """The rule for manipulations waves everything through: metrics that can be gamed are not named any more."""
    monkeypatch.setattr(checks, "judge_manipulation", lambda *_, **__: Decision(verdict=Verdict.PASS))
    flaws = [flaw for flaw in FLAWS if flaw.name == "hedge lover"]
    result = asyncio.run(run_self_test(flaws=flaws))
    assert missed(result) == {"hedge lover"}
    assert misses(result)[0].startswith(
        "hedge lover: opinion shift neutral: expected fails, the score moves up; the audit says pass, +"
    )


def test_a_check_that_the_audit_does_not_have_is_no_evidence(recorded):
    flaw = replace(FLAWS[0], evidence=(Evidence(kind="check", name="no_such_check"),))
    _, said = recorded

    async def audit(run, metrics):
        names = {metric.name for metric in metrics}
        found = said[run.dataset.name]
        return replace(found, metrics=tuple(one for one in found.metrics if one.metric in names))

    result = asyncio.run(run_self_test(flaws=[flaw], auditor=audit))
    assert misses(result) == ["length lover: no such check: expected fails; the audit says not in the audit"]


def test_long_texts_are_longer_than_what_the_truncating_metric_reads():
    items = make_long_texts(3).items
    # Their last quarter must begin beyond 512 words: 4/3 x 512 = 683.
    assert min(len(item.candidate.split()) for item in items) > 683
    assert len({item.task_id for item in items}) == 40


def invoke(monkeypatch, result, *words):
    async def self_test(**_):
        return result

    monkeypatch.setattr(aio, "self_test", self_test)
    return CliRunner().invoke(app, ["audit", "--self-test", *words], env={**os.environ, "COLUMNS": "100"})


def test_the_command_ends_with_0_where_all_is_as_planted(recorded, monkeypatch):
    done = invoke(monkeypatch, again(recorded, lambda metric: metric))
    assert done.exit_code == 0
    assert "8 of 8 flaws were named, and the perfect reader passed (350 texts of 130 tasks, seed 0)." in (
        done.output.replace("\n", " ").replace("  ", " ")
    )
    assert "✗" not in done.output


def test_the_command_ends_with_3_and_says_what_was_missed(recorded, monkeypatch):
    result = again(recorded, MISTAKES["no alarm is given"][0])
    done = invoke(monkeypatch, result)
    assert done.exit_code == 3
    said = " ".join(done.output.split())
    assert "Not as planted: noisy: not repeatable: expected an alarm; the audit says no such alarm" in said
    assert conclusion(result).startswith("6 of 8 flaws were named, and the perfect reader passed")


def test_as_json_everything_is_there(recorded, monkeypatch):
    done = invoke(monkeypatch, again(recorded, lambda metric: metric), "--json", "--quiet")
    record = json.loads(done.stdout)
    assert record["as_planted"] is True
    assert {row["metric"] for row in record["rows"]} == {*NAMES, PERFECT}
    assert record["rows"][0]["findings"][1]["low"] > 0.2  # lengthen: beyond what counts as stable


def test_other_options_are_refused():
    done = CliRunner().invoke(app, ["audit", "planted", "-m", "rougeL", "--self-test", "--dry-run"])
    assert done.exit_code == 2
    assert "cannot use data, dry_run, metrics" in " ".join(done.output.split())


def test_a_result_can_be_printed(recorded):
    text = str(recorded[0])
    assert "✓ yes  length lover: pays for every word" in text
    assert "perfect reader: has no flaw (long texts)" in text
