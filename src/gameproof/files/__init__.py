"""Read and write data files and run folders.

Names load on first use, so that ``import gameproof.files`` brings neither pydantic nor pyarrow.
"""

from typing import TYPE_CHECKING

from gameproof._lazy import lazy_names

if TYPE_CHECKING:
    from gameproof.files.aliases import FIELDS
    from gameproof.files.comparisons import load_comparisons
    from gameproof.files.dataset import load
    from gameproof.files.digest import digest_file, digest_items, digest_of
    from gameproof.files.raw import read_rows
    from gameproof.files.report import FileReport, check
    from gameproof.files.run_folder import RunFolder
    from gameproof.files.stream import ItemStream, open_items
    from gameproof.files.variants import read_variants, write_variants
    from gameproof.files.writing import RowWriter, check_ending, open_writer, write_rows

__all__ = [
    "FIELDS",
    "FileReport",
    "ItemStream",
    "RowWriter",
    "RunFolder",
    "check",
    "check_ending",
    "digest_file",
    "digest_items",
    "digest_of",
    "load",
    "load_comparisons",
    "open_items",
    "open_writer",
    "read_rows",
    "read_variants",
    "write_rows",
    "write_variants",
]

_HOMES = {
    "FIELDS": "aliases",
    "FileReport": "report",
    "ItemStream": "stream",
    "RowWriter": "writing",
    "RunFolder": "run_folder",
    "check": "report",
    "check_ending": "writing",
    "digest_file": "digest",
    "digest_items": "digest",
    "digest_of": "digest",
    "load": "dataset",
    "load_comparisons": "comparisons",
    "open_items": "stream",
    "open_writer": "writing",
    "read_rows": "raw",
    "read_variants": "variants",
    "write_rows": "writing",
    "write_variants": "variants",
}


__getattr__ = lazy_names(__name__, {name: f"{__name__}.{home}" for name, home in _HOMES.items()})


def __dir__() -> list[str]:
    return __all__
