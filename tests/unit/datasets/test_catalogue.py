import pytest

from gameproof.datasets import catalogue
from gameproof.datasets.catalogue import load_dataset
from gameproof.errors import GameproofError, SpecError


def test_the_demo_world_is_frozen():
    # Loading compares every text, rating and truth with the digest in the catalogue.
    dataset = load_dataset("planted")

    assert dataset.name == "planted"
    assert len(dataset.items) == 288


def test_each_domain_of_the_demo_world_has_enough_tasks_for_a_verdict():
    # A check passes nothing on fewer than twenty tasks.
    items = load_dataset("planted").items

    for domain in ("reviews", "summaries", "answers"):
        assert len({item.task_id for item in items if item.domain == domain}) >= 20


def test_each_group_of_the_demo_world_has_tasks_enough_for_four_negatives():
    items = load_dataset("planted").items

    for group in {item.group for item in items}:
        assert len({item.task_id for item in items if item.group == group}) >= 5


def test_a_world_that_is_not_the_frozen_one_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(catalogue, "DEMO_DIGEST", "0" * 64)
    catalogue._load_demo.cache_clear()

    with pytest.raises(GameproofError, match="not the frozen one"):
        load_dataset("planted")
    catalogue._load_demo.cache_clear()


def test_options_make_a_fresh_world():
    dataset = load_dataset("planted,seed=3,tasks=5,systems=2,confounded=true")

    assert dataset.name == "planted,confounded=true,seed=3,systems=2,tasks=5"
    assert len(dataset.items) == 3 * 5 * 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("plantet", "data set 'plantet' is unknown: expected planted"),
        ("planted,size=3", "option 'size' is unknown: expected seed, tasks"),
        ("planted,seed", "option 'seed' needs a value"),
        ("planted,seed=x", "option 'seed' is 'x': expected a whole number"),
        ("planted,tasks=0", "option 'tasks' is '0': expected a whole number from 1"),
        ("planted,systems=9", "option 'systems' is '9': expected a whole number from 1 to 8"),
        ("planted,confounded=maybe", "option 'confounded' is 'maybe': expected true or false"),
        ("planted,seed=1,seed=2", "option 'seed' is given twice"),
    ],
)
def test_a_wrong_name_or_option_says_what_is_allowed(name: str, message: str):
    with pytest.raises(SpecError, match=message):
        load_dataset(name)
