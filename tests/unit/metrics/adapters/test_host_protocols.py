"""Classes that keep to the documented protocols of other libraries, which are not in this environment.

Each is audited for real, in an environment of its own, by tests/hosts.
"""

import sys
from types import SimpleNamespace

import pytest
from tests.support.hosted_items import ASKED, ITEMS, LENGTHS
from tests.support.scoring import score_items

from gameproof.errors import InputError, SpecError
from gameproof.metrics import adapters
from gameproof.records import Item


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
        getattr(adapters, name)(object)


def test_a_host_that_fails_when_it_is_imported_is_named_with_what_it_said(tmp_path, monkeypatch):
    (tmp_path / "autoevals.py").write_text("raise RuntimeError('made for another numpy')")
    monkeypatch.delitem(sys.modules, "autoevals", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(
        InputError, match="autoevals fails when it is imported: RuntimeError: made for another"
    ):
        adapters.from_autoevals("Levenshtein")
