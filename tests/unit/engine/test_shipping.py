"""Metrics that are sent to another process."""

import asyncio
from collections import Counter

import pytest
from tests.support.fake_model import FakeModel

from gameproof.engine.shipping import pack, unpack
from gameproof.errors import PlanError
from gameproof.llm.asking import Asker
from gameproof.llm.limits import Limits
from gameproof.llm.pool import ModelPool
from gameproof.metrics.base import RunCounts
from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.judge import Repeats


def no_model(_: object) -> None:
    raise AssertionError("no metric of this test asks a model")


class Holder:
    """Anything that holds what metrics hold."""

    name = "holder"

    def __init__(self, *held: object) -> None:
        self.held = held


def test_counts_begin_at_nothing_elsewhere_and_are_added_here():
    asker, counts = Asker(FakeModel(str)), RunCounts(clipped=2)
    asker.counts["repaired"] = 3
    asker.model = "a model"  # a text stands for it: fakes hold functions
    shipped = pack([Holder(asker, counts, asker), Holder(counts)], no_model)
    found = unpack(shipped.data, no_model)
    (one, other, same), (shared,) = (metric.held for metric in found.metrics)
    assert one is same
    assert other is shared
    assert (one.counts, other) == (Counter(), Counter())
    one.counts["repaired"] += 1
    other["clipped"] += 5
    shipped.add(found.take_counts())
    shipped.add(found.take_counts())  # taken once
    assert (asker.counts, counts) == ({"repaired": 4}, {"clipped": 7})


def test_how_far_the_samples_of_a_judge_agree_is_known_of_texts_that_were_judged_elsewhere():
    here = Repeats()
    here.add([[1.0, 2.0]])
    shipped = pack([Holder(here)], no_model)
    found = unpack(shipped.data, no_model)
    (there,) = found.metrics[0].held
    there.add([[3.0, 3.0], [1.0, 3.0], [4.0]])  # the last has one sample only
    shipped.add(found.take_counts())
    # one of three texts alike; variances 1/4, 0 and 1 with a mean of 5/12, whose root is .645
    assert list(here.notes(2)) == ["self-consistency 33%, sd 0.65 over 2 samples of 3 texts"]


def test_a_model_goes_as_its_name():
    async def work() -> None:
        async with (
            ModelPool("planted:oracle", cache="off") as here,
            ModelPool("planted:oracle", cache="off", limits=Limits(concurrency=3)) as there,
        ):
            own, other = here(None), here("planted:judge")
            asker = Asker(own)
            shipped = pack([Holder(asker, other)], here.name_of)
            (found,) = unpack(shipped.data, there).metrics
            assert found.held[0].model is there(None)
            assert found.held[1] is there("planted:judge")

    asyncio.run(work())


def test_weights_that_are_counts_are_no_counts_of_a_run():
    (metric,) = build_metrics(["rougeL"])
    held = Holder(metric, Counter({"word": 3}))
    (found,) = unpack(pack([held], no_model).data, no_model).metrics
    assert found.held[1] == {"word": 3}
    assert found.held[0].signature() == metric.signature()


def test_a_function_of_a_script_needs_another_pickler():
    with pytest.raises(PlanError, match="cannot be sent"):
        pack([Holder(lambda: 1)], no_model)
