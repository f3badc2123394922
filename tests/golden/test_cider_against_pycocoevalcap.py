"""CIDEr-D equals pycocoevalcap 1.2 to 1e-12, a task having one candidate there.

Stored values: tests/golden/battery/cider.json, on the words of our tokeniser.
"""

from pathlib import Path

import pytest
from tests.support.golden import golden_values, our_values, planted_pairs, summeval_pairs

TOLERANCE = 1e-12  # on a scale of 10: sums of products of logarithms, in another order
NAMES = pytest.mark.parametrize("name", ["cider-d", "cider-d,refs=first"])


@NAMES
def test_240_planted_pairs_are_equal(name: str):
    items = planted_pairs()
    expected = golden_values("cider", "planted", items)[name]
    assert our_values(name, items) == pytest.approx(expected, abs=TOLERANCE, rel=0)


@pytest.mark.real_data
@NAMES
def test_240_rated_summaries_are_equal(shared_folder: Path, name: str):
    items = summeval_pairs(shared_folder)
    expected = golden_values("cider", "summeval", items)[name]
    assert our_values(name, items) == pytest.approx(expected, abs=TOLERANCE, rel=0)
