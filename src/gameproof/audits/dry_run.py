"""What an audit would do, counted before anything is spent."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.metrics.base import Metric
from gameproof.perturbations.base import Perturbation
from gameproof.records import Dataset, Variant

__all__ = ["DryRun", "count_run", "count_variants"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """The exact work of an audit: what the run itself would count."""

    data: str
    n_items: int
    n_variants: int  # texts besides the originals
    n_scores: int  # scores to compute: originals and changed texts, for each metric
    calls: int  # of language models, without retries
    tokens_in: int
    tokens_out: int
    checks: tuple[dict[str, object], ...]  # one record a perturbation, as `count_variants` gives them


def count_run(
    dataset: Dataset,
    perturbations: Sequence[Perturbation],
    variants: Sequence[Variant],
    metrics: Sequence[Metric],
) -> DryRun:
    """Count what scoring these variants takes.

    No metric of this version asks a language model, so calls and tokens are 0.
    """
    candidates = {item.id: item.candidate for item in dataset.items}
    made = [variant for variant in variants if variant.text is not None]
    changed = sum(variant.text != candidates.get(variant.item_id) for variant in made)
    return DryRun(
        data=dataset.name,
        n_items=len(dataset.items),
        n_variants=len(made),
        n_scores=(len(dataset.items) + changed) * len(metrics),
        calls=0,
        tokens_in=0,
        tokens_out=0,
        checks=tuple(count_variants(perturbations, variants)),
    )


def count_variants(
    perturbations: Sequence[Perturbation], variants: Sequence[Variant]
) -> list[dict[str, object]]:
    """Count for each perturbation how many variants were made and failed, and why."""
    counts = Counter((variant.name, variant.reason) for variant in variants)
    return [
        {
            "perturbation": row.name,
            "family": row.family,
            "variants": counts[row.name, None],
            "failed": sum(n for (name, reason), n in counts.items() if name == row.name and reason),
            "note": _why_none(row.name, counts, makeable=row.make is not None),
        }
        for row in perturbations
    ]


def _why_none(name: str, counts: Counter[tuple[str, str | None]], *, makeable: bool) -> str:
    reasons = [f"{reason} ({n:,})" for (row, reason), n in counts.most_common() if row == name and reason]
    if reasons:
        return "; ".join(reasons[:3])
    if counts[name, None]:
        return ""
    return "applies to no item" if makeable else "needs a language model, or variants of your own"
