"""The banks of templates, read from the package's own files."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from gameproof.datasets.planted.facts import Slot, Stems

__all__ = [
    "DOMAINS",
    "Bank",
    "FactType",
    "Generic",
    "Group",
    "Template",
    "Wording",
    "load_groups",
    "load_wording",
]

Bank = Literal["reference", "paraphrase", "held_out"]
DOMAINS = ("reviews", "summaries", "answers")
GROUP_FILES = ("devices", "papers", "inns", "works", "surveys", "matches", "plants", "materials", "routes")

MARK = re.compile(r"\[([^|\]]*)\|([^|\]]*)\|([^|\]]*)\]")  # [stated|denied|hedged]


@dataclass(frozen=True, slots=True)
class Template:
    """One sentence in three polarities, with places for values and the subject."""

    stated: str
    denied: str
    hedged: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactType:
    """A kind of fact: what its values are, and how each bank words it."""

    key: str
    slot: Slot
    second: Slot | None
    swap: bool  # value and second are of one sort, so that exchanging them is the natural error
    wording: Mapping[Bank, tuple[Template, ...]]


@dataclass(frozen=True, slots=True)
class Generic:
    """A statement that fits every task of a group."""

    reference: str
    paraphrase: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """All that tasks of one group have in common."""

    name: str
    domain: str
    kinds: tuple[str, ...]
    name_pattern: str
    name_lower: bool
    title: str
    query: str | None
    intros: tuple[str, ...]
    reference_intro: str
    topic: tuple[str, ...]  # opening phrases made of the group's vocabulary, true of any of its tasks
    fact_types: tuple[FactType, ...]
    verdict: FactType | None
    generics: tuple[Generic, ...]

    def fact_type(self, kind: int) -> FactType:
        """Return a fact type by its index; -1 is the verdict."""
        if kind >= 0:
            return self.fact_types[kind]
        assert self.verdict is not None  # noqa: S101 - a fact the type checker cannot see
        return self.verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Phrases that carry no fact, and the parts of invented names."""

    stems: Stems
    codes: tuple[str, ...]
    style: tuple[str, ...]
    closers: tuple[str, ...]
    fillers: Mapping[str, tuple[str, ...]]
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    hedges: tuple[str, ...]
    boosters: tuple[str, ...]


@cache
def load_groups() -> tuple[Group, ...]:
    """Load the nine groups, three of each domain."""
    return tuple(_group(_read(name)) for name in GROUP_FILES)


@cache
def load_wording() -> Wording:
    """Load what all groups share."""
    data = _read("wording")
    return Wording(
        stems=Stems(tuple(data["firsts"]), tuple(data["lasts"])),
        codes=tuple(data["codes"]),
        style=tuple(data["style"]),
        closers=tuple(data["closers"]),
        fillers={domain: tuple(texts) for domain, texts in data["fillers"].items()},
        positive=tuple(data["positive"]),
        negative=tuple(data["negative"]),
        hedges=tuple(data["hedges"]),
        boosters=tuple(data["boosters"]),
    )


def parse_template(text: str) -> Template:
    """Read the one mark ``[stated|denied|hedged]`` of a template."""
    marks = MARK.findall(text)
    if len(marks) != 1:
        raise ValueError(f"a template needs exactly one mark [stated|denied|hedged]: {text!r}")
    return Template(*(MARK.sub(form, text) for form in marks[0]))


# Package data of our own, checked by tests: its loose JSON types end in the dataclasses below.
def _read(name: str) -> dict[str, Any]:
    path = files("gameproof.datasets.planted") / "banks" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def _group(data: Mapping[str, Any]) -> Group:
    return Group(
        name=data["group"],
        domain=data["domain"],
        kinds=tuple(data["kinds"]),
        name_pattern=data["name"]["pattern"],
        name_lower=data["name"]["lower"],
        title=data["title"],
        query=data.get("query"),
        intros=tuple(data["intro"]),
        reference_intro=data["reference_intro"],
        topic=tuple(data["topic"]),
        fact_types=tuple(_fact_type(entry) for entry in data["facts"]),
        verdict=_fact_type(data["verdict"]) if "verdict" in data else None,
        generics=tuple(Generic(entry["reference"], entry["paraphrase"]) for entry in data["generic"]),
    )


def _fact_type(data: Mapping[str, Any]) -> FactType:
    return FactType(
        key=data["key"],
        slot=_slot(data["slot"]),
        second=_slot(data["second"]) if "second" in data else None,
        swap=data.get("swap", False),
        wording={
            "reference": _templates(data["reference"]),
            "paraphrase": _templates(data["paraphrase"]),
            "held_out": _templates(data["held_out"]),
        },
    )


def _slot(data: Mapping[str, Any]) -> Slot:
    fields = {**data}
    if "options" in fields:
        fields["options"] = tuple(fields["options"])
    if "pairs" in fields:
        fields["pairs"] = tuple((tuple(good), tuple(bad)) for good, bad in fields["pairs"])
    return Slot(**fields)


def _templates(texts: Sequence[str]) -> tuple[Template, ...]:
    return tuple(parse_template(text) for text in texts)
