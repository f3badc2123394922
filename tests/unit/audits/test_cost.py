"""What an audit says a metric costs: the calls made for it, which add up to those of the run."""

import asyncio

from gameproof import aio
from gameproof.llm.limits import Limits
from gameproof.llm.pool import as_pool

TV, KL, JS = (f"{divergence}+fvar+statement+oracle,neg=2" for divergence in ("TV", "KL", "JS"))


def audited(*metrics, llm, cache="off"):
    async def run():
        async with as_pool(llm, cache=cache, limits=Limits()) as models:
            result = await aio.audit("planted,tasks=1", list(metrics), llm=models)
            (usage,) = models.usages()
            return [metric.cost for metric in result.metrics], usage

    return asyncio.run(run())


def test_calls_and_tokens_are_those_of_the_run():
    (judge, rouge), usage = audited("judge", "rougeL", llm="planted:judge")
    assert judge.calls > 12  # one for each of 12 originals, and for variants
    assert (judge.calls, judge.tokens_in, judge.tokens_out) == (
        usage.calls,
        usage.tokens_in,
        usage.tokens_out,
    )
    assert (rouge.calls, rouge.tokens_in, rouge.tokens_out) == (0, 0, 0)


def test_a_question_of_two_metrics_costs_the_one_that_came_first():
    (first, second), usage = audited(KL, JS, llm="planted:oracle")
    assert first.calls > 12
    assert (first.calls, second.calls) == (usage.calls, 0)  # two divergences of the same answers


def test_what_preparing_asks_is_counted_too():
    """References are taken apart before anything is scored: those calls are in the sum as well."""
    (first, second), usage = audited(
        TV, KL, llm="planted:oracle"
    )  # KL asks for degrees, and shares the statements
    assert second.calls > 12
    assert first.calls + second.calls == usage.calls
