"""What a user reads whose spec is refused: every message in full, for it must say what is given, legal and next."""

import pytest

from gameproof.errors import SpecError
from gameproof.fmi.spec import is_spec, parse

CELLS = "`gameproof list cells` shows them."
OVERLAP_TAKES = (
    "agg, critic, neg, norm, decompositions, weights, calibrate, control, dedupe, llm, refs, decompose."
)
FOUR_PARTS = (
    "not 4: expected divergence+estimator+representation+predictor, for example TV+fvar+statement+overlap."
    f"\nA preset stands alone: GEM, GEM_S, GPPM_J, GPPM_TOKEN, GSPPM, TVD_MI, TV_STATEMENT. {CELLS}"
)

REFUSALS = {
    # the cell
    "TV+fvar": f"metric 'TV+fvar' has 2 parts, {FOUR_PARTS}",
    "": f"metric '' has 1 part, {FOUR_PARTS}",
    "TV+fv+statement+overlap": f"estimator 'fv' is unknown: expected direct or fvar.\n{CELLS}",
    "tv+fvar+statement+overlap": "divergence 'tv' is unknown: expected TV, KL, RKL, CHI2, H2 or JS.\nDid you mean"
    f" TV+fvar+statement+overlap? {CELLS}",
    "overlap+report+DIRECT+RKL": "divergence 'overlap' is unknown: expected TV, KL, RKL, CHI2, H2 or JS.\nDid you"
    f" mean RKL+direct+report+overlap? {CELLS}",
    "TV+fvar+statement+autoreg": "predictor 'autoreg' needs representation token; got 'statement'.\nWrite"
    f" TV+fvar+token+autoreg. {CELLS}",
    "KL+direct+token+nli": "predictor 'nli' needs representation statement or report; got 'token'.\nWrite"
    f" KL+direct+statement+nli. {CELLS}",
    # its options, one by one
    "TV+fvar+statement+overlap,negs=3": "option 'negs' is unknown.\nDid you mean neg? TV+fvar+statement+overlap"
    f" takes {OVERLAP_TAKES}",
    "TV+fvar+statement+overlap,zzz=3": "option 'zzz' is unknown.\nTV+fvar+statement+overlap takes"
    f" {OVERLAP_TAKES}",
    "TV+fvar+statement+overlap,form=joint": "option 'form' does not apply to TV+fvar+statement+overlap.\nIt takes"
    f" {OVERLAP_TAKES}",
    "TV+fvar+statement+overlap,neg": "option 'neg' has no value: expected key=value.\nKeys: agg, form, ratio, clip,"
    " critic, neg, norm, given, samples, decompositions, weights, calibrate, control, dedupe, batch, dtype,"
    " temperature, llm, refs, decompose, prompt.",
    "TV+fvar+report+oracle,llm=a,llm=b%20c": "option 'llm' is given twice: 'a' and 'b c'.",
    "RKL+direct+token+autoreg": "RKL+direct+token+autoreg needs form=joint: its ratios may fall below 1/8, where"
    " reverse KL has no monotone direct score.\nWrite RKL+direct+token+autoreg,form=joint.",
    # options that contradict each other
    "TV+fvar+statement+overlap,agg=geometric": "agg=geometric averages log ratios, and critic=soft in"
    " TV+fvar+statement+overlap has none.\nUse agg=mean, or critic=binary.",
    "TV+fvar+statement+oracle,agg=geometric": "agg=geometric averages log ratios, and critic=binary in"
    " TV+fvar+statement+oracle has none.\nUse agg=mean, or critic=bins.",
    "TV+fvar+statement+oracle,agg=geometric,critic=soft": "agg=geometric averages log ratios, and critic=soft in"
    " TV+fvar+statement+oracle has none.\nUse agg=mean, or critic=bins.",
    "TV+fvar+statement+overlap,decompositions=3": "decompositions=3 needs a model that decomposes;"
    " decompose=rules.v1 always gives the same statements.\nLeave decompositions out, or use decompose=atomic.v1.",
    "TV+fvar+statement+overlap,agg=sum,weights=rarity": "weights=rarity make an average, and agg=sum adds the"
    " statements up.\nUse agg=mean, or leave weights out.",
    "TV+fvar+statement+overlap,llm=x": "llm: TV+fvar+statement+overlap asks no model, so naming one would change"
    " nothing.\nLeave llm out, or use norm=..., weights=persona or decompose=atomic.v1.",
    "TV+fvar+statement+overlap,calibrate=isotonic": "calibrate=isotonic maps ratios, and critic=soft in"
    " TV+fvar+statement+overlap has none.\nUse critic=binary.",
    "TV+fvar+report+oracle,calibrate=platt": "calibrate=platt maps ratios, and critic=binary in"
    " TV+fvar+report+oracle has none.\nUse critic=bins.",
    "RKL+direct+report+overlap,calibrate=platt": "calibrate=platt may give ratios below 1/8, where reverse KL has no"
    " monotone direct score.\nUse form=joint.",
    "TV+fvar+statement+overlap,agg=sum,control=base_rate": "control=base_rate corrects the mean critic of"
    " statements, and agg=sum has none.\nUse agg=mean.",
    "TV+fvar+statement+overlap,agg=geometric,control=base_rate,critic=binary": "control=base_rate corrects the mean"
    " critic of statements, and agg=geometric has none.\nUse agg=mean.",
    "TV+fvar+report+overlap,control=base_rate,neg=1": "control=base_rate needs neg=2 or more: with one negative,"
    " nobody else's candidates meet a statement.\nUse neg=4, or neg=all.",
}


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refused_spec_says_what_was_given_what_is_legal_and_what_is_next(text):
    with pytest.raises(SpecError) as caught:
        parse(text)
    assert str(caught.value) == REFUSALS[text]


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("neg=0", "all or a whole number from 1"),
        ("neg=-1", "all or a whole number from 1"),
        ("neg=1" + "0" * 18, "all or a whole number from 1"),  # 19 digits
        ("seed=1.5", "a whole number from 0"),
        ("temperature=-1", "a number from 0"),
        ("temperature=.", "a number from 0"),
        ("temperature=nan", "a number from 0"),
        ("norm=poem", "none, review, summary, answer or one of them with its version"),
        ("norm=review.v", "none, review, summary, answer or one of them with its version"),
        ("norm=review.v1@0123ABCD", "none, review, summary, answer or one of them with its version"),
        ("refs=kind:Human", "mean, first or kind:WORD such as kind:human"),
        ("refs=kind:" + "a" * 33, "mean, first or kind:WORD such as kind:human"),
        ("prompt=gem", "a name and version such as atomic.v1"),
        ("decompose=1st.v1", "rules.v1 or a name and version such as atomic.v1"),
        ("llm=two%0Alines", "any printable text"),
        ("dedupe=yes", "false or true"),
        ("calibrate=temperature", "none, isotonic or platt"),
    ],
)
def test_a_value_that_is_not_legal_is_answered_with_those_that_are(option, expected):
    key, _, _ = option.partition("=")
    with pytest.raises(SpecError) as caught:
        parse(f"TV+fvar+statement+oracle,{option}")
    assert str(caught.value).startswith(f"{key}: ")
    assert str(caught.value).endswith(f" is not legal in TV+fvar+statement+oracle: expected {expected}.")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("neg=007", "7"),
        ("neg=" + "9" * 18, "9" * 18),
        ("seed=00", "0"),
        ("temperature=0.70", "0.7"),
        ("temperature=1.0", "1"),
        ("temperature=00.0", "0"),
        ("temperature=.0", "0"),
        ("norm=answer.v12", "answer.v12"),
        ("norm=review.v1@0123abcd", "review.v1@0123abcd"),
        ("refs=kind:human-2", "kind:human-2"),
        ("refs=kind:" + "a" * 32, "kind:" + "a" * 32),
        ("prompt=my_judge2.v10@0123abcd", "my_judge2.v10@0123abcd"),
    ],
)
def test_a_legal_value_is_kept_in_its_one_spelling(given, read):
    key, _, _ = given.partition("=")
    assert parse(f"TV+fvar+statement+oracle,{given}").get(key) == read


@pytest.mark.parametrize(
    "text",
    [
        # a model is asked, so it may be named: by a style, by personas, by a decomposition, by the predictor
        "TV+fvar+statement+overlap,llm=x,norm=review",
        "TV+fvar+statement+overlap,llm=x,weights=persona",
        "TV+fvar+statement+overlap,decompose=atomic.v1,llm=x",
        "TV+fvar+report+oracle,llm=x",
        # critics with a ratio
        "TV+fvar+statement+overlap,agg=geometric,calibrate=platt,critic=binary",
        "TV+fvar+statement+oracle,agg=geometric,calibrate=isotonic,critic=bins",
        "RKL+direct+report+overlap,calibrate=platt,form=joint",
        "RKL+fvar+report+overlap,calibrate=platt",
        "KL+direct+report+overlap,calibrate=platt",
        # a mean, and somebody else's candidates
        "TV+fvar+statement+overlap,agg=mean_critic,control=base_rate,neg=2",
        "TV+fvar+report+overlap,control=base_rate,neg=all",
        "TV+fvar+statement+overlap,neg=1",
        "TV+fvar+statement+overlap,agg=sum,neg=1",
        "TV+fvar+statement+oracle,decompositions=3",
    ],
)
def test_options_that_agree_are_taken(text):
    assert str(parse(text)) == text


def test_spaces_around_the_parts_are_no_part_of_them():
    assert str(parse("  GEM , norm=review ")) == "KL+direct+token+autoreg,norm=review"
    assert is_spec(" GEM ")


def test_an_option_that_the_cell_does_not_take_has_no_value():
    assert parse("TV+fvar+report+overlap").get("agg") is None


def test_a_pin_that_stands_in_a_spec_is_replaced_by_the_one_of_the_run():
    assert "seed=8" in parse("TV+fvar+report+overlap,seed=3").signature({"seed": "8"}).split(",")


def test_a_plus_sign_in_an_option_makes_no_cell_of_a_name():
    assert not is_spec("rougeL,note=a+b,refs=max")


def test_a_word_that_is_not_close_enough_to_a_known_one_is_no_guess():
    # "state" has 2 x 5 / 14 = .71 of its letters in common with "statement"; the guess is made from .75 on
    with pytest.raises(SpecError) as caught:
        parse("TV+fvar+state+overlap")
    assert "Did you mean" not in str(caught.value)


@pytest.mark.parametrize("value", ["0", "-0.0", "-1", "inf", "nan"])
def test_an_exponent_limit_is_above_zero_and_finite(value):
    with pytest.raises(SpecError, match=r"clip: .* is not legal in .*: expected a number of nats above 0\."):
        parse(f"CHI2+direct+token+autoreg,clip={value}")


def test_an_address_of_a_model_stays_readable():
    text = "TV+fvar+report+oracle,llm=local:8080/org/a-model_2.1@main"
    assert str(parse(text)) == text


def test_what_stands_behind_the_first_equals_sign_is_the_value():
    assert parse("TV+fvar+report+oracle,llm=a=b").get("llm") == "a=b"
