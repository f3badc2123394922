"""Which checks a run has: those of its suite, without those that make no sense for its data."""

from pathlib import Path

import pytest

import gameproof
from gameproof.audits.applicable import choose_checks
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.errors import PlanError, SpecError
from gameproof.records import Dataset, Item

PUBLIC = Path(__file__).resolve().parents[2] / "data" / "public"
ROW = {
    "task_id": "t",
    "candidate": "It rained. It was cold.",
    "references": ["It rained."],
    "domain": "reviews",
}


def _dataset(*skip: str) -> Dataset:
    return Dataset(name="d", items=(Item(id="1", task_id="t", candidate="x"),), skip=frozenset(skip))


def test_a_data_set_leaves_out_what_its_paper_does_not_apply() -> None:
    """ "Scoring Rules!", table 7: Peer Grading-WH has five degradations, without the surface report."""
    dataset = open_dataset(f"peer_grading_wh:{PUBLIC / 'peer_grading'}", DataOptions())
    chosen, told = choose_checks(dataset, "strategic")
    names = {row.name for row in chosen if row.parity_code and row.family == "degradation"}
    assert len(names) == 5
    assert "surface_report" not in names
    assert "checks left out, which do not apply to this data set: surface_report" in told.notes


def test_skip_leaves_out_more_and_says_so() -> None:
    chosen, told = choose_checks(_dataset(), "all", None, ["tag_text", "flip_case"])
    assert not {"tag_text", "flip_case"} & {row.name for row in chosen}
    assert told.notes == ("checks left out, as asked: tag_text, flip_case",)


def test_a_check_that_is_asked_for_by_name_is_made_whatever_the_data() -> None:
    chosen, told = choose_checks(_dataset("tag_text"), "all", ["tag_text"])
    assert [row.name for row in chosen] == ["tag_text"]
    assert told.notes == ()


def test_a_suite_among_the_names_is_what_it_is_for_the_data() -> None:
    chosen, _ = choose_checks(_dataset("tag_text", "flip_case"), "all", ["all", "shuffled_words", "tag_text"])
    names = {row.name for row in chosen}
    assert {"sentence_deletion", "shuffled_words", "tag_text"} <= names
    assert "flip_case" not in names


def test_wrong_and_empty_choices_are_refused() -> None:
    with pytest.raises(SpecError, match="did you mean tag_text"):
        choose_checks(_dataset(), "all", None, ["tag_txt"])
    with pytest.raises(PlanError, match="no check is left"):
        choose_checks(_dataset(), "all", ["tag_text"], ["tag_text"])


def test_an_audit_skips_what_it_is_told() -> None:
    result = gameproof.audit([ROW], "length", perturbations=["tag_text", "flip_case"], skip=["tag_text"])
    assert {row.check for row in result.metrics[0].checks} == {"flip_case"}
    assert "checks left out, as asked: tag_text" in str(result.run["notes"])
