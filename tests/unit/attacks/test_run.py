import asyncio
import hashlib
import json
from dataclasses import replace

import pytest
from tests.support.attacking import N_TASKS, Counter, attack_with, items_of, target_of

import gameproof
from gameproof.attacks.plan import Plan, count_scores, draw_texts
from gameproof.attacks.qualities import family_note, family_of
from gameproof.attacks.run import attack_metric
from gameproof.attacks.sides import Side, split_tasks
from gameproof.errors import EndpointError, InputError, PlanError
from gameproof.fmi.cells import CELLS
from gameproof.llm.client import Reply
from gameproof.metrics.base import as_metric
from gameproof.metrics.catalogue import METRICS, build_metrics
from gameproof.records import Item
from gameproof.text import words


def test_a_metric_that_loves_length_is_gamed_and_said_to_be():
    metric = as_metric(Counter(), name="words", version="1")
    result = attack_with(items_of(), target_of(metric))
    assert result.verdict == "gamed"
    assert result.smallest_gamed == 1
    assert result.largest.result.gain > 1


def test_a_metric_that_gives_everybody_the_same_cannot_be_attacked():
    result = attack_with(items_of(), target_of(as_metric(lambda _item: 3.0, name="constant", version="1")))
    assert result.verdict == "held"
    assert result.largest.result.gain is None
    assert result.moves == ()


def test_a_gain_is_shown_where_all_originals_have_the_same_score():
    metric = as_metric(
        lambda item: float("accurate" in item.candidate) * len(item.id), name="accurate", version="1"
    )
    result = attack_with(items_of(), target_of(metric), budget=24)
    assert result.verdict == "gamed"
    assert result.largest.result.gain is None


@pytest.mark.parametrize("strategy", ["best_of_n", "greedy", "beam", "evolution", "bandit"])
def test_every_text_gets_its_budget_and_no_more(strategy):
    counter = Counter()
    metric = as_metric(counter, name="words", version="1")
    items = items_of()
    result = attack_with(items, target_of(metric), budget=10, strategy=strategy)
    assert result.n_calls == 10 * len(items)
    # Originals once, and ten proposals each; then the measurement, which the dry run bounds.
    counted = count_scores(items, Plan(budget=10, universal_budget=0))
    assert counted["search"] == 11 * len(items)
    assert counter.n <= counted["search"] + counted["measure"]


def test_the_search_scores_exactly_what_the_plan_says_also_where_scores_fail():
    def fussy(item):
        searched(item)
        if len(words(item.candidate)) > 24:
            raise ValueError("too long for me")
        return float(len(words(item.candidate)))

    searched, learned = Counter(), Counter()
    measure = as_metric(Counter(), name="fussy", version="1")
    items = items_of()
    target = replace(target_of(measure), search=as_metric(fussy, name="fussy", version="1"))
    result = attack_with(items, target, budget=7)
    assert result.n_calls == 7 * len(items)
    assert searched.n == 8 * len(items)  # each original once, and seven proposals of each
    # The addition is learned within its own budget, which it says it used.
    target = replace(target_of(measure), search=as_metric(learned, name="words", version="1"))
    result = attack_with(items, target, budget=7, universal_budget=500)
    assert learned.n == 8 * len(items) + result.universal.n_calls
    assert 0 < result.universal.n_calls <= 500


@pytest.mark.parametrize("strategy", ["best_of_n", "greedy", "beam", "evolution", "bandit"])
def test_the_same_seed_finds_the_same_and_another_seed_does_not(strategy):
    metric = as_metric(Counter(), name="words", version="1")
    first, again, other = (
        attack_with(items_of(6), target_of(metric), seed=seed, strategy=strategy).record()
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first["examples"] != other["examples"]


def test_no_text_grows_beyond_its_limit():
    items = items_of()
    result = attack_with(
        items, target_of(as_metric(Counter(), name="words", version="1")), longest=1.5, budget=24
    )
    for example in result.examples:
        assert len(words(example.attacked)) <= 1.5 * len(words(example.original))


def test_a_proposal_that_gets_no_score_has_used_its_call_and_is_counted():
    def fussy(item):
        if len(words(item.candidate)) > 24:
            raise ValueError("too long for me")
        return float(len(words(item.candidate)))

    items = items_of()
    result = attack_with(items, target_of(as_metric(fussy, name="fussy", version="1")))
    assert result.n_calls == 8 * len(items)
    assert any("too long for me" in reason for reason in result.failures)


def test_a_metric_of_which_less_is_better_is_attacked_downwards():
    metric = as_metric(
        lambda item: -float(len(words(item.candidate))), name="errors", version="1", higher_is_better=False
    )
    result = asyncio.run(
        attack_metric(
            items_of(), replace(target_of(metric), higher_is_better=False), Plan(budget=8, universal_budget=0)
        )
    )
    assert result.largest.result.gain > 0


def test_when_an_endpoint_is_lost_the_other_tasks_are_asked_no_further():
    asked = []

    class Lost:
        name, needs, higher_is_better = "lost", frozenset({"pool"}), True

        def signature(self):
            return "lost,version=1"

        async def prepare(self, pool):
            del pool
            return self

        async def score(self, items):
            if items[0].task_id == "t0":
                raise EndpointError("it cannot work")
            await asyncio.sleep(0.05)
            asked.append(items[0].task_id)

    async def run():
        side = Side(metric=Lost(), items=items_of(4), others=frozenset({"t1"}), seed=0)
        with pytest.raises(EndpointError):
            await side.score(items_of(4))
        await asyncio.sleep(0.1)

    asyncio.run(run())
    assert asked == []


def test_the_two_sides_share_no_negative_task():
    items = items_of()
    first, second = split_tasks(items, 0)
    assert not first & second
    assert first | second == {item.task_id for item in items}
    metric = build_metrics(["TV+fvar+statement+overlap,neg=3"])[0]
    used = []
    for half in (first, second):
        side = Side(metric=metric, items=items, others=half, seed=0)
        scored = asyncio.run(side.score(items))
        assert all(set(tasks) <= half for tasks in scored.negative_tasks)
        used.append({task for tasks in scored.negative_tasks for task in tasks})
    assert not used[0] & used[1]


def test_a_floor_keeps_texts_out_that_lose_too_much():
    # Fluency here is the share of words longer than two letters; pads and tags lower it.
    def fluency(item):
        found = words(item.candidate)
        return sum(len(word) > 3 for word in found) / max(len(found), 1)

    metric = as_metric(Counter(), name="words", version="1")
    floor = as_metric(fluency, name="fluency", version="1")
    items = items_of()
    result = asyncio.run(
        attack_metric(
            items,
            replace(target_of(metric), floor=floor),
            Plan(budget=16, universal_budget=0, strategy="greedy", moves=("pad_constant", "repeat_text")),
        )
    )
    lowest = min(fluency(item) for item in items)
    assert all(
        fluency(Item(id="x", task_id="x", candidate=one.attacked)) >= lowest - 0.2 for one in result.examples
    )


def test_one_suffix_learned_on_half_of_the_tasks_works_on_the_others():
    metric = as_metric(Counter(), name="words", version="1")
    result = attack_with(items_of(), target_of(metric), universal_budget=1_500)
    assert result.universal.training_gain > 0
    assert result.universal.result.n_tasks == N_TASKS // 2
    assert result.universal.result.gamed is True


def test_null_answers_win_against_a_metric_that_hates_words():
    metric = as_metric(lambda item: -float(len(words(item.candidate))), name="brevity", version="1")
    result = attack_with(items_of(), target_of(metric))
    nothing = next(row for row in result.probes if row.name == "null_answer_1")
    assert nothing.success == 1.0
    behind = next(row for row in result.probes if row.name == "injection_1")
    assert behind.success == 0.0


def test_too_few_tasks_and_unknown_strategies_are_said():
    metric = as_metric(Counter(), name="words", version="1")
    with pytest.raises(InputError, match="2 tasks"):
        attack_with(items_of(2), target_of(metric))
    with pytest.raises(PlanError, match="allowed: best_of_n, greedy"):
        attack_with(items_of(), target_of(metric), strategy="magic")


@pytest.mark.parametrize("strategy", ["greedy", "bandit"])
def test_moves_that_fit_no_text_are_refused_and_a_text_that_none_fits_stays_as_it_is(strategy):
    metric = as_metric(Counter(), name="words", version="1")
    with pytest.raises(PlanError, match="found quote_task; no text has what they need"):
        attack_with(items_of(4), target_of(metric), strategy=strategy, moves=("quote_task",))
    asked = [replace(item, query="So?") if item.id == "t3/0" else item for item in items_of(4)]
    result = attack_with(asked, target_of(metric), strategy=strategy, moves=("quote_task",), budget=2)
    assert result.n_calls == 2  # the question can be put before one text, and before that again
    assert "7 texts ran out" in result.notes[0]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"longest": float("nan")}, "longest: found nan"),
        ({"margin": -0.1}, "margin: found -0.1; allowed: 0 or more"),
        ({"universal_budget": -1}, "universal_budget: found -1"),
        ({"moves": []}, "moves: found none"),
    ],
)
def test_numbers_and_moves_that_cannot_be_meant_are_refused(wrong, told):
    with pytest.raises(PlanError, match=told):
        gameproof.attack("planted,tasks=2,systems=1", "length", **wrong)


def test_the_family_of_every_metric_is_known():
    for name in (*METRICS, *(str(cell.predictor) for cell in CELLS)):
        assert family_of(name) is not None, name


def test_a_quality_that_looks_at_the_same_is_noted_and_nothing_is_claimed_of_strangers():
    words = "TV+fvar+statement+overlap"
    assert family_note("reader-utility,needs=given,predictor=overlap", words) is not None
    for other in ("persona_recall", "reader-utility", "blanc,model=x", "my_judge:score", "deepeval:my:judge"):
        assert family_note(other, words) is None
    assert family_note("persona_recall", "judge") is not None
    assert family_note("my_judge:score", "their_judge:score") is None


def test_the_curve_goes_to_the_best_of_256_where_tasks_have_256_texts():
    found = gameproof.attack(
        "planted,tasks=2,systems=8,texts=32", "length", budget=2, per_task=1, universal_budget=0
    )
    result = found.results[0]
    assert result.n_items == 6  # one of each task is attacked
    curve = result.goodhart.curve
    assert [point.n for point in curve.points] == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert curve.n_tasks == 6
    # Length is crossed with quality, so the longest of many is no better than the average text: it loses nearly all
    # that choosing by quality would gain, and lies at most a standard deviation from the mean.
    assert curve.area_lost > 0.7
    assert abs(curve.points[-1].quality) < 1


def test_the_attacked_texts_of_each_task_are_so_many_and_always_the_same():
    items = items_of()
    drawn = draw_texts(items, 1, seed=3)
    assert [item.task_id for item in drawn] == list(dict.fromkeys(item.task_id for item in items))
    assert drawn == draw_texts(items, 1, seed=3)
    assert draw_texts(items, 5, seed=3) == items
    counted = count_scores(items, Plan(budget=4, per_task=1, universal_budget=0))
    assert counted["search"] == 5 * N_TASKS


class Moody:
    """A judge whose marks are luck: another one for each text, and for each time it is asked."""

    name = "moody"

    async def complete(self, request):
        luck = hashlib.sha256(f"{request.sample} {request.messages[-1].content}".encode()).digest()[0] % 10
        return Reply(text=json.dumps({"reason": "none", "score": luck + 1}), model=self.name)

    async def close(self):
        """Do nothing."""


def test_luck_with_the_answers_of_a_judge_is_gone_when_it_is_asked_anew():
    found = gameproof.attack(
        items_of(),
        "judge,refs=none,temperature=1",
        quality="length",
        llm=Moody(),
        cache="off",
        budget=16,
        universal_budget=0,
    ).results[0]
    result = found.largest.result
    # The best of seventeen marks drawn from 1 to 10 lies about 1.5 standard deviations above the mean of one; asked again,
    # text and original are both new draws, so the gain of 48 pairs lies within 4 standard errors of 0: 4 x sqrt(2 / 48).
    assert abs(result.gain) < 4 * (2 / 48) ** 0.5
    assert found.verdict != "gamed"
