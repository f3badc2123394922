"""The score table: a column of scores for the originals and for every variant of a metric."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gameproof.llm.tally import Tally
from gameproof.records import Contrast, Item, Scores, Variant

__all__ = ["MetricScores", "VariantKey", "concatenate", "variants_by_key"]

VariantKey = tuple[str, int | None]  # perturbation and level


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricScores:
    """All scores of one metric in one run."""

    metric: str
    signature: str
    higher_is_better: bool
    original: Scores  # every item, in the order of the data
    variants: Mapping[VariantKey, Scores]  # the items that have this variant, in the order of the data
    seconds: float = 0.0  # that scoring took, where this run has scored
    asked: Tally = field(default_factory=Tally)  # of models, by this run


def variants_by_key(
    items: Sequence[Item], variants: Iterable[Variant]
) -> dict[VariantKey, list[tuple[int, Variant]]]:
    """Group variants into columns, each in the order of the items; variants of unknown items are dropped."""
    rows = {item.id: row for row, item in enumerate(items)}
    columns: dict[VariantKey, list[tuple[int, Variant]]] = {}
    for variant in variants:
        row = rows.get(variant.item_id)
        if row is not None:
            columns.setdefault(variant.key, []).append((row, variant))
    for column in columns.values():
        column.sort(key=lambda entry: entry[0])
    return columns


def concatenate(parts: Sequence[Scores]) -> Scores:
    """Join scores of consecutive batches of one prepared metric."""
    first = parts[0]
    if len(parts) == 1:
        return first
    reasons: dict[str, str] = {}
    for part in parts:
        reasons.update(part.reasons)
    spreads = [part.spread for part in parts if part.spread is not None]
    contrasts = [part.contrast for part in parts if part.contrast is not None]
    return replace(
        first,
        item_ids=tuple(item_id for part in parts for item_id in part.item_ids),
        values=np.concatenate([part.values for part in parts]),
        reasons=reasons,
        remarks={key: remark for part in parts for key, remark in part.remarks.items()},
        spread=np.concatenate(spreads) if len(spreads) == len(parts) else None,
        contrast=_join_contrasts(contrasts) if len(contrasts) == len(parts) else None,
    )


def _join_contrasts(contrasts: Sequence[Contrast]) -> Contrast:
    width = max(contrast.negatives.shape[1] for contrast in contrasts)
    return Contrast(
        matched=np.concatenate([contrast.matched for contrast in contrasts]),
        negatives=np.concatenate(
            [
                np.pad(
                    contrast.negatives,
                    ((0, 0), (0, width - contrast.negatives.shape[1])),
                    constant_values=np.nan,
                )
                for contrast in contrasts
            ]
        ),
        negative_tasks=np.concatenate(
            [
                np.pad(
                    contrast.negative_tasks,
                    ((0, 0), (0, width - contrast.negative_tasks.shape[1])),
                    constant_values=-1,
                )
                for contrast in contrasts
            ]
        ),
        tasks=contrasts[0].tasks,
    )
