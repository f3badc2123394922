"""The table of perturbations and how it is asked."""

import csv

import pytest

from gameproof.errors import SpecError
from gameproof.perturbations.apply import applies
from gameproof.perturbations.catalogue import PERTURBATIONS, select
from gameproof.records import Item

# Number of strategies that apply in the paper's tables 7 and 8, per domain.
PAPER_COUNTS = {"reviews": (6, 6), "summaries": (5, 2), "answers": (5, 4)}


def names(rows):
    return [row.name for row in rows]


@pytest.mark.parametrize("domain", PAPER_COUNTS)
def test_as_many_strategies_of_the_paper_apply_as_its_tables_have(domain):
    item = Item(id="i", task_id="t", candidate="A text.", domain=domain)
    counts = tuple(
        sum(row.parity_code is not None and row.family == family and applies(row, item) for row in select())
        for family in ("degradation", "manipulation")
    )
    assert counts == PAPER_COUNTS[domain]


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("table", "family"),
    [
        ("p1_table07_degradation_failures", "degradation"),
        ("p1_table08_manipulation_failures", "manipulation"),
    ],
)
def test_names_and_letters_are_those_of_the_published_tables(shared_folder, table, family):
    with (shared_folder / "seed_tables" / f"{table}.csv").open(encoding="utf-8") as lines:
        published = {(row["strategy"], row["code"]) for row in csv.DictReader(lines)}
    ours = {(row.name, row.parity_code) for row in PERTURBATIONS.values() if row.family == family}
    assert published <= ours


def test_letters_are_unique_in_a_family():
    letters = [(row.family, row.parity_code) for row in PERTURBATIONS.values() if row.parity_code]
    assert len(letters) == len(set(letters))


def test_the_suites_divide_the_default_selection():
    shared = {row.name for row in select() if row.every_suite}
    assert shared == {"one_sentence_deletion"}  # the unit in which effects of both suites are measured
    strategic, satisfaction = set(names(select("strategic"))), set(names(select("satisfaction")))
    assert strategic | satisfaction == set(names(select()))
    assert strategic & satisfaction == shared


def test_rows_for_parity_only_must_be_asked_for_by_name():
    assert "incremental_sentences" not in names(select())
    assert names(select(names=["incremental_sentences"])) == ["incremental_sentences"]


def test_rows_on_request_join_a_suite_that_is_named_with_them():
    on_request = {row.name for row in PERTURBATIONS.values() if row.on_request}
    assert on_request == {"ending_deletion", "shuffled_words"}
    assert not on_request & set(names(select()))
    assert set(names(select(names=["strategic", "shuffled_words"]))) == {
        *names(select("strategic")), "shuffled_words",
    }  # fmt: skip


def test_unknown_names_are_refused_together_with_names_that_are_close():
    with pytest.raises(SpecError) as caught:
        select(names=["sentence_deletoin", "tag_text", "zzzz"])
    assert "'sentence_deletoin' is unknown: did you mean sentence_deletion" in str(caught.value)
    assert "'zzzz' is unknown." in str(caught.value)
    assert "gameproof list perturbations" in str(caught.value)


def test_an_unknown_suite_is_refused_with_the_legal_ones():
    with pytest.raises(SpecError, match="expected one of all, satisfaction, strategic"):
        select("everything")


def test_expectations_belong_to_families():
    expected = {
        "degradation": {"decrease"},
        "manipulation": {"no_increase"},
        "ladder": {"decrease", "increase", "stable"},
        "crossing": {"decrease"},
        "probe": {"none"},
    }
    for row in PERTURBATIONS.values():
        assert row.expect in expected[row.family]
        by_level = row.family == "ladder" or row.draws_of is not None  # a control has levels too
        assert bool(row.levels) == (
            by_level or row.name == "audience_rewritten"
        )  # for the own reader, for another
