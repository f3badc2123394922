"""Read rows back as they were written, without a meaning."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gameproof.errors import DataError, RowProblem
from gameproof.files.formats import BadRow
from gameproof.files.sources import source_of

__all__ = ["read_rows"]


def read_rows(path: Path | str) -> Iterator[dict[str, Any]]:  # Any: values are whatever the file holds
    """Yield the rows of a JSON lines, CSV, TSV or Parquet file; those of CSV and TSV are texts.

    Raises:
        DataError: some rows cannot be read; it carries all of them, and no row follows the first.
    """
    source = source_of(path)
    if Path(path).is_file() and not Path(path).stat().st_size:
        return
    problems: list[RowProblem] = []
    for number, row in source.rows():
        if isinstance(row, BadRow):
            problems.append(
                RowProblem(where=source.where(number), field=None, found=row.found, allowed=row.allowed)
            )
        elif not problems:
            yield dict(row)
    source.close()
    if problems:
        raise DataError(problems)
