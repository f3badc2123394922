"""The language models of a study: connected for as long as the server runs, and again after an endpoint was down.

Elsewhere an endpoint that cannot work ends the run, and every later call fails at once. A study is served for weeks: here
such an error is the reason of one summary's failure, and the next summary tries a new connection.
"""

from collections import Counter
from dataclasses import replace
from typing import Self

from gameproof.errors import CallError, EndpointError
from gameproof.llm.client import LanguageModel, Reply, Request
from gameproof.llm.connect import NO_CACHE, Connection, connect
from gameproof.llm.limits import Limits, make_budget

__all__ = ["StudyModels"]


class StudyModels:
    """Finds models by name; used as ``async with``."""

    def __init__(self, limits: Limits | None = None) -> None:
        """Connect to nothing yet; all models share one budget."""
        self._limits = limits or Limits()
        self._budget = make_budget(self._limits)
        self._models: dict[str, _Renewed] = {}

    def __call__(self, name: str | None) -> LanguageModel:
        """Return a model, connected or not."""
        key = name or ""
        if key not in self._models:
            self._models[key] = _Renewed(key, self)
        return self._models[key]

    async def __aenter__(self) -> Self:
        """Hold nothing yet."""
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Close all connections."""
        for model in self._models.values():
            await model.close()

    async def check(self, *names: str) -> tuple[str, ...]:
        """Connect to models, and say which do not answer yet: they are tried again with each summary.

        Raises:
            InputError: A name can never work: it is not understood, or an extra is missing.
        """
        notes: list[str] = []
        for name in dict.fromkeys(names):
            try:
                await self.connect(self(name))
            except EndpointError as error:
                notes.append(f"{name} does not answer yet: {error.message} Its summaries fail until it does.")
        return tuple(notes)

    async def connect(self, model: LanguageModel) -> None:
        """Connect one of these models now."""
        if isinstance(model, _Renewed):
            await model.connection()

    async def open(self, name: str) -> Connection:
        """Make a connection. Prompts hold readers' profiles, so calls are kept with the study's events alone."""
        return await connect(name or None, cache=NO_CACHE, limits=self._limits, budget=self._budget)


class _Renewed:
    """One model by its name, whatever connection it has at the moment."""

    def __init__(self, name: str, models: StudyModels) -> None:
        self._name = name
        self._models = models
        self._connection: Connection | None = None
        self._in_use: Counter[int] = Counter()  # calls under way, by connection

    @property
    def name(self) -> str:
        """The name in the study's file."""
        return self._name

    async def connection(self) -> Connection:
        """Return the connection, made where there is none."""
        if self._connection is None:
            made = await self._models.open(self._name)
            if self._connection is None:
                self._connection = made
            else:  # another summary was quicker
                await made.close()
        return self._connection

    async def complete(self, request: Request) -> Reply:
        """Ask; an endpoint that cannot work gets a new connection next time."""
        connection = await self.connection()
        self._in_use[id(connection)] += 1
        try:
            return await connection.complete(replace(request, model=connection.name))
        except EndpointError as error:
            if self._connection is connection:
                self._connection = None
            raise CallError(error.message) from error
        finally:
            self._in_use[id(connection)] -= 1
            if self._connection is not connection and not self._in_use[id(connection)]:
                await connection.close()  # the last call on a connection that is given up

    async def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()
