"""How long-running verbs say where they are."""

from typing import Protocol

__all__ = ["Progress", "Silent"]


class Progress(Protocol):
    """Told about the stages of a run; stages follow one another."""

    def start(self, stage: str, total: int | None) -> None:
        """Begin a stage of ``total`` steps (None: unknown)."""
        ...

    def advance(self, steps: int) -> None:
        """Count steps of the current stage as finished."""
        ...

    def done(self) -> None:
        """End the current stage."""
        ...


class Silent:
    """Say nothing."""

    def start(self, stage: str, total: int | None) -> None:
        """Ignore the stage."""

    def advance(self, steps: int) -> None:
        """Ignore the steps."""

    def done(self) -> None:
        """Ignore the end."""
