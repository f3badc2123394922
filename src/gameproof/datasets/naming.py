"""Name the run folders of data sets."""

import re
from collections.abc import Sequence
from pathlib import Path

from gameproof.datasets.public import split_name

__all__ = ["folder_name", "folder_names"]

ENDINGS = (".gz", ".jsonl", ".json", ".csv", ".tsv", ".parquet")


def folder_name(data: str) -> str:
    """Return what the run folder of data is called.

    Example:
        >>> folder_name("../rated/items.v2.jsonl"), folder_name("summeval:annotations.jsonl")
        ('items.v2', 'summeval-annotations')
    """
    public = split_name(data)
    path = data if public is None else public[1]
    name = "stdin" if path == "-" else Path(path).name
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    name = re.sub(r"[^\w.=-]+", "-", name).strip("-.") or "data"
    if public is None or name.startswith(public[0].name):
        return name
    return f"{public[0].name}-{name}"


def folder_names(data: Sequence[str]) -> list[str]:
    """Return one name for each data set, numbered where they would be the same.

    Example:
        >>> folder_names(["a/items.jsonl", "b/items.jsonl"])
        ['items', 'items-2']
    """
    names: list[str] = []
    for each in data:
        name, count = folder_name(each), 1
        while (found := name if count == 1 else f"{name}-{count}") in names:
            count += 1
        names.append(found)
    return names
