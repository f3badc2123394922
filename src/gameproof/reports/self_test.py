"""Show what the audit says of planted metrics, and what it missed."""

from collections.abc import Iterator

from gameproof.audits.selftest import Finding, SelfTestResult, SelfTestRow
from gameproof.reports.words import check_title, format_effect, format_interval

__all__ = ["COLUMNS", "as_text", "conclusion", "describe_rows", "misses"]

COLUMNS = ("planted metric", "looked for", "the audit says", "found")
MARKS = {True: "✓ yes", False: "✗ no"}


def describe_rows(result: SelfTestResult) -> list[dict[str, str]]:
    """Return the table: a row for each thing that the audit has to say of a planted metric."""
    return [
        {
            "planted metric": f"{row.metric}: {_flaw(row)}" if first else "",
            "looked for": _title(finding),
            "the audit says": _number(finding),
            "found": MARKS[finding.found],
        }
        for row in result.rows
        for first, finding in _numbered(row)
    ]


def conclusion(result: SelfTestResult) -> str:
    """Say in one sentence how the test ended."""
    flawed = [row for row in result.rows if row.flaw is not None]
    n_named = sum(row.as_planted for row in flawed)
    passed = all(row.as_planted for row in result.rows if row.flaw is None)
    said = f"{n_named} of {len(flawed)} flaws were named, and the perfect reader {'passed' if passed else 'did not pass'}"
    return f"{said} ({result.n_texts:,} texts of {result.n_tasks:,} tasks, seed {result.seed})."


def misses(result: SelfTestResult) -> list[str]:
    """Say what was not as planted, a line for each."""
    return [
        f"{row.metric}: {_title(finding)}: expected {finding.expected}; the audit says {_number(finding)}"
        for row in result.missed
        for finding in row.findings
        if not finding.found
    ]


def as_text(result: SelfTestResult) -> str:
    """Return table and conclusion as plain lines, for a terminal or a log."""
    return "\n".join([*_lines(result), conclusion(result), *misses(result)])


def _lines(result: SelfTestResult) -> Iterator[str]:
    for row in result.rows:
        yield f"{MARKS[row.as_planted]}  {row.metric}: {_flaw(row)}"
        yield from (f"    {_say(finding)}" for finding in row.findings)


def _numbered(row: SelfTestRow) -> Iterator[tuple[bool, Finding]]:
    """Yield each finding, and whether it is the first."""
    for place, finding in enumerate(row.findings):
        yield place == 0, finding


def _flaw(row: SelfTestRow) -> str:
    return f"{row.flaw or 'has no flaw'}{' (long texts)' if row.texts == 'long' else ''}"


def _say(finding: Finding) -> str:
    return f"{_title(finding)}: {_number(finding)}"


def _title(finding: Finding) -> str:
    return check_title(finding.looked_for)


def _number(finding: Finding) -> str:
    said = [finding.said.removeprefix(f"{finding.looked_for}: ").replace("_", " ")]
    if finding.remark is not None and not finding.effect:
        said.append(finding.remark)
    elif finding.effect is not None:
        has_interval = finding.low is not None or finding.high is not None
        interval = f" {format_interval(finding.low, finding.high)}" if has_interval else ""
        said += [f"{format_effect(finding.effect)}{interval}", *([finding.remark] if finding.remark else [])]
    return ", ".join(said)
