"""What the catalogue says about a metric, and how a wish with options becomes a complete order."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from gameproof._version import __version__
from gameproof.errors import SpecError
from gameproof.llm.asking import Asker
from gameproof.metrics.base import Metric
from gameproof.metrics.lexical import Order
from gameproof.metrics.llm_calls import FindAsker
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
    kind: str | None = None  # of values besides the listed ones: a key of the grammar's KINDS

    @property
    def shown(self) -> str:
        """What may be written, for a list: ``5|10``, or the kind of value."""
        free = [] if self.kind is None else [f"<{self.kind}>"]
        return "|".join([*(value for value in self.values if value), *free])

    def read(self, value: str) -> str | None:
        """Return a value in its one spelling, or None if it is not legal."""
        if value in self.values:
            return value
        if self.kind is None:
            return None
        from gameproof.fmi.cells import KINDS  # noqa: PLC0415 - most metrics have only listed values

        return KINDS[self.kind][0](value)

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
    wordings: Callable[[Mapping[str, str]], Mapping[str, str]] | None = None
    # options -> what a signature pins besides: prompts, or the files of a model
    aliases: tuple[str, ...] = ()
    extra: str | None = None  # the optional dependencies it needs
    cost: Literal["no model", "local model", "llm"] = "no model"
    find_asker: Callable[[str, Mapping[str, str], FindAsker], Asker | None] | None = None
    # (name, options, finder) -> who asks a language model, where that depends on the options


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A catalogue metric that somebody asked for, every option filled in."""

    entry: MetricEntry
    options: Mapping[str, str]
    asker: Asker | None = None  # of the language model, for metrics that ask one

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
        asked = {} if self.asker is None else {"llm": self.asker.name}
        return join_spec(self.entry.name, {**spoken, **pins, **asked, **_wordings(self.entry, self.options)})

    def order(self, memo: TextMemo, splits: Mapping[str, str], seed: int = 0) -> Order:
        """Return the complete order for the builder."""
        return Order(
            name=self.name,
            signature=self.signature,
            options=self.options,
            memo=memo,
            splits=splits,
            asker=self.asker,
            seed=seed,
        )


def read_wish(entry: MetricEntry, given: Mapping[str, str]) -> Wish:
    """Check the options given for a metric and fill in its defaults.

    Raises:
        SpecError: Names every option that is not legal, with what is.
    """
    options: dict[str, str] = {}
    problems: list[str] = []
    for key, value in given.items():
        if key in entry.options:
            read = entry.options[key].read(value)
            if read is not None:
                options[key] = read
            else:
                allowed = entry.options[key].shown.replace("|", ", ")
                problems.append(f"{key}: found {value!r}; allowed: {allowed}")
    for key, option in entry.options.items():
        if key not in given:
            options[key] = option.default_beside(options)
    problems += _problems_of_pins(entry, options, given)
    if problems:
        raise SpecError("; ".join(problems))
    return Wish(entry=entry, options={key: value for key, value in options.items() if value})


def _problems_of_pins(
    entry: MetricEntry, options: Mapping[str, str], given: Mapping[str, str]
) -> Iterator[str]:
    """Yield what is wrong with those given keys that are no options: a signature's pins must be today's."""
    pins = {key: (value(), "the version installed here") for key, value in _pins(entry).items()}
    pins |= {key: (value, "what there is here") for key, value in _wordings(entry, options).items()}
    for key, value in given.items():
        if key in entry.options:
            continue
        if key not in pins:
            legal = ", ".join(entry.options)
            yield f"{key}: found an option {entry.name} does not have; allowed: {legal}"
        elif value != pins[key][0]:
            yield f"{key}: found {value!r}; allowed: {pins[key][0]}, {pins[key][1]}"


def _wordings(entry: MetricEntry, options: Mapping[str, str]) -> Mapping[str, str]:
    return {} if entry.wordings is None else entry.wordings(options)


def _pins(entry: MetricEntry) -> Mapping[str, Callable[[], str]]:
    return {**entry.pins, "v": lambda: __version__}
