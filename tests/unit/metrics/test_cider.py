"""What CIDEr-D needs of the data before it scores, and a score worked out by hand."""

import asyncio
import math

import pytest
from tests.support.scoring import make_items, score_items

from gameproof.errors import PlanError
from gameproof.metrics.catalogue import metric

PAIRS = [("rain fell", ["rain fell"]), ("snow", ["snow fell"])]


def test_a_score_worked_out_by_hand():
    # Two tasks. 'fell' is in both: log(2/2) = 0. 'rain', 'rain fell', 'snow' and 'snow fell' weigh log 2.
    # Text 1 is its reference: cosine 1 for n = 1 and 2, no longer sequences: 10 * (1 + 1) / 4 = 5.
    # Text 2 has 'snow' only: cosine 1 for n = 1, one word shorter: 10 * exp(-1 / 72) / 4.
    scores = score_items(metric("cider-d"), make_items(PAIRS))
    assert scores.values.tolist() == pytest.approx([5.0, 2.5 * math.exp(-1 / 72)], rel=1e-14)


@pytest.mark.parametrize("pairs", [PAIRS[:1], [("rain fell", []), ("snow", ["snow fell"])]])
def test_case_18_one_task_with_references_is_refused(pairs: list[tuple[str, list[str]]]):
    with pytest.raises(PlanError, match=r"has 1 with references(?s:.*)two or more tasks"):
        score_items(metric("cider-d"), make_items(pairs))


def test_scoring_before_preparing_is_an_error_that_says_what_to_do():
    with pytest.raises(PlanError, match="prepare"):
        asyncio.run(metric("cider-d").score(make_items(PAIRS)))


def test_the_signature_of_a_score_holds_the_data_it_belongs_to():
    signature = score_items(metric("cider-d"), make_items(PAIRS)).signature
    assert "corpus=" in signature
    again = score_items(metric(signature), make_items(PAIRS))
    assert again.signature == signature
    with pytest.raises(PlanError, match="corpus: the signature names references"):
        score_items(metric(signature), make_items([*PAIRS, ("hail", ["hail fell"])]))


def test_candidates_do_not_change_the_weights():
    others = [("quite another text", references) for _, references in PAIRS]
    first = score_items(metric("cider-d"), make_items(PAIRS)).signature
    assert score_items(metric("cider-d"), make_items(others)).signature == first
