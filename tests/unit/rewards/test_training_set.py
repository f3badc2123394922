"""Training sets in the forms that hosts have them, and what is wrong with those that cannot be used."""

import json

import pytest
from tests.support.rewards import TOWNS, fact, train

from gameproof.errors import DataError, InputError, PlanError
from gameproof.rewards import as_reward
from gameproof.rewards.training_set import read_training_set, reference_key


def test_prompts_need_no_candidate_and_columns_called_like_one_are_left_alone() -> None:
    rows = [{**row, "completion": "never scored", "response": "nor this"} for row in train()]
    training = read_training_set(rows)
    assert [item.candidate for item in training.items] == [""] * len(TOWNS)
    assert training.items[0].references == (fact("Aden"),)


def test_a_column_called_answer_can_be_the_reference() -> None:
    rows = [{"prompt": row["prompt"], "answer": row["references"][0]} for row in train()]
    assert read_training_set(rows, reference="answer").items[1].references == (fact("Bern"),)


def test_messages_and_their_parts_are_found_alike() -> None:
    rows = [{**row, "prompt": [{"role": "user", "content": row["prompt"]}]} for row in train()]
    reward = as_reward("rouge1", rows)
    from gameproof.rewards.messages import prompt_key  # noqa: PLC0415

    parts = [{"role": "user", "content": [{"type": "text", "text": "What is new in Cork?"}]}]
    assert reward.place(prompt_key(parts)) == 2


def test_rows_of_verl_are_read_as_they_are() -> None:
    rows = [
        {
            "data_source": "news",
            "prompt": [{"role": "user", "content": town}],
            "reward_model": {"style": "rule", "ground_truth": fact(town)},
            "extra_info": {"index": number, "split": "train"},
        }
        for number, town in enumerate(TOWNS)
    ]
    training = read_training_set(rows, key="index")
    assert training.find("3") == 3
    assert training.items[3].references == (fact("Dili"),)
    by_truth = read_training_set(rows, key="ground_truth")
    assert by_truth.find(reference_key(fact("Dili"))) == 3


def test_a_file_is_read(tmp_path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in train()), "utf-8")
    assert len(read_training_set(str(path)).places) == len(TOWNS)


def test_repeated_prompts_with_the_same_references_are_one() -> None:
    assert len(read_training_set([*train(), *train()]).places) == len(TOWNS)


def test_repeated_prompts_with_other_references_are_refused() -> None:
    rows = [*train(), {"prompt": "What is new in Aden?", "references": ["Nothing."]}]
    with pytest.raises(
        InputError, match=r"prompt: 'What is new in Aden\?' stands for different references in"
    ):
        read_training_set(rows)


def test_a_missing_key_names_the_columns() -> None:
    rows = [{"instruction": "x", "references": ["y"]}]
    with pytest.raises(
        InputError, match=r"prompt: found no such column \(columns: instruction, references\)"
    ):
        read_training_set(rows)


def test_a_metric_that_needs_references_names_the_columns_where_there_are_none() -> None:
    rows = [{"prompt": town, "solution": fact(town)} for town in TOWNS]
    with pytest.raises(InputError, match=r"rouge1 needs references.*\(columns: prompt, solution\)") as caught:
        as_reward("rouge1", rows)
    assert "reference='COLUMN'" in str(caught.value)


def test_prompts_without_references_are_counted_and_have_no_reward() -> None:
    reward = as_reward("rouge1", [*train(), {"prompt": "What else?", "references": []}])
    assert reward.notes == ("1 of 9 prompts have no references: their completions get no reward",)
    assert reward.score([len(TOWNS)], ["x"]).reasons == {0: "no reference"}


def test_bad_rows_are_named_together() -> None:
    with pytest.raises(DataError, match="references"):
        read_training_set([{"prompt": "a", "references": 3}])


def test_standard_input_is_refused() -> None:
    with pytest.raises(PlanError, match="a training set is read in every process"):
        read_training_set("-")


def test_a_misspelt_column_of_references_is_named_with_what_was_meant() -> None:
    rows = [{"prompt": row["prompt"], "answer": row["references"][0]} for row in train()]
    with pytest.raises(InputError, match=r"found no column 'anwser' \(columns: prompt, answer\)") as caught:
        as_reward("rouge1", rows, reference="anwser")
    assert "Did you mean reference='answer'?" in str(caught.value)


def test_a_training_set_too_small_for_the_metric_is_refused_before_training() -> None:
    with pytest.raises(
        InputError, match="has no score for any completion of this training set: no word of its ref"
    ):
        as_reward("TV+fvar+statement+overlap", train()[:1])
