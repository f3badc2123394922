"""Sentences and variants of the real rated sets: few texts may fail, and the counts must not drift unseen."""

import json
from collections import Counter

import pytest

from gameproof.perturbations.apply import make_variants
from gameproof.perturbations.catalogue import select
from gameproof.records import Item
from gameproof.text import sentences

pytestmark = pytest.mark.real_data

# Items, of which the candidate is a single sentence: counted once with rules.v1 and read through by eye.
SETS = {
    "summeval/summeval.jsonl": (1600, 50),
    "space/space_system_outputs.jsonl": (725, 49),
    "iclr2023_reviews/iclr2023_reviews.jsonl": (300, 0),
    "expertqa/expertqa.jsonl": (479, 11),
}


def read_items(path):
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Item(
            id=f"{row['task_id']}/{row['candidate_id']}",
            task_id=row["task_id"],
            group=row["group"],
            candidate=row["candidate"],
            references=tuple(row["references"]),
            source=row["source"],
        )
        for row in rows
    ]


@pytest.mark.parametrize("name", SETS)
def test_nearly_all_real_texts_can_be_perturbed(shared_folder, name):
    items = read_items(shared_folder / "data" / name)
    n_items, n_single = SETS[name]
    assert len(items) == n_items
    assert sum(len(sentences(item.candidate)) == 1 for item in items) == n_single

    failed = Counter(
        variant.name for variant in make_variants(items, select("strategic"), seed=0) if variant.text is None
    )
    assert set(failed) <= {"sentence_deletion", "one_sentence_deletion"}
    assert failed["sentence_deletion"] <= n_single + 1
    assert failed["one_sentence_deletion"] == n_single


def test_tokenised_lower_case_summaries_have_the_sentences_their_stops_show(shared_folder):
    for item in read_items(shared_folder / "data" / "summeval/summeval.jsonl"):
        stops = item.candidate.count(" . ") + item.candidate.rstrip().endswith(" .")
        assert len(sentences(item.candidate)) >= stops
