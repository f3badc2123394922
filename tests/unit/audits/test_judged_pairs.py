"""Pairs of texts of one task: which are drawn, and what a judge's choices come to."""

import asyncio
import json

import pytest
from tests.support.fake_model import FakeModel, fences

from gameproof import aio
from gameproof.audits.judged_pairs import draw_pairs, pair_rows
from gameproof.errors import InputError
from gameproof.files import read_rows
from gameproof.records import Item

ITEMS = [
    Item(
        id=f"{task}/{system}",
        task_id=task,
        system=system,
        candidate=f"{'Long. ' * length}It is about {task}.",
        references=(f"It is about {task}.",),
    )
    for task in ("tides", "rivers", "wells")
    for system, length in (("brief", 1), ("middle", 3), ("wordy", 5))
]


def judge(items, answer, **options):
    model = FakeModel(lambda request: json.dumps({"reason": "", "verdict": answer(fences(request))}))
    return asyncio.run(aio.judge_pairs(items, llm=model, **options)), model


def prefers_longer(texts):
    return "first" if len(texts["first"]) > len(texts["second"]) else "second"


def test_every_pair_of_a_task_is_drawn_once():
    pairs = draw_pairs(ITEMS)
    assert len(pairs) == 3 * 3
    assert all(first.task_id == second.task_id for first, second in pairs)
    assert len({frozenset((first.id, second.id)) for first, second in pairs}) == 9


def test_a_baseline_comes_second_and_meets_every_other_system():
    pairs = draw_pairs(ITEMS, baseline="middle")
    assert {(first.system, second.system) for first, second in pairs} == {
        ("brief", "middle"),
        ("wordy", "middle"),
    }
    assert len(pairs) == 3 * 2


def test_a_draw_of_pairs_keeps_their_number_and_follows_the_seed():
    drawn = draw_pairs(ITEMS, per_task=2, seed=1)
    assert len(drawn) == 3 * 2
    assert drawn == draw_pairs(ITEMS, per_task=2, seed=1)
    assert set(map(id, (text for pair in drawn for text in pair))) <= set(map(id, ITEMS))


def test_an_unknown_baseline_is_refused_with_those_there_are():
    with pytest.raises(InputError, match=r"found 'x'; allowed is a system of the data: brief, middle, wordy"):
        draw_pairs(ITEMS, baseline="x")


@pytest.mark.parametrize("verb", ["judge_pairs", "score", "perturb"])
def test_a_file_that_cannot_be_written_is_refused_before_a_model_is_asked(verb, tmp_path):
    model = FakeModel(lambda _: pytest.fail("a question was asked"))
    out = tmp_path / "found.xlsx"
    verbs = {
        "judge_pairs": lambda: aio.judge_pairs(ITEMS, llm=model, out=out),
        "score": lambda: aio.score(ITEMS, "TV+fvar+statement+oracle", llm=model, out=out, cache="off"),
        "perturb": lambda: aio.perturb(
            ITEMS, rewriter=model, perturbations=["rephrase"], out=out, cache="off"
        ),
    }
    with pytest.raises(InputError, match=r"the ending of its name is none of \.jsonl"):
        asyncio.run(verbs[verb]())
    assert not model.requests


def test_tasks_of_one_text_have_no_pairs():
    with pytest.raises(InputError, match="no task has two texts"):
        draw_pairs(ITEMS[::3])


def test_a_judge_of_length_ranks_systems_by_length_in_two_calls_a_pair():
    judged, model = judge(ITEMS, prefers_longer)
    assert len(model.requests) == 2 * 9
    # Of its six pairs the longest wins all, the middle those with the shortest, the shortest none.
    assert [(each.system, each.wins, each.losses, each.win_rate) for each in judged.systems] == [
        ("wordy", 6, 0, 1.0),
        ("middle", 3, 3, 0.5),
        ("brief", 0, 6, 0.0),
    ]
    assert (judged.n_flipped, judged.flip_rate, judged.first_rate) == (0, 0.0, 0.5)


def test_case_53_a_judge_that_always_says_first_flips_every_pair():
    judged, _ = judge(ITEMS, lambda _: "first")
    assert (judged.n_flipped, judged.flip_rate, judged.first_rate) == (9, 1.0, 1.0)
    assert {(each.ties, each.win_rate) for each in judged.systems} == {(6, 0.5)}
    assert any("order decides: 9 of 9 pairs" in note for note in judged.notes)


def test_pairs_without_a_verdict_are_counted_by_reason_and_win_nothing():
    judged, _ = judge(ITEMS, lambda texts: "neither" if "wells" in texts["first"] else prefers_longer(texts))
    assert judged.n_missing == 3
    assert sum(judged.missing.values()) == 3
    assert all(each.pairs == 4 for each in judged.systems)


def test_rows_name_the_winner_by_its_id(tmp_path):
    judged, _ = judge(ITEMS, prefers_longer, out=tmp_path / "pairs.jsonl")
    rows = list(read_rows(tmp_path / "pairs.jsonl"))
    assert rows == json.loads(json.dumps(list(pair_rows(judged))))
    assert rows[0]["first"] == "tides/brief"
    assert rows[0]["winner"] == "tides/middle"
