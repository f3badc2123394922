"""Show data sets and published values as tables."""

from collections.abc import Callable, Mapping

from gameproof.datasets.catalogue import DATASETS
from gameproof.datasets.loaders.base import PublicDataset
from gameproof.datasets.loaders.table import PUBLIC
from gameproof.datasets.published import TABLES, find_values, values
from gameproof.errors import PlanError
from gameproof.reports.tables import Cell, Table

__all__ = ["DATA_CATALOGUES", "describe_dataset", "formats_page", "published_values"]

PAGE = """# Public data sets and their formats

Written by `gameproof.reports.data_catalogues.formats_page`; a test holds this page to the table it is made of. A data set is used
as `NAME:FILE` or `NAME:FOLDER`; [how](../howto/my-own-data.md). Nothing of a data set comes with gameproof.
"""

EMBEDDED = "comes with gameproof"
KINDS: Mapping[str, str] = {
    "items": "texts with ratings",
    "comparisons": "choices between two texts",
    "corpus": "texts with references",
}


def describe_dataset(name: str) -> Table:
    """Return everything about one data set, a row for each fact.

    Raises:
        PlanError: There is no such data set.
    """
    if name in DATASETS:
        row = next(record for record in _datasets().records() if record["name"] == name)
        return _facts(name, {key: value for key, value in row.items() if key != "name"})
    public = PUBLIC.get(name)
    if public is None:
        raise PlanError(
            f"the data set {name!r} is unknown: expected one of {', '.join([*DATASETS, *PUBLIC])}."
        )
    shapes = {
        f"format {place}": f"{shape.looks} ({KINDS[shape.kind]})"
        for place, shape in enumerate(public.shapes, start=1)
    }
    return _facts(
        name,
        {
            "title": public.title,
            "holds": public.contains,
            "written as": f"{name}:FILE or {name}:FOLDER",
            "domain": public.domain or "differs",
            "groups": public.group_rule,
            "not applied": ", ".join(sorted(public.skip)),
            "licence": public.licence,
            "size": public.size,
            "from": public.where,
            "download": f"gameproof data get {name}" if public.downloads else "",
            "cite": public.cite,
            **shapes,
        },
    )


def published_values(
    *, table: str | None = None, metric: str | None = None, dataset: str | None = None
) -> Table:
    """Return printed values of the papers, one each row.

    Raises:
        SpecError: Nothing fits.
    """
    return Table(
        title="published values",
        columns=("source", "data", "metric", "check", "what", "printed", "value", "half_width"),
        rows=tuple(
            (
                value.source,
                value.dataset,
                value.metric,
                value.check or "",
                value.quantity,
                value.printed,
                value.value,
                value.half_width,
            )
            for value in find_values(table=table, metric=metric, dataset=dataset)
        ),
    )


def formats_page() -> str:
    """Return the reference page of all public data sets, as Markdown."""
    parts = [PAGE]
    for row in PUBLIC.values():
        left_out = f"; without {', '.join(sorted(row.skip))}" if row.skip else ""
        paper = f' ("{row.paper}" in the tables of Scoring Rules!)' if row.paper else ""
        lines = [
            f"## `{row.name}`: {row.title}",
            "",
            f"{row.contains[0].upper()}{row.contains[1:]}. {row.cite}{paper}.",
            "",
            f"- domain: {row.domain}{left_out}; groups: {row.group_rule}",
            f"- licence: {row.licence}",
            f"- size: {row.size}",
            f"- from: {row.where}" + (f"; `gameproof data get {row.name}`" if row.downloads else ""),
            *(f"- format, {KINDS[shape.kind]}: {shape.looks}" for shape in row.shapes),
        ]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _facts(name: str, facts: Mapping[str, Cell]) -> Table:
    rows = tuple((key, value) for key, value in facts.items() if value)
    return Table(title=name, columns=("what", "value"), rows=rows)


def _datasets() -> Table:
    embedded = (
        (
            row.name,
            row.summary,
            "; ".join(f"{key}: {what}" for key, what in row.options.items()),
            "Apache-2.0",
            "",
            EMBEDDED,
        )
        for row in DATASETS.values()
    )
    return Table(
        title="datasets",
        columns=("name", "summary", "options", "licence", "size", "from"),
        rows=(*embedded, *(_public(row) for row in PUBLIC.values())),
    )


def _public(row: PublicDataset) -> tuple[Cell, ...]:
    get = f"`gameproof data get {row.name}`" if row.downloads else row.where
    return (row.name, f"{row.title}: {row.contains}", "", row.licence, row.size, get)


def _published() -> Table:
    counts: dict[str, int] = {}
    for value in values():
        counts[value.table] = counts.get(value.table, 0) + 1
    return Table(
        title="published",
        columns=("table", "summary", "source", "values"),
        rows=tuple(
            (table.name, table.title, f"{table.paper}, table {table.number}", counts[table.name])
            for table in TABLES.values()
        ),
    )


DATA_CATALOGUES: Mapping[str, Callable[[], Table]] = {"datasets": _datasets, "published": _published}
