"""Pairwise judging, in both orders."""

import asyncio

import pytest
from tests.support.fake_model import FakeModel, fences

from gameproof.errors import InputError
from gameproof.metrics.pairwise import compare_texts
from gameproof.records import Item


def item(name, candidate, task="t"):
    return Item(id=name, task_id=task, candidate=candidate, references=("It rained all night.",))


PAIRS = [(item(f"a{n}", f"It rained all night {n}."), item(f"b{n}", f"Rain {n}.")) for n in range(4)]


def compare(answer, pairs=PAIRS, **options):
    model = FakeModel(answer)
    return asyncio.run(compare_texts(pairs, model, **options)), model.requests


def test_the_better_text_wins_in_either_order():
    def longer(request):
        texts = fences(request)
        return f'{{"verdict": "{"first" if len(texts["first"]) > len(texts["second"]) else "second"}"}}'

    result, requests = compare(longer)
    assert [each.winner for each in result.comparisons] == ["first"] * 4
    assert (result.win_rate, result.flip_rate, result.notes) == (1.0, 0.0, ())
    assert len(requests) == 2 * len(PAIRS)


def test_case_53_a_judge_that_always_says_first_is_flagged_and_all_are_ties():
    result, requests = compare(lambda _: '{"verdict": "first"}')
    shown = [(texts["first"], texts["second"]) for texts in map(fences, requests)]
    assert len(set(shown)) == 8
    assert {(second, first) for first, second in shown} == set(shown)  # each pair in both orders
    assert [each.winner for each in result.comparisons] == ["tie"] * 4
    assert (result.win_rate, result.flip_rate) == (0.5, 1.0)
    assert "order decides: 4 of 4 pairs" in result.notes[0]


def test_a_pair_with_an_unreadable_reply_has_no_winner():
    def answer(request):
        return "hm" if fences(request)["first"] == "Rain 3." else '{"verdict": "tie"}'

    result, _ = compare(answer)
    assert [each.winner for each in result.comparisons] == ["tie", "tie", "tie", None]
    assert (result.comparisons[3].reason, result.n_missing) == ("unreadable", 1)


def test_an_empty_candidate_is_not_compared():
    result, requests = compare(lambda _: '{"verdict": "tie"}', [(PAIRS[0][0], item("b", " "))])
    assert result.comparisons[0].reason == "empty"
    assert not requests
    assert result.flip_rate is None


def test_items_of_two_tasks_are_refused():
    with pytest.raises(InputError, match="different tasks"):
        compare(lambda _: "", [(PAIRS[0][0], item("c", "Snow.", task="u"))])
    with pytest.raises(InputError, match="dimension: found 'charm'"):
        compare(lambda _: "", dimension="charm")
    with pytest.raises(InputError, match="refs: found 'mean'; allowed: all, first, none"):
        compare(lambda _: "", refs="mean")
