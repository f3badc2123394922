"""The core of every reward: prepared once, cached, bounded in time, its direction checked."""

import asyncio
import json
import logging
import pickle
import re
import threading

import pytest
from tests.support.rewards import TOWNS, fact, train

import gameproof
from gameproof.errors import BudgetError, InputError, OutageError, PlanError
from gameproof.rewards import as_reward

REFERENCES = frozenset({"references"})


def shared(item) -> float:
    """The share of the reference's words in the candidate."""
    wanted = set(item.references[0].split())
    return len(wanted & set(item.candidate.split())) / len(wanted)


def counting():
    calls: list[str] = []

    def score(item) -> float:
        calls.append(item.candidate)
        return shared(item)

    return gameproof.as_metric(score, version="1", needs=REFERENCES), calls


def test_a_reward_is_the_score_of_the_metric_prepared_on_the_training_set() -> None:
    reward = as_reward("TV+fvar+statement+overlap", train())
    pool = reward.training.items
    completions = [
        fact(TOWNS[number // 2]) for number in range(len(TOWNS))
    ]  # half of them about another town

    async def direct():
        metric = await gameproof.metric("TV+fvar+statement+overlap").prepare(pool)
        return await metric.score(
            [item.with_candidate(text) for item, text in zip(pool, completions, strict=True)]
        )

    assert list(reward.score(range(len(TOWNS)), completions).values) == asyncio.run(direct()).values.tolist()


def test_the_score_of_a_completion_is_remembered_and_counted() -> None:
    metric, calls = counting()
    reward = as_reward(metric, train(), self_check=False)
    reward.score([0, 0, 1], ["The old bridge", "The old bridge", "A ferry"])
    reward.score([0], ["The old bridge"])
    assert sorted(calls) == ["A ferry", "The old bridge"]
    assert (reward.counts.n, reward.counts.n_cached) == (4, 2)


def test_an_empty_completion_has_no_reward_and_is_counted() -> None:
    reward = as_reward("rouge1", train())
    found = reward.score([0, 1], ["  ", fact("Bern")])
    assert found.values == (None, 1.0)  # ROUGE of a text with itself is 1
    assert found.reasons == {0: "empty"}
    assert reward.counts.missing == {"empty": 1}


def test_a_failure_is_a_counted_none_and_others_keep_their_reward() -> None:
    def fails_on_bern(item) -> float:
        if "Bern" in item.candidate:
            raise RuntimeError("out of order")
        return shared(item)

    metric = gameproof.as_metric(fails_on_bern, version="1", needs=REFERENCES)
    reward = as_reward(metric, train(), self_check=False)
    found = reward.score([0, 1], [fact("Aden"), fact("Bern")])
    assert found.values == (1.0, None)
    assert found.reasons == {1: "RuntimeError: out of order"}


def test_what_is_not_done_at_the_deadline_has_no_reward_and_what_is_done_keeps_it() -> None:
    async def waits_for_ever_on_bern(item) -> float:
        if "Bern" in item.candidate:
            await asyncio.Event().wait()
        return shared(item)

    metric = gameproof.as_metric(waits_for_ever_on_bern, version="1", needs=REFERENCES | {"llm"})
    reward = as_reward(metric, train(), self_check=False, deadline_s=0.3)
    found = reward.score([0, 1], [fact("Aden"), fact("Bern")])
    assert found.values == (1.0, None)
    assert found.reasons == {1: "deadline"}


def test_a_metric_that_blocks_its_thread_cannot_block_the_training() -> None:
    release = threading.Event()

    def blocks(item) -> float:
        release.wait(30)
        return shared(item)

    metric = gameproof.as_metric(blocks, version="1", needs=REFERENCES)
    reward = as_reward(metric, train(), self_check=False, deadline_s=0.1)
    assert reward.score([0], ["x"]).reasons == {0: "deadline"}
    release.set()
    assert asyncio.run(reward.score_async([0], [fact("Aden")])).values in {(1.0,), (None,)}


def test_the_floor_is_what_another_prompts_reference_gets() -> None:
    reward = as_reward("rouge1", train(), missing="floor")
    # 14 words, of which the town's two mentions differ: 12 of 14 are shared, F1 = 12/14.
    assert reward.self_check.floor == pytest.approx(12 / 14)
    assert reward.settle(reward.score([0], [""])) == [pytest.approx(12 / 14)]


def test_lower_is_better_turns_the_sign() -> None:
    def distance(item) -> float:
        return 1 - shared(item)

    metric = gameproof.as_metric(distance, version="1", needs=REFERENCES, higher_is_better=False)
    reward = as_reward(metric, train())
    assert reward.self_check.verified
    own, other = reward.score([0, 0], [fact("Aden"), "Rain."]).values
    assert (own, other) == (0.0, -1.0)


def test_a_direction_declared_the_wrong_way_is_refused() -> None:
    def distance(item) -> float:
        return 1 - shared(item)

    metric = gameproof.as_metric(distance, version="1", needs=REFERENCES)
    with pytest.raises(
        InputError, match="declared to be better when higher, and is found the other way round"
    ):
        as_reward(metric, train())


def test_a_metric_of_unknown_direction_that_cannot_be_measured_is_refused() -> None:
    from gameproof.metrics.adapters import from_call  # noqa: PLC0415

    metric = from_call(lambda candidate, _reference: float(len(candidate) % 2), name="parity", version="1")
    with pytest.raises(InputError, match="it is not known whether a higher score is better"):
        as_reward(metric, train())


def test_a_direction_that_references_cannot_show_stands_as_declared_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "gameproof.rewards"):
        reward = as_reward("length", train())
    assert not reward.self_check.verified
    assert "as declared and not verified" in caplog.text


def test_a_null_answer_that_pays_is_a_warning() -> None:
    def gullible(item) -> float:
        return 1.0 if item.candidate == "Thought process:" else shared(item)

    metric = gameproof.as_metric(gullible, version="1", needs=REFERENCES)
    reward = as_reward(metric, train())
    assert reward.self_check.null_answer == 1.0
    assert "paid for saying nothing" in reward.notes[0]


def test_a_reward_that_never_scores_stops_the_training() -> None:
    def broken(_item) -> float:
        raise RuntimeError("no licence")

    metric = gameproof.as_metric(broken, version="1", needs=REFERENCES)
    reward = as_reward(metric, train(), self_check=False)
    for number in range(63):  # 504 failures; 512 in a row are too many
        reward.score([0] * 8, [f"text {number} {place}" for place in range(8)])
    with pytest.raises(InputError, match="no score for 512 completions in a row: RuntimeError: no licence"):
        reward.score([0] * 8, [f"one more {place}" for place in range(8)])


def test_empty_completions_alone_never_stop_it() -> None:
    reward = as_reward("rouge1", train())
    for _ in range(200):
        assert reward.score([0] * 8, [""] * 8).values == (None,) * 8


def test_an_exhausted_budget_stops_the_training() -> None:
    async def spent(_items):
        raise BudgetError("the limit of calls is reached")

    metric = gameproof.as_metric(spent, version="1", needs=REFERENCES, batch=True)
    with pytest.raises(BudgetError):
        as_reward(metric, train(), self_check=False).score([0], ["x"])


def test_each_batch_is_a_line_of_the_log_with_the_signature(tmp_path) -> None:
    log = tmp_path / "rewards.jsonl"
    reward = as_reward("rouge1", train(), log=log, name="overlap")
    reward.score([0, 1], [fact("Aden"), ""], step=7)
    (line,) = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert line["reward"] == "overlap"
    assert line["signature"] == reward.signature
    assert (line["step"], line["n"], line["missing"], line["mean"]) == (7, 2, {"empty": 1}, 1.0)


def test_many_missing_scores_are_a_warning_once(caplog: pytest.LogCaptureFixture) -> None:
    reward = as_reward("rouge1", train())
    with caplog.at_level(logging.WARNING, "gameproof.rewards"):
        for _ in range(30):
            reward.score([0] * 8, ["", *[fact("Aden")] * 7])
    assert caplog.text.count("have no reward: empty") == 1


def test_a_reward_can_be_sent_to_another_process() -> None:
    reward = as_reward("TV+fvar+statement+overlap,neg=2", train())
    copy = pickle.loads(pickle.dumps(reward))  # noqa: S301 - our own
    texts = [fact("Aden"), "A ferry runs."]
    assert copy.score([0, 1], texts) == reward.score([0, 1], texts)
    assert copy.signature == reward.signature


def test_a_closed_reward_opens_again() -> None:
    reward = as_reward("rouge1", train())
    reward.close()
    reward.close()
    assert reward.score([0], [fact("Aden")]).values == (1.0,)


def test_the_part_that_counts_can_be_taken_out() -> None:
    reward = as_reward("rouge1", train(), extract=lambda said: said.split("</think>")[1])
    found = reward.score([0, 0], [f"<think>hm</think>{fact('Aden')}", "no thoughts"])
    assert found.values == (1.0, None)
    assert found.reasons == {1: "extract: IndexError: list index out of range"}


def test_where_no_part_is_found_there_is_no_reward_and_training_goes_on() -> None:
    pattern = re.compile(r"<answer>.*</answer>")
    reward = as_reward("rouge1", train(), extract=lambda said: (found := pattern.search(said)) and found[0])
    found = reward.score([0, 0], [f"<answer>{fact('Aden')}</answer>", "no answer"])
    assert found.reasons == {1: "extract: found NoneType, not a text"}


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"missing": "zero"}, "missing: found 'zero'; allowed: 'none', 'floor' or a number"),
        ({"unknown": "skip"}, "unknown: found 'skip'; allowed: 'error' or 'none'"),
        ({"deadline_s": 0}, "deadline_s: found 0; allowed: seconds above 0"),
        ({"deadline": 3}, "deadline: there is no such option of a reward; allowed: key, rename"),
        ({"missing": "floor", "self_check": False}, "missing='floor' needs the self-check"),
    ],
)
def test_options_that_are_not_legal_are_refused(options, match) -> None:
    with pytest.raises(PlanError, match=match):
        as_reward("rouge1", train(), **options)


def test_a_floor_that_was_not_measured_is_refused() -> None:
    with pytest.raises(InputError, match="missing='floor': the floor of length is not known"):
        as_reward("length", train(), missing="floor")


def test_a_metric_that_gives_up_by_itself_costs_its_own_rewards_and_not_the_training() -> None:
    async def gives_up(_items):
        raise asyncio.CancelledError

    metric = gameproof.as_metric(gives_up, version="1", needs=REFERENCES, batch=True)
    found = as_reward(metric, train(), self_check=False).score([0, 1], [fact("Aden"), fact("Bern")])
    assert found.reasons == {0: "called off", 1: "called off"}
    assert found.values == (None, None)


def test_an_endpoint_that_is_away_for_the_time_being_is_a_counted_reason() -> None:
    async def away(_items):
        raise OutageError("the endpoint answered none of 8 calls\nTry again later.")

    metric = gameproof.as_metric(away, version="1", needs=REFERENCES, batch=True)
    found = as_reward(metric, train(), self_check=False).score([0], ["x"])
    assert len(found.reasons) == 1
    assert "the endpoint answered none of 8 calls" in found.reasons[0]
    assert "\n" not in found.reasons[0]


def test_where_no_further_call_can_work_everybody_who_waits_is_told() -> None:
    """Two single completions that come at once are scored together; both callers get the error."""

    async def spent(_items):
        raise BudgetError("the limit of calls is reached")

    metric = gameproof.as_metric(spent, version="1", needs=REFERENCES, batch=True)
    reward = as_reward(metric, train(), self_check=False)

    async def both():
        waiting = [reward.score_async([0], ["x"]), reward.score_async([1], ["y"])]
        return await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 60)

    assert [type(found) for found in asyncio.run(both())] == [BudgetError, BudgetError]


def test_the_deadline_of_a_caller_that_does_not_block_is_the_same() -> None:
    async def waits_for_ever(_item) -> float:
        await asyncio.Event().wait()
        return 0.0

    metric = gameproof.as_metric(waits_for_ever, version="1", needs=REFERENCES | {"llm"})
    reward = as_reward(metric, train(), self_check=False, deadline_s=0.1)
    found = asyncio.run(reward.score_async([0], [fact("Aden")]))
    assert found.reasons == {0: "deadline"}


def test_a_training_set_without_rows_is_refused() -> None:
    with pytest.raises(InputError, match="data has no rows"):
        as_reward("rouge1", [])
