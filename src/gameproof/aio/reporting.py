"""The verb `report`, and what every finished run leaves behind."""

import json
from collections.abc import Callable
from pathlib import Path

from gameproof import files
from gameproof.audits.card import exit_code
from gameproof.audits.result import AuditResult
from gameproof.errors import PlanError, RunFolderError
from gameproof.files.atomic import AtomicFile, writing_errors
from gameproof.reports.html import render_html
from gameproof.reports.markdown import render_csv, render_markdown
from gameproof.reports.result_json import parse_result, render_json

__all__ = ["report", "write_result", "write_text"]

RESULT_FILE = "result.json"
REPORT_FILE = "report.html"


async def report(run: str | Path, *, out: str | Path | None = None) -> Path:
    """Write the report of a finished run.

    Args:
        run: The run folder.
        out: Where it goes: ``.html``, ``.md`` for Markdown, ``.csv`` for the checks as a table; by default
            ``report.html`` in the run folder.

    Returns:
        The path of the report.
    """
    with files.RunFolder.open(run, create=False, read_only=True) as folder:
        path = Path(out) if out is not None else folder.path / REPORT_FILE
        render = _renderer(path)
        result = _read_result(folder.path)
    write_text(path, render(result))
    return path


def write_result(folder: Path, result: AuditResult) -> None:
    """Write the result of a run and its page into the run folder."""
    record = render_json(result)
    write_text(folder / RESULT_FILE, json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    write_text(folder / REPORT_FILE, _page(result))


def _read_result(folder: Path) -> AuditResult:
    path = folder / RESULT_FILE
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunFolderError(
            f"{path} cannot be read: {error}.", hint=f"`gameproof check {folder}` writes it again."
        ) from error
    return parse_result(record)


def _renderer(path: Path) -> Callable[[AuditResult], str]:
    renderers = {".html": _page, ".htm": _page, ".md": render_markdown, ".csv": render_csv}
    ending = path.suffix.lower()
    if ending not in renderers:
        raise PlanError(
            f"cannot write {path}: the ending of its name is none of .html, .md (Markdown), .csv (the checks).",
        )
    return renderers[ending]


def _page(result: AuditResult) -> str:
    return render_html(result, exit_code=exit_code(result.metrics))


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with AtomicFile(path) as file, writing_errors(path):
        file.data.write(text.encode("utf-8", "backslashreplace"))
