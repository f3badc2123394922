"""`--reference`: which text of a row serves as its reference, and `--map candidate=references`."""

import pytest

from gameproof.errors import DataError, PlanError
from gameproof.files import load, load_comparisons, open_items

ROW = {
    "task_id": "t",
    "candidate": "It rained.",
    "references": ["Rain fell.", "It poured."],
    "reference_kinds": ["human", "model"],
    "title": "On rain",
    "source": "All day long rain fell.",
    "abstract": "Rain.",
}
CORPUS = {"task_id": "t", "source": "All day long rain fell.", "references": ["Rain fell.", "It poured."], "title": "On rain"}  # fmt: skip


@pytest.mark.parametrize(
    ("choice", "texts", "kinds"),
    [
        (None, ("Rain fell.", "It poured."), ("human", "model")),
        ("summary", ("Rain fell.", "It poured."), ("human", "model")),
        ("title", ("On rain",), ()),
        ("source", ("All day long rain fell.",), ()),
        ("abstract", ("Rain.",), ()),
        ("candidate", ("It rained.",), ()),
    ],
)
def test_the_chosen_text_is_the_reference_and_nothing_else_changes(choice, texts, kinds):
    (item,) = load([ROW], reference=choice).items
    assert (item.references, item.reference_kinds) == (texts, kinds)
    assert (item.candidate, item.title, item.source) == ("It rained.", "On rain", "All day long rain fell.")
    assert [each.references for each in open_items([ROW], reference=choice)] == [texts]


def test_the_choice_is_noted():
    assert any(
        "the title of each row (--reference title)" in note for note in load([ROW], reference="title").notes
    )
    assert not any("--reference" in note for note in load([ROW]).notes)


@pytest.mark.parametrize("choice", ["summary", "title", "source"])
def test_rows_that_lack_the_text_are_one_error_with_their_number(choice):
    field = {"summary": "references"}.get(choice, choice)
    without = {key: value for key, value in ROW.items() if key not in {field, "reference_kinds"}}
    rows = [{**ROW, "id": "1"}, {**without, "id": "2"}, {**without, "id": "3", field: " "}]

    with pytest.raises(
        PlanError, match=rf"--reference {choice}: 2 of 3 rows have no .* data, row 2\)"
    ) as caught:
        load(rows, reference=choice)

    assert "Choose another text" in str(caught.value.hint)
    assert "leave these rows out" in str(caught.value.hint)


def test_a_column_that_is_not_there_is_named_once_with_the_columns():
    with pytest.raises(DataError, match=r"no column 'abstrakt'.*did you mean abstract") as caught:
        load([{**ROW, "id": "1"}, {**ROW, "id": "2"}], reference="abstrakt")
    assert str(caught.value).count("abstrakt") == 1


def test_a_column_that_some_rows_leave_empty_is_counted():
    with pytest.raises(PlanError, match="1 of 2 rows have no text in the column 'abstract'"):
        load([{**ROW, "id": "1"}, {**ROW, "id": "2", "abstract": None}], reference="abstract")


def test_references_themselves_can_be_tested():
    data = load([CORPUS], rename={"candidate": "references"})
    (item,) = data.items
    assert item.candidate == "Rain fell."
    assert item.references == ("Rain fell.", "It poured.")
    assert any("references tested in the place of candidates" in note for note in data.notes)


@pytest.mark.parametrize("choice", ["title", "source"])
def test_tested_references_are_compared_with_another_text(choice):
    (item,) = load([CORPUS], rename={"candidate": "references"}, reference=choice).items
    assert (item.candidate, item.references) == ("Rain fell.", (CORPUS[choice],))


def test_tested_references_are_read_from_whatever_column_holds_them():
    (item,) = load(
        [{"target": ["Rain fell."], "document": "Rain."}], rename={"candidate": "references"}
    ).items
    assert (item.candidate, item.references) == ("Rain fell.", ("Rain fell.",))


def test_a_table_has_its_references_tested_too(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text('references,title\n"[""Rain fell."", ""It poured.""]",On rain\n')
    (item,) = load(file, rename={"candidate": "references"}, reference="title").items
    assert (item.candidate, item.references) == ("Rain fell.", ("On rain",))


def test_a_row_without_a_reference_cannot_be_tested():
    with pytest.raises(DataError, match="candidate: found no reference"):
        load([CORPUS, {**CORPUS, "references": []}], rename={"candidate": "references"})
    with pytest.raises(DataError, match="candidate: found no references"):
        load([{"source": "All day long rain fell."}], rename={"candidate": "references"})


def test_data_without_candidates_says_how_to_test_its_references():
    with pytest.raises(DataError, match="--map candidate=references to test the references themselves"):
        load([CORPUS])


def test_a_title_that_is_no_text_harms_nobody_who_does_not_use_it():
    assert load([{**ROW, "title": 3}]).items[0].title is None
    with pytest.raises(PlanError, match="have no title"):
        load([{**ROW, "title": 3}], reference="title")


def test_comparisons_take_another_reference_too():
    row = {"candidate_a": "a", "candidate_b": "b", "preference": "a", "references": ["r"], "title": "On rain"}
    assert {item.references for item in load_comparisons([row], reference="title").items} == {("On rain",)}
    with pytest.raises(PlanError, match="all 1 rows have no source"):
        load_comparisons([row], reference="source")


def test_a_title_is_written_and_read_back():
    data = load([ROW])
    assert load(data).items == data.items
