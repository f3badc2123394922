import numpy as np
import pytest

from gameproof.stats import resampling as resampling_module
from gameproof.stats.bootstrap import resample_counts
from gameproof.stats.resampling import make_resampling, number_labels


def test_one_kind_of_cluster_is_the_ordinary_bootstrap():
    resampling = make_resampling(["b", "a", "b", "c"])
    assert resampling.cells.tolist() == [0, 1, 0, 2]
    weights = np.concatenate(list(resampling.blocks(50, seed=3)))
    assert (weights == resample_counts(3, 50, seed=3)).all()


def test_crossed_clusters_count_as_often_as_both_are_drawn():
    people, texts = ["p", "q", "p", "q", "p"], ["1", "1", "2", "2", "1"]
    resampling = make_resampling(people, texts)
    assert resampling.cells.tolist() == [0, 1, 2, 3, 0]  # equal rows share a cell
    weights = np.concatenate(list(resampling.blocks(200, seed=5)))
    of_people, of_texts = resample_counts(2, 200, seed=5), resample_counts(2, 200, seed=6)
    for row, drawn in enumerate(weights[:, resampling.cells]):
        for column, (person, text) in enumerate(zip(people, texts, strict=True)):
            assert drawn[column] == int(of_people[row]["pq".index(person)]) * int(
                of_texts[row]["12".index(text)]
            )


def test_some_of_the_observations_keep_their_resamples():
    resampling = make_resampling(["a", "b", "c"], ["x", "y", "x"])
    part = resampling.take(np.array([2, 0]))
    whole, kept = (next(r.blocks(9, seed=0))[:, r.cells] for r in (resampling, part))
    assert (whole[:, [2, 0]] == kept).all()


def test_crossing_widens_intervals_where_texts_matter_and_annotators_all_judge_them():
    rng = np.random.default_rng(0)
    easy = rng.random(40)
    rows = [(person, text, rng.random() < easy[text]) for text in range(40) for person in range(3)]
    right = np.array([won for *_, won in rows], dtype=float)

    def spread(resampling):
        weights = np.concatenate(list(resampling.blocks(2000, seed=1)))[:, resampling.cells]
        return ((weights @ right) / weights.sum(axis=1)).std()

    alone = spread(make_resampling([person for person, *_ in rows]))
    crossed = spread(make_resampling([person for person, *_ in rows], [text for _, text, _ in rows]))
    # the mean of 40 texts whose shares vary with sd .29 has a standard error of .046 by texts alone
    assert crossed > 0.04 > alone


def test_labels_are_numbered_in_order_of_appearance():
    assert number_labels(["b", "a", "b", 3]).tolist() == [0, 1, 0, 2]
    assert number_labels([]).tolist() == []


def test_cells_know_both_of_their_clusters():
    crossed = make_resampling(["q", "p", "q", "q"], ["x", "x", "y", "x"])
    # cells in order of appearance: (q, x), (p, x), (q, y)
    assert crossed.cells.tolist() == [0, 1, 2, 0]
    assert (crossed.n_cells, crossed.sizes) == (3, (2, 2))
    assert [factor.tolist() for factor in crossed.factors] == [[0, 1, 0], [0, 0, 1]]
    one = make_resampling(["q", "p", "q"])
    assert (one.n_cells, one.sizes, [factor.tolist() for factor in one.factors]) == (2, (2,), [[0, 1]])


def test_nothing_has_no_clusters():
    for nothing in (make_resampling([]), make_resampling([], [])):
        assert nothing.n_cells == 0
        assert set(nothing.sizes) == {0}
        assert nothing.cells.size == 0


def test_both_kinds_need_a_label_for_everything():
    with pytest.raises(ValueError, match="zip"):
        make_resampling(["a", "b"], ["x"])


@pytest.mark.parametrize(("entries", "rows"), [(3 * 7, 7), (3 * 7 + 2, 7), (1, 1)])
def test_blocks_of_crossed_resamples_hold_the_same_weights(monkeypatch, entries, rows):
    crossed = make_resampling(["q", "p", "q", "q"], ["x", "x", "y", "x"])
    (whole,) = crossed.blocks(20, seed=1)
    monkeypatch.setattr(resampling_module, "MAX_ENTRIES", entries)
    blocks = list(crossed.blocks(20, seed=1))
    assert {len(block) for block in blocks[:-1]} == {rows}
    assert np.array_equal(np.concatenate(blocks), whole)
