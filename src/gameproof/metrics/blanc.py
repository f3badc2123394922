"""BLANC: how much a candidate helps a masked language model to read its source.

O. Vasilyev, V. Dharnidharka and J. Bohannon, "Fill in the BLANC", Eval4NLP 2020, sections 3 and 4. Every ``gap``-th
token of a sentence of the source is masked, ``gap`` times, so that each is masked once; short tokens and the later
parts of words never are. With S_ij the number of masked tokens that the model guesses wrongly (i = 0) or rightly (1)
without the candidate and wrongly or rightly (j) with it,

    BLANC = (S_01 - S_10) / (S_00 + S_01 + S_10 + S_11)

``form=help`` puts the candidate before the sentence, against as many full stops; ``form=tune`` tunes the model on the
candidate, against the model as it is, and takes minutes for a hundred texts.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gameproof import text as texts
from gameproof.metrics.cut_texts import score_one_by_one
from gameproof.metrics.lexical import Order
from gameproof.metrics.local_files import find_folder, load_package
from gameproof.metrics.masked_model import MaskedModel, Piece
from gameproof.records import Item, Scores
from gameproof.seeds import rng_for

__all__ = ["FORMS", "Blanc", "build_blanc", "masked_places"]

FORMS = ("help", "tune")
MIN_WHOLE = 4  # characters of a whole word that is masked
MIN_FIRST = 2  # of the first part of a word
EPOCHS = 10
MIN_ROOM = 1 / 2  # of the limit that is kept for the sentence
NOTHING_TO_MASK = "no token of its source is long enough to be masked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blanc:
    """BLANC with one masked language model."""

    name: str
    full_name: str
    model: MaskedModel
    form: str
    gap: int
    seed: int
    needs: frozenset[str] = frozenset({"source"})
    higher_is_better: bool = True

    def signature(self) -> str:
        """Return the name with every option and the digest of the weights."""
        return self.full_name

    async def prepare(self, pool: Sequence[Item]) -> "Blanc":
        """Return the metric itself: nothing depends on the whole data."""
        del pool
        return self

    async def score(self, items: Sequence[Item]) -> Scores:
        """Score candidates by what they do for the model's reading of their sources."""
        return await asyncio.to_thread(self._score, items)

    def _score(self, items: Sequence[Item]) -> Scores:
        return score_one_by_one(self.full_name, items, self.needs, self._score_item, lambda: self.model.limit)

    def _score_item(self, candidate: str, source: str) -> tuple[float | str, bool]:
        """Return a score, or why there is none; and whether anything was cut."""
        said = [piece.token for piece in self.model.pieces(candidate)]
        if not said:
            return "no tokens", False
        sentences = [self.model.pieces(sentence) for sentence in texts.sentences(source)]
        tuned = None
        before, filler = list[int](), list[int]()
        is_cut = False
        if self.form == "tune":
            rng = rng_for(self.seed, "blanc", candidate)
            tuned = self.model.tune(said, epochs=EPOCHS, rng=rng)
        else:
            before = said[: int(self.model.limit * (1 - MIN_ROOM))]
            filler, is_cut = self.model.filler(len(before)), len(before) < len(said)
        room = self.model.limit - len(before)
        counts: Counter[tuple[bool, bool]] = Counter()
        for pieces in sentences:
            is_cut = is_cut or len(pieces) > room
            tokens = [piece.token for piece in pieces[:room]]
            masks = masked_places(pieces[:room], self.gap)
            without = self.model.guess(filler, tokens, masks)
            helped = self.model.guess(before, tokens, masks, tuned=tuned)
            for places, first, second in zip(masks, without, helped, strict=True):
                for place, guess, other in zip(places, first, second, strict=True):
                    counts[guess == tokens[place], other == tokens[place]] += 1
        total = counts.total()
        if not total:
            return NOTHING_TO_MASK, is_cut
        return (counts[False, True] - counts[True, False]) / total, is_cut


def build_blanc(order: Order) -> Blanc:
    """Build BLANC with the masked language model that an order names."""
    options = order.options
    folder = find_folder("blanc", options.get("model"), kind="a masked language model such as BERT")
    for package in ("torch", "transformers"):
        load_package(package, "blanc")
    return Blanc(
        name=order.name,
        full_name=order.signature,
        model=MaskedModel(folder=folder, metric="blanc"),
        form=options["form"],
        gap=int(options["gap"]),
        seed=int(options["seed"]),
    )


def masked_places(pieces: Sequence[Piece], gap: int) -> list[list[int]]:
    """Return the places that are masked together, for each shift that has any."""
    eligible = [
        place
        for place, piece in enumerate(pieces)
        if (piece.is_whole and piece.n_characters >= MIN_WHOLE)
        or (piece.is_first and not piece.is_whole and piece.n_characters >= MIN_FIRST)
    ]
    found = [[place for place in eligible if place % gap == shift] for shift in range(gap)]
    return [places for places in found if places]
