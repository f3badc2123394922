"""Whatever an item holds, it reads back as it was written."""

import math

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gameproof.errors import GameproofError
from gameproof.files import load, read_variants, write_rows, write_variants
from gameproof.records import Item, Persona, Variant

# Any character that UTF-8 can hold: control characters, NUL, line ends of all kinds, emoji.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
SOME = TEXT.filter(lambda text: bool(text.strip()))
MARK = st.floats(allow_nan=False, allow_infinity=False)
MARKS = st.dictionaries(SOME, MARK, max_size=3)
PERSONA = st.builds(
    Persona,
    role=SOME,
    domain=st.none() | SOME,
    needs=st.none() | SOME,
    use_case=st.none() | SOME,
    query=st.none() | SOME,
    knows=st.lists(TEXT, max_size=3).map(tuple),
)
ITEMS = st.lists(
    st.builds(
        Item,
        id=SOME,
        task_id=SOME,
        candidate=TEXT,
        references=st.lists(SOME, max_size=3).map(tuple),
        source=st.none() | SOME,
        group=SOME,
        system=st.none() | SOME,
        domain=st.sampled_from([None, "reviews", "summaries", "answers"]),
        ratings=MARKS,
        raters=st.dictionaries(SOME, MARKS.filter(bool), max_size=2),
        persona=st.none() | PERSONA,
        query=st.none() | SOME,
    ).filter(lambda item: item.ratings or not item.raters),  # absent ratings are the means of the raters
    min_size=1,
    max_size=4,
    unique_by=lambda item: item.id,
)
QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("ending", ["jsonl", "csv", "tsv", "parquet"])
@QUICK
@given(items=ITEMS)
@example(items=[Item(id="a", task_id="a", candidate="\r", references=("a\u2028b",), ratings={"": -0.0})])
def test_any_items_read_back_from_a_file(tmp_path, ending, items):
    path = tmp_path / f"items.{ending}"
    write_rows(path, items)
    assert load(path).items == tuple(items)


@QUICK
@given(items=ITEMS)
def test_any_items_pass_through_memory(items):
    assert load(items).items == tuple(items)


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
@QUICK
@given(
    variants=st.lists(
        st.builds(Variant, item_id=SOME, name=SOME, level=st.none() | st.integers(-9, 9), text=TEXT)
        | st.builds(Variant, item_id=SOME, name=SOME, reason=SOME),
        min_size=1,
        max_size=4,
        unique_by=lambda variant: (variant.item_id, variant.name, variant.level),
    )
)
def test_any_variants_read_back_from_a_file(tmp_path, ending, variants):
    path = tmp_path / f"variants.{ending}"
    write_variants(path, variants)
    assert read_variants(path) == tuple(variants)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["candidate", "references", "ratings", "raters", "persona", "task_id", "system", "source", "domain"]
)


@settings(max_examples=120, deadline=None)
@given(rows=st.lists(st.dictionaries(FIELDS | st.text(max_size=5), JSON, max_size=6), min_size=1, max_size=3))
def test_any_rows_make_a_data_set_or_an_error_for_the_user(rows):
    try:
        data = load(rows)
    except GameproofError:
        return
    assert all(math.isfinite(mark) for item in data.items for mark in item.ratings.values())


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=200) | st.text(max_size=200).map(lambda t: t.encode(errors="ignore")),
       ending=st.sampled_from(["jsonl", "json", "csv", "tsv", "parquet", "jsonl.gz"]))  # fmt: skip
@example(content=b'candidate\n"a', ending="csv")
@example(content=b'[{"candidate":', ending="json")
def test_any_bytes_make_a_data_set_or_an_error_for_the_user(tmp_path, content, ending):
    path = tmp_path / f"a.{ending}"
    path.write_bytes(content)
    try:
        items = load(path).items
    except GameproofError:
        return
    assert items
