"""Metrics of f-mutual information: representation, predictor, aggregation and estimator put together.

items -> units and negatives -> predictor -> T, f* or direct score per unit -> mean over units, references
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gameproof._version import __version__
from gameproof.errors import PlanError, SpecError
from gameproof.fmi.spec import Spec, parse
from gameproof.llm.asking import Asker
from gameproof.llm.client import Request
from gameproof.metrics.base import RunCounts, missing_before_scoring, scores_from
from gameproof.metrics.fmi_fitting import (
    NOTHING,
    Fitted,
    estimate_scores,
    fit_on_originals,
    fitting_blocks,
)
from gameproof.metrics.fmi_meetings import blocks_of, contrast_of, meet
from gameproof.metrics.fmi_preparation import (
    ATOMIC,
    Plan,
    Preparation,
    is_decomposed_by_model,
    prepare_on,
    quantity_of,
    rehearse_on,
    weighing_requests,
)
from gameproof.metrics.fmi_wordings import make_normaliser, short_wording, wordings, writes
from gameproof.metrics.llm_calls import CallSize, FindAsker, no_asker, size_of
from gameproof.metrics.normalise import Normaliser
from gameproof.metrics.predictors.base import Announces, HasLabel, Predictor, RequestsCalls
from gameproof.metrics.predictors.overlap import Overlap
from gameproof.metrics.statements_llm import decomposition_requests
from gameproof.metrics.text_memo import TextMemo
from gameproof.records import Item, Scores

__all__ = ["AVAILABLE_VALUES", "PREDICTORS", "FmiMetric", "build_fmi"]

# What this version can build: predictors, and of the options that may need a model, the values that need none.
PREDICTORS: Mapping[str, Callable[[Spec, TextMemo, Asker | None], Predictor]] = {
    "autoreg": lambda spec, memo, asker: _autoreg(spec, memo, asker),  # noqa: PLW0108 - defined below
    "nli": lambda spec, memo, asker: _nli(spec, memo, asker),  # noqa: PLW0108 - defined below
    "oracle": lambda spec, _memo, asker: _oracle(spec, asker),
    "overlap": lambda _spec, memo, _asker: Overlap(memo),
}
AVAILABLE_VALUES: Mapping[str, tuple[str, ...]] = {
    "decompose": ("rules.v1", ATOMIC),
}
PINNED_ASSETS = ("decompose", "norm", "prompt")  # a signature says which wording: name.v1@digest

TOKENS_PER_DECOMPOSITION = 300  # of replies, roughly: for estimates before a run
TOKENS_PER_VERDICTS = 100

NEEDS = frozenset({"references", "pool"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FmiMetric:
    """One cell of the design space."""

    spec: Spec
    seed: int
    predictor: Predictor
    asker: Asker | None = None  # where a language model is asked
    normaliser: Normaliser | None = None  # brings texts into one style first
    prepared: Preparation | None = field(default=None, repr=False)  # large
    fitted: Fitted = field(default=NOTHING, repr=False)  # on the originals
    clipped: RunCounts = field(default_factory=RunCounts, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The spec without its defaults."""
        chosen = self.spec.without(["pool", "v"])
        wording = {
            key: short_wording(key, value)
            for key, value in chosen.options
            if key in PINNED_ASSETS and "@" in value
        }
        return str(chosen.with_options(wording))

    @property
    def needs(self) -> frozenset[str]:
        """References, the other tasks of the data, and for some cells a language model or a persona."""
        needs = NEEDS if self.asker is None else NEEDS | {"llm"}
        needs = needs | {"source"} if self.spec.get("given") == "source" else needs
        return needs | {"persona"} if self.spec.get("weights") == "persona" else needs

    @property
    def higher_is_better(self) -> bool:
        """More shared information is better."""
        return True

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the scores must know about references and negatives; empty before `prepare`."""
        if self.prepared is None:
            return ()
        befell = () if self.asker is None else self.asker.notes()
        clipped = (f"{count:,} log ratios {what}" for what, count in self.clipped.items())
        styled = () if self.normaliser is None else self.normaliser.notes()
        return (*styled, *self.prepared.notes(), *self.fitted.notes, *clipped, *befell)

    @property
    def estimated(self) -> str | None:
        """Say why the number of calls is an estimate: one for each statement, before there are any."""
        if self.spec.get("batch") == "statement" and is_decomposed_by_model(self.spec):
            return f"{self.name}: calls are estimated, since the model decides how many statements there are"
        if self.spec.get("decompositions") not in {None, "1"}:
            return f"{self.name}: calls are at most those, since decompositions may come out alike"
        if self.normaliser is not None and self.spec.cell.predictor in {"autoreg", "oracle"}:
            return f"{self.name}: calls are estimated, since texts in the style are not written yet"
        return None

    @property
    def uncounted(self) -> str | None:
        """Say what a run does besides the calls that are counted."""
        if self.spec.cell.predictor == "autoreg" and _is_local(self.predictor):
            return f"{self.name}: a model on this machine scores the texts, which counts as no calls"
        return None

    def signature(self) -> str:
        """Return the spec with nothing left to a default and, once prepared, the digest of its references."""
        pins = {"v": __version__}
        if self.spec.cell.estimator == "fvar":
            pins["seed"] = str(self.seed)
        if self.prepared is not None:
            pins["pool"] = self.prepared.pool.digest
        if self.asker is not None:
            pins |= {"llm": self.asker.name, **wordings(self.spec)}
        if isinstance(self.predictor, HasLabel):
            writer = f"+{self.asker.name}" if self.asker is not None and writes(self.spec) else ""
            pins["llm"] = f"{self.predictor.label}{writer}"
        return self.spec.signature(pins)

    async def prepare(self, pool: Sequence[Item]) -> "FmiMetric":
        """Fix decompositions, weights, negatives and what is fitted on the originals of a run.

        Raises:
            InputError: There are too few tasks to calibrate ratios on.
            PlanError: The spec is a signature that names the references of other data.
        """
        if self.normaliser is not None:
            pool = await self.normaliser.originals(pool)
        prepared = await prepare_on(pool, self.spec, self.predictor, seed=self.seed, asker=self.asker)
        pinned, found = self.spec.get("pool"), prepared.pool.digest
        if pinned not in {None, found}:
            raise PlanError(
                f"pool: the signature names references {pinned}, and those of this data are {found}.",
                hint="Use the data of that run, or leave pool= out to prepare on this data.",
            )
        fitted = await fit_on_originals(prepared, self.spec, pool, self.needs)
        return replace(self, prepared=prepared, fitted=fitted)

    async def rehearse(self, pool: Sequence[Item]) -> "FmiMetric":
        """Prepare as far as that is known before a run, to count what it will ask; nothing is asked."""
        prepared = await rehearse_on(pool, self.spec, self.predictor, seed=self.seed, asker=self.asker)
        return replace(self, prepared=prepared)

    @property
    def units(self) -> tuple[str, ...]:
        """The units of all references; plans name their places."""
        return () if self.prepared is None else self.prepared.pool.units

    def plan(self, item: Item) -> Plan | str:
        """Return what an item is held against, or the reason why it has no score.

        Raises:
            PlanError: The metric has not been prepared.
        """
        if self.prepared is None:
            raise PlanError(
                f"{self.name} scores against other tasks and must see them first.",
                hint="Call `metric = await metric.prepare(originals)`; gameproof.score and gameproof.audit do.",
            )
        return missing_before_scoring(item, self.needs) or self.prepared.plan(item)

    def announce(self, items: Sequence[Item]) -> None:
        """Say that items are going to be scored, so that metrics which share a model share its work."""
        prepared = self.prepared
        if self.normaliser is not None:
            return  # what is going to be scored is not written yet
        if prepared is not None and isinstance(prepared.predictor, Announces):
            plans = [missing_before_scoring(item, self.needs) or prepared.plan(item) for item in items]
            prepared.predictor.announce(blocks_of(meet(plans), items))

    async def score(self, items: Sequence[Item]) -> Scores:
        """Score items of the tasks the metric was prepared on."""
        if self.normaliser is None or self.prepared is None:
            return await self._score(items)
        styled = await self.normaliser.apply(items)
        return styled.explain(await self._score(styled.items))

    async def _score(self, items: Sequence[Item]) -> Scores:
        plans = [self.plan(item) for item in items]
        prepared = self.prepared
        assert prepared is not None  # noqa: S101 - `plan` has refused
        meetings = meet(plans)
        predictions = await prepared.predictor.predict(blocks_of(meetings, items), quantity_of(self.spec))
        estimates = [
            estimate_scores(self.spec, self.fitted, meeting.plan, predicted.values)
            for meeting, predicted in zip(meetings, predictions, strict=True)
        ]
        n_clipped = sum(estimate.n_clipped for estimate in estimates)
        if n_clipped:
            self.clipped[f"cut to {self.spec.get('clip')} nats before an exp"] += n_clipped
        values: list[float | str] = [plan if isinstance(plan, str) else math.nan for plan in plans]
        for meeting, estimate, predicted in zip(meetings, estimates, predictions, strict=True):
            for place, (row, score) in enumerate(zip(meeting.rows, estimate.scores.tolist(), strict=True)):
                values[row] = predicted.reasons.get(place, score)
        remarks = {
            items[meeting.rows[place]].id: remark
            for meeting, predicted in zip(meetings, predictions, strict=True)
            for place, remark in predicted.remarks.items()
        }
        scores = replace(scores_from(self.signature(), items, values), remarks=remarks)
        if prepared.negatives is None:
            return scores
        tasks = tuple(task.id for task in prepared.pool.tasks)
        return replace(scores, contrast=contrast_of(len(items), meetings, estimates, tasks))

    async def planned_calls(self, pool: Sequence[Item], items: Sequence[Item]) -> Mapping[Hashable, CallSize]:
        """Return the calls of a run: decompositions of the pool, and the oracle's about items."""
        asker = self.asker
        if asker is None:
            return {}
        requests: list[tuple[Request, int]] = []
        if self.normaliser is not None:
            requests += self.normaliser.planned([*pool, *items])
        if is_decomposed_by_model(self.spec):
            asked = decomposition_requests(
                pool,
                refs=self.spec.get("refs") or "mean",
                asker=asker,
                decompositions=int(self.spec.get("decompositions") or 1),
            )
            requests += [(request, TOKENS_PER_DECOMPOSITION) for request in asked]
        prepared = await rehearse_on(pool, self.spec, self.predictor, seed=self.seed, asker=asker)
        weighing = weighing_requests(prepared, self.spec, pool, asker)
        requests += [(request, TOKENS_PER_VERDICTS) for request in weighing]
        if isinstance(prepared.predictor, RequestsCalls):
            plans = [missing_before_scoring(item, self.needs) or prepared.plan(item) for item in items]
            blocks = [
                *fitting_blocks(prepared, self.spec, pool, self.needs),
                *blocks_of(meet(plans), items),
            ]
            requests += [(request, TOKENS_PER_VERDICTS) for request in prepared.predictor.requests(blocks)]
        planned: dict[Hashable, CallSize] = {
            (asker.name, request.digest("")): size_of(request, tokens_out=tokens)
            for request, tokens in requests
        }
        if self.spec.cell.predictor == "autoreg":
            planned.update(self._planned_pairs(prepared, pool, items, asker))
        return planned

    def _planned_pairs(
        self, prepared: Preparation, pool: Sequence[Item], items: Sequence[Item], asker: Asker
    ) -> Mapping[Hashable, CallSize]:
        from gameproof.metrics.fmi_autoreg import planned_pairs  # noqa: PLC0415 - most runs have none

        plans = [missing_before_scoring(item, self.needs) or prepared.plan(item) for item in items]
        blocks = [*fitting_blocks(prepared, self.spec, pool, self.needs), *blocks_of(meet(plans), items)]
        return planned_pairs(prepared.predictor, blocks, model=asker.name)


def build_fmi(
    text: str, *, seed: int = 0, memo: TextMemo | None = None, ask: FindAsker = no_asker
) -> FmiMetric:
    """Build a metric from its spec, its signature, or the name of a preset.

    Args:
        text: Such as ``TV+fvar+statement+overlap,neg=8``.
        seed: Of the run, unless the text has a seed of its own.
        memo: Shared by the metrics of one run, so that each candidate is tokenised once.
        ask: Finds who asks a language model, by the name the text gives it.

    Raises:
        SpecError: The text is not legal, or asks for something this version does not have.

    Example:
        >>> build_fmi("TV+fvar+statement+overlap,neg=4,refs=first").name
        'TV+fvar+statement+overlap,refs=first'
    """
    spec = parse(text)
    _check_available(spec)
    asker = _find_asker(spec, ask)
    return FmiMetric(
        spec=spec,
        seed=int(spec.get("seed") or seed),
        predictor=PREDICTORS[spec.cell.predictor](spec, memo or TextMemo(), asker),
        asker=asker,
        normaliser=make_normaliser(spec, asker),
    )


def _find_asker(spec: Spec, ask: FindAsker) -> Asker | None:
    if spec.cell.predictor == "nli":
        from gameproof.metrics.fmi_nli import find_writer  # noqa: PLC0415 - most runs have none

        return find_writer(spec, ask, writes=writes(spec))
    asks = spec.cell.predictor in {"autoreg", "oracle"} or writes(spec)
    return ask(str(spec.cell), spec.get("llm")) if asks else None


def _nli(spec: Spec, memo: TextMemo, asker: Asker | None) -> Predictor:
    from gameproof.metrics.fmi_nli import build_nli  # noqa: PLC0415 - most runs have none

    return build_nli(spec, memo, asker)


def _is_local(predictor: Predictor) -> bool:
    from gameproof.metrics.fmi_autoreg import is_local  # noqa: PLC0415 - most runs have none

    return is_local(predictor)


def _autoreg(spec: Spec, memo: TextMemo, asker: Asker | None) -> Predictor:
    from gameproof.metrics.fmi_autoreg import build_autoreg  # noqa: PLC0415 - most runs have none

    return build_autoreg(spec, memo, asker)


def _oracle(spec: Spec, asker: Asker | None) -> Predictor:
    from gameproof.metrics.predictors.oracle import Oracle, OracleOptions  # noqa: PLC0415 - most runs have none

    if asker is None:
        raise PlanError("an oracle needs somebody to ask.")
    options = OracleOptions(
        representation=spec.cell.representation,
        critic=spec.get("critic") or "bins",
        batch=spec.get("batch") or "reference",
        samples=int(spec.get("samples") or 1),
        temperature=float(spec.get("temperature") or 0),
    )
    return Oracle(asker=asker, options=options)


def _check_available(spec: Spec) -> None:
    """Refuse what the grammar knows and this version cannot do."""
    cell = spec.cell
    if cell.predictor not in PREDICTORS:
        available = ", ".join(PREDICTORS)
        raise SpecError(
            f"predictor {cell.predictor!r} is not available in gameproof {__version__}; available: {available}.",
            hint=f"For example {cell.divergence}+{cell.estimator}+statement+overlap.",
        )
    for key, available in AVAILABLE_VALUES.items():
        value = spec.get(key)
        if value is not None and value.split("@")[0] not in available:
            raise SpecError(
                f"{key}={value} is not available in gameproof {__version__}; available: {', '.join(available)}.",
                hint=f"Leave {key} out.",
            )
    for key, wording in wordings(spec).items():
        value = spec.get(key)
        if value not in {None, wording, wording.split("@")[0], short_wording(key, wording)}:
            raise SpecError(
                f"{key}: found {value}; this version asks with {wording}.",
                hint=f"Leave {key} out, or install the gameproof version of the signature.",
            )
    made_by = spec.get("v")
    if made_by not in {None, __version__}:
        raise SpecError(
            f"v: the signature is of gameproof {made_by}, this is {__version__}: scores may differ.",
            hint=f"Install gameproof {made_by}, or leave v= out to score with this version.",
        )
