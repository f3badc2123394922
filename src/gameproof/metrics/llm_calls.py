"""Who asks language models for metrics, and how many calls a metric will make, told before any is made."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from gameproof.errors import SpecError
from gameproof.llm.asking import Asker
from gameproof.llm.client import LanguageModel, Request
from gameproof.records import Item

__all__ = ["Askers", "CallSize", "FindAsker", "Models", "TellsCalls", "no_asker", "size_of", "size_requests"]

# One model for all metrics, or what finds models by their names (None: the default one).
Models = LanguageModel | Callable[[str | None], LanguageModel] | None

# (metric, name of the model in its text or None) -> who asks it
FindAsker = Callable[[str, str | None], Asker]

CHARACTERS_PER_TOKEN = 4  # of English prose, roughly: token counts before a run are estimates


@dataclass(frozen=True, slots=True)
class CallSize:
    """What one call is for and its tokens, estimated."""

    purpose: str
    tokens_in: int
    tokens_out: int
    request: Request | None = None  # for looking up whether it has been answered already


def no_asker(metric: str, llm: str | None) -> Asker:
    """Refuse: no language model was given."""
    del llm
    raise SpecError(
        f"{metric} asks a language model, and none is given.",
        hint="Name one with --llm, or pass llm=model.",
    )


class Askers:
    """The language models of one run, each with one who asks it."""

    def __init__(self, models: Models) -> None:
        """Take one model for all metrics, or what finds models by their names."""
        self._models = models
        self._askers: dict[str | None, Asker] = {}

    def find(self, metric: str, llm: str | None) -> Asker:
        """Return who asks the model that a metric's text names, or the run's own."""
        if self._models is None:
            return no_asker(metric, llm)
        if not callable(self._models):
            name = self._models.name
            if llm not in {None, name}:
                raise SpecError(f"llm: {metric} names the model {llm}, and the one given is {name}.")
            llm = None
        if llm not in self._askers:
            model = self._models(llm) if callable(self._models) else self._models
            known = [asker for asker in self._askers.values() if asker.model is model]
            self._askers[llm] = known[0] if known else Asker(model)
        return self._askers[llm]


@runtime_checkable
class TellsCalls(Protocol):
    """A metric that asks a language model and says beforehand how often."""

    @property
    def estimated(self) -> str | None:
        """Why the number of calls is an estimate; None where it is exact."""
        ...

    async def planned_calls(self, pool: Sequence[Item], items: Sequence[Item]) -> Mapping[Hashable, CallSize]:
        """Return the distinct calls that preparing on a pool and scoring items of its tasks takes.

        Calls that a run makes once have one key, also where several metrics or texts come to them.
        """
        ...


def size_of(request: Request, *, tokens_out: int) -> CallSize:
    """Estimate the size of a call."""
    characters = sum(len(message.content) for message in request.messages)
    return CallSize(request.purpose, characters // CHARACTERS_PER_TOKEN + 1, tokens_out, request)


def size_requests(requests: Iterable[Request], *, tokens_out: int) -> dict[Hashable, CallSize]:
    """Return the distinct calls that requests make, with their sizes."""
    return {
        (request.model, request.digest("")): size_of(request, tokens_out=tokens_out) for request in requests
    }
