"""Set the scene for the moves: what other tasks offer to an attacker."""

from collections import Counter
from collections.abc import Sequence

from gameproof.attacks.moves import Access, Scene, blind
from gameproof.perturbations.base import Pool
from gameproof.perturbations.pool import Originals
from gameproof.records import Item
from gameproof.text import sentences, words

__all__ = ["Stage", "typical_sentences"]

N_TYPICAL = 24
FEWEST_WORDS, MOST_WORDS = 4, 40  # of a sentence that is worth borrowing
LOOKED_AT = 4_000  # sentences: enough to know a genre by


class Stage:
    """The texts of other tasks, and a scene for each item."""

    def __init__(self, items: Sequence[Item], access: Access = "none") -> None:
        """Look through the texts once.

        Args:
            items: Whose candidates may be borrowed from; never a text that is only known to the measurement.
            access: Whether moves see the source.
        """
        self._pool: Pool = Originals(items)
        self._access: Access = access
        by_group: dict[str, list[Item]] = {}
        for item in items:
            by_group.setdefault(item.group, []).append(item)
        self._shelves = {group: typical_sentences(members) for group, members in by_group.items()}

    def scene(self, item: Item) -> Scene:
        """Return what the moves on one item may look at: no sentence of its own task is among it."""
        shelf = self._shelves.get(item.group, ())
        return Scene(
            item=blind(item, self._access),
            pool=self._pool,
            typical=tuple(sentence for sentence, tasks in shelf if item.task_id not in tasks)[:N_TYPICAL],
        )


def typical_sentences(items: Sequence[Item]) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return (sentence, tasks that have it), the most typical of the genre first: its words occur in most other tasks' texts.

    The mean, over the words of a sentence, of the share of tasks whose candidates have the word.
    """
    by_task: dict[str, set[str]] = {}
    found: dict[str, set[str]] = {}
    for item in items:
        by_task.setdefault(item.task_id, set()).update(words(item.candidate))
        for sentence in sentences(item.candidate):
            if len(found) < LOOKED_AT or sentence in found:
                found.setdefault(sentence, set()).add(item.task_id)
    spread = Counter(word for task in by_task.values() for word in task)
    scored: list[tuple[float, str]] = []
    for sentence in found:
        inside = words(sentence)
        if FEWEST_WORDS <= len(inside) <= MOST_WORDS:
            scored.append((sum(spread[word] for word in inside) / len(inside), sentence))
    scored.sort(key=lambda row: (-row[0], row[1]))
    return tuple((sentence, frozenset(found[sentence])) for _, sentence in scored[: 4 * N_TYPICAL])
