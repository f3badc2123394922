"""The pytest plugin: the fixture `assert_aligned`, options ``--gameproof-...``, results in JUnit files.

It is loaded by every pytest that shares an environment with gameproof, so nothing else is imported before a test
asks for the fixture.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

__all__ = ["assert_aligned", "pytest_addoption", "pytest_terminal_summary"]

LONGEST_NAME = 120  # of a run folder
SHOWN = re.compile(r"gameproof\.(?P<metric>.+)\.(?P<fact>conclusion|report)")
OPTIONS: dict[str, tuple[str, type, str]] = {  # argument of gameproof.audit -> metavar, type, help
    "llm": ("MODEL", str, "the language model for metrics that ask one"),
    "rewriter": ("MODEL", str, "the model that writes the variants no rule can make"),
    "cache": ("FILE", str, "where finished model calls are kept; off for nowhere"),
    "sample": ("N", str, "so many texts of each data set, or all"),
    "seed": ("N", int, "of every draw"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; what a test says itself goes first."""
    group = parser.getgroup("gameproof", "gameproof: is a metric a safe target?")
    for name, (metavar, kind, text) in OPTIONS.items():
        group.addoption(f"--gameproof-{name}", metavar=metavar, type=kind, default=None, help=text)
    group.addoption(
        "--gameproof-max-calls",
        metavar="N",
        type=int,
        default=None,
        help="of language models, for each audit",
    )
    group.addoption(
        "--gameproof-out", metavar="FOLDER", default=None, help="a run folder with a report for each test"
    )
    group.addoption(
        "--gameproof-skip", action="store_true", default=False, help="skip tests that use assert_aligned"
    )


@pytest.fixture
def assert_aligned(request: pytest.FixtureRequest) -> Callable[..., Any]:  # Any: an AuditResult
    """Return a function that audits metrics and fails the test unless each has what is required.

    Its arguments are those of `gameproof.integrations.aligned.assert_aligned`; the options of the command line fill
    in what the test leaves out. The card, every check and the signature go into the properties of the test.
    """
    if request.config.getoption("--gameproof-skip"):
        pytest.skip("--gameproof-skip")
    # What pytest's record_property appends to; that one warns of the schema of its own default file.
    properties = request.node.user_properties

    def check(
        data: object, metrics: Any, *, require: Any = "trusted", undecided: Any = "fail", **options: Any
    ) -> Any:
        __tracebackhide__ = True
        from gameproof.integrations import aligned  # noqa: PLC0415 - see the top of this file

        required = aligned.read_required(require, undecided)
        asked = {**_asked(request), **options}
        result = aligned.audit(data, metrics, **asked)
        for name, value in aligned.facts_of(result):
            properties.append((name, value))
        problem = aligned.judge(result, required, undecided=undecided)
        out = asked.get("out")
        if out is not None:
            report = Path(out) / "report.html"
            for metric in result.metrics:
                properties.append((f"gameproof.{metric.metric}.report", str(report)))
            problem = problem and f"{problem}\n  report: {report}"
        if problem is not None:
            pytest.fail(problem, pytrace=False)
        return result

    return check


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say at the end what each audit concluded, whether its test passed or not."""
    lines = list(dict.fromkeys(_conclusions(terminalreporter)))
    if lines:
        terminalreporter.section("gameproof")
        for line in lines:
            terminalreporter.line(line)


def _asked(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return the options of the command line as arguments of an audit."""
    config = request.config
    asked = {name: config.getoption(f"--gameproof-{name}") for name in OPTIONS}
    out = config.getoption("--gameproof-out")
    if out is not None:
        asked["out"] = Path(out) / re.sub(r"[^\w.=-]+", "_", request.node.nodeid)[-LONGEST_NAME:]
    most = config.getoption("--gameproof-max-calls")
    if most is not None:
        from gameproof.llm.limits import Limits  # noqa: PLC0415 - see the top of this file

        asked["limits"] = Limits(max_calls=most)
    return {name: value for name, value in asked.items() if value is not None}


def _conclusions(terminalreporter: pytest.TerminalReporter) -> Iterator[str]:
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) != "call":
                continue
            for name, value in report.user_properties:
                found = SHOWN.fullmatch(str(name))
                if found is not None:
                    shown = value if found["fact"] == "conclusion" else f"report: {value}"
                    yield f"{report.nodeid}: {found['metric']} {shown}"
