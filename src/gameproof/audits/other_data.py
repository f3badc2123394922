"""Refuse to write an audit over the run of other data."""

from collections.abc import Sequence

from gameproof.audits.run import ITEMS_FILE
from gameproof.errors import GameproofError, RunFolderError
from gameproof.files import RunFolder, load
from gameproof.records import Dataset, Item

__all__ = ["refuse_other_data"]

WHAT_TO_DO = (
    "Choose another folder with -o, or replace what lies there with --overwrite (in Python overwrite=True)."
)


def refuse_other_data(folder: RunFolder, dataset: Dataset) -> None:
    """Refuse a folder that has a run of other data: its report would be gone without a word.

    The same data under another name, with more texts or with fewer, or with some of its texts changed is no other
    data: what is as it was need not be done again.

    Raises:
        RunFolderError: A run of other data, or of another kind, lies there.
    """
    plan = folder.plan
    name = plan.get("data")
    if not isinstance(name, str):
        return  # nothing has been written down yet
    verb = plan.get("verb", "audit")
    if verb != "audit":
        raise RunFolderError(f"{folder.path} holds a {verb} of {name}, and no audit.", hint=WHAT_TO_DO)
    if not (folder.path / ITEMS_FILE).exists():
        return
    try:
        before = load(folder.path / ITEMS_FILE).items
    except GameproofError:
        return  # damaged: there is no run to lose
    why = _why_other(_texts(before), _texts(dataset.items), same_name=name == dataset.name)
    if why is not None:
        raise RunFolderError(
            f"{folder.path} holds a run of {name} ({len(before):,} texts), and {dataset.name} "
            f"({len(dataset.items):,} texts) is other data: {why}.",
            hint=WHAT_TO_DO,
        )


def _texts(items: Sequence[Item]) -> frozenset[tuple[str, str]]:
    return frozenset((item.task_id, item.candidate) for item in items)


def _why_other(
    before: frozenset[tuple[str, str]], now: frozenset[tuple[str, str]], *, same_name: bool
) -> str | None:
    shared = len(before & now)
    if not shared:
        return "no text is the same"
    if same_name or shared == min(len(before), len(now)):
        return None
    return f"only {shared:,} texts are the same"
