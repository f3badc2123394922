"""Classes that keep to the documented protocols of other libraries, which are not in this environment.

Each is audited for real, in an environment of its own, by tests/hosts.
"""

import asyncio
import sys
from enum import Enum
from types import MappingProxyType, ModuleType, SimpleNamespace

import pytest
from tests.support.scoring import make_items, score_items

from gameproof.errors import InputError, SpecError
from gameproof.metrics import adapters
from gameproof.metrics.base import NO_REFERENCE
from gameproof.records import Item

ITEMS = make_items([(f"{'word ' * n}end", [f"reference {n}", "another"]) for n in range(1, 13)])
LENGTHS = [float(len(item.candidate)) for item in ITEMS]
ASKED = Item(id="a", task_id="t", candidate="It rained.", references=("Rain.",), source="S", query="Q")


@pytest.fixture
def install(monkeypatch):
    """Put a module into the place of a host's; attributes by keyword."""

    def put(name, **attributes):
        module = ModuleType(name)
        vars(module).update(attributes)
        monkeypatch.setitem(sys.modules, name, module)
        return module

    return put


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


# autoevals: eval_async(output, expected, **more) returns an object with .score, None where it is skipped.
class Levenshtein:
    async def eval_async(self, output, expected=None, **more):
        return SimpleNamespace(
            score=None if more.get("input") == "skip" else len(output), metadata={"expected": expected}
        )


def test_autoevals_scorers_score_by_name_class_and_object(install):
    install("autoevals", Levenshtein=Levenshtein)
    for given in ("Levenshtein", Levenshtein, Levenshtein()):
        metric = adapters.from_autoevals(given)
        assert score_items(metric, ITEMS).values.tolist() == LENGTHS
        assert metric.direction_known
        assert metric.needs == {"references"}
    skipped = Item(id="s", task_id="s", candidate="x", references=("y",), query="skip")
    assert score_items(adapters.from_autoevals(Levenshtein), [skipped]).reasons == {
        "s": "the metric returned nothing"
    }
    with pytest.raises(SpecError, match="autoevals has no scorer 'Nothing'"):
        adapters.from_autoevals("Nothing")


# Inspect: a scorer is async (state, target) -> Score with .value; a decorated function makes one.
@pytest.fixture
def inspect_ai(install):
    install("inspect_ai")
    install(
        "inspect_ai.model",
        ChatMessageAssistant=SimpleNamespace,
        ChatMessageUser=SimpleNamespace,
        ModelName=str,
        ModelOutput=SimpleNamespace(
            from_content=lambda model, content: SimpleNamespace(model=model, completion=content)
        ),
    )
    install("inspect_ai.scorer", Target=list)
    install("inspect_ai.solver", TaskState=SimpleNamespace)


def grades(*values):
    """Make a scorer that gives these values, one after the other."""
    left = iter(values)

    async def score(state, target):
        del state, target
        return SimpleNamespace(value=next(left), reason="grader_failed", explanation=None)

    return score


@pytest.mark.usefixtures("inspect_ai")
def test_inspect_grades_become_numbers_as_inspect_makes_them():
    values = ("C", "P", "I", "N", True, 0.25, "yes", "0.5", "no")
    scores = score_items(adapters.from_inspect(grades(*values)), ITEMS[: len(values)])
    # inspect_ai.scorer.value_to_float, 0.3.285
    assert scores.values.tolist() == [1.0, 0.5, 0.0, 0.0, 1.0, 0.25, 1.0, 0.5, 0.0]


@pytest.mark.usefixtures("inspect_ai")
def test_inspect_what_inspect_would_count_as_zero_is_missing():
    scores = score_items(
        adapters.from_inspect(grades(float("nan"), "great", {"a": 1, "b": 0}, [1, 0])), ITEMS[:4]
    )
    assert list(scores.reasons.values()) == [
        "ValueError: unscored: grader_failed",
        "ValueError: could not convert string to float: 'great'",
        "ValueError: the result has several numbers: say which with key= (one of a, b)",
        "the metric returned list, not a number",
    ]
    assert score_items(
        adapters.from_inspect(grades({"a": 1, "b": 0}), key="a"), ITEMS[:1]
    ).values.tolist() == [1.0]


@pytest.mark.usefixtures("inspect_ai")
def test_inspect_a_scorer_sees_a_finished_sample():
    seen = []

    def lengths():
        async def score(state, target):
            seen.append((state, target))
            return SimpleNamespace(value=len(state.output.completion))

        return score

    assert score_items(adapters.from_inspect(lengths), [ASKED]).values.tolist() == [10.0]
    ((state, target),) = seen
    assert (state.input, state.completed, state.sample_id, state.metadata) == (
        "Q",
        True,
        "a",
        {"references": ["Rain."], "source": "S"},
    )
    assert [message.content for message in state.messages] == ["Q", "It rained."]
    assert "".join(target) == "Rain."


@pytest.mark.usefixtures("inspect_ai")
@pytest.mark.parametrize("thing", [3, lambda: 3])
def test_inspect_what_is_no_scorer_is_refused(thing):
    with pytest.raises(SpecError, match="allowed: an Inspect scorer"):
        adapters.from_inspect(thing)


# torchmetrics: reset, update(preds, target), compute; higher_is_better is True, False or None.
class Running:
    """A metric that would give running totals if it were never reset."""

    higher_is_better = False

    def __init__(self):
        self.total = 0.0
        self.lengths = []

    def reset(self):
        self.__init__()

    def update(self, preds, target):
        assert len(preds) == len(target)
        self.total += sum(map(len, preds))
        self.lengths += [float(len(text)) for text in preds]

    def compute(self):
        return {"total": self.total, "each": self.lengths}


def test_torchmetrics_each_text_has_a_score_of_its_own():
    metric = adapters.from_torchmetrics(Running, key="total")
    assert score_items(metric, ITEMS).values.tolist() == LENGTHS
    assert metric.direction_known
    assert not metric.higher_is_better
    assert score_items(adapters.from_torchmetrics(Running, key="each"), ITEMS).values.tolist() == LENGTHS


def test_torchmetrics_a_batch_has_a_number_for_each_text():
    batch = adapters.from_torchmetrics(Running, key="each", batch=True)
    assert score_items(batch, ITEMS).values.tolist() == LENGTHS
    total = score_items(adapters.from_torchmetrics(Running, key="total", batch=True), ITEMS)
    assert len(total.reasons) == len(ITEMS)  # one number is never given to all


def test_torchmetrics_the_number_is_chosen_and_not_guessed():
    scores = score_items(adapters.from_torchmetrics(Running), ITEMS)
    assert set(scores.reasons.values()) == {
        "ValueError: the result has several numbers: say which with key= (one of total, each)"
    }


# evaluate: load(name, download_config=...) returns a module with compute(predictions=, references=).
class Module:
    def compute(self, *, predictions, references, scale=1):
        assert len(predictions) == len(references)
        lengths = [len(text) * scale for text in predictions]
        return {"mean": sum(lengths) / len(lengths), "each": lengths, "type": "length"}


@pytest.fixture
def evaluate(install):
    asked = []

    def load(name, download_config):
        asked.append((name, download_config.local_files_only))
        if name == "away":
            raise ConnectionError("offline")
        return Module()

    install("evaluate", load=load)
    install("datasets", DownloadConfig=SimpleNamespace)
    return asked


def test_evaluate_texts_are_scored_one_at_a_time_unless_said(evaluate):
    assert score_items(adapters.from_evaluate("lengths", key="mean"), ITEMS).values.tolist() == LENGTHS
    assert (
        score_items(adapters.from_evaluate(Module(), key="each", batch=True), ITEMS).values.tolist()
        == LENGTHS
    )
    doubled = adapters.from_evaluate(Module(), key="mean", options={"scale": 2})
    assert score_items(doubled, ITEMS).values.tolist() == [2 * length for length in LENGTHS]
    assert evaluate == [("lengths", True)]  # public case 61: nothing is fetched


def test_evaluate_nothing_is_downloaded_unless_said(evaluate):
    with pytest.raises(InputError, match=r"cannot load 'away': ConnectionError: offline.*download=true"):
        adapters.from_evaluate("away")
    adapters.from_evaluate("lengths", download=True)
    assert evaluate == [("away", True), ("lengths", False)]


@pytest.mark.parametrize("name", ["from_deepeval", "from_ragas", "from_autoevals", "from_inspect"])
def test_a_host_that_is_not_installed_is_named_with_how_to_get_it(name, monkeypatch):
    for module in ("deepeval", "ragas", "autoevals", "inspect_ai", "deepeval.test_case", "inspect_ai.model"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match="pip install"):
        getattr(adapters, name)(LengthMetric)


def test_a_host_that_fails_when_it_is_imported_is_named_with_what_it_said(tmp_path, monkeypatch):
    (tmp_path / "autoevals.py").write_text("raise RuntimeError('made for another numpy')")
    monkeypatch.delitem(sys.modules, "autoevals", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(
        InputError, match="autoevals fails when it is imported: RuntimeError: made for another"
    ):
        adapters.from_autoevals("Levenshtein")


@pytest.mark.usefixtures("deepeval", "ragas")
@pytest.mark.parametrize("thing", [3, "text", int, lambda: 3])
@pytest.mark.parametrize("name", ["from_deepeval", "from_ragas", "from_torchmetrics"])
def test_what_is_no_metric_of_the_host_is_refused(name, thing):
    with pytest.raises(SpecError, match="or what makes one without arguments"):
        getattr(adapters, name)(thing)
