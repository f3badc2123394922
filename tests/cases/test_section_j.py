"""Public cases, section J: a metric as a training reward."""

import numpy as np
import pytest

import gameproof
from gameproof.datasets.catalogue import load_dataset
from gameproof.errors import InputError
from gameproof.perturbations.replacement import NULL_ANSWERS
from gameproof.rewards import as_reward, trl_reward, verl_reward

TV = "TV+fvar+statement+overlap"


def planted() -> list[dict]:
    tasks = {item.task_id: item for item in load_dataset("planted").items}
    return [
        {"prompt": f"Review {task}.", "references": list(item.references)} for task, item in tasks.items()
    ]


def edits(item) -> float:
    """A distance: the share of the reference's words that the candidate lacks."""
    wanted = set(item.references[0].split())
    return len(wanted - set(item.candidate.split())) / len(wanted)


def test_case_68_the_direction_of_a_reward_comes_from_the_declaration():
    metric = gameproof.as_metric(edits, version="1", needs=frozenset({"references"}), higher_is_better=False)
    reward = as_reward(metric, planted())
    own, other = (row["references"][0] for row in planted()[:2])
    mine, anothers = reward.score([0, 0], [own, other]).values
    assert mine == 0.0  # no word lacks
    assert anothers < mine
    assert reward.self_check.verified
    assert reward.self_check.own > reward.self_check.floor


@pytest.mark.parametrize("make", [as_reward, trl_reward, verl_reward])
def test_case_68_a_reward_with_the_wrong_sign_is_refused_before_training(make):
    """The self-check: a task's own reference against another task's (methods 0.12)."""
    metric = gameproof.as_metric(edits, version="1", needs=frozenset({"references"}), higher_is_better=True)
    with pytest.raises(InputError, match="found the other way round") as caught:
        make(metric, planted())
    assert "higher_is_better=False" in str(caught.value)


NOTHINGS = (":", "Thought process:", "Let's solve this step by step.")  # as the case has them


def test_case_69_null_answers_are_at_or_below_the_mismatched_floor_of_tv():
    assert set(NOTHINGS) <= set(NULL_ANSWERS)
    reward = as_reward(TV, planted())
    floor = reward.self_check.floor
    assert reward.self_check.null_answer <= floor
    for text in NOTHINGS:
        values = reward.score(range(len(planted())), [text] * len(planted())).values
        assert np.mean(values) <= floor


def test_case_69_a_metric_that_takes_a_null_answer_is_said_so_before_training():
    def gullible(item) -> float:
        return 1.0 if item.candidate == ":" else 1 - edits(item)

    metric = gameproof.as_metric(gullible, version="1", needs=frozenset({"references"}))
    assert "a policy is paid for saying nothing" in as_reward(metric, planted()).notes[0]


def test_case_69_an_audit_puts_null_answers_to_the_metric():
    """Nothing said must lose what the text was worth: a check of every audit, and here the only one."""
    result = gameproof.audit("planted,tasks=7", TV, perturbations=["null_answer"])
    (check,) = result.metrics[0].checks
    assert (check.check, check.verdict) == ("null_answer", "pass")


def test_case_69_and_07_both_probes_are_in_every_audit_that_does_not_choose_its_checks():
    result = gameproof.audit("planted,tasks=2", "length")
    assert {"null_answer", "prompt_injection"} <= {row.check for row in result.metrics[0].checks}
