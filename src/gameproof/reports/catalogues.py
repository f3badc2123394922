"""Show the catalogues as tables: metrics, perturbations, divergences, cells, data sets, published values, moves."""

from collections.abc import Callable, Mapping

from gameproof.metrics.entries import MetricOption
from gameproof.perturbations.base import Expectation
from gameproof.reports.data_catalogues import DATA_CATALOGUES
from gameproof.reports.design_catalogues import DESIGN_CATALOGUES
from gameproof.reports.tables import Cell, Table

__all__ = ["CATALOGUES", "list_catalogue"]

# What `gameproof list metrics` shows besides the named metrics: other ways to ask for one.
OTHER_METRICS = (
    ("F+E+R+P", "neg=4 ...", "needs references", "a cell of the design space, such as TV+fvar+statement+overlap: see list cells"),
    ("module:function", "", "needs what it reads", "your own Python function of an item"),
    ("distribution/metric", "", "needs what it reads", "a metric that an installed package offers"),
)  # fmt: skip


# What a metric costs.
COSTS: Mapping[str, str] = {
    "no model": "no model",
    "local model": "a model on this machine",
    "llm": "asks a language model",
}

# What a perturbation should do to a score.
EXPECTED: Mapping[Expectation, str] = {
    "decrease": "should drop",
    "no_increase": "should not rise",
    "increase": "should rise",
    "stable": "should stay level",
    "none": "no verdict",
}


def list_catalogue(kind: str) -> Table:
    """Return one catalogue as a table.

    Example:
        >>> [row[0] for row in list_catalogue("divergences").rows]
        ['TV', 'KL', 'RKL', 'CHI2', 'H2', 'JS']
    """
    return CATALOGUES[kind]()


def _metrics() -> Table:
    from gameproof.metrics.catalogue import METRICS  # noqa: PLC0415 - each table loads only its own layer

    rows: list[tuple[Cell, ...]] = [
        (
            entry.name,
            entry.summary,
            f"needs {', '.join(sorted(entry.needs))}" if entry.needs else "needs nothing",
            COSTS[entry.cost] + (f": pip install gameproof[{entry.extra}]" if entry.extra else ""),
            " ".join(f"{key}={_values(option)}" for key, option in entry.options.items()),
            "" if entry.citation == "none" else entry.citation,
        )
        for entry in METRICS.values()
    ]
    others = [(row[0], row[3], row[2], "", row[1], "") for row in (*OTHER_METRICS, *_hosts())]
    return Table(
        title="metrics",
        columns=("name", "summary", "needs", "cost", "options", "citation"),
        rows=(*rows, *others),
    )


def _hosts() -> list[tuple[Cell, ...]]:
    """Return how metrics of other libraries, programs and servers are asked for."""
    from gameproof.metrics.adapters.hosts import COMMON, HOSTS  # noqa: PLC0415

    return [
        (
            f"{host.prefix}:{host.target}",
            " ".join([*(f"{key}={value}" for key, value in host.wishes().items()), *COMMON]),
            f"needs the package {host.package}" if host.package else "needs what it reads",
            host.summary,
        )
        for host in HOSTS.values()
    ]


def _perturbations() -> Table:
    from gameproof.perturbations.catalogue import PERTURBATIONS  # noqa: PLC0415

    return Table(
        title="perturbations",
        columns=("name", "family", "expect", "suite", "made by", "domains", "summary", "source"),
        rows=tuple(
            (
                row.name,
                row.family,
                EXPECTED[row.expect],
                row.suite,
                "made by a rule" if row.make else "made by a language model",
                ", ".join(sorted(row.domains)) if row.domains else "all domains",
                row.summary,
                row.source,
            )
            for row in PERTURBATIONS.values()
        ),
    )


def _moves() -> Table:
    from gameproof.attacks.moves import MOVES  # noqa: PLC0415

    return Table(
        title="moves",
        columns=("name", "summary", "needs"),
        rows=tuple((move.name, move.summary, ", ".join(sorted(move.needs))) for move in MOVES.values()),
    )


def _values(option: MetricOption) -> str:
    """Return what may be written, the default first."""
    others = [value for value in option.shown.split("|") if value != option.default]
    return "|".join([*([option.default] if option.default else []), *others])


CATALOGUES: Mapping[str, Callable[[], Table]] = {
    "metrics": _metrics,
    "perturbations": _perturbations,
    **DESIGN_CATALOGUES,
    **DATA_CATALOGUES,
    "moves": _moves,
}
