"""Say that tasks are too few for a good verdict, whatever the scores."""

from collections.abc import Iterator, Sequence

from gameproof.audits.checks import MIN_TASKS
from gameproof.records import Item

__all__ = ["note_on_tasks"]


def note_on_tasks(
    items: Sequence[Item], what: str = "no check can pass", *, takes: str = "a pass"
) -> Iterator[str]:
    """Yield one note where tasks are fewer than a verdict takes.

    Args:
        items: The texts.
        what: What cannot be shown.
        takes: What it is that takes so many tasks.

    Example:
        >>> items = [Item(id=str(n), task_id=str(n % 3), candidate="a") for n in range(9)]
        >>> list(note_on_tasks(items))
        ['no check can pass: tasks are what is sampled, and a pass takes 20, here are 3']
    """
    n_tasks = len({item.task_id for item in items})
    if n_tasks < MIN_TASKS:
        yield f"{what}: tasks are what is sampled, and {takes} takes {MIN_TASKS}, here are {n_tasks}"
