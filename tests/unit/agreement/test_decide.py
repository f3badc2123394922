import csv

import numpy as np
import pytest

from gameproof.agreement.decide import NEITHER_THRESHOLDS, decide, parse_thresholds, threshold_of
from gameproof.errors import PlanError

# name in table 5 of Information Satisfaction -> ours
NAMES = {
    "ROUGE-1 (P/R/F1)": "rouge1",
    "ROUGE-2 (P/R/F1)": "rouge2",
    "ROUGE-L (P/R/F1)": "rougeL",
    "BLEU": "bleu",
    "chrF++": "chrf++",
    "METEOR": "meteor",
    "CIDEr": "cider",
    "Extractive coverage": "coverage",
    "Extractive density": "density",
    "Compression ratio": "compression",
    "Summary length (words)": "length",
    "% novel 1-grams": "novel",
    "% repeated 1-grams in summary": "repeated",
    "BERTScore (P/R/F1)": "bertscore",
    "SUPERT": "supert",
    "SummaQA (avg. F-score)": "summaqa",
    "BLANC": "blanc",
    "Overall": "judge",
    "FActScore": "factscore",
}


def test_only_differences_below_the_threshold_are_undecided():
    assert decide(np.array([0.2, -0.04, -0.05, 0.0]), 0.05).tolist() == [1, 0, -1, 0]
    assert decide(np.array([1e-9, 0.0, -3.0]), None).tolist() == [1, 0, -1]


@pytest.mark.real_data
def test_thresholds_are_those_of_the_published_table(shared_folder):
    with (shared_folder / "seed_tables" / "p2_table05_neither_thresholds.csv").open() as file:
        published = {row["metric"]: float(row["threshold"]) for row in csv.DictReader(file)}
    assert {ours: published[theirs] for theirs, ours in NAMES.items()} == dict(NEITHER_THRESHOLDS)


def test_options_of_a_metric_keep_its_threshold_but_another_scale_does_not():
    assert threshold_of("rougeL,refs=mean,stem=true") == 0.05
    assert threshold_of("judge,scale=5,dimension=fluency") == 0.5
    assert threshold_of("judge") is None  # 1 to 10
    assert threshold_of("length,unit=characters") is None
    assert threshold_of("TV+fvar+statement+overlap") is None


def test_a_users_threshold_wins_by_full_name_and_then_by_the_first_word():
    given = {"rougeL,stem=true": 0.2, "rougeL": 0.1}
    assert threshold_of("rougeL,stem=true", given) == 0.2
    assert threshold_of("rougeL", given) == 0.1


def test_thresholds_are_read_from_the_last_equals_sign():
    assert parse_thresholds(["rougeL,stem=true=.03", "chrf=2"]) == {"rougeL,stem=true": 0.03, "chrf": 2.0}


@pytest.mark.parametrize("pair", ["rougeL", "rougeL=x", "=3", "rougeL=-1", "rougeL=inf", "rougeL=nan"])
def test_a_threshold_without_a_size_is_refused(pair):
    with pytest.raises(PlanError, match="expected METRIC=SIZE"):
        parse_thresholds([pair])


def test_two_thresholds_of_one_metric_are_refused():
    with pytest.raises(PlanError, match=r"gives rougeL two sizes: 0.1 and 0.2"):
        parse_thresholds(["rougeL=.1", "rougeL=.2"])
