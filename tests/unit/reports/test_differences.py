import pytest

from gameproof.reports.html.differences import KEPT_WORDS, LONGEST_WORD, MOST_SHOWN, mark_differences


def shown(excerpt):
    return "".join(piece.text for piece in excerpt.pieces)


def test_only_the_words_that_differ_are_marked():
    before, after = mark_differences("It rained all night.", "It snowed all night. Twice.")

    assert [piece.text for piece in before.pieces if piece.kind == "changed"] == ["rained "]
    assert [piece.text for piece in after.pieces if piece.kind == "changed"] == ["snowed ", "Twice."]


def test_equal_texts_have_no_mark():
    assert [piece.kind for piece in mark_differences("a b c", "a b c")[0].pieces] == ["same"]


def test_long_unchanged_stretches_become_an_ellipsis():
    same = " ".join(f"w{number}" for number in range(100))
    _, after = mark_differences(f"one {same}", f"two {same}")

    assert [piece.kind for piece in after.pieces] == ["changed", "same", "gap"]
    assert after.pieces[1].text.split() == [f"w{number}" for number in range(KEPT_WORDS)]


def test_a_long_text_is_cut_and_says_so():
    before, after = mark_differences("", "word " * 5_000)

    assert (before.pieces, before.cut) == ((), False)
    assert len(shown(after)) <= MOST_SHOWN + 1
    assert (after.cut, after.n) == (True, 25_000)


@pytest.mark.parametrize("text", ["w" * 100_000, "a " + "w" * 100_000])
def test_a_word_without_end_is_cut(text):
    _, after = mark_differences("a", text)

    assert len(max(shown(after).split(), key=len)) <= LONGEST_WORD + 1
    assert after.cut


def test_an_empty_text_is_shown_as_nothing():
    assert mark_differences("", "")[0].pieces == ()
