"""Surface statistics equal those of SummEval's package, and runs of words those that brute force finds.

Stored values: tests/golden/battery/surface.json, made by summ_eval 0.892 on the words of our tokeniser.
"""

from pathlib import Path

import pytest
from tests.support.golden import golden_values, our_values, planted_pairs, read_golden, summeval_pairs

NAMES = tuple(read_golden("surface")["texts"]["planted"]["values"])
TOLERANCE = 1e-15  # quotients of the same two whole numbers


@pytest.mark.parametrize("name", NAMES)
def test_240_planted_pairs_are_equal(name: str):
    items = planted_pairs()
    assert our_values(name, items) == pytest.approx(
        golden_values("surface", "planted", items)[name], rel=TOLERANCE
    )


@pytest.mark.real_data
@pytest.mark.parametrize("name", NAMES)
def test_240_rated_summaries_are_equal(shared_folder: Path, name: str):
    items = summeval_pairs(shared_folder)
    assert our_values(name, items) == pytest.approx(
        golden_values("surface", "summeval", items)[name], rel=TOLERANCE
    )
