"""Our metrics in other tools, by small classes that keep to their protocols; the tools themselves: tests/hosts/inside."""

import asyncio
import logging
import math
import sys
from types import ModuleType, SimpleNamespace

import pytest
from tests.support.fake_model import FakeModel

import gameproof
from gameproof.audits.ready import ReadyMetric
from gameproof.errors import EndpointError, InputError, PlanError, SpecError
from gameproof.integrations import (
    deepeval_metric,
    evaluate_module,
    inspect_scorer,
    lm_eval_results,
    ragas_metric,
)

CELL = "TV+fvar+statement+overlap,neg=2"
TEXTS = (
    "The bridge fell at dawn; nobody was hurt there.",
    "Rain had weakened the dam, and the valley was cleared.",
    "Seven trains were late because of snow on the line.",
    "The museum reopened with a show of early maps.",
)
POOL = [
    {"task_id": f"t{n}", "candidate": text[:30], "references": [text, f"In short: {text}"], "source": f"S{n}"}
    for n, text in enumerate(TEXTS)
]
STRANGE = "Of no task at all."
NOT_THERE = "its task is not in the data the metric was prepared on"


@pytest.fixture(scope="module")
def expected():
    """Return the scores of `gameproof.score`, which prepares on the pool and scores all of it."""
    return gameproof.score(POOL, CELL).scores[0].values.tolist()


@pytest.fixture
def install(monkeypatch):
    """Put a module into the place of a host's; attributes by keyword."""
    made = (
        deepeval_metric._metric_class,
        ragas_metric._collections_class,
        ragas_metric._first_class,
        inspect_scorer._registered,
        evaluate_module.module_class,
    )

    def put(name, **attributes):
        for part in [name.rpartition(".")[0], name]:
            if part:
                monkeypatch.setitem(sys.modules, part, ModuleType(part))
        vars(sys.modules[name]).update(attributes)

    yield put
    for each in made:
        each.cache_clear()


# DeepEval: measure and a_measure keep score, reason, error and success on the metric.
class BaseMetric:
    score = reason = error = success = verbose_logs = None


class MissingTestCaseParamsError(Exception):
    pass


def make_case(text, expected=None, *, given="Tell me.", context=None, retrieved=None, **metadata):
    return SimpleNamespace(
        input=given,
        actual_output=text,
        expected_output=expected,
        context=context,
        retrieval_context=retrieved,
        metadata=metadata,
    )


@pytest.fixture
def deepeval(install):
    install("deepeval.metrics", BaseMetric=BaseMetric)
    install("deepeval.errors", MissingTestCaseParamsError=MissingTestCaseParamsError)
    return deepeval_metric.deepeval_metric


def test_deepeval_scores_are_those_of_the_verb(deepeval, expected):
    metric = deepeval(CELL, threshold=0.1, pool=POOL, verbose_mode=True)
    cases = [make_case(row["candidate"], row["references"][0]) for row in POOL]
    assert [metric.measure(case, _show_indicator=False) for case in cases] == expected
    assert [asyncio.run(metric.a_measure(case)) for case in cases] == expected
    assert metric.is_successful() is (expected[-1] >= 0.1)
    assert metric.reason == f"higher is better; {metric.ready.signature}"
    assert "near duplicates" in metric.verbose_logs
    assert metric.__name__ == f"gameproof {CELL}"


@pytest.mark.parametrize(
    "case",
    [
        make_case(POOL[2]["candidate"], context=["S2"]),
        make_case(POOL[2]["candidate"], retrieved=["S2"]),
        make_case(POOL[2]["candidate"], task_id="t2"),
    ],
)
def test_deepeval_a_case_without_an_answer_is_found_by_its_other_texts(deepeval, expected, case):
    assert deepeval(CELL, pool=POOL).measure(case) == expected[2]


def test_deepeval_no_score_is_an_error_and_no_pass(deepeval):
    metric = deepeval(CELL, threshold=-9.0, pool=POOL)
    assert metric.measure(make_case("A text.", STRANGE)) is None
    assert (metric.score, metric.success) == (None, False)
    assert metric.error == f"no score: {NOT_THERE}"
    metric.measure(make_case(POOL[0]["candidate"], TEXTS[0]))
    assert (metric.error, metric.success) == (None, True)


def test_deepeval_without_a_threshold_nothing_is_judged(deepeval):
    metric = deepeval("length")
    metric.measure(make_case("one two"))
    assert (metric.score, metric.success) == (2.0, None)


def test_deepeval_a_lower_score_passes_where_lower_is_better(deepeval):
    """Public case 68: the direction is the metric's own, not the host's habit."""
    metric = deepeval("call:builtins:len,args=candidate,higher_is_better=false,version=1", threshold=5.0)
    metric.measure(make_case("1234"))
    assert metric.success
    assert metric.reason.startswith("lower is better; ")
    metric.measure(make_case("123456"))
    assert not metric.success


@pytest.mark.parametrize("text", [":", "Thought process:", "Let's solve this step by step."])
def test_deepeval_an_answer_that_says_nothing_does_not_pass(deepeval, text):
    """Public case 69. Origin: what shares no statement with its task has a critic of 0 against every reference."""
    metric = deepeval(CELL, threshold=0.1, pool=POOL)
    metric.measure(make_case(text, TEXTS[1]))
    assert metric.score <= 0.0
    assert metric.success is False


def test_deepeval_a_field_that_is_needed_and_empty_is_its_own_error(deepeval):
    with pytest.raises(MissingTestCaseParamsError, match="has no reference: fill 'expected_output'"):
        deepeval("rougeL").measure(make_case("A text."))


def test_deepeval_copies_share_what_is_prepared(deepeval):
    """Origin: DeepEval's copy_metrics makes an instance of the attributes that its __init__ names."""
    metric = deepeval(CELL, threshold=0.2, pool=POOL)
    kept = {name: vars(metric)[name] for name in ("ready", "threshold", "verbose_mode", "flaky")}
    assert type(metric)(**kept).ready is metric.ready


def test_an_endpoint_that_refuses_is_raised_to_the_host(deepeval):
    def refuse(_request):
        raise EndpointError("no such model")

    metric = deepeval("judge", llm=FakeModel(refuse))
    with pytest.raises(EndpointError, match="no such model"):
        metric.measure(make_case("A text.", "A reference."))


def test_a_ready_metric_keeps_what_it_was_made_with(deepeval):
    ready = ReadyMetric("rougeL")
    assert deepeval(ready).ready is ready
    with pytest.raises(PlanError, match="pool, seed: the metric is ready already"):
        deepeval(ready, pool=POOL, seed=3)


@pytest.mark.parametrize(
    ("make", "package"),
    [
        (lambda: deepeval_metric.deepeval_metric("rougeL"), "deepeval"),
        (lambda: ragas_metric.ragas_metric("rougeL"), "ragas"),
        (lambda: inspect_scorer.inspect_scorer("rougeL"), "inspect_ai"),
        (lambda: evaluate_module.evaluate_module("rougeL"), "evaluate"),
    ],
)
def test_a_host_that_is_not_installed_is_named(make, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=f"pip install {package}"):
        make()


# Ragas: metrics of the collections return a MetricResult; the first generation returns a number.
class MetricResult:
    def __init__(self, value, reason=None):
        self.value, self.reason = value, reason


class CollectionsBase:
    def __init__(self, name, allowed_values):
        self.name, self.allowed_values = name, allowed_values


class SingleTurnMetric:
    def __init__(self, name, _required_columns):
        self.name, self.columns = name, _required_columns


@pytest.fixture
def ragas(install):
    install("ragas.metrics.collections.base", BaseMetric=CollectionsBase)
    install("ragas.metrics.result", MetricResult=MetricResult)
    kinds = SimpleNamespace(SINGLE_TURN="single")
    install("ragas.metrics.base", SingleTurnMetric=SingleTurnMetric, MetricType=kinds)


@pytest.mark.usefixtures("ragas")
def test_ragas_scores_are_those_of_the_verb(expected):
    metric = ragas_metric.ragas_metric(CELL, pool=POOL)

    async def all_at_once():
        rows = [{"response": row["candidate"], "reference": row["references"][1]} for row in POOL]
        return await asyncio.gather(*(metric.ascore(**row) for row in rows))

    found = asyncio.run(all_at_once())
    assert [each.value for each in found] == expected
    assert found[0].reason == f"higher is better; {metric.ready.signature}"


@pytest.mark.usefixtures("ragas")
def test_ragas_no_score_is_nan_with_its_reason():
    metric = ragas_metric.ragas_metric(CELL, pool=POOL)
    found = asyncio.run(metric.ascore(response="A text.", reference=STRANGE))
    assert math.isnan(found.value)
    assert found.reason.startswith(f"no score: {NOT_THERE}; ")
    with pytest.raises(ValueError, match="no reference: fill 'reference'"):
        asyncio.run(ragas_metric.ragas_metric("rougeL").ascore(response="A text."))


@pytest.mark.usefixtures("ragas")
def test_ragas_first_generation_says_which_columns_it_reads(expected):
    metric = ragas_metric.ragas_metric_for_evaluate(CELL, pool=POOL)
    wanted = {"response", "reference", "retrieved_contexts:optional", "user_input:optional"}
    assert metric.columns == {"single": wanted}
    metric.init(None)

    def score(**row):
        return asyncio.run(metric._single_turn_ascore(SimpleNamespace(model_dump=lambda: row), None))

    assert score(response=POOL[1]["candidate"], reference=TEXTS[1]) == expected[1]
    with pytest.raises(ValueError, match=NOT_THERE):  # the host makes NaN of it
        score(response="A text.", reference=STRANGE)


# Inspect: a scorer is an async function of a state and a target; a sample without a score is unscored.
class Score:
    def __init__(self, *, value, **facts):
        self.value = value
        vars(self).update(facts)

    @classmethod
    def unscored(cls, *, reason, **facts):
        return cls(value=math.nan, reason=reason, **facts)


def as_scorer(metrics, name):
    def wrap(function):
        function.registered = (name, metrics)
        return function

    return wrap


@pytest.fixture
def inspect(install):
    host = {"Score": Score, "scorer": as_scorer, "mean": lambda: "mean", "stderr": lambda: "stderr"}
    install("inspect_ai.scorer", **host)


def make_state(text, **metadata):
    return SimpleNamespace(output=SimpleNamespace(completion=text), input_text="Tell me.", metadata=metadata)


@pytest.mark.usefixtures("inspect")
def test_inspect_scores_are_those_of_the_verb(expected):
    score = inspect_scorer.inspect_scorer(CELL, pool=POOL)
    found = [asyncio.run(score(make_state(row["candidate"]), row["references"])) for row in POOL]
    assert [each.value for each in found] == expected
    assert found[0].metadata["metric"] == CELL
    assert ",pool=" in found[0].metadata["signature"]
    by_source = asyncio.run(score(make_state(POOL[3]["candidate"], source="S3"), [""]))
    by_id = asyncio.run(score(make_state(POOL[3]["candidate"], task_id="t3"), [""]))
    assert by_source.value == by_id.value == expected[3]


@pytest.mark.usefixtures("inspect")
@pytest.mark.parametrize(
    ("text", "target", "reason", "said"),
    [
        ("A text.", STRANGE, "scoring_failed", NOT_THERE),
        (" ", TEXTS[0], "no_response", "empty"),
        ("A text.", "", "scoring_failed", "no reference"),
    ],
)
def test_inspect_no_score_is_unscored(text, target, reason, said):
    found = asyncio.run(inspect_scorer.inspect_scorer(CELL, pool=POOL)(make_state(text), [target]))
    assert math.isnan(found.value)
    assert found.reason == reason
    assert found.explanation.startswith(f"no score: {said}; ")


@pytest.mark.usefixtures("inspect")
def test_inspect_finds_the_scorer_by_the_entry_point():
    assert inspect_scorer.metric_score.registered == ("metric_score", ["mean", "stderr"])
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        _ = inspect_scorer.other


# evaluate: a module collects, and computes once from all predictions and references.
class HostMetric:
    def __init__(self, config_name, **options):
        self.info, self.options = self._info(), options
        assert config_name is None

    def compute(self, *, predictions, references):
        return self._compute(predictions=predictions, references=references)


@pytest.fixture
def evaluate(install):
    install("evaluate", Metric=HostMetric, MetricInfo=SimpleNamespace)
    install("datasets", Features=dict, Value=lambda kind: kind, Sequence=lambda kind: [kind])


@pytest.mark.usefixtures("evaluate")
def test_evaluate_scores_are_those_of_the_verb_and_what_has_none_is_counted(expected):
    module = evaluate_module.module_class()(CELL, pool=POOL, hash="x", cache_dir=None)
    assert module.options == {"hash": "x", "cache_dir": None}
    assert [each["references"] for each in module.info.features] == [["string"], "string"]
    texts = [*(row["candidate"] for row in POOL), "A text.", ""]
    references = [*(row["references"] for row in POOL), STRANGE, TEXTS[0]]
    found = module.compute(predictions=texts, references=references)
    assert found["scores"] == [*expected, None, None]
    assert found["score"] == pytest.approx(sum(expected) / len(expected), rel=1e-12)  # order of sums
    assert found["missing"] == {NOT_THERE: 1, "empty": 1}
    assert ",pool=" in found["signature"]


@pytest.mark.usefixtures("evaluate")
def test_evaluate_no_score_at_all_is_none():
    found = evaluate_module.evaluate_module("rougeL").compute(predictions=[""], references=["Rain."])
    assert (found["score"], found["scores"], found["missing"]) == (None, [None], {"empty": 1})


@pytest.mark.usefixtures("evaluate")
def test_evaluate_refuses_what_it_cannot_give():
    with pytest.raises(SpecError, match="needs source"):
        evaluate_module.evaluate_module("judge,source=true", llm=FakeModel(lambda _: ""))
    with pytest.raises(SpecError, match="no metric is named"):
        evaluate_module.module_class()()


# The evaluation harness: a function of a document and the model's texts, called for one document at a time.
def test_harness_scores_are_those_of_the_verb(expected):
    fields = {"references": "answers", "source": "article", "task": "id"}
    process = lm_eval_results.lm_eval_results({"information": CELL}, fields=fields, pool=POOL)
    found = [
        process({"answers": row["references"], "article": "", "id": row["task_id"]}, [row["candidate"]])
        for row in POOL
    ]
    assert [each["information"] for each in found] == expected


def test_harness_no_score_is_nan_and_logged(caplog):
    process = lm_eval_results.lm_eval_results(
        {"information": CELL, "rouge": "rougeL"}, fields={"references": "answer"}, pool=POOL
    )
    with caplog.at_level(logging.WARNING):
        found = process({"answer": STRANGE}, [["Of no task.", "a repeat"]])
    assert math.isnan(found["information"])
    assert found["rouge"] == pytest.approx(0.75)  # 3 of its 3 words, 3 of the 5: F1 = 2 * 1 * 0.6 / 1.6
    assert f"information: no score: {NOT_THERE}" in caplog.text
