"""Which column is which field."""

import pytest

from gameproof.errors import DataError, PlanError
from gameproof.files import load


def test_other_names_for_the_fields_are_understood():
    rows = [
        {"doc_id": 7, "model": "A", "prediction": "p", "highlights": "h", "article": "a", "question": "q"},
        {"doc_id": 7, "model": "B", "prediction": "r", "highlights": "h", "article": "a", "question": "q"},
    ]
    first, second = load(rows).items
    assert (first.id, second.id) == ("7/A", "7/B")
    assert (first.candidate, first.references, first.source, first.query) == ("p", ("h",), "a", "q")


@pytest.mark.parametrize("column", ["Candidate", " candidate ", "CANDIDATE"])
def test_case_and_white_space_of_column_names_do_not_matter(column):
    assert load([{column: "text"}]).items[0].candidate == "text"


def test_a_field_s_own_name_wins_over_its_aliases_and_the_other_column_is_noted():
    data = load([{"candidate": "c", "source": "dialogue", "context": "fact"}])
    assert data.items[0].source == "dialogue"
    assert any(note.startswith("columns not used: context") for note in data.notes)


def test_two_aliases_of_one_field_are_ambiguous_and_both_are_named():
    with pytest.raises(DataError, match="candidate: found the columns 'prediction' and 'output'") as caught:
        load([{"prediction": "a", "output": "b"}])
    assert "--map candidate=prediction" in str(caught.value)


def test_map_settles_an_ambiguity():
    data = load([{"prediction": "a", "output": "b"}], rename={"candidate": "output"})
    assert data.items[0].candidate == "b"


def test_a_mapped_column_is_not_read_as_anything_else():
    data = load([{"text": "written by a model", "document": "d"}], rename={"candidate": "text"})
    assert (data.items[0].candidate, data.items[0].source) == ("written by a model", "d")


def test_map_reads_a_column_as_one_rating_dimension():
    data = load([{"candidate": "c", "quality": 3}], rename={"ratings.overall quality": "quality"})
    assert data.items[0].ratings == {"overall quality": 3.0}


def test_a_mark_that_is_no_number_names_the_map_that_made_it_a_rating():
    with pytest.raises(DataError, match=r"since --map ratings\.quality=mark reads it as a rating"):
        load([{"candidate": "c", "mark": "good"}], rename={"ratings.quality": "mark"})
    with pytest.raises(
        DataError, match="since the name of the column 'rating_quality' says that it is a rating"
    ):
        load([{"candidate": "c", "rating_quality": "good"}])


def test_map_to_an_unknown_field_suggests_the_right_one():
    with pytest.raises(PlanError, match="'referenes' is no field") as caught:
        load([{"candidate": "c"}], rename={"referenes": "x"})
    assert caught.value.hint == "Did you mean --map references=x?"


def test_map_from_a_column_that_no_row_has_is_an_error():
    with pytest.raises(PlanError, match="no row has a column 'golden'; the columns are candidate, gold"):
        load([{"candidate": "c", "gold": "g"}], rename={"references": "golden"})


def test_map_of_the_candidate_to_a_column_that_is_not_there_suggests_one():
    with pytest.raises(DataError, match=r"found no column 'outptu'.*did you mean --map candidate=output\?"):
        load([{"output": "c"}], rename={"candidate": "outptu"})


def test_a_misspelt_candidate_column_is_recognised():
    with pytest.raises(DataError, match=r"did you mean --map candidate=candiate\?"):
        load([{"candiate": "c", "references": []}])


def test_a_misspelt_optional_column_is_noted_with_the_remedy():
    data = load([{"candidate": "c", "refrences": ["r"]}])
    assert any("--map references=refrences" in note for note in data.notes)


def test_scores_are_not_taken_for_ratings_but_the_way_to_do_so_is_said():
    data = load([{"candidate": "c", "scores": {"fluency": 3}}])
    assert data.items[0].ratings == {}
    assert any("--map ratings=scores" in note for note in data.notes)


def test_pairs_are_recognised_as_another_kind_of_data():
    with pytest.raises(DataError, match="found a pair, candidate_a and candidate_b"):
        load([{"candidate_a": "x", "candidate_b": "y", "preference": "a"}])


def test_a_column_that_all_rows_lack_is_one_problem_and_not_one_for_each_row():
    with pytest.raises(DataError) as caught:
        load([{"source": str(n), "references": []} for n in range(50)])
    assert len(caught.value.problems) == 1
    assert caught.value.problems[0].where == "data, all 50 rows"


def test_rows_may_have_different_columns():
    rows = [{"candidate": "a", "task_id": "1"}, {"output": "b", "doc_id": "2", "extra": 1}]
    assert [item.candidate for item in load(rows).items] == ["a", "b"]


def test_a_thousand_different_sets_of_columns_are_read():
    rows = [{"candidate": str(n), f"extra{n}": n} for n in range(1500)]
    assert len(load(rows).items) == 1500


def test_group_by_a_column_makes_groups_of_its_values():
    rows = [{"candidate": "c", "task_id": 1, "venue": "ICLR"}, {"candidate": "d", "task_id": 2, "venue": 5}]
    assert [item.group for item in load(rows, group_by="venue").items] == ["ICLR", "5"]


def test_group_by_all_makes_one_group():
    rows = [{"candidate": "c", "group": "x"}, {"candidate": "d", "group": "y"}]
    assert {item.group for item in load(rows, group_by="all").items} == {"all"}


def test_group_by_the_name_of_a_field_finds_its_alias():
    assert load([{"candidate": "c", "model": "A"}], group_by="system").items[0].group == "A"


def test_group_by_a_column_that_is_not_there_names_the_columns():
    with pytest.raises(DataError, match=r"found no such column \(columns: candidate, venue\)"):
        load([{"candidate": "c", "venue": "v"}], group_by="venu")


def test_group_by_a_column_that_is_not_there_is_one_problem_and_not_one_for_each_row():
    with pytest.raises(DataError) as caught:
        load([{"candidate": "c", "venue": "v"}] * 3, group_by="venu")
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize(
    ("column", "hint"),
    [("prompt", "--map source=prompt"), ("score", "--map ratings=score")],
)
def test_a_column_that_is_not_used_is_offered_to_the_field_it_may_be(column, hint):
    notes = " ".join(load([{"candidate": "c", column: 3}]).notes)
    assert hint in notes


def test_groups_left_aside_on_purpose_are_not_offered_again():
    notes = load([{"candidate": "c", "group": "v"}], group_by="all").notes
    assert not any("--map group=group" in note for note in notes)


def test_a_decimal_comma_is_named():
    with pytest.raises(DataError, match="a finite number with a decimal point"):
        load([{"candidate": "c", "ratings.overall": "4,5"}])


def test_group_by_needs_a_value_in_every_row():
    rows = [{"candidate": "c", "venue": "v"}, {"candidate": "d", "venue": None}]
    with pytest.raises(DataError, match="data, row 2: venue: found nothing"):
        load(rows, group_by="venue")
