"""Scoring originals and variants with several metrics at once."""

import asyncio

import numpy as np
import pytest

import gameproof
from gameproof.engine import partition
from gameproof.engine.score import prepare, score_table
from gameproof.engine.score_files import read_scores, write_scores
from gameproof.engine.table import variants_by_key
from gameproof.metrics.base import as_metric
from gameproof.metrics.catalogue import build_metrics
from gameproof.records import Item, Scores, Variant

ITEMS = [
    Item(
        id=f"i{task}{system}",
        task_id=f"t{task}",
        system=f"s{system}",
        candidate=f"Candidate {task} of system {system}.",
        references=(f"Reference {task} is here.",),
    )
    for task in range(4)
    for system in range(2)
]


class CountedCalls:
    """A function that remembers the texts it was asked about."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, item: Item) -> float:
        self.texts.append(item.candidate)
        return float(len(item.candidate))


def scored(metrics, variants, items=ITEMS):
    async def work():
        prepared = await prepare(metrics, items)
        return await score_table(items, variants_by_key(items, variants), prepared)

    return asyncio.run(work())


def test_originals_are_scored_once_however_many_variants_equal_them() -> None:
    function = CountedCalls()
    same = [Variant(item_id=item.id, name="incremental", level=100, text=item.candidate) for item in ITEMS]
    (table,) = scored([as_metric(function, name="counted")], same)
    assert function.texts == [item.candidate for item in ITEMS]
    np.testing.assert_array_equal(table.variants["incremental", 100].values, table.original.values)


def test_a_failed_variant_keeps_its_reason_and_its_place() -> None:
    variants = [
        Variant(item_id=item.id, name="p", text=None, reason="no text came")
        if item.system == "s0"
        else Variant(item_id=item.id, name="p", text="short")
        for item in reversed(ITEMS)
    ]
    (table,) = scored([as_metric(CountedCalls(), name="counted")], variants)
    column = table.variants["p", None]
    assert column.item_ids == tuple(item.id for item in ITEMS)
    assert column.reasons == {item.id: "no text came" for item in ITEMS if item.system == "s0"}
    assert np.isnan(column.values).tolist() == [True, False] * 4


def test_batches_do_not_change_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    variants = [Variant(item_id=item.id, name="p", text=item.candidate + " More.") for item in ITEMS]
    names = ["rougeL", "TV+fvar+statement+overlap,neg=2"]
    whole = scored(build_metrics(names), variants)
    monkeypatch.setattr(partition, "BATCH_SIZE", 3)
    parts = scored(build_metrics(names), variants)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one.original.values, other.original.values)
        np.testing.assert_array_equal(one.variants["p", None].values, other.variants["p", None].values)


def test_scores_and_contrasts_come_back_from_the_run_folder_as_they_were(tmp_path) -> None:
    variants = [
        Variant(item_id=ITEMS[0].id, name="p", level=2, text="Reference 0 is here."),
        Variant(item_id=ITEMS[1].id, name="p", level=2, reason="too short"),
        Variant(item_id=ITEMS[2].id, name="q", text="Something else."),
    ]
    table = scored(build_metrics(["rougeL", "TV+fvar+statement+overlap,neg=2"]), variants)
    names = write_scores(tmp_path, table)
    assert names == ["scores.jsonl", "contrasts.npz"]
    wanted = {metric.metric: (metric.signature, True) for metric in table}
    back = read_scores(tmp_path, ITEMS, wanted)
    for metric in table:
        again = back[metric.metric]
        np.testing.assert_array_equal(again.original.values, metric.original.values)
        assert again.variants.keys() == metric.variants.keys()
        for key, column in metric.variants.items():
            np.testing.assert_array_equal(again.variants[key].values, column.values)
            assert again.variants[key].reasons == column.reasons
            assert again.variants[key].item_ids == column.item_ids
    contrast = back["TV+fvar+statement+overlap,neg=2"].variants["q", None].contrast
    original = table[1].variants["q", None].contrast
    assert contrast is not None
    assert original is not None
    np.testing.assert_array_equal(contrast.negatives, original.negatives)
    np.testing.assert_array_equal(contrast.negative_tasks, original.negative_tasks)
    assert contrast.tasks == original.tasks


def test_a_printed_table_is_one_line_for_each_metric():
    table = gameproof.score(
        [{"candidate": "a b c", "references": ["a"]}, {"candidate": "d"}], ["length", "rouge1"]
    )

    # length: 3 words and 1; rouge1: the second text has no reference
    assert str(table).splitlines()[0] == "length: 2 scores, mean 2, sd 1.414, lowest 1, highest 3"
    assert str(table).splitlines()[1].endswith("1 missing: no reference")


def learned_scores(items) -> Scores:
    """Return scores that leave something out and rest on repeated answers."""
    return Scores(
        signature="learned,v=1",
        item_ids=tuple(item.id for item in items),
        values=np.arange(len(items), dtype=np.float64),
        remarks={items[1].id: "4/5 statements"},
        spread=np.where(np.arange(len(items)) == 2, np.nan, 0.5),
    )


class Learned:
    """A metric that learns more than its scores."""

    name, needs, higher_is_better = "learned", frozenset[str](), True

    def signature(self) -> str:
        return "learned,v=1"

    async def prepare(self, pool):
        del pool
        return self

    async def score(self, items) -> Scores:
        return learned_scores(items)


def test_what_a_run_learned_besides_scores_is_in_its_file_and_read_back(tmp_path) -> None:
    variants = [
        Variant(item_id=item.id, name="p", text=f"{item.candidate} More.")
        if place != 3
        else Variant(item_id=item.id, name="p", reason="no text came")
        for place, item in enumerate(ITEMS)
    ]
    (table,) = scored([Learned()], variants)
    write_scores(tmp_path, [table])
    read = read_scores(tmp_path, ITEMS, {"learned": ("learned,v=1", True)})["learned"]

    for wrote, found in (
        (table.original, read.original),
        (table.variants["p", None], read.variants["p", None]),
    ):
        assert found.remarks == wrote.remarks
        np.testing.assert_array_equal(found.spread, wrote.spread)
    assert read.original.remarks == {ITEMS[1].id: "4/5 statements"}
    # A variant that failed has no repeated answers, and the others keep theirs: row 3 failed, row 2 was asked once.
    assert np.isnan(read.variants["p", None].spread).tolist() == [place in {2, 3} for place in range(8)]


def test_scores_taken_by_row_keep_their_own_spread() -> None:
    taken = learned_scores(ITEMS).take([3, 2])
    assert taken.spread is not None
    assert taken.spread.tolist()[0] == 0.5
    assert np.isnan(taken.spread[1])


def test_rows_of_scores_say_what_a_score_leaves_out() -> None:
    table = gameproof.score(ITEMS, Learned())
    rows = {row["item"]: row for row in table.rows()}
    assert rows[ITEMS[1].id]["remark"] == "4/5 statements"
    assert rows[ITEMS[0].id]["remark"] is None
    assert rows[ITEMS[0].id]["spread"] == 0.5
    assert rows[ITEMS[2].id]["spread"] is None
