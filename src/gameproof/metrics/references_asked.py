"""Have every metric once against each of several texts."""

from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.errors import PlanError
from gameproof.metrics.against import CHOICES, Against, with_reference
from gameproof.metrics.base import Metric
from gameproof.records import Item

__all__ = ["Asked", "read_references", "spread_out"]

ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to serve as the reference.

    Attributes:
        single: One text for everything, settled when the data is read; a column, or one of `CHOICES`.
        several: Texts that every metric with references is scored against, one after the other.
        lenient: Texts that no row has are left out with a note, and not an error.
    """

    single: str | None = None
    several: tuple[str, ...] = ()
    lenient: bool = False

    @property
    def words(self) -> str | None:
        """Say in words what was chosen; None where nothing was."""
        return self.single or (", ".join(self.several) or None)


def read_references(asked: str | Sequence[str] | None) -> Asked:
    """Read ``--reference``: nothing, one text, several, or all.

    Raises:
        PlanError: A column is among several.

    Example:
        >>> read_references("all").several
        ('summary', 'title', 'source')
        >>> read_references(["abstract"]).single
        'abstract'
    """
    if asked is None:
        return Asked()
    names = list(dict.fromkeys([asked] if isinstance(asked, str) else asked))
    if ALL in names:
        return Asked(several=CHOICES, lenient=True)
    if len(names) < 2:
        return Asked(single=names[0] if names else None)
    columns = [name for name in names if name not in CHOICES]
    if columns:
        raise PlanError(
            f"--reference {columns[0]}: a column can only be chosen alone; together go {', '.join(CHOICES)}.",
            hint=f"--map title={columns[0]} --reference title reads the title from that column.",
        )
    return Asked(several=tuple(name for name in CHOICES if name in names))


def spread_out(
    metrics: Sequence[Metric], items: Sequence[Item], asked: Asked
) -> tuple[list[Metric], tuple[str, ...]]:
    """Return every metric that looks at references once for each text, and notes on texts that are not there.

    Raises:
        PlanError: Rows lack a text that was asked for by name, or no row has any.
    """
    if not asked.several:
        return list(metrics), ()
    n_lacking = {
        choice: sum(not with_reference(item, choice).references for item in items) for choice in asked.several
    }
    if not asked.lenient and any(n_lacking.values()):
        choice = next(choice for choice, n in n_lacking.items() if n)
        raise PlanError(
            f"--reference {choice}: {n_lacking[choice]:,} of {len(items):,} texts have none.",
            hint=f"Leave it out, leave these texts out, or use --reference {ALL}, which counts them.",
        )
    there = [choice for choice in asked.several if n_lacking[choice] < len(items)]
    if not there:
        raise PlanError("--reference all: no text has references, a title or a source.")
    notes = [
        f"--reference {ALL}: no text has a {choice}, so nothing is compared with one"
        if choice not in there
        else f"--reference {ALL}: {n:,} of {len(items):,} texts have no {choice}"
        for choice, n in n_lacking.items()
        if n
    ]
    found: dict[str, Metric] = {}
    for metric in metrics:
        looks = "references" in metric.needs and not isinstance(metric, Against)
        spread = [Against(inner=metric, choice=choice) for choice in there] if looks else [metric]
        found.update((each.name, each) for each in spread)
    return list(found.values()), tuple(notes)
