"""How texts are cut into parts."""

import pytest

from gameproof.engine.partition import BATCH_SIZE, MOST_BATCHES, batches, cut


@pytest.mark.parametrize("n_texts", [0, 1, 511, 512, 513, 1600, 40_000, 100_000, 1_000_001])
def test_every_text_is_in_one_part_and_parts_are_whole_batches(n_texts: int):
    parts = cut(n_texts)
    assert [part.number for part in parts] == list(range(len(parts)))
    starts = [part.start for part in parts]
    assert [*starts, n_texts] == [0, *(part.stop for part in parts)]
    assert all(start % BATCH_SIZE == 0 for start in starts)
    assert all(0 < len(part) <= BATCH_SIZE * MOST_BATCHES for part in parts)


@pytest.mark.parametrize("n_texts", [1, 700, 90_000])
def test_parts_have_the_batches_of_the_whole(n_texts: int):
    whole = list(batches(range(n_texts)))
    assert [batch for part in cut(n_texts) for batch in batches(range(part.start, part.stop))] == whole
