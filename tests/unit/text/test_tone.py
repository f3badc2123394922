import pytest

from gameproof.text.tone import measure_tone


@pytest.mark.parametrize("apostrophe", ["'", "\u2019"])
def test_praise_behind_a_negation_is_complaint_however_its_apostrophe_is_typed(apostrophe: str):
    tone = measure_tone(f"It isn{apostrophe}t good.")
    assert (tone.favour, tone.denial) == (-1.0, 1.0)  # one word of praise, turned, in one sentence


def test_a_negation_reaches_over_two_words_and_no_further():
    assert measure_tone("It is not a very good fit.").favour == -1.0
    assert measure_tone("It is not what we had asked for, but good.").favour == 1.0
