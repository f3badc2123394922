import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.scoring import make_items, score, score_items

from gameproof.metrics.catalogue import build_metrics, metric
from gameproof.text import sentences, words

ALL = ["rouge1", "rouge2", "rougeL", "rougeLsum"]


@pytest.mark.parametrize("name", ["rouge1", "rougeL", "rougeLsum"])
@pytest.mark.parametrize("text", ["สวัสดีครับ", "καλημέρα κόσμε", "今天下雨", "доброе утро"])
def test_case_36_a_text_of_any_script_scores_one_against_itself(name: str, text: str):
    assert score(name, text, text) == 1.0


def test_case_36_a_single_thai_run_has_no_pair_of_words_and_says_so():
    assert score("rouge2", "สวัสดีครับ", "สวัสดีครับ") == "fewer than two words"


def test_case_36_accents_do_not_split_words():
    assert score("rouge1", "café naïve", "café naïve") == 1.0
    assert score("rouge1", "café naïve", "cafe naive") == 0.0
    # As rouge-score 0.1.2 has it: "caf", "na", "ve" against "cafe", "naive".
    assert score("rouge1,tok=legacy", "café naïve", "cafe naive") == 0.0
    assert score("rouge1,tok=legacy", "café", "caf") == 1.0


def test_case_37_lsum_finds_sentences_in_one_line_and_l_does_not():
    candidate, reference = (
        "Rain fell all night. The bridge closed at dawn.",
        "The bridge closed at dawn. Rain fell all night.",
    )
    assert score("rougeLsum", candidate, reference) == 1.0
    assert score("rougeL", candidate, reference) == pytest.approx(5 / 9)  # five of nine words in order
    assert score("rougeLsum,split=newline", candidate, reference) == pytest.approx(5 / 9)
    lines = [text.replace(". ", ".\n") for text in (candidate, reference)]
    assert score("rougeLsum,split=newline", *lines) == 1.0


def test_case_37_the_signature_names_the_splitter():
    assert "split=rules.v1" in metric("rougeLsum").signature()
    assert "split=newline" in metric("rougeLsum,tok=legacy").signature()
    assert "split=rules.v1" in metric("rougeLsum,split=rules.v1,tok=legacy").signature()


def test_case_41_a_signature_tells_one_rouge_from_another():
    expected = "rougeLsum,refs=first,split=rules.v1,stem=false,tok=unicode,v=0.1.0"
    assert metric("rougeLsum").signature() == expected
    different = ["rougeL", "rougeL,stem=true", "rougeL,tok=legacy", "rougeL,refs=max", "rougeL,score=recall"]
    assert len({built.signature() for built in build_metrics(different)}) == len(different)


def test_case_42_abbreviations_do_not_end_a_sentence():
    # Two sentences, swapped: they match whole only if "Dr." and "$3.5 m." do not end one.
    text, swapped = "Dr. Lee paid $3.5 m. Then left.", "Then left. Dr. Lee paid $3.5 m."
    assert score("rougeLsum", text, swapped) == 1.0


@pytest.mark.parametrize("name", ALL)
def test_words_against_marks_alone_score_zero(name: str):
    assert score(name, "!!! ...", "Rain fell all night.") == 0.0
    assert score(name, "Rain fell all night.", "!!! ...") == 0.0


@pytest.mark.parametrize("name", ALL)
def test_marks_against_marks_have_no_score(name: str):
    expected = "fewer than two words" if name == "rouge2" else "no words"
    assert score(name, "!!!", "!!!") == expected
    assert score(f"{name},tok=legacy", "!!!", "!!!") == 0.0  # as rouge-score 0.1.2


def test_precision_and_recall_are_missing_only_where_they_divide_by_nothing():
    assert score("rouge1,score=precision", "!!!", "Rain fell.") == "no words"
    assert score("rouge1,score=recall", "!!!", "Rain fell.") == 0.0
    assert score("rouge1,score=precision", "Rain fell.", "!!!") == 0.0
    assert score("rouge1,score=recall", "Rain fell.", "!!!") == "no words"


def test_scores_of_a_small_pair_are_what_counting_by_hand_gives():
    candidate, reference = "the cat sat on the mat", "the cat lay on a mat"
    # Shared words: the, cat, on, mat of six each; pairs: the-cat of five; in order: the cat on mat.
    assert score("rouge1", candidate, reference) == pytest.approx(4 / 6)
    assert score("rouge2", candidate, reference) == pytest.approx(1 / 5)
    assert score("rougeL", candidate, reference) == pytest.approx(4 / 6)
    assert score("rouge1,score=precision", candidate + " the end", reference) == pytest.approx(4 / 8)
    assert score("rouge1,score=recall", candidate + " the end", reference) == pytest.approx(4 / 6)


def test_stems_match_where_words_do_not():
    assert score("rouge1", "committees met", "committee meets") == 0.0
    assert score("rouge1,stem=true", "committees raining", "committee rained") == 1.0


def test_several_references_give_the_first_the_best_or_the_mean():
    references = ["rain", "rain fell", "snow"]
    assert score("rouge1", "rain fell", *references) == pytest.approx(2 / 3)
    assert score("rouge1,refs=max", "rain fell", *references) == 1.0
    assert score("rouge1,refs=mean", "rain fell", *references) == pytest.approx((2 / 3 + 1 + 0) / 3)


def test_a_reference_that_cannot_be_compared_is_left_out_of_the_mean():
    assert score("rouge1,refs=mean,score=recall", "rain", "!!!", "rain fell") == pytest.approx(1 / 2)
    assert score("rouge1,refs=mean,score=recall", "rain", "!!!", "...") == "no words"


def test_very_long_texts_are_scored():
    candidate = "rain fell on the bridge . " * 8000  # 208,000 characters
    reference = "the bridge closed . " * 10_000
    for name in ["rouge1", "rouge2", "rougeL"]:
        result = score(name, candidate, reference)
        assert isinstance(result, float)
        assert 0 < result < 1


any_script = st.text(
    st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from("ab .!?\n。็สไักก\u0301\u0308\u200dé-123•*#"),
    )
)


@given(any_script)
def test_no_word_reaches_across_the_end_of_a_sentence(text: str):
    # ROUGE takes words from sentences where a run splits them, and from the whole text elsewhere.
    assert [word for sentence in sentences(text) for word in words(sentence)] == words(text)


@given(any_script, any_script)
def test_scores_do_not_depend_on_whether_another_metric_splits_sentences(candidate: str, reference: str):
    items = make_items([(candidate, [reference])])
    alone = [score_items(build_metrics([name])[0], items) for name in ("rouge1", "rouge2", "rougeL")]
    *together, _ = [
        score_items(built, items) for built in build_metrics(["rouge1", "rouge2", "rougeL", "rougeLsum"])
    ]
    for one, other in zip(alone, together, strict=True):
        assert one.values.tolist() == pytest.approx(other.values.tolist(), rel=0, abs=0, nan_ok=True)
        assert one.reasons == other.reasons
