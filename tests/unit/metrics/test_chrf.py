import pytest
from tests.support.scoring import score

from gameproof.metrics.chrf import split_words


@pytest.mark.parametrize("name", ["chrf", "chrf++"])
@pytest.mark.parametrize("text", ["สวัสดีครับ", "今天", "é", "Rain fell all night."])
def test_a_text_of_any_script_scores_one_hundred_against_itself(name: str, text: str):
    assert score(name, text, text) == pytest.approx(100)


def test_a_small_pair_scores_what_counting_by_hand_gives():
    # "abc" against "abd": one-grams 2 of 3, two-grams 1 of 2, three-grams 0 of 1, both ways; no longer ones.
    # The mean is (2/3 + 1/2 + 0) / 3, for precision and recall alike, and so for F.
    assert score("chrf", "abc", "abd") == pytest.approx(100 * (2 / 3 + 1 / 2) / 3)


def test_recall_counts_four_times_as_much_as_precision():
    # "a" against "ab": precision 1, recall 1/2 over one-grams only; F2 = 5 * 1/2 / (4 + 1/2).
    assert score("chrf", "a", "ab") == pytest.approx(100 * 5 * 0.5 / 4.5)


def test_one_mark_is_split_off_the_end_of_a_word_or_else_off_its_start():
    assert split_words("(hi) 'tis end. a ... -") == ["(hi", ")", "'", "tis", "end", ".", "a", "..", ".", "-"]
