"""`compute_score` as verl 0.9 calls it: one at a time by its reward loop, in batches by the manager of that name."""

import asyncio
import importlib
import json

import pytest
from tests.support.rewards import TOWNS, fact

from gameproof.errors import InputError, PlanError
from gameproof.rewards import verl_batch_reward, verl_reward


def rows() -> list[dict]:
    return [
        {
            "data_source": "news",
            "prompt": [{"role": "user", "content": f"What is new in {town}?"}],
            "ability": "news",
            "reward_model": {"style": "rule", "ground_truth": fact(town)},
            "extra_info": {"split": "train", "index": number},
        }
        for number, town in enumerate(TOWNS)
    ]


def one(compute_score, town: str, said: str, **extra_info):
    """What verl's naive and dapo managers pass for one completion."""
    return asyncio.run(
        compute_score(
            data_source="news",
            solution_str=said,
            ground_truth=fact(town),
            extra_info={"num_turns": None, "rollout_reward_scores": {}, **extra_info},
        )
    )


def test_a_completion_gets_its_score() -> None:
    assert one(verl_reward("rouge1", rows()), "Aden", fact("Aden")) == {"score": 1.0, "reward_missing": 0.0}


def test_what_is_missing_gets_the_floor_and_says_so() -> None:
    found = one(verl_reward("rouge1", rows()), "Aden", "")
    # 12 of the 14 words of a fact are those of any other.
    assert found == {"score": pytest.approx(12 / 14), "reward_missing": 1.0}


def test_or_the_number_of_the_users_choice_but_never_none() -> None:
    assert one(verl_reward("rouge1", rows(), missing=-1.0), "Aden", "")["score"] == -1.0
    with pytest.raises(PlanError, match="verl has no value for a missing reward"):
        verl_reward("rouge1", rows(), missing="none")


def test_rows_are_found_by_a_name_in_extra_info() -> None:
    compute_score = verl_reward("rouge1", rows(), key="index")
    assert one(compute_score, "Aden", fact("Cork"), index=2)["score"] == 1.0
    with pytest.raises(
        InputError, match=r"key='index': extra_info has no such name \(it has num_turns, roll"
    ):
        one(compute_score, "Aden", fact("Cork"))


def test_a_ground_truth_outside_the_training_set_is_one_clear_error() -> None:
    with pytest.raises(InputError, match=r"ground_truth: .* is not in the training set"):
        asyncio.run(verl_reward("rouge1", rows())("news", "x", "another truth", {}))
    with pytest.raises(InputError, match="ground_truth: found None"):
        asyncio.run(verl_reward("rouge1", rows())("news", "x", None, {}))


def test_many_at_once_are_scored_in_one_loop() -> None:
    compute_score = verl_reward("TV+fvar+statement+overlap,neg=2", rows())

    async def loop():
        return await asyncio.gather(
            *(compute_score("news", fact(town), fact(town), {}) for town in TOWNS * 4)
        )

    assert len({found["score"] for found in asyncio.run(loop())}) <= len(TOWNS)


def test_the_batch_form_keeps_the_order() -> None:
    compute_score = verl_batch_reward("rouge1", rows())
    found = compute_score(
        data_sources=["news"] * 2,
        solution_strs=["", fact("Bern")],
        ground_truths=[fact("Aden"), fact("Bern")],
        extra_infos=[{"rollout_reward_scores": {}}] * 2,
    )
    assert [row["reward_missing"] for row in found] == [1.0, 0.0]
    assert found[1]["score"] == 1.0


def test_verl_can_load_it_from_its_config_by_path_and_name(tmp_path) -> None:
    """``pkg://gameproof.rewards.verl``, with the metric in ``reward_kwargs``."""
    path = tmp_path / "train.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows()), "utf-8")
    module = importlib.import_module("gameproof.rewards.verl")
    kwargs = {"metric": "rouge1", "train": str(path), "seed": 1}
    passed = {
        "data_source": "news",
        "solution_str": fact("Aden"),
        "ground_truth": fact("Aden"),
        "extra_info": {},
    }
    others = {"reward_router_address": None, "reward_model_tokenizer": None}
    assert asyncio.run(module.compute_score(**passed, **others, **kwargs))["score"] == 1.0
    batch = module.compute_score_batch(["news"], [fact("Aden")], [fact("Aden")], [{}], **kwargs)
    assert batch[0]["score"] == 1.0
