"""Classes that keep to the documented protocols of other libraries, which are not in this environment.

Each is audited for real, in an environment of its own, by tests/hosts.
"""

import asyncio
from enum import Enum
from types import MappingProxyType, SimpleNamespace

import pytest
from tests.support.hosted_items import ASKED, ITEMS, LENGTHS
from tests.support.scoring import score_items

from gameproof.errors import SpecError
from gameproof.metrics import adapters
from gameproof.metrics.base import NO_REFERENCE
from gameproof.records import Item


# DeepEval: a BaseMetric has measure and a_measure, keeps .score, and lists _required_params (an Enum).
class Params(Enum):
    INPUT = "input"
    ACTUAL_OUTPUT = "actual_output"
    EXPECTED_OUTPUT = "expected_output"
    TOOLS_CALLED = "tools_called"


class LengthMetric:
    """Waits between setting its state and reading it, so that a shared state would mix up items."""

    _required_params = (Params.ACTUAL_OUTPUT, Params.EXPECTED_OUTPUT)
    threshold = 0.5
    async_mode = True
    score = None
    error = None

    def __init__(self):
        self._required_params = list(self._required_params)

    def measure(self, case):
        self.score = len(case.actual_output)
        return self.score

    async def a_measure(self, case, _show_indicator=True):
        assert not _show_indicator
        self.score = len(case.actual_output)
        await asyncio.sleep(0.02 / self.score)
        self.success = self.score >= self.threshold
        return self.score


def make_length_metric():
    return LengthMetric()


@pytest.fixture
def deepeval(install):
    install("deepeval")
    return install("deepeval.test_case", LLMTestCase=SimpleNamespace)


@pytest.mark.usefixtures("deepeval")
@pytest.mark.parametrize("given", [LengthMetric, LengthMetric(), make_length_metric])
def test_deepeval_items_that_are_measured_at_once_keep_their_own_scores(given):
    metric = adapters.from_deepeval(given)
    assert score_items(metric, ITEMS).values.tolist() == LENGTHS
    assert metric.needs == {"references"}
    assert not metric.direction_known
    assert "not counted" in metric.notes[0]


@pytest.mark.usefixtures("deepeval")
def test_deepeval_a_metric_without_async_mode_is_measured_in_a_thread():
    class Plain(LengthMetric):
        async_mode = False

    assert score_items(adapters.from_deepeval(Plain), ITEMS).values.tolist() == LENGTHS


@pytest.mark.usefixtures("deepeval")
def test_deepeval_fields_are_filled_as_declared():
    seen = []

    class Look(LengthMetric):
        async def a_measure(self, case):
            seen.append(vars(case))
            return 1.0

    fields = {"input": "source", "retrieval_context": "references"}
    score_items(adapters.from_deepeval(Look, fields=fields), [ASKED])
    assert seen == [
        {
            "input": "S",
            "actual_output": "It rained.",
            "expected_output": "Rain.",
            "context": ["S"],
            "retrieval_context": ["Rain."],
        }
    ]


@pytest.mark.usefixtures("deepeval")
def test_deepeval_what_a_metric_requires_and_an_item_lacks_is_missing():
    class Asks(LengthMetric):
        _required_params = (Params.INPUT, Params.EXPECTED_OUTPUT)

    metric = adapters.from_deepeval(Asks)
    assert set(score_items(metric, ITEMS).reasons.values()) == {"no query"}
    assert any("input=source" in note for note in metric.notes)
    without = adapters.from_deepeval(Asks, fields={"input": "nothing"})
    assert score_items(without, ITEMS).values.tolist() == LENGTHS
    bare = Item(id="b", task_id="b", candidate="It rained.")
    assert score_items(without, [bare]).reasons == {"b": NO_REFERENCE}


@pytest.mark.usefixtures("deepeval")
def test_deepeval_what_items_never_have_is_refused():
    class Tools(LengthMetric):
        _required_params = (Params.TOOLS_CALLED,)

    with pytest.raises(SpecError, match="needs tools_called, which items do not have"):
        adapters.from_deepeval(Tools)


@pytest.mark.usefixtures("deepeval")
def test_deepeval_a_failure_and_a_score_of_none_are_missing_with_their_reasons():
    class Fails(LengthMetric):
        async def a_measure(self, case):
            if case.actual_output == ITEMS[1].candidate:
                raise RuntimeError("the judge is asleep")
            if case.actual_output == ITEMS[2].candidate:
                self.error = "no verdicts"
                return None
            self.score = float("nan") if case.actual_output == ITEMS[3].candidate else 1.0
            return self.score

    assert score_items(adapters.from_deepeval(Fails), ITEMS).reasons == {
        "item 1": "RuntimeError: the judge is asleep",
        "item 2": "ValueError: no verdicts",
        "item 3": "the metric returned nan",
    }


# Ragas, first generation: required_columns by type of sample, single_turn_ascore(sample) returns a number.
class FirstGeneration:
    name = "coverage"
    required_columns = MappingProxyType({"SINGLE_TURN": {"response", "reference"}})

    async def single_turn_ascore(self, sample):
        return len(sample.response)


# Ragas, collections: ascore takes the columns by name and returns a result with .value and .reason.
class Collections:
    name = "collected"

    async def ascore(self, response, reference, retrieved_contexts=None):
        return SimpleNamespace(value=len(response) if reference else None, reason=retrieved_contexts)


@pytest.fixture
def ragas(install):
    install("ragas")
    return install("ragas.dataset_schema", SingleTurnSample=SimpleNamespace)


@pytest.mark.usefixtures("ragas")
@pytest.mark.parametrize("host", [FirstGeneration, Collections])
def test_ragas_metrics_of_both_generations_score(host):
    metric = adapters.from_ragas(host)
    assert score_items(metric, ITEMS).values.tolist() == LENGTHS
    assert metric.needs == {"references"}
    assert metric.name == host.name


@pytest.mark.usefixtures("ragas")
def test_ragas_columns_are_filled_as_declared():
    seen = []

    class Look(Collections):
        async def ascore(self, **columns):
            seen.append(columns)
            return 1.0

    score_items(adapters.from_ragas(Look, fields={"reference_contexts": "references"}), [ASKED])
    assert seen == [
        {
            "user_input": "Q",
            "response": "It rained.",
            "reference": "Rain.",
            "retrieved_contexts": ["S"],
            "reference_contexts": ["Rain."],
        }
    ]


@pytest.mark.usefixtures("ragas")
@pytest.mark.parametrize("required", [{"rubrics"}, {"multi_responses"}])
def test_ragas_what_items_never_have_is_refused(required):
    class Rubrics(FirstGeneration):
        required_columns = MappingProxyType({"SINGLE_TURN": required})

    with pytest.raises(SpecError, match=f"needs {min(required)}, which items do not have"):
        adapters.from_ragas(Rubrics)


@pytest.mark.usefixtures("ragas")
def test_ragas_a_metric_of_conversations_is_refused():
    class Talk(FirstGeneration):
        required_columns = MappingProxyType({"MULTI_TURN": {"user_input"}})

    with pytest.raises(SpecError, match="conversations only"):
        adapters.from_ragas(Talk)


@pytest.mark.usefixtures("ragas")
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "ValueError: why not"),
        ("pass", "the metric returned str, not a number"),
        ({"a": 1, "b": 2}, "say which"),
    ],
)
def test_ragas_what_is_no_number_is_missing(value, reason):
    class Odd(Collections):
        async def ascore(self, response):
            del response
            return SimpleNamespace(value=value, reason="why not")

    (found,) = score_items(adapters.from_ragas(Odd), [ASKED]).reasons.values()
    assert reason in found


@pytest.mark.usefixtures("deepeval", "ragas")
@pytest.mark.parametrize("thing", [3, "text", int, lambda: 3])
@pytest.mark.parametrize("name", ["from_deepeval", "from_ragas", "from_torchmetrics"])
def test_what_is_no_metric_of_the_host_is_refused(name, thing):
    with pytest.raises(SpecError, match="or what makes one without arguments"):
        getattr(adapters, name)(thing)
