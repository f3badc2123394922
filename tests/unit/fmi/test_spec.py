"""Reading, printing and refusing specs."""

import pytest

from gameproof.errors import SpecError
from gameproof.fmi.spec import PRESETS, is_spec, parse


def test_a_spec_prints_without_its_defaults():
    assert str(parse("TV+fvar+statement+overlap,neg=4,agg=mean")) == "TV+fvar+statement+overlap"


def test_a_spec_that_spells_out_a_default_equals_one_that_does_not():
    assert parse("TV+fvar+statement+overlap,neg=04") == parse("TV+fvar+statement+overlap")


def test_keys_are_sorted():
    text = "KL+fvar+statement+overlap,refs=first,agg=sum,neg=all"
    assert str(parse(text)) == "KL+fvar+statement+overlap,agg=sum,neg=all,refs=first"


def test_a_signature_leaves_nothing_to_a_default():
    signature = parse("TV+fvar+statement+overlap").signature({"seed": "7", "v": "1.2.3", "pool": "ab"})
    assert signature == (
        "TV+fvar+statement+overlap,agg=mean,calibrate=none,control=none,critic=soft,decompose=rules.v1,"
        "decompositions=1,dedupe=false,"
        "neg=4,norm=none,pool=ab,refs=mean,seed=7,v=1.2.3,weights=equal"
    )


def test_a_model_name_is_kept_readable():
    text = "TV+fvar+statement+oracle,llm=openrouter/anthropic/claude-haiku-4.5"
    assert str(parse(text)) == text


def test_awkward_characters_are_percent_encoded_and_come_back():
    spec = parse("TV+fvar+report+oracle").with_options({"llm": "~my model, v=2 (é)|x"})
    assert str(spec) == "TV+fvar+report+oracle,llm=%7Emy%20model%2C%20v%3D2%20%28%C3%A9%29%7Cx"
    assert parse(str(spec)) == spec


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_parses_to_its_cell(name):
    assert parse(name) == parse(PRESETS[name])


def test_a_preset_takes_further_options():
    assert parse("GEM,norm=review").get("norm") == "review"
    assert parse("TV_STATEMENT,neg=8").get("neg") == "8"


def test_presets_differ_where_the_methods_differ():
    assert parse("GPPM_TOKEN") != parse("GEM")
    assert parse("GSPPM").get("given") == parse("GEM_S").get("given") == "source"
    assert parse("GPPM_J").get("agg") == "sum"


def test_options_can_go_back_to_their_defaults():
    spec = parse("TV+fvar+statement+overlap,neg=8,seed=3")
    assert str(spec.without(["seed"])) == "TV+fvar+statement+overlap,neg=8"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("TV+fv+x+y", True),
        ("GEM", True),
        ("GEM,norm=review", True),
        ("rougeL,refs=max", False),
        ("gem", False),
    ],
)
def test_names_meant_for_the_grammar_are_recognised(text, meant):
    assert is_spec(text) is meant


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("TV+fv+statement+overlap", r"estimator 'fv' is unknown: expected direct or fvar\."),
        ("XX+fvar+statement+overlap", r"divergence 'XX' is unknown: expected TV, KL, RKL, CHI2, H2 or JS\."),
        ("TV+fvar+word+overlap", r"representation 'word' is unknown: expected token, statement or report\."),
        ("TV+fvar+statement+gpt", r"predictor 'gpt' is unknown: expected autoreg, oracle, nli or overlap\."),
        ("TV+fvar", r"has 2 parts, not 4: .*for example TV\+fvar\+statement\+overlap"),
        ("", r"metric '' has 1 part, not 4"),
        ("TV+fvar+statement+autoreg", r"predictor 'autoreg' needs representation token; got 'statement'\."),
        (
            "TV+fvar+token+oracle",
            r"predictor 'oracle' needs representation statement or report; got 'token'\.",
        ),
        ("TV+fvar+statement+overlap,negs=3", r"option 'negs' is unknown\.\nDid you mean neg\?"),
        ("TV+fvar+statement+overlap,form=joint", r"option 'form' does not apply to TV\+fvar"),
        (
            "TV+fvar+statement+overlap,neg=0",
            r"neg: '0' is not legal in .*expected all or a whole number from 1\.",
        ),
        ("TV+fvar+statement+overlap,neg=" + "9" * 5000, r"is not legal in"),
        ("TV+fvar+statement+overlap,neg=4,neg=5", r"option 'neg' is given twice: '4' and '5'\."),
        ("TV+fvar+statement+overlap,neg", r"option 'neg' has no value: expected key=value\."),
        ("TV+fvar+statement+overlap,", r"option '' has no value"),
        ("CHI2+direct+token+autoreg,clip=-1", r"clip: '-1' is not legal"),
        ("CHI2+direct+token+autoreg,clip=inf", r"clip: 'inf' is not legal"),
        ("CHI2+direct+token+autoreg,clip=ten", r"clip: 'ten' is not legal"),
        ("TV+fvar+statement+oracle,decompose=Atomic", r"expected rules\.v1 or a name and version"),
        ("TV+fvar+statement+oracle,llm=", r"llm: '' is not legal"),
        ("RKL+direct+token+autoreg", r"RKL\+direct\+token\+autoreg needs form=joint"),
        ("TV+fvar+statement+overlap,agg=geometric", r"agg=geometric averages log ratios, and critic=soft"),
        ("TV+fvar+statement+oracle,agg=geometric", r"critic=binary in .* has none\.\nUse .*critic=bins"),
        ("TV+fvar+statement+overlap,decompositions=3", r"decompositions=3 needs a model that decomposes"),
        ("TV+fvar+statement+overlap,llm=x", r"asks no model"),
    ],
)
def test_an_illegal_spec_says_what_was_given_and_what_is_legal(text, message):
    with pytest.raises(SpecError, match=message):
        parse(text)


@pytest.mark.parametrize(
    "text", ["tv+fvar+statement+overlap", "fvar+TV+statement+overlap", "TV+fvar+statment+overlap"]
)
def test_a_slip_in_case_order_or_spelling_is_answered_with_its_cure(text):
    with pytest.raises(SpecError) as caught:
        parse(text)
    assert "Did you mean TV+fvar+statement+overlap?" in str(caught.value)


def test_a_binary_critic_from_overlap_has_a_ratio_and_so_a_geometric_mean():
    assert parse("TV+fvar+statement+overlap,agg=geometric,critic=binary").get("agg") == "geometric"
