"""What each kind of cell takes: the signature with every default, and the legal values of every option, in full."""

import pytest

from gameproof.errors import SpecError
from gameproof.fmi.cells import (
    AXES,
    CELLS,
    OPTIONS,
    Cell,
    Choice,
    _everywhere,
    _legal_cells,
    _where,
    choices_of,
    one_of,
)
from gameproof.fmi.spec import parse

# Written from the methods: paper 1, Table 3 (which predictor supplies what), and the defaults of the design.
SIGNATURES = {
    "TV+fvar+statement+oracle": "agg=mean,batch=reference,calibrate=none,control=none,critic=binary,"
    "decompose=atomic.v1,decompositions=1,dedupe=false,neg=4,norm=none,refs=mean,samples=1,temperature=0,"
    "weights=equal",
    "TV+fvar+report+oracle": "calibrate=none,control=none,critic=binary,dedupe=false,neg=4,norm=none,refs=mean,"
    "samples=1,temperature=0",
    "KL+fvar+statement+oracle": "agg=mean,batch=reference,calibrate=none,critic=bins,decompose=atomic.v1,"
    "decompositions=1,dedupe=false,neg=4,norm=none,refs=mean,samples=1,temperature=0,weights=equal",
    "TV+direct+statement+oracle": "agg=mean,batch=reference,calibrate=none,critic=bins,decompose=atomic.v1,"
    "decompositions=1,form=monotone,norm=none,refs=mean,samples=1,temperature=0,weights=equal",
    "TV+fvar+statement+nli": "agg=mean,batch=8,calibrate=none,clip=none,control=none,critic=soft,"
    "decompose=rules.v1,decompositions=1,dedupe=false,dtype=fp32,neg=4,norm=none,refs=mean,weights=equal",
    "CHI2+fvar+report+nli": "batch=8,calibrate=none,clip=20,dedupe=false,dtype=fp32,neg=4,norm=none,refs=mean",
    "KL+direct+token+autoreg": "batch=8,calibrate=none,clip=none,dtype=fp32,form=monotone,given=none,norm=none,"
    "prompt=gem.v1,ratio=sum,refs=mean",
    "TV+fvar+token+autoreg": "batch=8,calibrate=none,clip=none,control=none,dedupe=false,dtype=fp32,given=none,"
    "neg=4,norm=none,prompt=gem.v1,ratio=sum,refs=mean",
    "KL+fvar+token+autoreg": "batch=8,calibrate=none,clip=20,dedupe=false,dtype=fp32,given=none,neg=4,norm=none,"
    "prompt=gem.v1,ratio=sum,refs=mean",
    "H2+direct+report+overlap": "calibrate=none,form=monotone,norm=none,refs=mean",
    "JS+fvar+report+overlap": "calibrate=none,dedupe=false,neg=4,norm=none,refs=mean",
}

LEGAL = {
    "agg": "mean, sum, mean_critic or geometric",
    "batch": "reference, statement or candidate",
    "calibrate": "none, isotonic or platt",
    "control": "none or base_rate",
    "critic": "binary, bins or soft",
    "decompose": "rules.v1 or a name and version such as atomic.v1",
    "decompositions": "a whole number from 1",
    "dedupe": "false or true",
    "llm": "any printable text",
    "neg": "all or a whole number from 1",
    "norm": "none, review, summary, answer or one of them with its version",
    "pool": "any printable text",
    "prompt": "a name and version such as atomic.v1",
    "refs": "mean, first or kind:WORD such as kind:human",
    "samples": "a whole number from 1",
    "seed": "a whole number from 0",
    "temperature": "a number from 0",
    "v": "any printable text",
    "weights": "equal, rarity, consensus or persona",
}

LEGAL_OF_TOKENS = {
    "batch": "a whole number from 1",
    "calibrate": "none, temperature, platt or isotonic",
    "clip": "a number of nats above 0",
    "dtype": "fp32 or bf16",
    "form": "joint",
    "given": "none or source",
    "llm": "any printable text",
    "norm": "none, review, summary, answer or one of them with its version",
    "pool": "any printable text",
    "prompt": "a name and version such as atomic.v1",
    "ratio": "sum or token",
    "refs": "mean, first or kind:WORD such as kind:human",
    "v": "any printable text",
}


def cell(text):
    return Cell(**dict(zip(AXES, text.split("+"), strict=True)))


def legal(text):
    return {key: str(choice) for key, choice in choices_of(cell(text)).items()}


@pytest.mark.parametrize("text", SIGNATURES)
def test_the_signature_of_a_cell_says_every_default(text):
    assert parse(text).signature({}) == f"{text},{SIGNATURES[text]}"


def test_every_legal_value_of_a_contrastive_oracle():
    assert legal("TV+fvar+statement+oracle") == LEGAL


def test_every_legal_value_of_a_ratio_without_bounds():
    assert legal("RKL+direct+token+autoreg") == LEGAL_OF_TOKENS


def test_every_cell_is_legal_without_options_but_those_of_reverse_kl_on_unbounded_ratios():
    refused = []
    for each in CELLS:
        try:
            parse(str(each))
        except SpecError:
            refused.append(str(each))
    assert refused == [f"RKL+direct+{pair}" for pair in ("token+autoreg", "statement+nli", "report+nli")]


def test_an_exp_is_limited_just_where_the_formula_has_one():
    # direct KL is log r, the critic of TV is a sign; every other formula raises e to log r (docs of divergences)
    free = {
        str(each)
        for each in CELLS
        if "clip" in choices_of(each) and choices_of(each)["clip"].words == ("none",)
    }
    pairs = ("token+autoreg", "statement+nli", "report+nli")
    assert free == {f"{formula}+{pair}" for formula in ("KL+direct", "TV+fvar") for pair in pairs}


def test_an_option_is_listed_by_its_own_key():
    assert all(option.key == key and option.summary for key, option in OPTIONS.items())


@pytest.mark.parametrize(
    ("words", "joined"),
    [(["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c", "d"], "a, b, c or d")],
)
def test_alternatives_are_joined_as_in_a_sentence(words, joined):
    assert one_of(words) == joined


def test_cells_are_all_combinations_of_what_a_predictor_can_represent():
    # written out apart from the code: 6 divergences x 2 estimators x 7 pairs
    pairs = ["token+autoreg"] + [
        f"{representation}+{predictor}"
        for predictor in ("oracle", "nli", "overlap")
        for representation in ("statement", "report")
    ]
    divergences = ("TV", "KL", "RKL", "CHI2", "H2", "JS")
    expected = [f"{f}+{e}+{pair}" for pair in pairs for f in divergences for e in ("direct", "fvar")]
    assert [str(each) for each in _legal_cells()] == expected == [str(each) for each in CELLS]


def test_a_choice_is_offered_where_every_named_axis_has_one_of_its_values():
    choice = Choice(words=("yes",))
    offered = _where(choice, divergence=frozenset({"TV", "KL"}), estimator=frozenset({"fvar"}))
    assert offered(cell("TV+fvar+report+nli")) is offered(cell("KL+fvar+token+autoreg")) is choice
    assert offered(cell("TV+direct+report+nli")) is None
    assert offered(cell("JS+fvar+report+nli")) is None
    assert _everywhere(choice)(cell("JS+direct+report+nli")) is choice
