"""Folders with a model for transformers: what loads them, and the digest that signatures pin them by."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from gameproof.errors import MissingExtraError, SpecError
from gameproof.files.home import from_home

__all__ = ["EXTRA", "find_folder", "load_package", "weights_pin"]

EXTRA = "local"
CHUNK = 1 << 20


def find_folder(metric: str, folder: str | None, *, kind: str) -> str:
    """Return the folder of a model.

    Raises:
        SpecError: None is named, or it has no model.
    """
    if not folder:
        raise SpecError(
            f"model: {metric} needs the folder of {kind}.",
            hint=f"Write {metric},model=FOLDER; nothing is fetched.",
        )
    place = from_home(folder)
    if not (place / "config.json").is_file():
        raise SpecError(
            f"model: found {folder!r}, which has no config.json.",
            hint=f"Name a folder with {kind} as transformers saves it; nothing is fetched.",
        )
    return str(place)


def weights_pin(options: Mapping[str, str]) -> dict[str, str]:
    """Return the digest of a model's files, as signatures pin it; nothing where no such folder is named."""
    place = from_home(options.get("model", ""))
    if not options.get("model") or not (place / "config.json").is_file():
        return {}
    files = sorted(
        file
        for file in place.iterdir()
        if file.is_file() and file.suffix in {".json", ".safetensors", ".bin", ".txt"}
    )
    return {
        "weights": _digest(tuple((str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files))
    }


@cache
def _digest(files: tuple[tuple[str, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for name, size, _ in files:
        digest.update(f"{Path(name).name}:{size};".encode())
        with Path(name).open("rb") as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
    return digest.hexdigest()[:8]


def load_package(name: str, metric: str) -> Any:  # Any: an optional package
    """Import an optional package.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(metric, extra=EXTRA) from error
