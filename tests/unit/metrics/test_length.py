import re
from pathlib import Path

import pytest
from tests.support.scoring import read_summeval, score, score_items

from gameproof.metrics.catalogue import metric

UNITS = ("length", "length,unit=characters")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("length", 7.0), ("length,unit=sentences", 2.0), ("length,unit=characters", 32.0)],
)
def test_length_is_counted_in_the_unit_asked_for(name: str, expected: float):
    assert score(name, "Dr. Lee paid. The café was shut.") == expected


def test_length_needs_no_reference():
    assert score("length", "Rain fell.") == 2.0


def test_marks_alone_have_no_words():
    assert score("length", "!!!") == 0.0


@pytest.mark.real_data
def test_the_length_of_320_rated_summaries_is_what_a_plain_count_finds(shared_folder: Path):
    # Where a text is ASCII, its words are its runs of letters and digits: counted by `re` alone, and by len().
    items = [item for item in read_summeval(shared_folder, 320) if item.candidate.isascii()]
    assert len(items) > 200
    words, characters = (score_items(metric(name), items).values.tolist() for name in UNITS)
    assert words == [len(re.findall(r"[A-Za-z0-9]+", item.candidate)) for item in items]
    assert characters == [len(item.candidate) for item in items]
