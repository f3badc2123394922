"""Every error gameproof raises on purpose.

GameproofError
├── InputError            the user gave something that cannot be used (exit code 2)
│   ├── DataError         rows of a data file are bad; carries all of them
│   ├── SpecError         a metric, perturbation or option name is not legal
│   ├── PlanError         the options of a run contradict each other or the data
│   ├── MissingExtraError an optional package is needed and not installed
│   ├── EndpointError     a model endpoint cannot be used at all: the run stops
│   │   └── OutageError   it does not answer for the time being: the run is incomplete (exit code 4)
│   ├── BudgetError       the limit of calls or of cost is reached: the run stops, what is done is kept
│   └── StoreError        the store of model calls is damaged or cannot be written
├── CallError             one model call failed after all retries: a counted missing score
└── RunFolderError        a run folder is damaged, locked or cannot be written
"""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "BudgetError",
    "CallError",
    "DataError",
    "EndpointError",
    "GameproofError",
    "InputError",
    "MissingExtraError",
    "OutageError",
    "PlanError",
    "RowProblem",
    "RunFolderError",
    "SpecError",
    "StoreError",
]

MAX_SHOWN_PROBLEMS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RowProblem:
    """One thing that is wrong with one row."""

    where: str  # "items.jsonl:17", or "row 17" for data that has no file
    field: str | None
    found: str
    allowed: str

    def __str__(self) -> str:
        field = f" {self.field}:" if self.field else ""
        return f"{self.where}:{field} found {self.found}; allowed: {self.allowed}"


class GameproofError(Exception):
    """Base of all errors raised on purpose: a message, and a hint that says what to do next."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        """Keep the message and the hint apart, so that a caller can lay them out."""
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class InputError(GameproofError):
    """The user gave something that cannot be used."""

    exit_code = 2


class DataError(InputError):
    """Rows of the data are bad. Nothing was scored; `problems` has them (the first 10,000 of a huge file)."""

    def __init__(
        self, problems: Sequence[RowProblem], *, hint: str | None = None, total: int | None = None
    ) -> None:
        """Show at most ten problems; `total` counts those beyond what was worth keeping."""
        self.problems = tuple(problems)
        self.total = max(total or 0, len(self.problems))
        shown = [f"  {problem}" for problem in self.problems[:MAX_SHOWN_PROBLEMS]]
        rest = self.total - len(shown)
        if rest:
            shown.append(f"  and {rest:,} more")
        count = f"{self.total:,} problem" + ("s" if self.total != 1 else "")
        super().__init__("\n".join([f"{count} in the data; nothing was scored:", *shown]), hint=hint)


class SpecError(InputError):
    """A metric, perturbation or option name is not legal."""


class PlanError(InputError):
    """The options of a run contradict each other or the data."""


class MissingExtraError(InputError):
    """An optional package is needed and not installed."""

    def __init__(self, what: str, *, extra: str) -> None:
        """Name the extra that brings the package."""
        super().__init__(
            f"{what} needs the extra {extra!r}, which is not installed.",
            hint=f'Install it with: pip install "gameproof[{extra}]"',
        )


class EndpointError(InputError):
    """A model endpoint cannot be used: every further call would fail as well."""


class OutageError(EndpointError):
    """A model endpoint has not answered for many calls in a row. What is done is kept."""

    exit_code = 4


class BudgetError(InputError):
    """The limit of calls or of cost is reached. What is done is kept."""


class StoreError(InputError):
    """The store of model calls is damaged or cannot be written."""


class CallError(GameproofError):
    """One call of a model failed after all retries."""

    def __init__(self, reason: str, *, hint: str | None = None) -> None:
        """Keep the reason: short text that reports count."""
        super().__init__(reason, hint=hint)
        self.reason = reason


class RunFolderError(GameproofError):
    """A run folder is damaged, in use by another process, or cannot be written."""

    exit_code = 2
