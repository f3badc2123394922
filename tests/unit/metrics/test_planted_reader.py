import math

import pytest
from tests.support.scoring import score_items

from gameproof.metrics.catalogue import metric
from gameproof.records import Item

REFERENCE = "It weighs 230 grams without its packaging. Charging from empty takes 115 minutes."


def _score(candidate, reference=REFERENCE):
    item = Item(id="a", task_id="a", candidate=candidate, references=(reference,))
    return score_items(metric("planted-reader"), [item])


@pytest.mark.parametrize(
    ("candidate", "worth"),
    [
        (REFERENCE, 1.0),
        (
            "In the hand it amounts to 230 grams. A full charge needs nothing.",
            0.5,
        ),  # one of two, in other words
        ("It weighs 250 grams without its packaging.", -0.5),  # something else in the place of one of two
        ("Time will tell how things develop.", 0.0),
    ],
)
def test_right_counts_for_and_wrong_against(candidate, worth):
    # By hand: +1 for a fact that is stated, -1 for one that is contradicted, 0 for silence; the mean over two facts.
    assert _score(candidate).values[0] == pytest.approx(worth)


def test_texts_from_elsewhere_have_no_planted_truth():
    scores = _score("Anything.", "The committee met on Tuesday.")
    assert math.isnan(scores.values[0])
    assert scores.reasons["a"] == "the reference says nothing of the planted world"
