"""The verb `report`, and what every finished run leaves behind."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from gameproof import files
from gameproof.aio.attacked import attack_page, has_attack, is_attack, read_attack, with_attacks
from gameproof.aio.reported import RESULT_FILE, Scored, reported_run, result_of
from gameproof.attacks.result import Attacks
from gameproof.audits.result import AuditResult
from gameproof.errors import PlanError
from gameproof.files import RunFolder
from gameproof.files.atomic import AtomicFile, writing_errors
from gameproof.reports.attack import render_markdown as render_attack_markdown
from gameproof.reports.attack_json import attacks_text
from gameproof.reports.html import ReportedRun, render_page
from gameproof.reports.html.attack_view import render_attack_page
from gameproof.reports.latex import latex_tables, render_latex
from gameproof.reports.markdown import render_markdown
from gameproof.reports.result_json import render_json
from gameproof.reports.run_tables import render_checks_csv, render_csv, render_tables_json, run_tables
from gameproof.reports.typed_json import plain_json

__all__ = ["REPORT_FILE", "report", "write_result", "write_tables", "write_text"]

REPORT_FILE = "report.html"


async def report(
    run: str | Path | Sequence[str | Path],
    *,
    out: str | Path | None = None,
    tables: str | Path | None = None,
    published: bool = False,
) -> Path:
    """Write the report of a finished run, or one report of several.

    Args:
        run: The run folder, or several: they are put side by side. The folder of an attack (see `attack`) among them
            becomes a section of the run on the same data; one alone is written as a page of its own.
        out: Where it goes: ``.html``, ``.md`` for Markdown, ``.tex`` for the papers' tables in LaTeX, ``.csv`` for
            the checks, ``.json`` for all tables; by default ``report.html`` in the run folder, if it is the only one.
        tables: A folder for every table as a file of its own, CSV and LaTeX. Where it is given alone, nothing else
            is written.
        published: Put the papers' values beside those measured, where data set, metric and check are the same.

    Returns:
        The path of the report, or the folder of the tables.

    Raises:
        PlanError: The ending of ``out`` says no format, or several runs have no ``out``.
        RunFolderError: A folder holds no finished run.
    """
    places = [run] if isinstance(run, str | Path) else list(run)
    if not places:
        raise PlanError("no run is given: name the folder of at least one.")
    attacked = [place for place in places if is_attack(place)]
    audited = [place for place in places if place not in attacked]
    if not audited:
        return _write_attack(attacked, out, tables)
    if out is None and tables is None and len(audited) > 1:
        raise PlanError(
            f"{len(audited)} runs are given, and no file for their report.",
            hint="Name one with -o FILE.html.",
        )
    path = Path(out) if out is not None else Path(audited[0]) / REPORT_FILE
    render = _renderer(path)
    runs = [replace(_read_run(place), published=published) for place in audited]
    runs = with_attacks(runs, {str(place): read_attack(place) for place in places if has_attack(place)})
    if tables is not None:
        write_tables(Path(tables), runs)
        if out is None:
            return Path(tables)
    write_text(path, render(runs))
    return path


def _write_attack(places: Sequence[str | Path], out: str | Path | None, tables: str | Path | None) -> Path:
    """Write the page of an attack alone."""
    if len(places) > 1 or tables is not None:
        raise PlanError(
            f"{' and '.join(map(str, places))}: no audit is given that {'these attacks belong' if len(places) > 1 else 'this attack belongs'} to.",
            hint="Name the folder of an audit as well; an attack alone is written as .html, .md or .json.",
        )
    path = Path(out) if out is not None else attack_page(places[0])
    ending = path.suffix.lower()
    if ending not in ATTACK_RENDERERS:
        raise PlanError(f"cannot write {path}: an attack alone is written as {', '.join(ATTACK_RENDERERS)}.")
    write_text(path, ATTACK_RENDERERS[ending](read_attack(places[0])))
    return path


def write_result(folder: RunFolder, result: AuditResult, scored: Scored) -> None:
    """Write the result of a run and its page into the run folder; ``scored`` is what it was found in."""
    record = render_json(result)
    text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
    write_text(folder.path / RESULT_FILE, f"{text}\n")
    write_text(folder.path / REPORT_FILE, render_page([reported_run(folder, result, scored=scored)]))


def _read_run(place: str | Path) -> ReportedRun:
    with files.RunFolder.open(place, create=False, read_only=True) as folder:
        return reported_run(folder, result_of(folder))


def _renderer(path: Path) -> Callable[[Sequence[ReportedRun]], str]:
    ending = path.suffix.lower()
    if ending not in RENDERERS:
        raise PlanError(
            f"cannot write {path}: the ending of its name is none of .html, .md (Markdown), .tex (LaTeX), "
            ".csv (the checks), .json (all tables).",
            hint="--tables FOLDER writes each table as a file of its own.",
        )
    return RENDERERS[ending]


ATTACK_RENDERERS: dict[str, Callable[[Attacks], str]] = {
    ".html": render_attack_page,
    ".md": render_attack_markdown,
    ".json": attacks_text,
}


def _render_json_text(runs: Sequence[ReportedRun]) -> str:
    return (
        f"{json.dumps(plain_json(render_tables_json(runs)), indent=1, ensure_ascii=False, allow_nan=False)}\n"
    )


RENDERERS: dict[str, Callable[[Sequence[ReportedRun]], str]] = {
    ".html": render_page,
    ".htm": render_page,
    ".md": render_markdown,
    ".tex": render_latex,
    ".csv": render_checks_csv,
    ".json": _render_json_text,
}


def write_tables(folder: Path, runs: Sequence[ReportedRun]) -> list[Path]:
    """Write every table as CSV, the papers' tables as LaTeX, and all of them as JSON; return the paths."""
    with writing_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    texts = {f"{name}.csv": render_csv(table) for name, table in run_tables(runs).items()}
    texts |= {f"{name}.tex": f"{text}\n" for name, text in latex_tables(runs).items()}
    texts |= {
        "tables.tex": render_latex(runs),
        "tables.json": _render_json_text(runs),
        "tables.md": render_markdown(runs),
    }
    for name, text in texts.items():
        write_text(folder / name, text)
    return [folder / name for name in texts]


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with AtomicFile(path) as file, writing_errors(path):
        file.data.write(text.encode("utf-8", "backslashreplace"))
