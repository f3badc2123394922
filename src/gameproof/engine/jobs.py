"""What workers are asked to do, and what comes back."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gameproof import errors
from gameproof.engine.partition import Part
from gameproof.errors import GameproofError, InputError
from gameproof.files.stream import ItemRuns
from gameproof.llm.client import LanguageModel
from gameproof.llm.connect import Usage
from gameproof.llm.limits import Limits
from gameproof.llm.shares import Spent
from gameproof.llm.store_layers import StoreLayers
from gameproof.llm.tally import Tally
from gameproof.records import Item, Scores, Variant

__all__ = [
    "Done",
    "Envelope",
    "Failed",
    "Job",
    "Models",
    "ScoreTexts",
    "ScoredTexts",
    "Setup",
    "VariantsOf",
    "WriteRows",
    "WrittenRows",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The language models of a run, as a worker connects to them."""

    llm: str | LanguageModel | None
    limits: Limits  # of the whole run
    spent: Spent  # before there were workers
    folder: str | None  # of the workers' stores of calls; None: no calls are kept
    base: str | None  # the store of the run, where it is there

    def layers(self, number: int) -> StoreLayers | None:
        """Return the store of a worker."""
        if self.folder is None:
            return None
        own = Path(self.folder) / f"calls-{number}.sqlite"
        return StoreLayers(own=own, base=None if self.base is None else Path(self.base))


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What all workers of a stage have: made once, sent once to each."""

    n_workers: int
    working_folder: str  # relative paths of models and metrics begin there
    models: Models | None = None
    metrics: bytes | None = field(default=None, repr=False)  # prepared, as `shipping.pack` writes them
    runs: ItemRuns | None = None  # reads the texts that a job names by their numbers
    items: tuple[Item, ...] = field(default=(), repr=False)  # all originals, where variants are made
    perturbations: tuple[str, ...] = ()
    given_names: frozenset[str] = frozenset()  # perturbations whose variants were made elsewhere
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRows:
    """Score originals and write the scores as rows."""

    part: Part
    items: Sequence[Item] | None = field(default=None, repr=False)  # None: the worker reads them itself

    def __str__(self) -> str:
        return f"scoring {_texts(self.part)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTexts:
    """Score texts of a column."""

    column: int
    part: Part
    items: Sequence[Item] = field(repr=False)

    def __str__(self) -> str:
        return f"scoring {_texts(self.part)} of column {self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantsOf:
    """Make the variants of originals."""

    part: Part
    given: Sequence[Variant] = field(default=(), repr=False)

    def __str__(self) -> str:
        return f"making variants of {_texts(self.part)}"


Job = WriteRows | ScoreTexts | VariantsOf


def _texts(part: Part) -> str:
    return f"texts {part.start + 1:,} to {part.stop:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRows:
    """Rows as they stand in a file, one JSON object a line."""

    rows: bytes
    again: bool  # some scores are missing for the time being


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredTexts:
    """A column of scores for each metric, and what each took."""

    columns: Sequence[Scores]
    seconds: Sequence[float]
    asked: Sequence[Tally]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """An error that a worker has raised on purpose."""

    kind: str
    message: str
    hint: str | None

    @classmethod
    def of(cls, error: GameproofError) -> "Failed":
        """Take an error apart: its class may need more than a message to be made."""
        return cls(kind=type(error).__name__, message=error.message, hint=error.hint)

    def error(self) -> GameproofError:
        """Return the error, as this process would have raised it."""
        kind = getattr(errors, self.kind, InputError)
        found: GameproofError = kind.__new__(kind)
        GameproofError.__init__(found, self.message, hint=self.hint)
        return found


Done = WrittenRows | ScoredTexts | Sequence[Variant]


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """What comes back from a worker."""

    process: str  # which one
    done: Done | Failed
    counts: tuple[Counter[str], ...] = ()  # what befell its metrics, for `Shipped.add`
    usages: tuple[Usage, ...] = ()  # all that the process has asked models so far
