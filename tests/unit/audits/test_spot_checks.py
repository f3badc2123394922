"""Alarms of a column of scores that is not audited."""

import itertools

import numpy as np
import pytest

import gameproof
from gameproof.engine.drawn import DrawnScores
from gameproof.errors import PlanError
from gameproof.llm.providers.fake import FakeModel
from gameproof.metrics.adapters.hosted import hosted
from gameproof.metrics.base import as_metric
from gameproof.records import Dataset, Item, Scores

WORDS = ("rain", "bridge", "museum", "fox", "night", "harbour", "glass", "orchard")
ITEMS = [
    Item(
        id=f"i{n}",
        task_id=f"t{n // 2}",
        candidate=f"{WORDS[n // 2 % 8]} {WORDS[n // 16 % 8]} text {n} " + "more " * (n * 7 % 11),
        references=(f"{WORDS[n // 2 % 8]} {WORDS[n // 16 % 8]} reference {n // 2}",),
    )
    for n in range(80)
]


def summary(metric, *, items=ITEMS, **more):
    (found,) = gameproof.score(Dataset(name="data", items=tuple(items)), metric, **more).summaries
    return found


def metric_of(function):
    return as_metric(function, name="metric", version="1")


@pytest.mark.parametrize(
    ("function", "alarm"),
    [
        (lambda _: 0.5, "constant metric"),
        (lambda item: float(item.id == "i3"), "nearly constant metric: 99%"),
        (lambda item: float(len(item.candidate)), "length metric"),
        (lambda item: float(item.id > "i5"), "many ties: 100%"),
        (lambda item: np.nan if item.id == "i3" else float(len(item.id)), "missing: 1 of 80"),
    ],
)
def test_what_scores_say_of_themselves(function, alarm):
    assert any(said.startswith(alarm) for said in summary(metric_of(function)).alarms)


def test_what_a_metric_says_of_itself_is_told_wherever_the_rows_go(tmp_path):
    async def score_items(items):
        return [float(len(item.candidate)) for item in items]

    metric = hosted({"name": "theirs"}, score_items, origin="theirs", needs=frozenset(), notes=["cuts texts"])
    rows = [{"id": item.id, "task_id": item.task_id, "candidate": item.candidate} for item in ITEMS]
    kept, written = (gameproof.score(rows, metric, out=out) for out in (None, tmp_path / "rows.jsonl"))
    assert kept.notes == written.notes == ("cuts texts",)


def test_a_metric_that_does_not_repeat_is_caught():
    numbers = itertools.count()
    assert any(
        "not repeatable: 10 of 10" in said
        for said in summary(metric_of(lambda _: float(next(numbers)))).alarms
    )


def test_a_metric_that_ranks_its_batch_is_caught():
    batched = as_metric(
        lambda items: np.argsort(np.argsort([len(item.candidate) for item in items])).astype(float),
        name="ranks",
        version="1",
        batch=True,
    )
    assert any(said.startswith("batch-dependent") for said in summary(batched).alarms)


def test_the_floor_is_what_texts_of_other_tasks_score():
    # Own pairs share at least one word of four with their reference, the word of another task's text hardly ever.
    found = summary("rouge1")
    assert found.facts["floor"] < found.mean / 2


def test_a_floor_close_to_the_mean_is_said():
    def lenient(item):
        matches = item.candidate.split()[0] == item.references[0].split()[0]
        return 0.9 + 0.05 * matches + int(item.id[1:]) * 37 % 80 / 1e4

    metric = as_metric(lenient, name="lenient", version="1", needs={"references"})
    assert any(said.startswith("high floor") for said in summary(metric).alarms)


def test_without_spot_checks_nothing_is_scored_again():
    asked = []

    def function(item):
        asked.append(item.id)
        return float(len(item.candidate))

    found = summary(metric_of(function), spot_checks="none")
    assert len(asked) == 80
    assert found.facts.get("rescored") is None


def test_a_language_model_is_asked_again_only_where_that_is_wanted():
    grades = itertools.cycle(["3", "4"])
    model = FakeModel(lambda _: '{"score": %s, "reason": "-"}' % next(grades))  # noqa: UP031 - braces
    usual = summary("judge", llm=model, cache="off")
    assert usual.facts.get("rescored") is None
    assert len(model.requests) == 80
    checked = summary("judge", items=ITEMS[:21], llm=model, cache="off", spot_checks="all")
    assert checked.facts["rescored"] == 10
    assert any("not repeatable" in said for said in checked.alarms)


def test_a_choice_that_is_none_is_refused():
    with pytest.raises(PlanError, match="spot_checks: 'some' is unknown: expected one of local, all, none"):
        summary("length", spot_checks="some")


def column(items):
    return Scores(
        signature="s",
        item_ids=tuple(item.id for item in items),
        values=np.array([float(item.id[1:]) for item in items]),
    )


def test_of_many_texts_a_draw_is_kept_in_order_with_their_own_scores():
    drawn = DrawnScores(seed=0, most=12)
    for start in range(0, 80, 20):
        drawn.add(ITEMS[start : start + 20], [column(ITEMS[start : start + 20])])
    numbers = [int(item.id[1:]) for item in drawn.texts()]
    assert (drawn.n_seen, len(numbers), numbers) == (80, 12, sorted(numbers))
    assert drawn.scores(0).values.tolist() == numbers


def test_every_text_is_drawn_equally_often():
    times = np.zeros(20)
    for seed in range(600):
        drawn = DrawnScores(seed=seed, most=5)
        drawn.add(ITEMS[:20], [column(ITEMS[:20])])
        times[[int(item.id[1:]) for item in drawn.texts()]] += 1
    # 600 draws with a chance of 1/4: mean 150, standard deviation 10.6; five of them either way
    assert abs(times - 150).max() < 53
