import pytest

import gameproof
from gameproof.fmi.cells import CELLS
from gameproof.metrics.catalogue import METRICS
from gameproof.perturbations.catalogue import PERTURBATIONS
from gameproof.reports.catalogues import CATALOGUES, list_catalogue


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
