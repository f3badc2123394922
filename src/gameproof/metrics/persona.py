"""Shares of statements: supported ones, ones of use to a reader, and what a reader needs that is there.

- ``factscore``: the share of a candidate's statements that its source (or its references) supports. S. Min et al.,
  "FActScore", EMNLP 2023, equation 1, against a given text instead of an encyclopedia; no penalty for short texts.
- ``persona_precision``: the share of a candidate's statements that are of use to the reader it is for.
- ``persona_recall``: the share of what the reader needs of the source that the candidate's statements give.

The last two are those of *Information Satisfaction* (arXiv:2608.14457), section 3, with two changes. What a reader
needs is listed once for each reader, question and source, so that all candidates are held against one list, the one
that Reader Utility takes (there it is listed anew for each). And a call that fails is no verdict (there it counts as "not covered"): the share is over the
statements with a verdict, and where fewer than half have one the score is missing.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from gameproof.errors import PlanError
from gameproof.llm.asking import Asker, Unread
from gameproof.metrics.base import missing_before_scoring, scores_from
from gameproof.metrics.lexical import Order
from gameproof.metrics.llm_calls import CHARACTERS_PER_TOKEN, CallSize, size_of
from gameproof.metrics.reader_requirements import (
    Reader,
    Required,
    ask_requirements,
    reader_of,
    requirements_prompt,
    requirements_requests,
)
from gameproof.metrics.readers import describe_reader
from gameproof.metrics.representations import report
from gameproof.metrics.statement_verdicts import (
    Inquiry,
    Listing,
    Verdicts,
    ask_lists,
    ask_verdicts,
    list_request,
)
from gameproof.metrics.statements_llm import PROMPTS, decomposition_digest
from gameproof.prompts.loading import Prompt, load
from gameproof.records import Item, Scores

__all__ = ["AGAINST", "StatementShare", "build_share", "share_wordings"]

AGAINST = ("source", "references")
FACTSCORE, PRECISION, RECALL = "factscore", "persona_precision", "persona_recall"
NO_STATEMENT = "no statement in the candidate"
GIVEN = "given"  # needs=...: requirements stand in the data
MIN_SHARE = 1 / 2  # of the statements that must have a verdict
TOKENS_OF_LIST = 300  # of replies, roughly: for estimates before a run
TOKENS_OF_VERDICTS = 150

# Statements of a text, or why there are none.
Found = tuple[str, ...] | str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementShare:
    """A share of statements with the verdict yes."""

    name: str
    full_name: str
    kind: str
    against: str  # one of AGAINST
    asker: Asker
    given: bool = False  # persona_recall: requirements stand in the data
    higher_is_better: bool = True

    @property
    def needs(self) -> frozenset[str]:
        """What statements are judged by, and a language model."""
        if self.kind == FACTSCORE:
            return frozenset({self.against, "llm"})
        if self.kind == PRECISION:
            return frozenset({"persona", "llm"})
        return frozenset({"requirements", "llm"} if self.given else {"persona", "query", "source", "llm"})

    @property
    def notes(self) -> tuple[str, ...]:
        """What befell the calls so far."""
        return self.asker.notes()

    @property
    def estimated(self) -> str | None:
        """Say why the number of calls is an estimate."""
        return f"{self.name}: a candidate in which the model finds no statement takes one call less"

    def signature(self) -> str:
        """Return the name with every option, the wordings and the model."""
        return self.full_name

    async def prepare(self, pool: Sequence[Item]) -> "StatementShare":
        """Return the metric itself: what a reader needs is asked for when its first candidate comes."""
        del pool
        return self

    async def score(self, items: Sequence[Item]) -> Scores:
        """Find statements, then ask for verdicts; a remark says where some have none."""
        blocked = [self._blocked(item) for item in items]
        usable = [item for item, reason in zip(items, blocked, strict=True) if reason is None]
        said = await self._list([self._decomposition(item) for item in usable if _has_words(item.candidate)])
        needed = await self._find_requirements(usable)
        judged: dict[str, Inquiry] = {}
        values: list[float | str] = [reason or NO_STATEMENT for reason in blocked]
        for row, item in enumerate(items):
            if blocked[row] is None and _has_words(item.candidate):
                inquiry = self._inquiry(item, said, needed)
                if isinstance(inquiry, str):
                    values[row] = inquiry
                else:
                    judged[item.id] = inquiry
        answers = dict(zip(judged, await ask_verdicts(self.asker, list(judged.values())), strict=True))
        remarks: dict[str, str] = {}
        for row, item in enumerate(items):
            if item.id in answers:
                values[row] = self._share(answers[item.id])
                if answers[item.id].n_judged < answers[item.id].n_asked:
                    remarks[item.id] = f"{answers[item.id].n_judged}/{answers[item.id].n_asked} statements"
        scores = scores_from(self.full_name, items, values)
        return replace(
            scores, remarks={key: said for key, said in remarks.items() if key not in scores.reasons}
        )

    async def planned_calls(self, pool: Sequence[Item], items: Sequence[Item]) -> Mapping[Hashable, CallSize]:
        """Return a call for each candidate's statements, each list of needs, and each candidate's verdicts."""
        del pool
        calls: dict[Hashable, CallSize] = {}
        for item in items:
            if self._blocked(item) is not None or not _has_words(item.candidate):
                continue
            requests = [
                list_request(self.asker, self._decomposition(item)),
                *requirements_requests(self.asker, [] if self.given else self._readers([item])),
            ]
            for request in requests:
                calls[self.asker.name, request.digest("")] = size_of(request, tokens_out=TOKENS_OF_LIST)
            by = self._judged_by(item)
            key = (self.asker.name, self.kind, item.candidate, by)
            n_characters = len(item.candidate) + len(by) + len(self._prompt.text)
            calls[key] = CallSize(self.kind, n_characters // CHARACTERS_PER_TOKEN + 1, TOKENS_OF_VERDICTS)
        return calls

    @property
    def _prompt(self) -> Prompt:
        return _prompt(self.kind)

    async def _list(self, listings: Sequence[Listing]) -> dict[tuple[object, ...], Found]:
        distinct = {_key(listing): listing for listing in listings}
        answers = await ask_lists(self.asker, list(distinct.values()))
        return {
            key: f"its statements: {answer.reason}" if isinstance(answer, Unread) else answer
            for key, answer in zip(distinct, answers, strict=True)
        }

    def _decomposition(self, item: Item) -> Listing:
        prompt = load("decompose", PROMPTS.get(item.domain, PROMPTS[None]))
        return Listing(prompt=prompt, slots={"reference": item.candidate}, purpose="decompose")

    def _blocked(self, item: Item) -> str | None:
        """Say what an item lacks."""
        if self.kind != RECALL or not item.candidate.strip():
            return missing_before_scoring(item, self.needs)
        reader = reader_of(item, given=self.given)
        return reader if isinstance(reader, str) else None

    def _readers(self, items: Sequence[Item]) -> list[Reader]:
        """Return the readers whose requirements the candidates are held against, each once."""
        if self.kind != RECALL:
            return []
        found = (reader_of(item, given=self.given) for item in items)
        return list(dict.fromkeys(reader for reader in found if isinstance(reader, Reader)))

    async def _find_requirements(self, items: Sequence[Item]) -> dict[Reader, Required]:
        readers = self._readers(items)
        if self.given:
            return {reader: reader.required for reader in readers}
        return dict(zip(readers, await ask_requirements(self.asker, readers), strict=True))

    def _inquiry(
        self, item: Item, said: Mapping[tuple[object, ...], Found], needed: Mapping[Reader, Required]
    ) -> Inquiry | str:
        """Return what is to be judged of an item, or why there is nothing."""
        statements = said[_key(self._decomposition(item))]
        if isinstance(statements, str):
            return statements
        if not statements:
            return NO_STATEMENT
        if self.kind != RECALL:
            label = "candidate" if self.kind == FACTSCORE else "reader"
            slots = {label: self._judged_by(item)}
            return Inquiry(prompt=self._prompt, slots=slots, statements=statements, purpose=self.kind)
        (reader,) = self._readers([item])
        wanted = needed[reader]
        if isinstance(wanted, str):
            return wanted
        claims = {f"C{place}": text for place, text in enumerate(statements, start=1)}
        wanted_texts = tuple(requirement.text for requirement in wanted)
        return Inquiry(
            prompt=self._prompt, slots={"found": claims}, statements=wanted_texts, purpose=self.kind
        )

    def _judged_by(self, item: Item) -> str:
        if self.kind != FACTSCORE:
            return describe_reader(item)
        if self.against == "source":
            return item.source or ""
        return "\n\n".join(reference for reference in item.references if reference.strip())

    def _share(self, verdicts: Verdicts) -> float | str:
        if verdicts.n_judged < MIN_SHARE * verdicts.n_asked:
            return verdicts.reason or NO_STATEMENT
        return verdicts.n_yes / verdicts.n_judged


def build_share(order: Order) -> StatementShare:
    """Build the share that an order names."""
    if order.asker is None:
        raise PlanError(f"{order.name} needs a language model.")
    return StatementShare(
        name=order.name,
        full_name=order.signature,
        kind=order.signature.partition(",")[0],
        against=order.options.get("against", "source"),
        asker=order.asker,
        given=order.options.get("needs") == GIVEN,
    )


def share_wordings(kind: str, options: Mapping[str, str]) -> dict[str, str]:
    """Return the prompts of a metric as signatures pin them."""
    wordings = {"decompose": f"atomic.v1@{decomposition_digest()}", "prompt": _prompt(kind).label}
    lists = kind == RECALL and options.get("needs") != GIVEN
    return wordings | ({"requirements": requirements_prompt().label} if lists else {})


def _prompt(kind: str) -> Prompt:
    names = {
        FACTSCORE: ("oracle", "supports"),
        PRECISION: ("persona", "relevant"),
        RECALL: ("persona", "covered"),
    }
    return load(*names[kind])


def _key(listing: Listing) -> tuple[object, ...]:
    return (listing.prompt.label, *listing.slots.values())


def _has_words(text: str) -> bool:
    return not isinstance(report(text), str)
