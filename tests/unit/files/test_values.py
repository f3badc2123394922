"""The loose shapes in which people write references, ratings, raters and personas."""

import math
from decimal import Decimal

import numpy as np
import pytest

from gameproof.errors import DataError
from gameproof.files import load
from gameproof.records import Persona


def item(**row):
    return load([{"candidate": "c", **row}]).items[0]


def notes(**row):
    return load([{"candidate": "c", **row}]).notes


def problem(**row):
    with pytest.raises(DataError) as caught:
        load([{"candidate": "c", **row}])
    return str(caught.value.problems[0])


def test_references_as_one_text_are_one_reference():
    assert item(references="Rain fell.").references == ("Rain fell.",)


def test_a_text_that_looks_like_a_list_is_one_reference_in_json():
    assert item(references='["a", "b"]').references == ('["a", "b"]',)


def test_nested_references_are_flattened_by_one_level_with_a_note():
    assert item(references=[["a", "b"], "c"]).references == ("a", "b", "c")
    assert "lists of references inside lists, flattened by one level: 1" in notes(references=[["a"]])


def test_references_nested_twice_are_a_problem():
    assert problem(references=[[["a"]]]) == (
        "data, row 1: references: found a list with a list of 1; allowed: a text or a list of texts"
    )


def test_blank_references_are_dropped_and_counted():
    row = {"references": ["a", None, "", "  \n"]}
    assert item(**row).references == ("a",)
    assert "references dropped because they were null or blank: 3" in notes(**row)


@pytest.mark.parametrize("references", [[], None])
def test_a_row_may_have_no_reference(references):
    assert item(references=references).references == ()


@pytest.mark.parametrize(
    ("references", "found"), [(3, "the number 3"), ([1], "a list with the number 1"), ({"a": 1}, "an object")]
)
def test_references_that_are_no_texts_are_a_problem(references, found):
    assert f"references: found {found}" in problem(references=references)


def test_a_single_number_is_the_overall_rating():
    assert item(rating=4).ratings == {"overall": 4.0}


@pytest.mark.parametrize("value", [math.nan, None, "", "NaN", "n/a", " "])
def test_a_missing_rating_is_dropped_and_counted(value):
    row = {"ratings": {"fluency": value, "coherence": 2}}
    assert item(**row).ratings == {"coherence": 2.0}
    assert "marks that are null, empty or NaN, taken as missing: 1" in notes(**row)


@pytest.mark.parametrize("value", [math.inf, -math.inf, "inf", "1e999", 10**400])
def test_a_rating_without_a_finite_value_is_a_problem(value):
    assert "ratings (fluency): found" in problem(ratings={"fluency": value})


@pytest.mark.parametrize(
    ("value", "rating"),
    [("4.5", 4.5), (True, 1.0), (Decimal("2.5"), 2.5), (np.float32(0.5), 0.5), (np.int64(3), 3.0)],
)
def test_ratings_may_be_any_kind_of_number(value, rating):
    assert item(ratings={"fluency": value}).ratings == {"fluency": rating}


@pytest.mark.parametrize("value", ["good", [1, 2], {"mean": 1}])
def test_a_rating_that_is_no_number_is_a_problem(value):
    assert "allowed: a finite number, or null for a missing rating" in problem(ratings={"fluency": value})


def test_raters_come_as_a_list_with_names():
    raters = [{"rater": "ann", "fluency": 3, "coherence": None}, {"rater": "bob", "fluency": 4}]
    assert item(raters=raters).raters == {"ann": {"fluency": 3.0}, "bob": {"fluency": 4.0}}


def test_raters_come_as_a_mapping_of_marks_or_of_numbers():
    assert item(raters={"ann": {"fluency": 3}, "bob": 4}).raters == {
        "ann": {"fluency": 3.0},
        "bob": {"overall": 4.0},
    }


def test_ratings_that_are_not_given_are_the_means_of_the_raters():
    raters = {"ann": {"fluency": 3, "coherence": 5}, "bob": {"fluency": 4}}
    assert item(raters=raters).ratings == {"fluency": 3.5, "coherence": 5.0}


def test_ratings_that_are_given_are_kept_beside_raters():
    assert item(raters={"ann": {"fluency": 3}}, ratings={"fluency": 2}).ratings == {"fluency": 2.0}


def test_raters_without_a_name_are_named_by_their_place():
    row = {"expert_annotations": [{"fluency": 3}, {"fluency": 5}]}
    assert item(**row).raters == {"rater_1": {"fluency": 3.0}, "rater_2": {"fluency": 5.0}}
    assert "raters without a name, named by their place in the list: 2" in notes(**row)


def test_a_comment_among_the_marks_of_a_rater_is_left_out_and_counted():
    row = {"raters": [{"rater": "ann", "fluency": 3, "comment": "well done"}]}
    assert item(**row).raters == {"ann": {"fluency": 3.0}}
    assert "texts among the marks of raters, not used: 1" in notes(**row)


def test_two_different_marks_of_one_rater_are_a_problem():
    raters = [{"rater": "ann", "fluency": 3}, {"rater": "ann", "fluency": 4}]
    assert "raters (fluency): found two marks of rater 'ann': 3 and 4" in problem(raters=raters)


def test_a_persona_is_read_with_all_its_parts():
    persona = {"role": "nurse", "use case": "triage", "knows": ["sepsis"], "query": None}
    assert item(persona=persona).persona == Persona(role="nurse", use_case="triage", knows=("sepsis",))


def test_a_persona_as_one_text_is_a_role():
    assert item(persona="a nurse").persona == Persona(role="a nurse")


def test_unknown_keys_of_a_persona_are_counted():
    assert "keys of personas that are not known, not used: 1" in notes(persona={"role": "r", "age": 40})


@pytest.mark.parametrize("persona", [5, {"role": 3}, {"knows": [1]}, {"knows": 1}])
def test_a_persona_of_the_wrong_shape_is_a_problem(persona):
    assert "persona" in problem(persona=persona)


def test_identifiers_may_be_whole_numbers():
    found = item(task_id=7, system=2.0)
    assert (found.task_id, found.system, found.id) == ("7", "2", "7/2")


@pytest.mark.parametrize("task_id", [True, 1.5, ["a"]])
def test_other_identifiers_are_a_problem(task_id):
    assert "task_id: found" in problem(task_id=task_id)


def test_an_identifier_of_many_digits_is_text_like_any_other():
    assert item(task_id=10**400).task_id == "1" + "0" * 400


def test_a_domain_that_no_perturbation_knows_is_taken_as_not_stated_and_noted():
    assert item(domain="medicine").domain is None
    assert any("domain other than" in note for note in notes(domain="medicine"))


@pytest.mark.parametrize("domain", ["reviews", "Review", "review "])
def test_a_domain_may_be_written_in_the_singular(domain):
    assert item(domain=domain).domain == "reviews"


def test_a_source_in_pieces_is_joined():
    assert item(contexts=["one", "two"]).source == "one\n\ntwo"


def test_a_candidate_that_is_a_number_is_a_problem():
    with pytest.raises(DataError, match="candidate: found the number 3; allowed: text"):
        load([{"candidate": 3}])


def test_a_candidate_of_null_is_a_problem():
    with pytest.raises(DataError, match="candidate: found null"):
        load([{"candidate": None}])


def test_an_empty_candidate_is_legal():
    assert load([{"candidate": ""}]).items[0].candidate == ""


def test_all_problems_of_a_row_are_told():
    with pytest.raises(DataError) as caught:
        load([{"candidate": None, "references": 3, "ratings": {"a": "x"}, "task_id": True}])
    assert {problem.field for problem in caught.value.problems} == {
        "candidate",
        "references",
        "ratings (a)",
        "task_id",
    }


def test_at_most_ten_problems_are_shown_and_the_rest_are_counted():
    with pytest.raises(DataError) as caught:
        load([{"candidate": n} for n in range(47)])
    assert str(caught.value).startswith("47 problems in the data; nothing was scored:")
    assert str(caught.value).endswith("and 37 more")
    assert len(caught.value.problems) == 47


def test_half_a_character_is_a_problem_that_names_its_place():
    with pytest.raises(DataError, match=r"candidate: found half a character, U\+D83D at character 4"):
        load([{"candidate": "cat\ud83d"}])


def test_what_a_persona_knows_may_be_one_text_or_nothing():
    assert item(persona={"role": "nurse", "knows": "sepsis"}).persona.knows == ("sepsis",)
    assert item(persona={"role": "nurse", "knows": None}).persona.knows == ()
    assert "knows" in problem(persona={"role": "nurse", "knows": ["sepsis", 5]})


def test_an_object_in_a_cell_may_be_spelt_as_python_spells_it_and_in_no_other_way(tmp_path):
    path = tmp_path / "items.csv"
    for cell, role in (("{'role': 'nurse'}", "nurse"), ('{""role"": ""nurse""}', "nurse")):
        path.write_text(f'candidate,persona\nFog.,"{cell}"\n', encoding="utf-8")
        assert load(path).items[0].persona.role == role
    for cell in ("{'role': nurse}", "{'role': 'nurse'", "{role}"):
        path.write_text(f'candidate,persona\nFog.,"{cell}"\n', encoding="utf-8")
        with pytest.raises(DataError, match="an object written as JSON"):
            load(path)


def test_a_source_of_passages_is_joined_and_one_with_numbers_is_a_problem():
    assert item(source=["Fog.", "Rocks."]).source == "Fog.\n\nRocks."
    assert item(source=[]).source is None
    assert "a list with values that are not text" in problem(source=["Fog.", 5])
