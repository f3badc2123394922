"""Let cells of the design space share their work: one preparation and one prediction for all that ask the same.

Cells differ in what they make of a predictor's values, which is arithmetic. What costs something is the same for
all cells with one representation and one predictor: statements, negatives, and the value of each candidate and
unit. A direct cell looks at the first part of what a contrastive one looks at: a task's own references.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gameproof.fmi.cells import choices_of
from gameproof.fmi.estimators import Quantity
from gameproof.metrics.base import Metric
from gameproof.metrics.fmi import FmiMetric
from gameproof.metrics.fmi_preparation import PLAN_BYTES, Preparation
from gameproof.metrics.predictors.base import (
    Announces,
    Block,
    Predictions,
    PreparedPredictor,
    TellsNotes,
)
from gameproof.metrics.text_memo import Store
from gameproof.records import BoolArray, IntArray, Item

__all__ = ["Kept", "SharedPredictor", "prepare_together"]

KEPT_BYTES = 256 * 2**20  # of predictions kept for the other cells

# Options that change nothing about what a predictor is asked.
ARITHMETIC = frozenset({"agg", "form", "clip"})
# What is fitted on a cell's own values is its own.
FITTED = {
    "calibrate": {"temperature", "platt", "isotonic"},
    "control": {"base_rate"},
    "weights": {"consensus"},
}
DRAW = ("neg", "dedupe", "seed")  # whom a candidate meets besides its own references


async def prepare_together(metrics: Sequence[Metric], pool: Sequence[Item]) -> list[Metric]:
    """Prepare the metrics of one run; cells that ask the same of the same references are prepared once.

    Other metrics are prepared one by one. The scores are those that each metric would give alone.
    """
    prepared: dict[int, Metric] = {}
    known: dict[tuple[object, ...], FmiMetric] = {}
    # Contrastive cells first: a direct one is a part of them.
    order = sorted(range(len(metrics)), key=lambda place: not _is_contrastive(metrics[place]))
    for place in order:
        metric = metrics[place]
        if not isinstance(metric, FmiMetric):
            prepared[place] = await metric.prepare(pool)
            continue
        asks, draw = _asks(metric), _draw(metric)
        base = known.get((*asks, draw)) or (None if draw else known.get(asks))
        if base is None:
            base = _sharing(await metric.prepare(pool))
            known[*asks, draw] = base
            known.setdefault(asks, base)
        prepared[place] = _as(metric, base)
    return [prepared[place] for place in range(len(metrics))]


def _is_contrastive(metric: Metric) -> bool:
    return isinstance(metric, FmiMetric) and metric.spec.cell.estimator == "fvar"


def _asks(metric: FmiMetric) -> tuple[object, ...]:
    """Return what decides what the predictor is asked about a candidate and a unit."""
    cell = metric.spec.cell
    # An oracle's critic is its question; other predictors have one value for all critics.
    left_out = {*ARITHMETIC, *DRAW, *(() if cell.predictor == "oracle" else ("critic",))}
    choices = choices_of(cell)
    options = tuple(
        (key, value)
        for key, value in metric.spec.options
        if key == "critic" or value != choices[key].default  # cells that lack an option are as at its default
        if key not in left_out
    )
    fits = any(metric.spec.get(key) in values for key, values in FITTED.items())
    return (cell.representation, cell.predictor, metric.seed, options, metric.name if fits else "")


def _draw(metric: FmiMetric) -> tuple[str | None, ...]:
    return tuple(metric.spec.get(key) for key in DRAW) if _is_contrastive(metric) else ()


def _sharing(metric: FmiMetric) -> FmiMetric:
    preparation = _preparation(metric)
    if metric.spec.cell.predictor == "autoreg":
        return metric  # its scores of pairs are shared already
    shared = SharedPredictor(
        predictor=preparation.predictor,
        by_pair=metric.spec.cell.predictor != "oracle",
        kept=Kept(KEPT_BYTES),
    )
    return replace(metric, prepared=replace(preparation, predictor=shared))


def _as(metric: FmiMetric, base: FmiMetric) -> FmiMetric:
    """Return a cell with the preparation of another one that asks the same."""
    preparation = _preparation(base)
    if not _is_contrastive(metric) and preparation.negatives is not None:
        preparation = replace(preparation, negatives=None, plans=Store(PLAN_BYTES))
    return replace(base, spec=metric.spec, prepared=preparation, clipped=metric.clipped)


def _preparation(metric: FmiMetric) -> Preparation:
    assert metric.prepared is not None  # noqa: S101 - a fact the type checker cannot see
    return metric.prepared


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPredictor:
    """A prepared predictor that remembers what it has predicted lately."""

    predictor: PreparedPredictor
    by_pair: bool  # the value of a candidate and a unit is the same whatever else is asked with it
    kept: "Kept" = field(repr=False, compare=False)

    @property
    def judgeable(self) -> BoolArray:
        """Which units can be judged."""
        return self.predictor.judgeable

    @property
    def not_judgeable(self) -> str:
        """Why a reference has no unit that can be judged."""
        return self.predictor.not_judgeable

    def notes(self) -> Iterable[str]:
        """Say what a reader of the scores must know about the predictor."""
        return self.predictor.notes() if isinstance(self.predictor, TellsNotes) else ()

    def announce(self, blocks: Sequence[Block]) -> None:
        """Pass on what will be asked."""
        if isinstance(self.predictor, Announces):
            self.predictor.announce(blocks)

    async def predict(self, blocks: Sequence[Block], quantity: Quantity) -> list[Predictions]:
        """Predict what is not remembered, all of it at once."""
        found = [self.kept.find(block, quantity, by_pair=self.by_pair) for block in blocks]
        unknown = [block for block, known in zip(blocks, found, strict=True) if known is None]
        new = iter(await self.predictor.predict(unknown, quantity) if unknown else [])
        predictions: list[Predictions] = []
        for block, known in zip(blocks, found, strict=True):
            predicted = known if known is not None else next(new)
            if known is None:
                self.kept.add(block, quantity, predicted)
            predictions.append(predicted)
        return predictions


_Key = tuple[Quantity, tuple[str, ...], tuple[str | None, ...]]  # candidates with their sources


class Kept:
    """Predictions, by the candidates they are about; the ones not used for longest go first."""

    def __init__(self, max_bytes: int) -> None:
        """Start empty."""
        self._max_bytes = max_bytes
        self._n_bytes = 0
        self._found: OrderedDict[_Key, list[tuple[IntArray, Predictions]]] = OrderedDict()

    def __reduce__(self) -> tuple[type["Kept"], tuple[int]]:
        return Kept, (self._max_bytes,)

    def find(self, block: Block, quantity: Quantity, *, by_pair: bool) -> Predictions | None:
        """Return the predictions of a block, or the first columns of those of a wider one."""
        key = (quantity, tuple(block.candidates), tuple(block.sources))
        for units, predicted in self._found.get(key, ()):
            if np.array_equal(units, block.units):
                self._found.move_to_end(key)
                return predicted
            n_units = len(block.units)
            if by_pair and not predicted.reasons and np.array_equal(units[:n_units], block.units):
                self._found.move_to_end(key)
                return Predictions(values=predicted.values[:, :n_units], remarks=predicted.remarks)
        return None

    def add(self, block: Block, quantity: Quantity, predicted: Predictions) -> None:
        """Keep predictions."""
        key = (quantity, tuple(block.candidates), tuple(block.sources))
        self._found.setdefault(key, []).append((block.units, predicted))
        self._n_bytes += predicted.values.nbytes
        while self._n_bytes > self._max_bytes and len(self._found) > 1:
            _, oldest = self._found.popitem(last=False)
            self._n_bytes -= sum(one.values.nbytes for _, one in oldest)
