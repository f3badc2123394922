import math
from pathlib import Path

import numpy as np
import pytest

import gameproof
from gameproof.errors import PlanError, SpecError
from gameproof.fmi.cells import AXES, CELLS, OPTIONS, choices_of
from gameproof.fmi.divergences import DIVERGENCES
from gameproof.fmi.spec import PINS, PRESETS, parse
from gameproof.metrics.catalogue import METRICS
from gameproof.perturbations.catalogue import PERTURBATIONS
from gameproof.reports.catalogues import CATALOGUES, list_catalogue
from gameproof.reports.data_catalogues import describe_dataset, formats_page


@pytest.mark.parametrize("kind", CATALOGUES)
def test_a_catalogue_is_a_table_of_plain_values(kind):
    table = list_catalogue(kind)

    assert table.rows
    assert {type(cell) for row in table.rows for cell in row} <= {str, int, float, type(None)}


def test_every_metric_perturbation_and_cell_is_listed():
    assert set(METRICS) <= {row[0] for row in list_catalogue("metrics").rows}
    assert set(PERTURBATIONS) == {row[0] for row in list_catalogue("perturbations").rows}
    assert [str(cell) for cell in CELLS] == [row[0] for row in list_catalogue("cells").rows]


def test_a_perturbation_says_who_can_make_it():
    made = {row["name"]: row["made by"] for row in list_catalogue("perturbations").records()}

    assert made["sentence_deletion"] == "made by a rule"
    assert made["rephrase"] == "made by a language model"


def test_the_default_of_an_option_comes_first():
    options = {row["name"]: row["options"] for row in list_catalogue("metrics").records()}

    assert "tok=13a|" in options["bleu"]  # as sacrebleu has it
    for name, metric in METRICS.items():
        for key, option in metric.options.items():
            if option.default:
                assert f"{key}={option.default}" in options[name]


def test_what_a_score_should_do_is_said_in_english():
    said = {row["expect"] for row in list_catalogue("perturbations").records()}

    assert said == {"should drop", "should not rise", "should rise", "should stay level", "no verdict"}


def test_every_cell_can_be_scored():
    for row in list_catalogue("cells").records():
        name = str(row["cell"])
        assert row["here"] == "yes"
        if row["predictor"] == "overlap":  # the others need a model
            assert gameproof.metric(name).name == name


def test_presets_are_listed_with_what_they_stand_for():
    for row in list_catalogue("presets").records():
        assert str(parse(str(row["preset"]))) == str(parse(str(row["stands for"])))
    assert {row["preset"] for row in list_catalogue("presets").records()} == set(PRESETS)


def test_published_cells_bear_their_names():
    known = {row["cell"]: row["known as"] for row in list_catalogue("cells").records()}

    assert known["TV+fvar+report+oracle"] == "TVD-MI"
    # two divergences, two estimators, three pairs of representation and predictor
    assert sum(bool(name) for name in known.values()) == 12


def test_every_option_a_cell_takes_is_listed_with_its_default():
    listed = {row["option"]: row for row in list_catalogue("options").records()}

    for row in list_catalogue("cells").records():
        assert set(str(row["options"]).split()) <= set(listed)
    assert listed["neg"]["default"] == "4"
    assert "in cells of fvar" in str(listed["neg"]["summary"])


def test_the_direct_scores_that_are_shown_are_those_that_are_used():
    shown = {row["symbol"]: str(row["direct score"]) for row in list_catalogue("divergences").records()}
    log = math.log
    for symbol, formula in shown.items():
        for r in (0.25, 1.0, 3.0):
            values = {"r": r, "log": log, "max": max, "sqrt": math.sqrt, "a": 1 + log(8)}
            values["f"] = lambda t: (t * log(t) - (t + 1) * log((t + 1) / 2)) / 2
            python = (
                formula.split(", a =")[0]
                .replace("1 / sqrt r", "1 / sqrt(r)")
                .replace("log r", "log(r)")
                .replace("2 (1", "2 * (1")
                .replace("(log 2) / 2 * (1", "log(2) / 2 * (1")
            )
            used = DIVERGENCES[symbol].monotone(np.array([log(r)]))[0]
            assert eval(python, {"__builtins__": {}}, values) == pytest.approx(used, abs=1e-12)  # noqa: S307


@pytest.mark.parametrize("predictor", AXES["predictor"])
@pytest.mark.parametrize("representation", AXES["representation"])
def test_every_refused_pair_says_what_is_legal(predictor, representation):
    legal = {(cell.predictor, cell.representation) for cell in CELLS}
    text = f"TV+fvar+{representation}+{predictor}"
    if (predictor, representation) in legal:
        assert parse(text)
        return
    with pytest.raises(SpecError) as refused:
        parse(text)
    assert all(each in refused.value.message for owner, each in legal if owner == predictor)
    assert "gameproof list cells" in (refused.value.hint or "")


def test_every_refused_option_says_which_the_cell_takes():
    for cell in CELLS:
        taken = choices_of(cell)
        for key in set(OPTIONS) - set(taken) - set(PINS):
            with pytest.raises(SpecError) as refused:
                parse(f"{cell},{key}=1")
            assert "It takes" in (refused.value.hint or "") or "needs form" in refused.value.message
        for key in set(taken) - {"llm", *PINS}:
            with pytest.raises(SpecError, match=r"expected|needs"):
                parse(f"{cell},{key}=???")


def test_the_reference_page_of_data_sets_is_the_one_of_the_table():
    """Write it anew with: python -c "from gameproof.reports.data_catalogues import formats_page as p; print(p(), end='')"."""
    page = Path(__file__).resolve().parents[3] / "docs" / "reference" / "data-sets.md"

    assert page.read_text(encoding="utf-8") == formats_page()


def test_everything_about_a_data_set_can_be_shown():
    facts = {row["what"]: row["value"] for row in describe_dataset("summeval").records()}

    assert facts["written as"] == "summeval:FILE or summeval:FOLDER"
    assert "decoded" in facts["format 1"]
    with pytest.raises(PlanError, match="'sumeval' is unknown"):
        describe_dataset("sumeval")
