"""What the catalogue says about a metric, and how a wish with options becomes a complete order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from gameproof._version import __version__
from gameproof.errors import SpecError
from gameproof.metrics.base import Metric
from gameproof.metrics.lexical import Order
from gameproof.metrics.spec_text import join_spec
from gameproof.metrics.text_memo import TextMemo

__all__ = ["MetricEntry", "MetricOption", "Wish", "read_wish"]

NO_CONDITION: Mapping[tuple[str, str], str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricOption:
    """One option of a metric."""

    values: tuple[str, ...]  # legal ones
    default: str
    summary: str
    default_if: Mapping[tuple[str, str], str] = field(default_factory=lambda: NO_CONDITION)
    # (another option, its value) -> the default that goes with it
    implied: bool = False  # the metric's name alone means the default, so that signatures leave it out

    def default_beside(self, options: Mapping[str, str]) -> str:
        """Return the default, given the other options."""
        for (key, value), default in self.default_if.items():
            if options.get(key) == value:
                return default
        return self.default


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricEntry:
    """One metric of the catalogue."""

    name: str
    summary: str
    build: Callable[[Order], Metric]
    citation: str
    needs: frozenset[str] = frozenset({"references"})
    options: Mapping[str, MetricOption] = field(default_factory=dict[str, MetricOption])
    pins: Mapping[str, Callable[[], str]] = field(default_factory=dict[str, Callable[[], str]])
    # what a signature records besides the options: name -> its present value
    aliases: tuple[str, ...] = ()
    extra: str | None = None  # the optional dependencies it needs
    cost: Literal["no model", "local model", "llm"] = "no model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A catalogue metric that somebody asked for, every option filled in."""

    entry: MetricEntry
    options: Mapping[str, str]

    @property
    def name(self) -> str:
        """The text that asks for it, defaults left out."""
        chosen = {
            key: value
            for key, value in self.options.items()
            if value != self.entry.options[key].default_beside(self.options)
        }
        return join_spec(self.entry.name, chosen)

    @property
    def signature(self) -> str:
        """The text with every option, and the versions that can move the number."""
        pins = {key: value() for key, value in _pins(self.entry).items()}
        spoken = {
            key: value
            for key, value in self.options.items()
            if not (self.entry.options[key].implied and value == self.entry.options[key].default)
        }
        return join_spec(self.entry.name, {**spoken, **pins})

    def order(self, memo: TextMemo, splits: Mapping[str, str]) -> Order:
        """Return the complete order for the builder."""
        return Order(name=self.name, signature=self.signature, options=self.options, memo=memo, splits=splits)


def read_wish(entry: MetricEntry, given: Mapping[str, str]) -> Wish:
    """Check the options given for a metric and fill in its defaults.

    Raises:
        SpecError: Names every option that is not legal, with what is.
    """
    problems: list[str] = []
    pins = _pins(entry)
    for key, value in given.items():
        if key in entry.options:
            if value not in entry.options[key].values:
                problems.append(f"{key}: found {value!r}; allowed: {', '.join(entry.options[key].values)}")
        elif key in pins:
            if value != pins[key]():
                problems.append(f"{key}: found {value!r}; allowed: {pins[key]()}, the version installed here")
        else:
            legal = ", ".join(entry.options)
            problems.append(f"{key}: found an option {entry.name} does not have; allowed: {legal}")
    if problems:
        raise SpecError("; ".join(problems))
    options = {key: value for key, value in given.items() if key in entry.options}
    for key, option in entry.options.items():
        if key not in options:
            options[key] = option.default_beside(options)
    return Wish(entry=entry, options=options)


def _pins(entry: MetricEntry) -> Mapping[str, Callable[[], str]]:
    return {**entry.pins, "v": lambda: __version__}
