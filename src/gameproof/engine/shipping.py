"""Send prepared metrics to another process: language models go as their names, counts come back and are added.

A metric fixes what needs the whole data once (negatives, weights of words, decompositions, fits), and its copies score
parts of the data. What a copy asks models with is the other process's own connection of the same name.

The one place that pickles: from one process of a run to another, in memory. Nothing that is read from a file is ever unpickled.
"""

import io
import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gameproof.errors import PlanError
from gameproof.llm.asking import Asker
from gameproof.llm.client import LanguageModel
from gameproof.llm.connect import Connection
from gameproof.metrics.base import Metric, RunCounts

__all__ = ["Pickler", "Shipped", "Unpacked", "pack", "unpack"]

Pickler = pickle.Pickler  # what an engine may name a class of

Counts = tuple[Counter[str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipped:
    """Metrics as bytes, and the counts of this process that those of copies are added to."""

    data: bytes
    counts: Counts = field(repr=False)

    def add(self, counted: Counts) -> None:
        """Add what befell in another process."""
        for own, other in zip(self.counts, counted, strict=True):
            own.update(other)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpacked:
    """Copies of metrics, and what has befallen them since it was last asked for."""

    metrics: Sequence[Metric]
    counts: Counts

    def take_counts(self) -> Counts:
        """Return what befell since the last time."""
        taken = tuple(Counter(counts) for counts in self.counts)
        for counts in self.counts:
            counts.clear()
        return taken


def pack(
    metrics: Sequence[Metric],
    name_of: Callable[[Connection], str | None],
    *,
    pickler: type[Pickler] = Pickler,
) -> Shipped:
    """Write prepared metrics as bytes.

    Args:
        metrics: Prepared.
        name_of: The name under which the other process finds a model.
        pickler: Writes objects; one of cloudpickle also takes functions of a script.

    Raises:
        PlanError: A metric holds something that no other process can have, such as an open file.
    """
    places: dict[int, tuple[str, int]] = {}
    counts: list[Counter[str]] = []

    def place_of(found: object, kind: str, own: Counter[str]) -> tuple[str, int]:
        if id(found) not in places:
            places[id(found)] = (kind, len(counts))
            counts.append(own)
        return places[id(found)]

    # Any: what a pickler is given and what it takes has no narrower type
    class Packer(pickler):
        def persistent_id(self, found: Any, /) -> Any:
            if isinstance(found, Connection):
                return ("model", name_of(found))
            if isinstance(found, Asker):
                return (*place_of(found, "asker", found.counts), found.model)
            return place_of(found, "counts", found) if isinstance(found, RunCounts) else None

    into = io.BytesIO()
    try:
        Packer(into, protocol=pickle.HIGHEST_PROTOCOL).dump(list(metrics))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        names = ", ".join(metric.name for metric in metrics)
        raise PlanError(
            f"a metric cannot be sent to worker processes ({names}): {error}.",
            hint="--engine local scores in this process.",
        ) from error
    return Shipped(data=into.getvalue(), counts=tuple(counts))


def unpack(data: bytes, find: Callable[[str | None], LanguageModel]) -> Unpacked:
    """Read what `pack` wrote.

    Args:
        data: Of this program's own making.
        find: Finds models by their names.
    """
    made: dict[int, object] = {}
    counts: dict[int, Counter[str]] = {}

    def own_asker(place: int, model: LanguageModel) -> object:
        asker = Asker(model)
        counts[place] = asker.counts
        return asker

    class Unpacker(pickle.Unpickler):
        def persistent_load(self, known: Any, /) -> object:
            kind, key, *rest = known
            if kind == "model":
                return find(key)
            if key not in made:
                made[key] = own_asker(key, *rest) if kind == "asker" else counts.setdefault(key, RunCounts())
            return made[key]

    metrics = Unpacker(io.BytesIO(data)).load()
    return Unpacked(metrics=metrics, counts=tuple(counts[place] for place in sorted(counts)))
