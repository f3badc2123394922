"""The verb `variance`."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from gameproof.aio.arguments import Llm
from gameproof.aio.cells import build_cell
from gameproof.audits.variance import CallCount, VarianceReport, count_variance, measure_variance, repeat
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.engine.asking_progress import shows_questions
from gameproof.engine.progress import Progress, Silent
from gameproof.llm.limits import Limits
from gameproof.llm.pool import as_pool, counting_pool, is_stored

__all__ = ["count_variance_calls", "variance"]

TASKS, DECOMPOSITIONS, SAMPLES = 12, 2, 2
LACKS = "has no negatives, samples or decompositions"


async def variance(
    data: object,
    metric: str,
    *,
    tasks: int = TASKS,
    decompositions: int = DECOMPOSITIONS,
    samples: int = SAMPLES,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> VarianceReport:
    """Measure where the error of a cell's scores comes from, and what a budget of calls is best spent on.

    Everything is repeated on one text of each of a few tasks: the decomposition of references and the answers of a
    model, if the cell has them, and the negatives, which are all other tasks of the few.

    Args:
        data: As in `audit`.
        metric: A mutual-information cell, such as ``TV+fvar+statement+oracle,temperature=0.7``.
        tasks: How many tasks; four or more.
        decompositions: Of each reference.
        samples: Of each answer.
        rename: Field -> column.
        reference: ``summary``, ``title``, ``source`` or a column: what serves as the reference.
        limit: Only the first so many rows.
        llm: As in `audit`, and so `cache` and `limits`.
        cache: Where finished model calls are kept.
        limits: Of model calls.
        seed: Of the choice of tasks and texts.
        progress: Told about every question to the model, and about every stage that asks none.

    Raises:
        PlanError: The metric is no cell, or the data has too few tasks.
    """
    items = open_dataset(data, DataOptions(rename=rename, reference=reference, limit=limit, seed=seed)).items
    async with as_pool(llm, cache=cache, limits=limits) as models:
        built = build_cell("variance", metric, models, seed=seed, lacks=LACKS)
        told = progress or Silent()
        told.start("score", None)  # where no model is asked; questions have a stage of their own
        with shows_questions(told):
            return await measure_variance(
                repeat(
                    items,
                    built,
                    tasks=tasks,
                    decompositions=decompositions,
                    samples=samples,
                    seed=seed,
                )
            )


async def count_variance_calls(
    data: object,
    metric: str,
    *,
    tasks: int = TASKS,
    decompositions: int = DECOMPOSITIONS,
    samples: int = SAMPLES,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    cache: str | Path | None = None,
    seed: int = 0,
) -> CallCount:
    """Count the model calls that `variance` with the same arguments makes; nothing is asked.

    Answers that the store of calls has already are counted apart.
    """
    items = open_dataset(data, DataOptions(rename=rename, reference=reference, limit=limit, seed=seed)).items
    async with counting_pool(llm, cache=cache) as models:
        built = build_cell("variance", metric, models, seed=seed, lacks=LACKS)
        return await count_variance(
            repeat(
                items,
                built,
                tasks=tasks,
                decompositions=decompositions,
                samples=samples,
                seed=seed,
            ),
            partial(is_stored, models),
        )
