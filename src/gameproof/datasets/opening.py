"""Find the data a verb is asked about: an embedded data set, a file, or a table in memory."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gameproof import files
from gameproof.datasets.catalogue import DATASETS, load_dataset
from gameproof.errors import PlanError
from gameproof.records import Dataset

__all__ = ["DOMAINS", "DataOptions", "is_embedded", "open_dataset"]

DOMAINS = ("reviews", "summaries", "answers")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataOptions:
    """How data is read."""

    rename: Mapping[str, str] | None = None  # field -> column
    group_by: str | None = None  # the column whose values are the groups, or "all"
    sample: int | None = None  # so many originals, drawn task by task
    limit: int | None = None  # only the first so many rows
    seed: int = 0  # of the sample
    reference: str | None = None  # summary, title, source or a column: what serves as the reference
    domain: str | None = None  # of items that do not say it themselves


def open_dataset(data: object, options: DataOptions) -> Dataset:
    """Load data into memory.

    Args:
        data: The name of an embedded data set, a path, ``-``, or a table in memory.
        options: How it is read.

    Raises:
        DataError: Rows are bad; all of them are named.
        PlanError: The domain is not one that perturbations know.
    """
    if options.domain is not None and options.domain not in DOMAINS:
        raise PlanError(f"domain {options.domain!r} is unknown: expected {', '.join(DOMAINS)}.")
    source = load_dataset(data) if isinstance(data, str) and is_embedded(data) else data
    dataset = files.load(
        source,
        rename=options.rename,
        group_by=options.group_by,
        sample=options.sample,
        limit=options.limit,
        reference=options.reference,
        seed=options.seed,
    )
    if not dataset.items:
        raise PlanError(
            f"{dataset.name} has no items.", hint="`gameproof data check FILE` shows what it holds."
        )
    if options.domain is None:
        return dataset
    items = tuple(item if item.domain else replace(item, domain=options.domain) for item in dataset.items)
    return replace(dataset, items=items)


def is_embedded(name: str) -> bool:
    """Say whether a text names an embedded data set; a file of that name comes first."""
    return name.split(",", maxsplit=1)[0].strip() in DATASETS and not Path(name).exists()
