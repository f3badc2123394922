"""What an attack would ask of language models, counted before anything is spent."""

from collections import Counter
from collections.abc import Iterable
from math import ceil

from gameproof.audits.dry_run import count_run, repeat_calls
from gameproof.metrics.base import Metric
from gameproof.records import Dataset

__all__ = ["count_attack_calls"]


async def count_attack_calls(dataset: Dataset, asked: Iterable[tuple[Metric, int]]) -> dict[str, int]:
    """Count the calls that scoring so many texts takes, as if each were one of the originals; whole rounds of them.

    Args:
        dataset: The originals.
        asked: Metrics, not prepared, and how many texts each scores.

    Returns:
        ``calls``, ``tokens_in`` and ``tokens_out``, all at most.
    """
    total = Counter[str](calls=0, tokens_in=0, tokens_out=0)
    for metric, n_texts in asked:
        once = await count_run(dataset, (), (), [metric])
        whole = repeat_calls(once, ceil(n_texts / len(dataset.items)))
        total.update(calls=whole.calls, tokens_in=whole.tokens_in, tokens_out=whole.tokens_out)
    return dict(total)
