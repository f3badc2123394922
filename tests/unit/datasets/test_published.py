import csv
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from gameproof.datasets.loaders.table import PUBLIC
from gameproof.datasets.published import TABLES, find_values, names_of_metric, values
from gameproof.errors import SpecError
from gameproof.perturbations.catalogue import PERTURBATIONS


@pytest.mark.real_data
def test_every_table_of_the_seed_tables_ships_word_for_word(shared_folder: Path) -> None:
    seeds = {path.stem: path.read_bytes() for path in (shared_folder / "seed_tables").glob("*.csv")}
    packed = files("gameproof.datasets").joinpath("published")
    assert set(seeds) == set(TABLES)
    for name, content in seeds.items():
        assert packed.joinpath(f"{name}.csv").read_bytes() == content


@pytest.mark.real_data
def test_every_printed_number_is_a_value(shared_folder: Path) -> None:
    """Each cell that is a number is a value, the half-width of one, or a sum that nobody printed."""
    for name, table in TABLES.items():
        with (shared_folder / "seed_tables" / f"{name}.csv").open(encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        known = {*table.values, *table.metric, table.margin, table.dataset, table.check}
        told = {"code", "total_counted", "family", "expected"}  # what says the same again, or was computed
        assert set(rows[0]) - known <= told
        assert sum(value.table == name for value in values()) == len(rows) * len(table.values)


def test_a_value_has_its_source_and_printed_precision() -> None:
    (value,) = find_values(table="p1_table10", metric="ROUGE-L", dataset="PG-WH")[:1]
    assert value.source == "Scoring Rules! (arXiv:2608.01423v1), table 10"
    assert (value.check, value.printed, value.half_width) == ("deletion_and_completion", "+0.06", 0.09)


def test_filters_take_parts_of_names_and_offer_near_ones() -> None:
    assert {v.metric for v in find_values(metric="rougel")} == {
        "ROUGE-L",
        "ROUGE-L (F1)",
        "ROUGE-L F1",
        "ROUGE-L (P/R/F1)",
    }
    with pytest.raises(SpecError, match="did you mean SummEval"):
        find_values(dataset="sumeval")


def test_the_papers_names_of_our_metrics() -> None:
    assert names_of_metric("rougeL,refs=max") == ("ROUGE-L",)
    assert names_of_metric("GEM") == ("KL direct token autoregression", "KL-Direct-Autoreg.")
    assert names_of_metric("TVD_MI")[1] == "TVD-FVar-Report"
    assert names_of_metric("TV+fvar+statement+oracle,llm=x,neg=8")[1] == "TVD-FVar-Statement"
    assert names_of_metric("TV+direct+report+oracle,critic=bins,form=joint") == (
        "TV direct report llm_oracle",
    )
    assert names_of_metric("judge,llm=anthropic/claude-haiku-4.5") == (
        "LLM-as-Judge / Claude-Haiku-4.5",
        "LLM-J / Claude-Haiku-4.5",
    )


def test_what_the_papers_did_not_measure_has_no_name() -> None:
    for metric in (
        "length",
        "chrf",
        "GEM_S",
        "TV+fvar+statement+overlap",
        "TV+direct+token+autoreg",
        "judge",
    ):
        assert names_of_metric(metric) == ()


def test_all_published_checks_and_data_sets_are_ours_too() -> None:
    checks = {v.check for v in values() if v.table.startswith("p1") and v.check}
    assert checks == {name for name, row in PERTURBATIONS.items() if row.parity_code}
    sets = {v.dataset for v in values() if v.table == "p1_table11_manipulation_smd"}
    assert sets == {row.paper for row in PUBLIC.values() if row.paper}


def test_checks_that_apply_to_each_data_set_are_those_of_the_tables() -> None:
    """Tables 7 and 8 print how many strategies each data set has; tables 10 and 11 have a row for each."""
    printed = {"PG-WH": (5, 6), "PG-XLSK": (6, 6), "ICLR26": (6, 6), "SummEval": (5, 2), "SPACE": (5, 2), "LFQA-E": (5, 4), "MedAESQA": (5, 4)}  # fmt: skip
    by_paper = {row.paper: row for row in PUBLIC.values() if row.paper}
    for paper, counts in printed.items():
        row = by_paper[paper]
        found = Counter(
            check.family
            for check in PERTURBATIONS.values()
            if check.parity_code
            and check.name not in row.skip
            and (check.domains is None or row.domain in check.domains)
        )
        assert (found["degradation"], found["manipulation"]) == counts, paper
        measured = {v.check for v in values() if v.dataset == paper and v.quantity == "smd"}
        assert len(measured) == sum(counts), paper
