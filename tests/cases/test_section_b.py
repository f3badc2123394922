"""Public cases, section B: scores that are all alike, and scores that are NaN for a reason of settings."""

import json

import pytest
from tests.support.stub_server import StubServer, error, refusing, reply_with
from typer.testing import CliRunner

import gameproof
from gameproof.audits.result import AuditResult
from gameproof.cli.app import app
from gameproof.metrics.base import as_metric
from gameproof.reports.html import render_html

runner = CliRunner()

ROWS = [
    {
        "id": f"i{n}",
        "task_id": f"t{n}",
        "candidate": f"Number {n}: a bird sang. It rained. {'The wind blew. ' * (n % 4)}",
        "references": [f"In place {n} there were birds."],
        "ratings": {"quality": 1 + n % 5},
    }
    for n in range(20)
]
CHECKS = ["sentence_deletion", "pad_constant"]


def audited(function) -> AuditResult:
    metric = as_metric(function, name="metric", version="1")
    return gameproof.audit(ROWS, metric, perturbations=CHECKS)


def test_case_14_a_constant_metric_is_named_and_its_correlation_undefined():
    (result,) = audited(lambda _: 0.5).metrics
    assert any(alarm.startswith("constant metric") for alarm in result.alarms)
    pooled = [row for row in result.correlation if row.level == "pooled"]
    assert pooled
    for row in pooled:
        assert row.rho is None
        assert str(row.state) == "undefined"
        assert "constant" in (row.state_detail or "")


def test_case_14_over_nine_tenths_of_one_value_is_named_too():
    (result,) = audited(lambda item: 0.6 if item.id == "i3" else 0.5).metrics
    assert any(alarm.startswith("nearly constant metric: 95%") for alarm in result.alarms)


def test_case_15_a_narrow_band_is_shown_with_spread_distinct_values_and_ties():
    result = audited(lambda item: 0.78 if int(item.id[1:]) % 2 else 0.80)
    (metric,) = result.metrics
    # Ten times .78 and ten times .80: sd = .01 * sqrt(20 / 19)
    assert metric.summary["sd"] == pytest.approx(0.01026, abs=1e-5)
    assert metric.summary["distinct"] == 2
    assert metric.summary["tie_share"] == 1.0
    page = render_html(result, exit_code=3)
    for words in ("distinct scores", "share of texts that share their score", "standard deviation"):
        assert words in page
    assert "many ties: 100% of the texts share their score; 2 distinct values" in page


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return str(path)


def score(data, stub):
    args = ["score", data, "-m", "judge", "--llm", f"stub@{stub.url}", "--cache", "off", "--json"]
    return runner.invoke(app, [*args, "--max-concurrency", "1"])


def test_case_16_a_refused_parameter_is_left_out_after_one_retry_and_noted(data):
    def grade(call):
        return reply_with(json.dumps({"reason": "as it is", "score": 1 + len(call.prompt) % 9}))

    with StubServer(refusing("temperature", grade)) as stub:
        done = score(data, stub)
        refused = [call for call in stub.calls if "temperature" in call.body]
    assert done.exit_code == 0, done.output
    assert len(refused) == 1
    assert len(stub.calls) == 21
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(isinstance(row["score"], int | float) for row in rows)
    assert "temperature" in done.stderr


def test_case_16_any_other_refusal_stops_the_run_and_is_no_score(data):
    with StubServer(lambda _: error(400, "Your account may not use this model.")) as stub:
        done = score(data, stub)
    assert done.exit_code == 2
    assert len(stub.calls) == 1
    assert "may not use this model" in done.stderr
    assert "NaN" not in done.stdout
