"""The verb `self_test`."""

from gameproof.audits.selftest import SelfTestResult, run_self_test
from gameproof.engine.progress import Progress

__all__ = ["self_test"]


async def self_test(*, seed: int = 0, progress: Progress | None = None) -> SelfTestResult:
    """Test the audit: does it name flaws that were planted, and pass a metric that has none?

    Eight metrics with one known flaw each, and one without any, are audited on planted texts whose truth is known.
    It needs no data, no network and no model, and takes less than a minute of processor time.

    Args:
        seed: Of the texts, of their variants and of the audit's draws: another seed is another test.
        progress: Told about every stage.
    """
    return await run_self_test(seed=seed, progress=progress)
