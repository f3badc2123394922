"""Write a study's data: paper 2's layout, JSON lines for `agree`, CSV tables, and a data dictionary."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from gameproof.errors import PlanError
from gameproof.study.layout_writing import layout_files
from gameproof.study.record import StudyRecord
from gameproof.study.tables import COLUMNS, TABLES, agreement_rows, dictionary_markdown

__all__ = ["FORMATS", "ExportFormat", "export_files", "write_export"]

ExportFormat = Literal["all", "layout", "jsonl", "csv"]
FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def export_files(
    record: StudyRecord, kind: ExportFormat = "all", *, source: str | None = None
) -> dict[str, str]:
    """Return the files of an export: path -> text.

    Args:
        record: The study.
        kind: Which files.
        source: The text of the study file, to lie beside the data.
    """
    files: dict[str, str] = {"dictionary.md": dictionary_markdown()}
    if source is not None:
        files["study.toml"] = source
    if kind in {"all", "layout"}:
        files |= {path: _json(found, indent=1) for path, found in layout_files(record).items()}
    if kind in {"all", "jsonl"}:
        files["comparisons.jsonl"] = "".join(_json(row) for row in agreement_rows(record))
    if kind in {"all", "csv"}:
        files |= {f"tables/{name}.csv": _csv([*rows(record)], COLUMNS[name]) for name, rows in TABLES.items()}
    return files


def write_export(
    record: StudyRecord, folder: Path, kind: ExportFormat = "all", *, source: str | None = None
) -> tuple[Path, ...]:
    """Write an export into a folder, and return its files.

    Raises:
        PlanError: The folder holds something already: old files of people who were deleted must not stay among new ones.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise PlanError(
            f"{folder} is there and not empty: an export goes into a new folder.",
            hint="Name another one with -o, or remove it: it may hold data of people who have been deleted since.",
        )
    written: list[Path] = []
    for name, text in export_files(record, kind, source=source).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return tuple(written)


def _json(found: object, indent: int | None = None) -> str:
    return f"{json.dumps(found, indent=indent, ensure_ascii=False, allow_nan=False)}\n"


def _csv(rows: list[Mapping[str, Any]] | list[dict[str, Any]], fixed: Iterable[str]) -> str:
    """Write a table; one without rows has the columns all the same, but those that depend on the study."""
    found = list(dict.fromkeys(name for row in rows for name in row))
    columns = found or [name for name in fixed if not name.endswith("*")]
    file = io.StringIO()
    writer = csv.DictWriter(file, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return file.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return {True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else value
