"""The embedded data sets by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from gameproof.datasets.planted.world import MOST_TEXTS, SYSTEMS, WorldSpec, digest, make_world
from gameproof.errors import GameproofError, SpecError
from gameproof.records import Dataset

__all__ = ["DATASETS", "EmbeddedDataset", "load_dataset"]

DEMO = WorldSpec(seed=20260801)
OF_EACH = "of each domain"  # tasks=8 of a world with three domains are 24
DEMO_DIGEST = "bc606ea18ef4ac1b053a34ef5d2f84b0b6b6159ee230003c4ace5c5da2751de6"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedDataset:
    """One row of the catalogue."""

    name: str
    summary: str
    options: Mapping[str, str]  # option -> what it may be
    load: Callable[[Mapping[str, str]], Dataset]


def load_dataset(name: str) -> Dataset:
    """Load an embedded data set.

    Args:
        name: A name of the catalogue, with options after commas: ``planted`` is the frozen demo world,
            ``planted,seed=3,tasks=40,confounded=true`` a fresh one.

    Raises:
        SpecError: The name or an option is unknown.

    Example:
        >>> len(load_dataset("planted").items)
        288
    """
    head, *rest = [part.strip() for part in name.split(",")]
    if head not in DATASETS:
        raise SpecError(
            f"data set {head!r} is unknown: expected {_either(DATASETS)}.",
            hint="Give the path of a JSONL, CSV or Parquet file for data of your own.",
        )
    entry = DATASETS[head]
    return entry.load(_read_options(entry, rest))


def _load_planted(options: Mapping[str, str]) -> Dataset:
    if not options:
        return _load_demo()
    spec = WorldSpec(
        seed=_whole(options, "seed", DEMO.seed, low=0, high=2**63 - 1),
        tasks_per_domain=_whole(options, "tasks", DEMO.tasks_per_domain, low=1, high=1_000_000),
        systems=_whole(options, "systems", DEMO.systems, low=1, high=len(SYSTEMS)),
        texts=_whole(options, "texts", DEMO.texts, low=1, high=MOST_TEXTS),
        confounded=_flag(options, "confounded", default=DEMO.confounded),
        generic_facts=_flag(options, "generic", default=DEMO.generic_facts),
        held_out=_flag(options, "held_out", default=DEMO.held_out),
    )
    given = ",".join(f"{key}={options[key]}" for key in sorted(options))
    return make_world(spec, name=f"planted,{given}").dataset


def _load_planted_readers(options: Mapping[str, str]) -> Dataset:
    from gameproof.datasets.planted.readers import ReaderSpec, make_reader_world  # noqa: PLC0415 - most runs have none

    readers, knowledge = options.get("readers", "different"), options.get("knowledge", "some")
    if readers not in {"different", "identical"}:
        raise SpecError(f"option 'readers' is {readers!r}: expected different or identical.")
    if knowledge not in {"some", "none"}:
        raise SpecError(f"option 'knowledge' is {knowledge!r}: expected some or none.")
    spec = ReaderSpec(
        seed=_whole(options, "seed", 1, low=0, high=2**63 - 1),
        tasks_per_domain=_whole(options, "tasks", 24, low=1, high=1_000_000),
        readers="identical" if readers == "identical" else "different",
        knowledge="none" if knowledge == "none" else "some",
    )
    return make_reader_world(spec).dataset


@cache
def _load_demo() -> Dataset:
    world = make_world(DEMO)
    found = digest(world)
    if found != DEMO_DIGEST:
        raise GameproofError(
            f"the demo world is not the frozen one: its digest is {found}, expected {DEMO_DIGEST}.",
            hint="Reinstall gameproof; if you changed the planted world on purpose, freeze it anew.",
        )
    return world.dataset


def _read_options(entry: EmbeddedDataset, parts: list[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in parts:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key not in entry.options:
            raise SpecError(f"{entry.name}: option {key!r} is unknown: expected {_either(entry.options)}.")
        if not equals or not value:
            raise SpecError(f"{entry.name}: option {key!r} needs a value: {key}={entry.options[key]}.")
        if key in options:
            raise SpecError(f"{entry.name}: option {key!r} is given twice.")
        options[key] = value
    return options


def _whole(options: Mapping[str, str], key: str, default: int, *, low: int, high: int) -> int:
    text = options.get(key)
    if text is None:
        return default
    if not text.isascii() or not text.isdecimal() or not low <= int(text) <= high:
        of = f" {OF_EACH}" if key == "tasks" else ""
        raise SpecError(f"option {key!r} is {text!r}: expected a whole number from {low:,} to {high:,}{of}.")
    return int(text)


def _flag(options: Mapping[str, str], key: str, *, default: bool) -> bool:
    text = options.get(key)
    if text is None:
        return default
    if text.lower() not in {"true", "false"}:
        raise SpecError(f"option {key!r} is {text!r}: expected true or false.")
    return text.lower() == "true"


def _either(names: Mapping[str, object]) -> str:
    return (
        " or ".join([", ".join(list(names)[:-1]), list(names)[-1]]) if len(names) > 1 else next(iter(names))
    )


DATASETS: Mapping[str, EmbeddedDataset] = {
    entry.name: entry
    for entry in (
        EmbeddedDataset(
            name="planted",
            summary="288 reviews, summaries and answers made from fact tables; ratings are planted, not human",
            options={
                "seed": "a whole number",
                "tasks": "of each of its 3 domains (reviews, summaries, answers), so tasks=8 makes 24",
                "systems": f"1 to {len(SYSTEMS)}",
                "texts": f"of a system for one task, 1 to {MOST_TEXTS}",
                "confounded": "true or false",
                "generic": "true or false",
                "held_out": "true or false",
            },
            load=_load_planted,
        ),
        EmbeddedDataset(
            name="planted-readers",
            summary="96 summaries and answers, each written for one of two readers of its task; nothing is human",
            options={
                "seed": "a whole number",
                "tasks": "of each of its 2 domains (summaries, answers), so tasks=8 makes 16",
                "readers": "different or identical",
                "knowledge": "some or none",
            },
            load=_load_planted_readers,
        ),
    )
}
