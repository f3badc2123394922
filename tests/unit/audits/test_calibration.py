"""The gap between both routes to the information, before and after calibration."""

import asyncio

import pytest

from gameproof import aio
from gameproof.errors import GameproofError
from gameproof.fmi.divergences import DIVERGENCES

CELL = "KL+fvar+statement+overlap"


def rows_of(cell=CELL, **more):
    found = asyncio.run(aio.calibration("planted", cell, **more))
    return {(row.divergence, row.calibrate): row for row in found}


def test_calibration_narrows_the_gap():
    rows = rows_of()
    for symbol in DIVERGENCES:
        raw = abs(rows[symbol, "none"].gap)
        assert abs(rows[symbol, "isotonic"].gap) < max(raw / 2, 0.02), symbol
        if symbol != "TV":  # whose gap is small without: a straight line cannot follow the scale more closely
            assert abs(rows[symbol, "platt"].gap) < raw / 2, symbol


def test_all_rows_are_of_one_divergence_after_the_other():
    assert [key[0] for key in rows_of()] == [symbol for symbol in DIVERGENCES for _ in range(3)]


def test_what_is_shown_does_not_depend_on_the_cells_own_divergence_or_estimator():
    assert rows_of() == rows_of("CHI2+fvar+statement+overlap")


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("rouge1", "is no mutual-information cell"),
        ("TV+fvar+statement+overlap", "supplies a critic"),
    ],
)
def test_what_has_no_ratios_is_refused(cell, message):
    with pytest.raises(GameproofError, match=message):
        rows_of(cell)


def test_few_tasks_are_refused():
    with pytest.raises(GameproofError, match="needs 10 tasks"):
        rows_of(limit=8)


def test_data_of_one_task_is_refused_with_what_it_lacks():
    rows = [
        {
            "id": name,
            "task_id": "bridge",
            "candidate": f"The bridge fell {name}.",
            "references": ["The bridge fell."],
        }
        for name in ("today", "again")
    ]
    with pytest.raises(GameproofError, match="nothing to calibrate: no text has a score"):
        asyncio.run(aio.calibration(rows, CELL))
