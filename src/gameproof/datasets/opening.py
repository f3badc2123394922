"""Find the data a verb is asked about: an embedded data set, a public one, a file, or a table in memory."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeGuard

from gameproof import files
from gameproof.datasets.catalogue import DATASETS, load_dataset
from gameproof.datasets.public import Opened, guess, open_public, split_name
from gameproof.errors import DataError, PlanError
from gameproof.files import FileReport
from gameproof.files.aliases import ALL
from gameproof.files.sampling import ALL_TEXTS, Sample, draw_sample
from gameproof.records import Comparisons, Dataset

__all__ = [
    "BY_DEFAULT",
    "DOMAINS",
    "DataOptions",
    "check_data",
    "find_public",
    "is_named",
    "load",
    "open_comparisons",
    "open_dataset",
]

DOMAINS = ("reviews", "summaries", "answers")
BY_DEFAULT = f": the default where a language model is asked; --sample {ALL_TEXTS} takes all"


@dataclass(frozen=True, slots=True, kw_only=True)
class DataOptions:
    """How data is read."""

    rename: Mapping[str, str] | None = None  # field -> column
    group_by: str | None = None  # the column whose values are the groups, or "all"
    sample: Sample | None = None  # so many originals, or "all"
    most: int | None = None  # of these, where no sample is asked for: see `default_sample`
    limit: int | None = None  # only the first so many rows
    seed: int = 0  # of the sample
    reference: str | None = None  # summary, title, source or a column: what serves as the reference
    domain: str | None = None  # of items that do not say it themselves


def load(
    data: object,
    *,
    rename: Mapping[str, str] | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    reference: str | None = None,
    seed: int = 0,
) -> Dataset:
    """Read, validate and return all items, as every verb reads them.

    Args:
        data: The name of an embedded data set (``planted``), a public one as ``summeval:FILE``, a path (``-`` is standard
            input), a list of dicts or items, a pandas or polars frame, an Arrow table, a Hugging Face data set, or a
            `Dataset`.
        rename: Field -> column, as ``--map``.
        group_by: The column whose values are the groups, or ``all`` for a single group.
        sample: Draw so many items at random, two to four of a task where there are more; ``all`` for all.
        limit: Read the first so many rows only (before the sample is drawn).
        reference: The text that serves as the reference: ``summary`` (the references of the row), ``title``,
            ``source`` or a column; by default the references as far as there are any.
        seed: Seed of the sample.

    Raises:
        DataError: Some rows are bad; it carries all of them.
        InputError: The file is not what its format says, or is not there.

    Example:
        >>> len(load("planted,tasks=2").items)
        24
    """
    options = DataOptions(
        rename=rename, group_by=group_by, sample=sample, limit=limit, reference=reference, seed=seed
    )
    return _open(data, find_public(data, rename), options)


def open_dataset(data: object, options: DataOptions) -> Dataset:
    """Load data into memory, and refuse it where it holds nothing.

    Args:
        data: The name of an embedded data set, a public one as ``summeval:FILE``, a path, ``-``, or a table in
            memory.
        options: How it is read.

    Raises:
        DataError: Rows are bad; all of them are named.
        InputError: The file is not what its format says.
        PlanError: The domain is not one that perturbations know.
    """
    if options.domain is not None and options.domain not in DOMAINS:
        raise PlanError(f"domain {options.domain!r} is unknown: expected {', '.join(DOMAINS)}.")
    public = find_public(data, options.rename)
    dataset = _open(data, public, options)
    if not dataset.items:
        raise PlanError(
            f"{dataset.name} has no items.", hint="`gameproof data check FILE` shows what it holds."
        )
    if options.sample is None and options.most is not None:
        dataset = draw_sample(dataset, options.most, options.seed, why=BY_DEFAULT)
    domain = options.domain or (public.dataset.domain if public is not None else None)
    if domain is None:
        return dataset
    items = tuple(item if item.domain else replace(item, domain=domain) for item in dataset.items)
    return replace(dataset, items=items)


def open_comparisons(
    data: object,
    *,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
    limit: int | None = None,
) -> Comparisons:
    """Load people's choices between two texts; arguments as in `gameproof.files.load_comparisons`.

    Raises:
        PlanError: The public data set has no choices in this file.
    """
    public = find_public(data, rename)
    if public is not None and public.kind != "comparisons":
        raise PlanError(
            f"{public.source.name} of {public.dataset.title} has texts with ratings, and no choices between two texts.",
            hint="`gameproof audit` and `gameproof score` take it.",
        )
    found = files.load_comparisons(
        data if public is None else public.source,
        rename=rename,
        reference=reference,
        group_by=_group_by(public, group_by),
        limit=limit,
    )
    return found if public is None else replace(found, notes=(*public.notes, *found.notes))


def check_data(
    data: object,
    *,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
) -> FileReport:
    """Say what data holds and what is wrong with it; bad rows are reported, not raised.

    Raises:
        InputError: The data cannot be read at all, or is not what its format says.
    """
    public = find_public(data, rename)
    if public is not None and public.kind == "comparisons":
        pairs = open_comparisons(data, rename=rename, reference=reference, group_by=group_by)
        report = files.check(pairs.items)
        choices = f"{len(pairs.judgements):,} choices between two texts, for `gameproof agree`"
        n_rows = len(pairs.judgements)
        return replace(report, name=pairs.name, n_rows=n_rows, notes=(choices, *pairs.notes, *report.notes))
    report = files.check(
        _plain(data) if public is None else public.source,
        rename=rename,
        reference=reference,
        group_by=_group_by(public, group_by),
    )
    if public is not None:
        return replace(report, notes=(*public.notes, *report.notes))
    return report if report.is_good else replace(report, hint=_looks_like(data) or report.hint)


def _looks_like(data: object) -> str | None:
    formats = guess(Path(data)) if isinstance(data, str | Path) else []
    if not formats:
        return None
    return f"The file looks like a public data set: write {' or '.join(f'{name}:{data}' for name in formats[:3])}."


def find_public(data: object, rename: Mapping[str, str] | None = None) -> Opened | None:
    """Open a public data set that is named as ``summeval:FILE``; None for all other data."""
    named = split_name(data) if isinstance(data, str) else None
    if named is None:
        return None
    # Who tests references themselves chooses the text under test, and gets the rows as they are.
    return open_public(*named, as_published=(rename or {}).get("candidate") == "references")


def is_named(data: object) -> bool:
    """Say whether data is an embedded or a public data set."""
    return _is_embedded(data) or (isinstance(data, str) and split_name(data) is not None)


def _open(data: object, public: Opened | None, options: DataOptions) -> Dataset:
    return _load(data, options) if public is None else _load_public(public, options)


def _load(data: object, options: DataOptions) -> Dataset:
    try:
        return _load_items(_plain(data), options, options.group_by)
    except DataError as error:
        hint = _looks_like(data)
        if hint is None or error.hint:
            raise
        raise DataError(error.problems, hint=hint, total=error.total) from error


def _plain(data: object) -> object:
    """Return embedded data themselves instead of their name, other data as they are."""
    return load_dataset(data) if _is_embedded(data) else data


def _load_public(public: Opened, options: DataOptions) -> Dataset:
    group_by = _group_by(public, options.group_by)
    if public.kind == "comparisons":
        pairs = files.load_comparisons(
            public.source,
            rename=options.rename,
            reference=options.reference,
            group_by=group_by,
            limit=options.limit,
        )
        note = (
            f"{len(pairs.judgements):,} choices between two texts make {len(pairs.items):,} texts here; `gameproof agree` "
            "uses the choices"
        )
        texts = Dataset(name=pairs.name, items=pairs.items, notes=(note,))
        dataset = files.load(texts, sample=options.sample, seed=options.seed)
    else:
        dataset = _load_items(public.source, options, group_by)
    about = public.dataset
    return replace(
        dataset, notes=(*public.notes, *dataset.notes), public=about.name, skip=about.skip | dataset.skip
    )


def _load_items(source: object, options: DataOptions, group_by: str | None) -> Dataset:
    return files.load(
        source,
        rename=options.rename,
        group_by=group_by,
        sample=options.sample,
        limit=options.limit,
        reference=options.reference,
        seed=options.seed,
    )


def _group_by(public: Opened | None, group_by: str | None) -> str | None:
    """Return the groups that "Scoring Rules!" (section C.1) made of a data set, unless others are asked for."""
    return group_by or (ALL if public is not None and public.dataset.groups == "all" else None)


def _is_embedded(data: object) -> TypeGuard[str]:
    """Say whether data is the name of an embedded data set; a file of that name comes first."""
    return (
        isinstance(data, str)
        and data.split(",", maxsplit=1)[0].strip() in DATASETS
        and not Path(data).exists()
    )
