"""Reader Utility and Fit: how much of what its reader requires a text gives, against what other readers require.

    U_i(x)   = sum over k of omega_ik t(x, rho_ik)
    RU_i(x)  = U_i(x) - mean of U_j(x) over readers j of other queries of the group
    Fit_i(x) = U_i(x) - mean of U_j(x) over the other readers j of the same query

with |t| <= 1/2 and weights omega that are fixed before any text is seen, so that the mean of RU is at most
I_TV(X; R given the group) and the mean of Fit at most I_TV(X; R given the query), R being the reader. Fit is zero-sum
between two readers and 0 for a text that serves everybody: it stands beside RU, never in its place.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gameproof.errors import PlanError, SpecError
from gameproof.fmi.spec import Spec, parse
from gameproof.llm.asking import Asker
from gameproof.metrics.base import EMPTY_CANDIDATE, scores_from
from gameproof.metrics.fmi import PREDICTORS
from gameproof.metrics.fmi_fitting import NOTHING, estimate_scores
from gameproof.metrics.fmi_meetings import blocks_of, contrast_of, meet
from gameproof.metrics.fmi_preparation import Plan, quantity_of
from gameproof.metrics.fmi_wordings import wordings
from gameproof.metrics.lexical import Order
from gameproof.metrics.llm_calls import CallSize, FindAsker, size_of
from gameproof.metrics.predictors.base import Block, HasLabel, Predictor, RequestsCalls, TellsNotes
from gameproof.metrics.reader_pool import (
    Others,
    ReaderPool,
    Readers,
    collect_readers,
    hold_together,
    index_requirements,
    weigh,
)
from gameproof.metrics.reader_requirements import (
    Reader,
    Required,
    ask_requirements,
    recall_requirements,
    requirements_prompt,
    requirements_requests,
)
from gameproof.metrics.spec_text import join_spec, split_spec
from gameproof.metrics.text_memo import TextMemo
from gameproof.records import Item, Requirement, Scores

__all__ = ["FIT", "UTILITY", "ReaderMetric", "build_reader_metric", "find_reader_asker", "reader_wordings"]

UTILITY, FIT = "reader-utility", "reader-fit"
GIVEN = "given"  # needs=...: requirements stand in the data
PREDICTOR_OPTIONS = ("critic", "samples", "llm")  # of the predictor's own cell
LEFT_OUT = "requirements of which it is not known whether they are new to the reader, left out"

NO_VERDICT = "no verdict on what its reader needs and does not know"

TOKENS_OF_REQUIREMENTS = 400  # of replies, roughly: for estimates before a run
TOKENS_OF_VERDICTS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderMetric:
    """Reader Utility or Fit, before or after it knows its readers."""

    name: str
    full_name: str
    spec: Spec  # the cell of the design space whose predictor and critic are used
    predictor: Predictor
    others: Others
    asker: Asker | None = None
    given: bool = False
    novelty: bool = True
    pinned: str | None = None  # digest of the requirements that a signature names
    prepared: ReaderPool | None = field(default=None, repr=False)  # large
    higher_is_better: bool = True

    @property
    def needs(self) -> frozenset[str]:
        """Readers of other queries, and what it takes to know what a reader requires."""
        needs = frozenset({"pool", "requirements"} if self.given else {"pool", "persona", "query", "source"})
        return needs | {"llm"} if self.asker is not None else needs

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the scores must know."""
        if self.prepared is None:
            return ()
        predictor = self.prepared.predictor
        told = predictor.notes() if isinstance(predictor, TellsNotes) else ()
        befell = () if self.asker is None else self.asker.notes()
        return (*self.prepared.notes(), *told, *befell)

    @property
    def estimated(self) -> str | None:
        """Say why the number of calls is an estimate: readers may turn out to need nothing."""
        if self.given:
            return None
        return f"{self.name}: a reader who needs nothing of the source, or knows it all, takes fewer calls"

    @property
    def units(self) -> tuple[str, ...]:
        """The requirements of all readers; plans name their places."""
        return () if self.prepared is None else self.prepared.pool.units

    def signature(self) -> str:
        """Return the name with every option, the wordings, the model and, once prepared, the requirements."""
        spec = split_spec(self.full_name)
        pins = {"seed": str(self.others.seed)} if self.others.contrast else {}
        pool = self.pinned if self.prepared is None else self.prepared.pool.digest
        pins |= {} if pool is None else {"pool": pool}
        if isinstance(self.predictor, HasLabel):
            writer = f"+{self.asker.name}" if self.asker is not None and not self.given else ""
            pins["llm"] = f"{self.predictor.label}{writer}"
        return join_spec(spec.head, {**spec.options, **pins})

    async def prepare(self, pool: Sequence[Item]) -> "ReaderMetric":
        """Fix what every reader of the originals requires, how new it is, and who is held against whom.

        Raises:
            InputError: No item says for whom it is.
            PlanError: The metric's text is a signature that names the requirements of other data.
        """
        readers = collect_readers(pool, given=self.given, metric=self.name)
        asked: Sequence[Required] = [reader.required for reader in readers.readers]
        if not self.given and self.asker is not None:
            asked = await ask_requirements(self.asker, readers.readers)
        prepared = (await self._hold(readers, asked, self.predictor)).pool
        found = prepared.pool.digest
        if self.pinned not in {None, found}:
            raise PlanError(
                f"pool: the signature names requirements {self.pinned}, and those of this data are {found}.",
                hint="Use the data of that run, or leave pool= out to prepare on this data.",
            )
        return replace(self, prepared=prepared)

    def plan(self, item: Item) -> Plan | str:
        """Return the requirements an item is held against, its own reader's first, or why it has no score.

        Raises:
            PlanError: The metric has not been prepared.
        """
        if self.prepared is None:
            raise PlanError(
                f"{self.name} holds texts against what all readers require and must see them first.",
                hint="Call `metric = await metric.prepare(originals)`; gameproof.score and gameproof.audit do.",
            )
        return self.prepared.plan(item) if item.candidate.strip() else EMPTY_CANDIDATE

    async def score(self, items: Sequence[Item]) -> Scores:
        """Score items for the readers they are for."""
        plans = [self.plan(item) for item in items]
        prepared = self.prepared
        assert prepared is not None  # noqa: S101 - `plan` has refused
        meetings = meet(plans)
        predictions = await prepared.predictor.predict(blocks_of(meetings, items), quantity_of(self.spec))
        estimates = [
            estimate_scores(self.spec, NOTHING, meeting.plan, predicted.values)
            for meeting, predicted in zip(meetings, predictions, strict=True)
        ]
        values: list[float | str] = [plan if isinstance(plan, str) else math.nan for plan in plans]
        remarks: dict[str, str] = {}
        for meeting, estimate, predicted in zip(meetings, estimates, predictions, strict=True):
            for place, (row, score) in enumerate(zip(meeting.rows, estimate.scores.tolist(), strict=True)):
                values[row] = predicted.reasons.get(place, NO_VERDICT if math.isnan(score) else score)
                if place in predicted.remarks:
                    remarks[items[row].id] = predicted.remarks[place]
        scores = replace(scores_from(self.signature(), items, values), remarks=remarks)
        if not self.others.contrast:
            return scores
        tasks = tuple(task.id for task in prepared.pool.tasks)
        return replace(scores, contrast=contrast_of(len(items), meetings, estimates, tasks))

    async def planned_calls(self, pool: Sequence[Item], items: Sequence[Item]) -> Mapping[Hashable, CallSize]:
        """Return the calls of a run: requirements, what readers know of them, and verdicts on texts."""
        asker = self.asker
        readers = collect_readers(pool, given=self.given, metric=self.name)
        if asker is None:
            return {}
        listing = [] if self.given else requirements_requests(asker, readers.readers)
        sized = [(request, TOKENS_OF_REQUIREMENTS) for request in listing]
        if self.spec.cell.predictor == "oracle":
            held = await self._rehearsed(readers, asker)
            predictor = held.pool.predictor
            assert isinstance(predictor, RequestsCalls)  # noqa: S101 - an oracle does
            plans = [held.pool.plan(item) if item.candidate.strip() else EMPTY_CANDIDATE for item in items]
            blocks = [*held.known, *blocks_of(meet(plans), items)]
            sized += [(request, TOKENS_OF_VERDICTS) for request in predictor.requests(blocks)]
        return {
            (asker.name, request.digest("")): size_of(request, tokens_out=tokens) for request, tokens in sized
        }

    async def rehearse(self, pool: Sequence[Item]) -> "ReaderMetric":
        """Prepare as far as that is known before a run, to count what it will ask; nothing is asked."""
        if self.asker is None:
            return await self.prepare(pool)
        readers = collect_readers(pool, given=self.given, metric=self.name)
        return replace(self, prepared=(await self._rehearsed(readers, self.asker)).pool)

    async def _rehearsed(self, readers: Readers, asker: Asker) -> "_Held":
        stored = self._predictor(Asker(asker.model, recalls_only=True))
        expected = [self._expected(reader) for reader in readers.readers]
        return await self._hold(readers, expected, stored, rehearsed=True)

    def _predictor(self, asker: Asker) -> Predictor:
        """Return the same predictor with somebody else to ask."""
        return PREDICTORS[self.spec.cell.predictor](self.spec, TextMemo(), asker)

    async def _hold(
        self, readers: Readers, asked: Sequence[Required], predictor: Predictor, *, rehearsed: bool = False
    ) -> "_Held":
        """Index requirements, let the predictor learn them, weigh them, and draw negatives."""
        found = dict(zip(readers.readers, asked, strict=True))
        indexed = index_requirements(readers, found, digest=_digest(found))
        knowing = await predictor.prepare(indexed.pool)
        weighed = await weigh(
            indexed,
            knowing,
            quantity=quantity_of(self.spec),
            novelty=self.novelty,
            unknown_is_new=rehearsed,
        )
        if weighed.n_unknown and self.asker is not None and not rehearsed:
            self.asker.counts[LEFT_OUT] += weighed.n_unknown
        held = hold_together(indexed, weighed, knowing, self.others, given=self.given)
        return _Held(pool=held, known=list(indexed.known_blocks().values()) if self.novelty else ())

    def _expected(self, reader: Reader) -> Required:
        """Return requirements as far as they are known before a run: those given or stored, else one to stand in."""
        if self.given or self.asker is None:
            return reader.required
        known = recall_requirements(self.asker, reader)
        stand_in = Requirement(text=f"What is required by: {reader.described}\n{reader.source}")
        return (stand_in,) if known is None else known


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """Readers with their negatives, and what must be predicted to say what they know."""

    pool: ReaderPool
    known: Sequence[Block]


def build_reader_metric(order: Order) -> ReaderMetric:
    """Build Reader Utility or Fit from a complete order.

    Raises:
        SpecError: An option does not go with the predictor, or a model is lacking.
    """
    get = order.options
    spec = _cell(order.signature.partition(",")[0], get)
    given, neg = get["needs"] == GIVEN, get.get("neg", "4")
    if not given and order.asker is None:
        raise PlanError(f"{order.name} asks a language model what readers need, and none is given.")
    name = split_spec(order.name)
    return ReaderMetric(
        name=join_spec(name.head, {key: value for key, value in name.options.items() if key != "pool"}),
        full_name=order.signature,
        spec=spec,
        predictor=PREDICTORS[spec.cell.predictor](spec, order.memo, order.asker),
        asker=order.asker,
        given=given,
        novelty=get["novelty"] == "true",
        others=Others(
            contrast=name.head == UTILITY,
            neg=None if neg == "all" else int(neg),
            seed=int(get.get("seed") or order.seed),
        ),
        pinned=get.get("pool"),
    )


def find_reader_asker(name: str, options: Mapping[str, str], ask: FindAsker) -> Asker | None:
    """Return who asks the language model: for requirements, as the oracle, or as the one model of entailment."""
    spec, given = _cell(name, options), options["needs"] == GIVEN
    if spec.cell.predictor == "nli":
        from gameproof.metrics.fmi_nli import find_writer  # noqa: PLC0415 - most runs have none

        return find_writer(spec, ask, writes=not given)
    if spec.cell.predictor == "overlap" and given:
        return None
    return ask(name, options.get("llm"))


def reader_wordings(options: Mapping[str, str]) -> Mapping[str, str]:
    """Return the prompts of a metric as signatures pin them."""
    oracle = wordings(parse(f"TV+fvar+statement+{options['predictor']},decompose=rules.v1"))
    listing = {} if options["needs"] == GIVEN else {"requirements": requirements_prompt().label}
    return {**listing, **oracle}


def _cell(name: str, options: Mapping[str, str]) -> Spec:
    """Return the cell of total variation whose predictor judges."""
    cell = f"TV+fvar+statement+{options['predictor']}"
    given = {key: options[key] for key in PREDICTOR_OPTIONS if options.get(key)}
    if given.get("samples") == "1":
        del given["samples"]  # only an oracle is asked several times
    if options["predictor"] == "overlap":
        given.pop("llm", None)  # it is the model that says what readers need
    try:
        return parse(cell).with_options({"decompose": "rules.v1", **given})
    except SpecError as error:
        raise SpecError(f"{name}: {error}", hint=error.hint) from error


def _digest(found: Mapping[Reader, Required]) -> str:
    from gameproof.files import digest_of  # noqa: PLC0415 - signatures of other metrics do not need it

    return digest_of(
        [
            [
                reader.task_id,
                reader.described,
                reader.source,
                list(reader.knows),
                each if isinstance(each, str) else [[one.text, one.importance] for one in each],
            ]
            for reader, each in sorted(found.items())
        ]
    )[:8]
