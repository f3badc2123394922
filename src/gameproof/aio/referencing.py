"""The verb `references`."""

from collections.abc import Mapping
from pathlib import Path

from gameproof.aio.arguments import Llm
from gameproof.audits.references import examine_references
from gameproof.audits.references_result import ReferencesResult
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.errors import PlanError
from gameproof.files.sampling import Sample
from gameproof.llm.limits import Limits
from gameproof.llm.pool import as_pool
from gameproof.metrics.catalogue import build_metrics

__all__ = ["references"]


async def references(
    data: object,
    metric: str = "TV+fvar+statement+overlap",
    *,
    baseline: str | None = None,
    lowest: int = 5,
    rename: Mapping[str, str] | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
) -> ReferencesResult:
    """Compare references of people, panels and models, and measure how far references agree.

    Args:
        data: As in `audit`; ``reference_kinds`` beside ``references`` says who wrote each.
        metric: Any metric that uses references.
        baseline: The kind that the others are compared with: human, else the most frequent.
        lowest: How many of the least reliable references to name.
        rename: Field -> column.
        group_by: The column of the groups that negatives come from.
        sample: So many originals, two to four of a task where there are more, or ``all``; by default all.
        limit: Only the first so many rows.
        llm: The language model, `cache` and `limits` as in `audit`.
        cache: Where finished model calls are kept.
        limits: Of model calls.
        seed: Of the sample, the negatives and the resamples.

    Raises:
        PlanError: The metric uses no references, or the baseline is no kind of the data.
        InputError: The data has no references.
    """
    if lowest < 0:
        raise PlanError(f"--lowest: found {lowest}; allowed: 0 or more")
    options = DataOptions(rename=rename, group_by=group_by, sample=sample, limit=limit, seed=seed)
    async with as_pool(llm, cache=cache, limits=limits) as models:
        (built,) = build_metrics([metric], seed=seed, llm=models)
        return await examine_references(
            open_dataset(data, options), built, baseline=baseline, lowest=lowest, seed=seed
        )
