"""Show the results of several data sets, and find the exit code they stand for together."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gameproof.cli.printing import print_json, print_rows, say, stdout_console

if TYPE_CHECKING:
    from gameproof.audits.result import AuditResult

WIDTH = 9  # of a column: eighty columns of a terminal hold all of them
# The marks of a card in few letters: a table of several data sets has no room for words.
SHORT = {"yes": "✓ yes", "no": "✗ no", "inconclusive": "open", "not_measured": "-"}
LEGEND = "\nopen: nothing failed, but the data cannot show it; -: the data has nothing to measure it with"

__all__ = ["show_results", "worst"]

REPORT_FILE = "report.html"
# From the best to the worst: trusted, undecided, without any score, failed.
ORDER = (0, 4, 2, 3)
SAID = {
    0: "every metric is trusted on every data set",
    4: "some are undecided, none failed",
    2: "at least one gave no score for any text",
    3: "at least one failed",
}


def worst(codes: Sequence[int]) -> int:
    """Return the exit code of several audits: a failure before an open question.

    Example:
        >>> worst([0, 3, 4])
        3
    """
    return max(codes, key=ORDER.index)


def show_results(results: "Sequence[AuditResult]", *, folder: str, json: bool) -> int:
    """Print several results as JSON or as a table of verdicts, and return the worst exit code."""
    from gameproof.audits.card import exit_code  # noqa: PLC0415 - `--help` does not need them
    from gameproof.reports.result_json import render_json  # noqa: PLC0415
    from gameproof.reports.words import PROPERTIES  # noqa: PLC0415

    codes = [exit_code(result.metrics, result.gate) for result in results]
    code = worst(codes)
    told = f"Exit code {code}: {SAID[code]}."
    if json:
        print_json({"runs": [render_json(result) for result in results], "exit_codes": codes})
        say(told)
        return code
    names = [item.name for item in PROPERTIES]
    rows: list[dict[str, object]] = [
        {
            "data": _name(result) if place == 0 else "",
            "metric": metric.metric,
            **{name[:WIDTH]: SHORT[str(getattr(metric.card, name).value)] for name in names},
            "exit": each if place == 0 else None,
        }
        for result, each in zip(results, codes, strict=True)
        for place, metric in enumerate(result.metrics)
    ]
    print_rows(rows, ("data", "metric", *(name[:WIDTH] for name in names), "exit"))
    say(LEGEND)
    report = Path(folder) / REPORT_FILE
    if report.exists():
        stdout_console().print(f"\nReport: {report}", soft_wrap=True)
    stdout_console().print(told, style="bold")
    return code


def _name(result: "AuditResult") -> str:
    return str(result.run.get("public") or result.run.get("data"))
