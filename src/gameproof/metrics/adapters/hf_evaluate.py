"""Make a metric of a module of Hugging Face evaluate: ``compute(predictions=..., references=...)``."""

import asyncio
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any, Unpack, cast

from gameproof.errors import InputError
from gameproof.metrics.adapters.hosted import (
    Terms,
    built,
    chosen_fields,
    hosted,
    import_host,
    score_in_thread,
)
from gameproof.metrics.adapters.keyed import picked
from gameproof.metrics.adapters.parts import needs_of, part_of
from gameproof.metrics.base import STRANGERS_FAILURES, Metric, failure_reason, numbers_or_reasons
from gameproof.records import Item

__all__ = ["FIELDS", "from_evaluate"]

PACKAGE = "evaluate"
FIELDS = {"predictions": "candidate", "references": "reference", "sources": "nothing"}


def from_evaluate(
    module: object,
    *,
    key: str | None = None,
    batch: bool = False,
    download: bool = False,
    options: Mapping[str, object] | None = None,
    **terms: Unpack[Terms],
) -> Metric:
    """Make a metric of an evaluation module.

    Args:
        module: A module that was loaded, or what ``evaluate.load`` takes: a name, or the path of a folder.
        key: Which number, where the result has several (``rougeL``).
        batch: Give it many texts at once, for modules that return a list with a number for each; otherwise it
            gets one text at a time, since most modules return one number for all that they get.
        download: Whether a module that is not on this machine may be downloaded and run.
        options: More arguments of ``compute``.
        terms: `Terms`: name, version, needs, higher_is_better, and fields: references=references gives a list
            of references for each text, sources=source the sources.

    Raises:
        InputError: evaluate is not installed, or the module is not on this machine.
        SpecError: It is no such module.
    """
    loaded = _load(module, download=download) if isinstance(module, str) else module
    host = cast("Any", built(loaded, PACKAGE, ["compute"]))  # Any: a duck that computes
    fields = {name: part for name, part in chosen_fields(terms, FIELDS).items() if part != "nothing"}
    lock = Lock()

    def compute(items: Sequence[Item]) -> object:
        columns = {name: [part_of(item, part) for item in items] for name, part in fields.items()}
        return picked(host.compute(**columns, **(options or {})), key)

    def compute_together(items: Sequence[Item]) -> list[float | str]:
        try:
            with lock:
                return numbers_or_reasons(compute(items), len(items))
        except STRANGERS_FAILURES as error:
            return [failure_reason(error)] * len(items)

    def compute_one(item: Item) -> object:
        found = compute([item])
        return cast("list[object]", found)[0] if isinstance(found, list) else found

    async def score_items(items: Sequence[Item]) -> list[float | str]:
        if batch:
            return await asyncio.to_thread(compute_together, items)
        return await score_in_thread(items, compute_one, lock)

    named: Terms = {"name": module if isinstance(module, str) else type(host).__name__, **terms}
    return hosted(
        named, score_items, origin=(module, key, batch), needs=needs_of(fields.values()), package=PACKAGE
    )


def _load(name: str, *, download: bool) -> object:
    package = import_host("evaluate", PACKAGE)
    # Not every release of evaluate offers the settings under its own name; they come from datasets, which it needs.
    settings = import_host("datasets", "datasets").DownloadConfig(local_files_only=not download)
    try:
        return package.load(name, download_config=settings)
    except STRANGERS_FAILURES as error:
        hint = "" if download else " Is it on this machine? download=true lets evaluate fetch and run it."
        raise InputError(f"evaluate cannot load {name!r}: {failure_reason(error)}.{hint}") from error
