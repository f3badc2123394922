"""Find the task of a pool that a text belongs to, by the texts that came with it."""

from collections.abc import Iterable, Sequence

from gameproof.records import Item

__all__ = ["TaskIndex"]

PARTS = ("reference", "query", "source")  # by which a task is known, the surest first


class TaskIndex:
    """The tasks of some items, by their ids and by their texts."""

    def __init__(self, items: Iterable[Item]) -> None:
        """Index one item of each task; more where items of a task have different references, queries or sources."""
        self._by_id: dict[str, Item] = {}
        self._by_text: dict[tuple[str, str], list[Item]] = {}
        seen: set[tuple[str, tuple[str, ...], str | None, str | None]] = set()
        for item in items:
            key = (item.task_id, item.references, item.query, item.source)
            if key in seen:
                continue
            seen.add(key)
            self._by_id.setdefault(item.task_id, item)
            texts = {("reference", reference.strip()) for reference in item.references}
            texts |= {("query", (item.query or "").strip()), ("source", (item.source or "").strip())}
            for part, text in texts:
                if text:
                    self._by_text.setdefault((part, text), []).append(item)

    def find(
        self,
        *,
        references: Sequence[str] = (),
        source: str | None = None,
        query: str | None = None,
        task: str | None = None,
    ) -> Item | None:
        """Return an item of the task, or None where no task has these texts.

        References decide where any are given: the task has all of them. What is given besides tells tasks with the
        same references apart; of those that stay alike the first of the pool is taken.

        Args:
            references: Texts that the task has among its references.
            source: Its source.
            query: Its query.
            task: Its id, which settles it.
        """
        if task is not None:
            return self._by_id.get(task)
        asked = {
            "reference": [text.strip() for text in references if text.strip()],
            "query": [query.strip()] if query and query.strip() else [],
            "source": [source.strip()] if source and source.strip() else [],
        }
        found: list[Item] | None = None
        for part in PARTS:
            for text in asked[part]:
                having = self._by_text.get((part, text), [])
                if found is None:
                    if having or part == "reference":
                        found = having
                    continue
                both = [item for item in found if any(item is other for other in having)]
                found = both if both or part == "reference" else found
        return found[0] if found else None
