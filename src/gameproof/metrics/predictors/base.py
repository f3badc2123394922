"""What a predictor is: it tells how strongly a candidate supports each unit of a reference."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from gameproof.fmi.estimators import Quantity
from gameproof.llm.client import Request
from gameproof.metrics.reference_pool import ReferencePool
from gameproof.records import BoolArray, FloatArray, IntArray

__all__ = [
    "Announces",
    "Block",
    "HasLabel",
    "Predictions",
    "Predictor",
    "PreparedPredictor",
    "Rehearses",
    "RequestsCalls",
    "TellsNotes",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Candidates that are all held against the same units: a predictor may share work within a block."""

    candidates: Sequence[str]
    units: IntArray  # places in the pool's units
    sources: Sequence[str | None] = ()  # of the candidates, for predictors to whom they are given


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictions:
    """One value for every candidate (row) and unit (column) of a block; NaN where a unit has none."""

    values: FloatArray
    reasons: Mapping[int, str] = field(default_factory=dict[int, str])  # row -> why it has no score
    remarks: Mapping[int, str] = field(default_factory=dict[int, str])  # row -> what its score leaves out


class PreparedPredictor(Protocol):
    """A predictor that knows the references it will be asked about."""

    @property
    def judgeable(self) -> BoolArray:
        """Which units of the pool it can judge; the others are dropped for every candidate."""
        ...

    @property
    def not_judgeable(self) -> str:
        """Why a reference none of whose units it can judge gives no score."""
        ...

    async def predict(self, blocks: Sequence[Block], quantity: Quantity) -> list[Predictions]:
        """Predict one quantity for every block; all are handed over at once, so that calls can be batched."""
        ...


@runtime_checkable
class RequestsCalls(Protocol):
    """A prepared predictor that asks a language model."""

    def requests(self, blocks: Sequence[Block]) -> Iterable[Request]:
        """Return the requests that predicting takes if every reply can be read."""
        ...


@runtime_checkable
class Announces(Protocol):
    """A prepared predictor that can share the work of several metrics if it is told beforehand what they ask."""

    def announce(self, blocks: Sequence[Block]) -> None:
        """Take note of what will be asked."""
        ...


@runtime_checkable
class TellsNotes(Protocol):
    """A prepared predictor that has something to say to a reader of the scores."""

    def notes(self) -> Sequence[str]:
        """Say it, one sentence each."""
        ...


@runtime_checkable
class HasLabel(Protocol):
    """A predictor with a model of its own."""

    @property
    def label(self) -> str:
        """What a signature says of the model."""
        ...


@runtime_checkable
class Rehearses(Protocol):
    """A predictor whose preparation costs something."""

    def rehearsal(self) -> "Predictor":
        """Return a predictor that prepares at no cost, to count what a run will take."""
        ...


class Predictor(Protocol):
    """The fourth axis of the design space; which units and quantities it deals in is data of the grammar."""

    async def prepare(self, pool: ReferencePool) -> PreparedPredictor:
        """Learn the references of the run."""
        ...
