"""Measure how torchmetrics' BERTScore depends on the batch: 64 planted pairs in one batch, and one by one."""

import asyncio
import sys

import numpy as np
from tests.hosts.torch_metrics import bertscore

from gameproof.datasets.catalogue import load_dataset
from gameproof.metrics.adapters import from_torchmetrics


async def main() -> None:
    """Print the differences, and what the same pairs give in another order."""
    items = load_dataset("planted,tasks=6").items[:64]
    one_by_one = from_torchmetrics(bertscore(), key="f1")
    batch = from_torchmetrics(bertscore(), key="f1", batch=True)
    alone = (await one_by_one.score(items)).values
    together = (await batch.score(items)).values
    backwards = (await batch.score(items[::-1])).values[::-1]
    for what, other in (("in one batch", together), ("in one batch, in the reverse order", backwards)):
        change = np.abs(other - alone)
        sys.stdout.write(
            f"{what}: {int((change > 1e-4).sum())} of {len(items)} scores are not those of one pair at a time, "
            f"by {change.mean():.3f} on average and up to {change.max():.3f}\n"
        )
    sys.stdout.write(f"standard deviation of the scores of one pair at a time: {alone.std(ddof=1):.3f}\n")


if __name__ == "__main__":
    asyncio.run(main())
