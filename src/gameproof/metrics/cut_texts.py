"""Score items one at a time with a model that sees so many tokens, and say of which not all was seen."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from gameproof.metrics.base import missing_before_scoring, scores_from
from gameproof.records import Item, Scores

__all__ = ["cut_remark", "score_one_by_one"]


def cut_remark(limit: int) -> str:
    """Return what is said of a text that a model saw in part."""
    return f"text beyond {limit:,} tokens was not seen"


def score_one_by_one(
    signature: str,
    items: Sequence[Item],
    needs: frozenset[str],
    score_item: Callable[[str, str], tuple[float | str, bool]],
    limit: Callable[[], int],
) -> Scores:
    """Score candidates by their sources.

    Args:
        signature: Of the metric.
        items: What is scored.
        needs: What an item must have.
        score_item: Candidate and source -> a score, or why there is none; and whether anything was cut.
        limit: How many tokens the model takes; asked for where something was cut.
    """
    values: list[float | str] = []
    remarks: dict[str, str] = {}
    for item in items:
        blocked = missing_before_scoring(item, needs)
        if blocked is not None:
            values.append(blocked)
            continue
        value, is_cut = score_item(item.candidate, item.source or "")
        values.append(value)
        if is_cut and not isinstance(value, str):
            remarks[item.id] = cut_remark(limit())
    return replace(scores_from(signature, items, values), remarks=remarks)
