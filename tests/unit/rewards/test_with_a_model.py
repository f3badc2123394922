"""Rewards that ask a language model over HTTP: what is late has none, and costs the next batch nothing."""

import asyncio

import pytest
from tests.support.rewards import train
from tests.support.stub_server import Answer, StubServer, reply_with

from gameproof.errors import EndpointError
from gameproof.rewards import trl_reward

PROMPT = "What is new in Aden?"
GRADED = reply_with('{"reason": "Clear.", "score": 7}')
LATE_S = 30.0  # beyond any deadline here


def reward(stub: StubServer, tmp_path, **options):
    options = {"deadline_s": 1.0, "self_check": False, **options}
    return trl_reward("judge", train(), llm=f"stub@{stub.url}", cache=tmp_path / "calls.db", **options)


def test_late_completions_have_no_reward_and_are_asked_for_again(tmp_path) -> None:
    asked: set[str] = set()

    async def late_at_first(call) -> Answer:
        if "slow" in call.prompt and call.prompt not in asked:
            asked.add(call.prompt)
            await asyncio.sleep(LATE_S)
        return GRADED

    with StubServer(late_at_first) as stub:
        judge = reward(stub, tmp_path)
        assert judge(prompts=[PROMPT] * 2, completions=["fine", "slow"]) == [7.0, None]
        judge.reward.close()  # what is on its way is called off
        assert judge(prompts=[PROMPT] * 2, completions=["fine", "slow"]) == [7.0, 7.0]
        judge.reward.close()


def test_the_same_question_right_after_the_deadline_is_not_called_off_with_the_first(tmp_path) -> None:
    """The first asker is still waiting for a late reply to be kept when the second one asks."""
    numbers: list[int] = []

    async def late_at_first(call) -> Answer:
        numbers.append(call.number)
        if len(numbers) == 1:
            await asyncio.sleep(LATE_S)
        return GRADED

    with StubServer(late_at_first) as stub:
        judge = reward(stub, tmp_path, deadline_s=2.0)  # longer than a late reply is waited for
        assert judge(prompts=[PROMPT], completions=["text"]) == [None]
        again = [judge(prompts=[PROMPT], completions=["text"])[0] for _ in range(3)]
        assert again[-1] == 7.0
        assert set(judge.reward.counts.missing) == {"deadline"}
        judge.reward.close()


def test_an_endpoint_that_cannot_work_stops_the_training(tmp_path) -> None:
    def refuse(_call) -> Answer:
        return Answer(status=401, body={"error": {"message": "bad key"}})

    with StubServer(refuse) as stub:
        judge = reward(stub, tmp_path, deadline_s=20.0)
        with pytest.raises(EndpointError, match="bad key"):
            judge(prompts=[PROMPT], completions=["text"])
        judge.reward.close()
