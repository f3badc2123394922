import pytest
from tests.support.scoring import score

from gameproof.metrics import bleu


def test_a_text_scores_one_hundred_against_itself():
    assert score("bleu", "Rain fell.", "Rain fell.") == pytest.approx(100)


def test_texts_without_a_common_word_score_zero():
    assert score("bleu", "Rain fell", "Snow came") == 0.0


def test_a_candidate_that_the_tokeniser_empties_scores_zero_as_in_sacrebleu():
    assert score("bleu", "<skipped>", "Rain fell") == 0.0


def test_case_is_kept_unless_it_is_not():
    assert score("bleu", "RAIN FELL", "rain fell") == 0.0
    assert score("bleu,case=lower", "RAIN FELL", "rain fell") == pytest.approx(100)


def test_what_sacrebleu_remembers_of_texts_is_forgotten_now_and_then(monkeypatch: pytest.MonkeyPatch):
    from sacrebleu.tokenizers.tokenizer_char import TokenizerChar  # noqa: PLC0415 - loads slowly

    monkeypatch.setattr(bleu, "MAX_CACHED_CHARACTERS", 500)
    TokenizerChar.__call__.cache_clear()
    for row in range(200):
        score("bleu,tok=char", f"candidate number {row}", "a reference")
    assert TokenizerChar.__call__.cache_info().currsize < 40


def test_pieces_between_spaces_are_kept_up_to_a_number_and_a_length(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bleu, "MAX_PIECES", 10)
    tokenise = bleu._ByPiece(lambda piece: [piece])
    for row in range(100):
        assert tokenise(f"piece{row} {'x' * 100}") == [f"piece{row}", "x" * 100]
    assert len(tokenise._known) <= 10
    assert "x" * 100 not in tokenise._known
