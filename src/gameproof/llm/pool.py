"""The language models of one run, under one budget of calls and cost."""

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Self

from gameproof.errors import SpecError
from gameproof.llm.client import LanguageModel, Recalls, Request, public_url
from gameproof.llm.connect import (
    NO_CACHE,
    Connection,
    Usage,
    add_usages,
    connect,
    open_store,
    store_exists,
    store_path,
)
from gameproof.llm.failures import Endpoint
from gameproof.llm.limits import Limits, make_budget
from gameproof.llm.provide import PROVIDERS, Settings, provide
from gameproof.llm.store_layers import StoreLayers

__all__ = ["ModelPool", "as_pool", "counting_pool", "is_stored"]


class ModelPool:
    """Finds the model that a metric asks by its name, None for the run's own. Used as ``async with``.

    A name without an address is a model at the address of the run's own model.
    """

    def __init__(
        self,
        llm: str | LanguageModel | None = None,
        *,
        cache: str | Path | StoreLayers | None = None,
        limits: Limits | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Connect to nothing yet; arguments as in `connect`."""
        self.llm = llm
        self.limits = limits or Limits()
        self._cache = cache
        self._elsewhere: dict[Hashable, Sequence[Usage]] = {}
        self._environment = os.environ if environment is None else environment
        self._budget = make_budget(self.limits)
        self._own: Connection | None = None
        self._others: dict[str, Connection] = {}

    async def __aenter__(self) -> Self:
        """Connect to the run's own model, where there is one."""
        if self.llm is not None:
            self._own = await connect(
                self.llm,
                cache=self._cache,
                limits=self.limits,
                environment=self._environment,
                budget=self._budget,
            )
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Close all of them."""
        for model in self._all():
            await model.close()

    async def find(self, *named: object) -> None:
        """Connect to the models that are named by an address alone: which one answers there has to be asked.

        Errors as in `connect`.
        """
        for name in named:
            if (
                isinstance(name, str)
                and name.startswith(("http://", "https://"))
                and name not in self._others
            ):
                self._others[name] = await connect(
                    name,
                    cache=self._cache,
                    limits=self.limits,
                    environment=self._environment,
                    budget=self._budget,
                )

    def __call__(self, name: str | None) -> LanguageModel:
        """Return a model.

        Raises:
            SpecError: None is named, or an address without a name.
        """
        own = self._own
        if own is not None and name in {None, own.name}:
            return own
        if name is None:
            raise SpecError(
                "it asks a language model, and none is given.", hint="Name one with --llm, or pass llm=model."
            )
        if name not in self._others:
            self._others[name] = self._connect(name)
        return self._others[name]

    @property
    def needs_self_test(self) -> bool:
        """Whether log-probabilities of the run's own model have yet to be tested."""
        return self._own is not None and self._own.needs_self_test

    def usages(self) -> tuple[Usage, ...]:
        """Return what was asked of each model, here and in other processes."""
        here = [model.usage() for model in self._all()]
        return add_usages([*here, *(usage for usages in self._elsewhere.values() for usage in usages)])

    def count_elsewhere(self, process: Hashable, usages: Sequence[Usage]) -> None:
        """Take note of all that another process has asked so far."""
        self._elsewhere[process] = usages

    def name_of(self, model: Connection) -> str | None:
        """Return the name under which a pool with the same models finds one.

        Raises:
            SpecError: The model is none of this pool.
        """
        if model is self._own:
            return None
        found = next((name for name, known in self._others.items() if known is model), None)
        if found is None:
            raise SpecError(f"{model.name} is no model of this run.")
        return found

    @property
    def store_path(self) -> Path | None:
        """The file of finished calls; None where none are kept."""
        return None if isinstance(self._cache, StoreLayers) else store_path(self._cache, self._environment)

    def _all(self) -> list[Connection]:
        return [*([] if self._own is None else [self._own]), *self._others.values()]

    def _connect(self, name: str) -> Connection:
        settings = Settings(environment=self._environment, limits=self.limits)
        found = provide(self._at_own_address(name), settings)
        if isinstance(found, Endpoint):
            raise SpecError(f"llm: {name} is an address: write NAME@{public_url(found.url)}.")
        store = open_store(self._cache, self._environment) if found.keeps_calls else None
        return Connection(found, self.limits, store, budget=self._budget)

    def _at_own_address(self, name: str) -> str:
        own = self._own
        if own is None or "@" in name or name.partition(":")[0] in PROVIDERS:
            return name
        endpoint = own.provider.endpoint
        return name if endpoint is None else f"{name}@{endpoint.url}"


def is_stored(find: Callable[[str], LanguageModel], request: Request) -> bool:
    """Say whether a model, found by the name in a request, has its answer from an earlier run."""
    model = find(request.model)
    return isinstance(model, Recalls) and model.recall(request) is not None


def counting_pool(llm: str | LanguageModel | ModelPool | None, *, cache: str | Path | None) -> ModelPool:
    """Make a pool that only counts: a store that is there is read, and none is made."""
    kept = cache if isinstance(llm, ModelPool) or store_exists(cache) else NO_CACHE
    return as_pool(llm, cache=kept, limits=None)


def as_pool(
    llm: str | LanguageModel | ModelPool | None, *, cache: str | Path | None, limits: Limits | None
) -> ModelPool:
    """Make a pool of what a verb was given."""
    return llm if isinstance(llm, ModelPool) else ModelPool(llm, cache=cache, limits=limits)
