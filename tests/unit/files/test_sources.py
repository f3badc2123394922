"""Data that is in memory already."""

import pytest

from gameproof.errors import DataError, InputError
from gameproof.files import load
from gameproof.records import Dataset, Item, Persona, Variant

ROWS = [
    {"task_id": "t", "system": "A", "candidate": "a", "reference": "r", "fluency": 1.5},
    {"task_id": "t", "system": "B", "candidate": "b", "reference": None, "fluency": None},
]
WANTED = [("t/A", "a", ("r",), {"fluency": 1.5}), ("t/B", "b", (), {})]
RENAME = {"ratings.fluency": "fluency"}


def found(data):
    loaded = load(data, rename=RENAME)
    return [(item.id, item.candidate, item.references, dict(item.ratings)) for item in loaded.items]


def test_a_list_of_dicts():
    assert found(ROWS) == WANTED


def test_a_tuple_or_a_generator_of_dicts():
    assert found(tuple(ROWS)) == found(row for row in ROWS) == WANTED


def test_a_pandas_frame_where_missing_cells_are_nan():
    pandas = pytest.importorskip("pandas")
    assert found(pandas.DataFrame(ROWS)) == WANTED
    assert load(pandas.DataFrame(ROWS), rename=RENAME).name == "DataFrame"


def test_a_pandas_frame_with_arrays_and_whole_numbers_that_became_floats():
    pandas = pytest.importorskip("pandas")
    numpy = pytest.importorskip("numpy")
    frame = pandas.DataFrame(
        {
            "candidate": ["a", "b"],
            "references": [numpy.array(["r1", "r2"]), numpy.array([], dtype=object)],
            "task_id": [7, None],
        }
    )
    first, second = load(frame).items
    assert (first.task_id, first.references, second.references) == ("7", ("r1", "r2"), ())


def test_a_pandas_frame_where_a_candidate_is_missing():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="DataFrame, row 2: candidate: found null"):
        load(pandas.DataFrame({"candidate": ["a", None]}))


def test_a_pandas_frame_with_two_columns_of_one_name_is_refused():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([["a", "b"]], columns=["candidate", "candidate"])
    with pytest.raises(InputError, match="two columns with the name 'candidate'"):
        load(frame)


def test_a_pandas_series_is_refused():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InputError, match="a pandas Series; a DataFrame is needed"):
        load(pandas.Series(["a"]))


def test_a_polars_frame_eager_or_lazy():
    polars = pytest.importorskip("polars")
    assert found(polars.DataFrame(ROWS)) == found(polars.LazyFrame(ROWS)) == WANTED


def test_an_arrow_table():
    pa = pytest.importorskip("pyarrow")
    assert found(pa.Table.from_pylist(ROWS)) == WANTED


def made_by_datasets(base, name):
    """Return a class that looks as if the `datasets` package had made it, which is not installed here."""
    return type(name, (base,), {"__module__": "datasets.fake"})


def test_a_hugging_face_data_set():
    assert found(made_by_datasets(list, "Dataset")(ROWS)) == WANTED


def test_a_hugging_face_data_set_with_splits_asks_for_one():
    splits = made_by_datasets(dict, "DatasetDict")(train=ROWS, test=ROWS)
    with pytest.raises(InputError, match=r"has splits \(train, test\)") as caught:
        load(splits)
    assert caught.value.hint == "Choose one: data['train']."


def test_a_list_of_items_comes_back_as_it_was():
    items = (
        Item(
            id="x",
            task_id="t",
            candidate="c",
            references=("r",),
            source="s",
            group="g",
            system="A",
            domain="answers",
            ratings={"a": 1.0},
            raters={"ann": {"a": 1.0}},
            persona=Persona(role="nurse", knows=("k",)),
            query="q",
        ),
        Item(id="y", task_id="t", candidate=""),
    )
    assert load(items).items == items


def test_a_dataset_keeps_its_variants_and_notes():
    data = Dataset(
        name="planted",
        items=(Item(id="x", task_id="t", candidate="c"), Item(id="y", task_id="u", candidate="d")),
        variants=(
            Variant(item_id="x", name="repeat", text="c c"),
            Variant(item_id="y", name="repeat", text="d d"),
        ),
        notes=("the ratings are planted",),
    )
    loaded = load(data, limit=1)
    assert loaded.name == "planted"
    assert loaded.notes == ("the ratings are planted",)
    assert [variant.item_id for variant in loaded.variants] == ["x"]


def test_a_row_that_is_no_row_is_a_problem():
    with pytest.raises(DataError, match="data, row 2: found the number 5; allowed: a dict or an item"):
        load([{"candidate": "c"}, 5])


@pytest.mark.parametrize("data", [5, None, b"bytes"])
def test_what_is_no_data_is_refused_with_what_is(data):
    with pytest.raises(InputError, match="allowed: a path, '-', a list of dicts"):
        load(data)


def test_one_object_is_refused():
    with pytest.raises(InputError, match="one object with the keys 'candidate'"):
        load({"candidate": "c"})


def test_an_empty_list_has_no_rows():
    with pytest.raises(InputError, match="data has no rows"):
        load([])


def test_a_series_of_polars_and_a_column_of_arrow_are_refused_with_what_is_needed():
    polars = pytest.importorskip("polars")
    with pytest.raises(InputError, match="a polars Series; a DataFrame is needed"):
        load(polars.Series(["a"]))
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match="an Arrow StringArray; a Table is needed"):
        load(pa.array(["a"]))
