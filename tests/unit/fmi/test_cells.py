"""Which cells exist and what each of them takes."""

import pytest

from gameproof.fmi.cells import AXES, CELLS, OPTIONS, Cell, choices_of


def cell(text):
    return Cell(**dict(zip(AXES, text.split("+"), strict=True)))


def test_there_are_84_legal_cells():
    # 6 divergences x 2 estimators x 7 pairs of representation and predictor
    assert len(CELLS) == len(set(CELLS)) == 84


def test_the_twelve_cells_of_the_paper_are_among_them():
    pairs = ("token+autoreg", "report+oracle", "statement+oracle")
    papers = {cell(f"{f}+{e}+{pair}") for f in ("KL", "TV") for e in ("direct", "fvar") for pair in pairs}
    assert papers <= set(CELLS)


@pytest.mark.parametrize("each", CELLS, ids=str)
def test_every_default_is_legal_in_its_cell(each):
    for choice in choices_of(each).values():
        assert choice.default is None or choice.read(choice.default) == choice.default


def test_every_option_applies_somewhere():
    assert set(OPTIONS) == {key for each in CELLS for key in choices_of(each)}


@pytest.mark.parametrize(
    ("text", "key", "legal"),
    [
        ("TV+fvar+statement+oracle", "critic", "binary, bins or soft"),
        ("KL+fvar+statement+oracle", "critic", "bins"),
        ("TV+fvar+statement+overlap", "critic", "soft or binary"),
        ("TV+fvar+statement+overlap", "agg", "mean, sum, mean_critic or geometric"),
        ("KL+direct+statement+overlap", "agg", "mean, sum or geometric"),
        ("RKL+direct+token+autoreg", "form", "joint"),
        ("RKL+direct+statement+oracle", "form", "monotone or joint"),
        ("KL+direct+token+autoreg", "clip", "none"),
        ("CHI2+direct+token+autoreg", "clip", "a number of nats above 0"),
        ("TV+fvar+report+overlap", "neg", "all or a whole number from 1"),
    ],
)
def test_legal_values_follow_from_the_cell(text, key, legal):
    assert str(choices_of(cell(text))[key]) == legal


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("KL+direct+statement+overlap", "neg"),  # no negatives
        ("KL+direct+statement+overlap", "critic"),  # its own ratio is all there is
        ("TV+fvar+report+overlap", "agg"),  # a report is one unit
        ("TV+fvar+statement+overlap", "form"),
        ("TV+fvar+statement+overlap", "clip"),  # ratios on the scale 1/8 .. 8
        ("TV+fvar+statement+overlap", "batch"),
    ],
)
def test_options_that_would_change_nothing_do_not_apply(text, key):
    assert key not in choices_of(cell(text))
