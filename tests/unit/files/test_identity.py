"""What makes rows the same item, the same task, or a contradiction."""

import pytest

from gameproof.errors import DataError
from gameproof.files import load


def test_exact_duplicates_merge_and_are_counted():
    row = {"task_id": "t", "system": "A", "candidate": "c", "ratings": {"a": 1, "b": 2}}
    again = {**row, "ratings": {"b": 2, "a": 1}}  # another order says nothing
    data = load([row, again, row])
    assert (len(data.items), data.n_duplicates) == (1, 2)
    assert "rows merged because they repeat another row word for word: 2" in data.notes


def test_rows_that_differ_in_their_title_alone_are_no_duplicates():
    # The title is one of the texts that can serve as the reference: merged, one of the two would be lost.
    rows = [{"candidate": "c", "source": "s", "title": title} for title in ("one", "other")]
    data = load(rows)
    assert ([item.title for item in data.items], data.n_duplicates) == (["one", "other"], 0)
    with pytest.raises(DataError, match="not with the same title"):
        load([{"id": "a", **row} for row in rows])


def test_conflicting_duplicates_are_errors_that_name_both_rows(tmp_path):
    path = tmp_path / "items.jsonl"
    path.write_text(
        '{"id": "a", "candidate": "one"}\n{"id": "b", "candidate": "x"}\n\n{"id": "a", "candidate": "two"}\n'
    )
    with pytest.raises(DataError) as caught:
        load(path)
    assert [str(problem) for problem in caught.value.problems] == [
        (
            "items.jsonl:4: id: found 'a' again, but not with the same candidate as items.jsonl:1; "
            "allowed: one row for each id"
        )
    ]


def test_texts_without_an_id_that_share_task_and_system_are_not_told_to_leave_the_id_out():
    rows = [{"task_id": "t", "system": "M8", "candidate": text} for text in ("one", "other")]
    with pytest.raises(DataError, match=r"'t/M8' again") as caught:
        load(rows)
    assert str(caught.value.hint).startswith("Rows without an `id` are named by task_id and system")
    drawn = [row | {"candidate_id": f"M8-{n}"} for n, row in enumerate(rows)]  # what the hint says
    assert [item.id for item in load(drawn).items] == ["t/M8-0", "t/M8-1"]


def test_marks_of_minus_one_and_minus_two_are_a_conflict():
    # Python gives -1.0 and -2.0 the same hash, so hashing alone would merge them.
    rows = [{"id": "a", "candidate": "c", "rating": -1.0}, {"id": "a", "candidate": "c", "rating": -2.0}]
    with pytest.raises(DataError, match="not with the same ratings"):
        load(rows)


def test_ids_that_name_documents_get_the_hint_to_read_them_as_tasks():
    rows = [
        {"id": "doc-1", "model_id": "M0", "decoded": "x", "reference": "r"},
        {"id": "doc-1", "model_id": "M1", "decoded": "y", "reference": "r"},
    ]
    with pytest.raises(DataError) as caught:
        load(rows)
    assert "--map task_id=id" in str(caught.value.hint)
    items = load(rows, rename={"task_id": "id"}).items
    assert [item.id for item in items] == ["doc-1/M0", "doc-1/M1"]


def test_one_row_for_each_rater_gets_the_hint_to_use_raters():
    rows = [{"id": "a", "candidate": "c", "rating": 1}, {"id": "a", "candidate": "c", "rating": 2}]
    with pytest.raises(DataError) as caught:
        load(rows)
    assert "`raters`" in str(caught.value.hint)


def test_without_an_id_an_item_is_named_by_task_and_system():
    assert load([{"task_id": "t", "candidate_id": "M1", "candidate": "c"}]).items[0].id == "t/M1"


def test_a_candidate_id_beside_a_system_tells_samples_apart():
    rows = [
        {"task_id": "t", "system": "A", "candidate_id": "A-1", "candidate": "c"},
        {"task_id": "t", "system": "A", "candidate_id": "A-2", "candidate": "d"},
    ]
    items = load(rows).items
    assert [(item.id, item.system) for item in items] == [("t/A-1", "A"), ("t/A-2", "A")]


def test_rows_without_any_name_are_named_by_their_place():
    items = load([{"candidate": "a"}, {"candidate": "b"}]).items
    assert [item.id for item in items] == ["row-1", "row-2"]


def test_several_samples_of_a_task_need_no_names():
    rows = [{"task_id": "t", "candidate": "a"}, {"task_id": "t", "candidate": "b"}]
    assert [(item.task_id, item.id) for item in load(rows).items] == [("t", "row-1"), ("t", "row-2")]


def test_rows_without_any_name_still_merge_when_they_are_the_same():
    assert load([{"candidate": "a"}, {"candidate": "a"}]).n_duplicates == 1


def test_rows_without_task_id_that_share_their_references_are_one_task():
    # Otherwise a candidate's own reference would be drawn as its negative.
    rows = [
        {"candidate": "a", "reference": "r1", "system": "A"},
        {"candidate": "b", "reference": "r1", "system": "B"},
        {"candidate": "c", "reference": "r2", "system": "A"},
    ]
    data = load(rows)
    first, second, third = (item.task_id for item in data.items)
    assert first == second != third
    assert any("rows without task_id" in note for note in data.notes)


def test_rows_with_nothing_but_a_candidate_are_tasks_of_their_own():
    assert [item.task_id for item in load([{"candidate": "a"}, {"candidate": "b"}]).items] == [
        "row-1",
        "row-2",
    ]


def test_conflicts_are_told_in_the_order_of_the_rows():
    rows = [{"id": str(n % 9), "candidate": str(n)} for n in range(18)]
    with pytest.raises(DataError) as caught:
        load(rows)
    assert [problem.where for problem in caught.value.problems] == [f"data, row {n}" for n in range(10, 19)]


def test_more_conflicts_than_are_explained_are_still_counted():
    rows = [{"id": "a", "candidate": str(n)} for n in range(301)]
    with pytest.raises(DataError) as caught:
        load(rows)
    assert caught.value.total == 300
