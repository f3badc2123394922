"""The verb `get`: download a public data set."""

import asyncio
from pathlib import Path

from gameproof.datasets.download import Fetched, Told, download
from gameproof.datasets.loaders.base import PublicDataset
from gameproof.datasets.loaders.table import PUBLIC
from gameproof.errors import PlanError

__all__ = ["default_data_folder", "get"]

DATA = "gameproof-data"


async def get(
    name: str,
    *,
    out: str | Path | None = None,
    mirror: str | None = None,
    force: bool = False,
    told: Told | None = None,
) -> list[Fetched]:
    """Download the files of a public data set into a folder that its loader reads.

    Args:
        name: A name of the catalogue of public data sets.
        out: The folder; ``gameproof-data/NAME`` by default.
        mirror: Another address with the same files.
        force: Download also what is there.
        told: Called with a name, the bytes so far and the bytes in all.

    Raises:
        InputError: The set has no public address, or a file cannot be had.
        RunFolderError: The folder cannot be written.
    """
    row = find_public_dataset(name)
    if not row.downloads:
        raise PlanError(
            f"{row.title} has no address that a program can download it from.",
            hint=f"Where to get it: {row.where}.",
        )
    folder = Path(out) if out is not None else default_data_folder(row.name)
    return await asyncio.to_thread(download, row.downloads, folder, mirror=mirror, force=force, told=told)


def find_public_dataset(name: str) -> PublicDataset:
    """Return a row of the catalogue.

    Raises:
        PlanError: There is no such data set.
    """
    row = PUBLIC.get(name)
    if row is None:
        raise PlanError(
            f"the public data set {name!r} is unknown: expected one of {', '.join(PUBLIC)}.",
            hint="`gameproof data list` says what is in each.",
        )
    return row


def default_data_folder(name: str) -> Path:
    """Return where a data set goes for which no folder was named."""
    return Path(DATA) / name
