"""How much data a verdict needs."""

import pytest

import gameproof

DATA = "planted,tasks=8,systems=2,seed=5"


def plan(perturbations, metrics="length", **options):
    rows = gameproof.power(DATA, metrics, perturbations=perturbations, **options)
    return {(row["check"], row["test"]): row for row in rows}


def test_a_degradation_needs_what_shows_its_own_drop_and_not_the_margin():
    (row,) = plan(["sentence_deletion"]).values()

    # Deleting every other sentence costs length more than two standard deviations: the least that a pass
    # takes is enough.
    assert row["effect"] < -2
    assert row["tasks_needed"] == 20


def test_a_degradation_without_a_drop_needs_no_number_of_tasks():
    (row,) = plan(["random_replacement"], "length").values()

    # A text of another task is about as long: no number of tasks shows a drop that is not there.
    assert row["effect"] > -0.1
    assert (row["tasks_needed"], row["items_needed"]) == (None, None)


def test_probes_have_no_verdict_and_no_row():
    assert set(plan(["one_sentence_deletion", "tag_text"], "rougeL")) == {("tag_text", "alone")}


@pytest.mark.parametrize(("margin", "fewer"), [(".10", False), (".40", True)])
def test_a_manipulation_needs_fewer_tasks_for_a_wider_margin(margin, fewer):
    row = plan(["meaningless_elongation"], "rougeL", margin=margin)["meaningless_elongation", "alone"]
    usual = plan(["meaningless_elongation"], "rougeL")["meaningless_elongation", "alone"]

    assert (row["tasks_needed"] < usual["tasks_needed"]) is fewer
