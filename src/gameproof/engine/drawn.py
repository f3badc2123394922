"""A fair draw of the scores that stream by, with their texts, in constant memory."""

from collections.abc import Sequence

from gameproof.engine.table import concatenate
from gameproof.records import Item, Scores
from gameproof.seeds import rng_for

__all__ = ["DrawnScores"]

MOST = 2000  # texts: shares and correlations are known to a few hundredths


class DrawnScores:
    """Keeps every text and its scores up to 2,000, and of more a uniform draw of so many.

    Algorithm R of J. S. Vitter, "Random Sampling with a Reservoir", 1985.
    """

    def __init__(self, *, seed: int, most: int = MOST) -> None:
        """Begin with nothing drawn."""
        self.n_seen = 0
        self._most = most
        self._rng = rng_for(seed, "drawn scores")
        self._kept: list[
            tuple[int, Item, list[Scores]]
        ] = []  # number of the text, text, its scores by metric

    def add(self, items: Sequence[Item], columns: Sequence[Scores]) -> None:
        """See one more batch: its texts, and a column of scores for each metric."""
        for row, item in enumerate(items):
            place = self._place()
            if place is not None:
                self._kept[place : place + 1] = [
                    (self.n_seen, item, [column.take([row]) for column in columns])
                ]
            self.n_seen += 1

    def texts(self) -> list[Item]:
        """Return the texts that were drawn, in the order in which they came."""
        return [item for _, item, _ in self._in_order()]

    def scores(self, metric: int) -> Scores | None:
        """Return the scores of a metric, by its place; None where no text came."""
        found = [columns[metric] for _, _, columns in self._in_order()]
        return concatenate(found) if found else None

    def _place(self) -> int | None:
        """Return where the next text goes: behind the others, in the place of one, or nowhere."""
        if len(self._kept) < self._most:
            return len(self._kept)
        place = int(self._rng.integers(self.n_seen + 1))
        return place if place < self._most else None

    def _in_order(self) -> list[tuple[int, Item, list[Scores]]]:
        return sorted(self._kept, key=lambda entry: entry[0])
