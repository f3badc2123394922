"""A fair draw of the scores that stream by, with their texts, in constant memory."""

from collections.abc import Sequence

from gameproof.engine.table import concatenate
from gameproof.records import Item, Scores
from gameproof.seeds import rng_for

__all__ = ["DrawnScores", "drawn_numbers"]

MOST = 2000  # texts: shares and correlations are known to a few hundredths


class _Reservoir:
    """Says of each text in turn whether it is kept, and in the place of which one.

    Algorithm R of J. S. Vitter, "Random Sampling with a Reservoir", 1985.
    """

    def __init__(self, *, seed: int, most: int) -> None:
        """Begin with nothing kept."""
        self.n_seen = 0
        self._most = most
        self._rng = rng_for(seed, "drawn scores")

    def place(self) -> int | None:
        """Return where the next text goes: behind the others, in the place of one, or nowhere."""
        self.n_seen += 1
        if self.n_seen <= self._most:
            return self.n_seen - 1
        place = int(self._rng.integers(self.n_seen))
        return place if place < self._most else None


def drawn_numbers(n_texts: int, *, seed: int, most: int = MOST) -> list[int]:
    """Return which texts `DrawnScores` keeps of so many, by their numbers from 0, in order."""
    reservoir = _Reservoir(seed=seed, most=most)
    kept: list[int] = []
    for number in range(n_texts):
        place = reservoir.place()
        if place is not None:
            kept[place : place + 1] = [number]
    return sorted(kept)


class DrawnScores:
    """Keeps every text and its scores up to 2,000, and of more a uniform draw of so many."""

    def __init__(self, *, seed: int, most: int = MOST) -> None:
        """Begin with nothing drawn."""
        self.seed = seed
        self._reservoir = _Reservoir(seed=seed, most=most)
        self._n_seen_elsewhere = 0
        self._kept: list[
            tuple[int, Item, list[Scores]]
        ] = []  # number of the text, text, its scores by metric

    @property
    def n_seen(self) -> int:
        """How many texts came."""
        return self._n_seen_elsewhere or self._reservoir.n_seen

    def add(self, items: Sequence[Item], columns: Sequence[Scores]) -> None:
        """See one more batch: its texts, and a column of scores for each metric."""
        for row, item in enumerate(items):
            number, place = self._reservoir.n_seen, self._reservoir.place()
            if place is not None:
                self._kept[place : place + 1] = [(number, item, [column.take([row]) for column in columns])]

    def fill(self, n_seen: int, items: Sequence[Item], columns: Sequence[Scores]) -> None:
        """Take over what `drawn_numbers` chose of texts that were scored elsewhere."""
        self._n_seen_elsewhere = n_seen
        self._kept = [
            (row, item, [column.take([row]) for column in columns]) for row, item in enumerate(items)
        ]

    def texts(self) -> list[Item]:
        """Return the texts that were drawn, in the order in which they came."""
        return [item for _, item, _ in self._in_order()]

    def scores(self, metric: int) -> Scores | None:
        """Return the scores of a metric, by its place; None where no text came."""
        found = [columns[metric] for _, _, columns in self._in_order()]
        return concatenate(found) if found else None

    def _in_order(self) -> list[tuple[int, Item, list[Scores]]]:
        return sorted(self._kept, key=lambda entry: entry[0])
