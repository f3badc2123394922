"""The public rated sets beside the checkout, as a stranger would give them."""

import pytest

from gameproof.errors import DataError
from gameproof.files import check, load

pytestmark = pytest.mark.real_data

# Rows, tasks and systems as the README of each set states them.
RATED = {
    "summeval/summeval": (1600, 100, 16),
    "rose/rose_cnndm_protocol": (1200, 100, 12),
    "rose/rose_cnndm_protocol_llm": (400, 100, 4),
    "squality_human_eval/squality_human_eval": (300, 100, 3),
    "summeval_op/summeval_op": (416, 32, 13),
    "topical_chat/topical_chat": (360, 60, None),
    "expertqa/expertqa": (479, 479, None),
    "lay_summaries/lay_human_eval": (20, None, None),
    "iclr2023_reviews/iclr2023_reviews": (300, 100, 3),
}
PAIRWISE = (
    "news_pairwise/news_pairwise",
    "pandalm/pandalm",
    "lfqa_eval_experts/lfqa_eval_experts",
    "llmbar/llmbar",
    "lfqa_e_sample/lfqa_e_sample",
)
CORPORA = (
    "iclr2023_reviews/iclr2023_papers",
    "scitldr/scitldr_a_test",
    "pubmed/pubmed_sample",
    "aclsum/aclsum_test",
    "space/space_references",
)


def path_of(shared_folder, name):
    return shared_folder / "data" / f"{name}.jsonl"


@pytest.mark.parametrize("name", RATED)
def test_a_rated_set_is_good_as_it_is(shared_folder, name):
    report = check(path_of(shared_folder, name))
    assert report.problems == ()
    found = (report.n_items, report.n_tasks, report.n_systems)
    assert all(wanted in {None, got} for wanted, got in zip(RATED[name], found, strict=True))


@pytest.mark.parametrize("name", PAIRWISE)
def test_a_pairwise_set_is_told_to_be_another_kind_of_data(shared_folder, name):
    with pytest.raises(DataError, match="found a pair, candidate_a and candidate_b") as caught:
        load(path_of(shared_folder, name))
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize("name", CORPORA)
def test_a_corpus_without_candidates_names_its_columns(shared_folder, name):
    with pytest.raises(DataError, match=r"candidate: found no such column \(columns: task_id, ") as caught:
        load(path_of(shared_folder, name))
    assert len(caught.value.problems) == 1


def test_summeval_keeps_the_marks_of_three_experts_for_the_twelve_systems_that_have_them(shared_folder):
    data = load(path_of(shared_folder, "summeval/summeval"))
    with_raters = [item for item in data.items if item.raters]
    assert len(with_raters) == 1200  # README: raters are absent for M0, M1, M2 and M5
    # README: the mean of the three expert scores equals the published mean in all 1,200 rows (4 decimals).
    for item in with_raters:
        for dimension, rating in item.ratings.items():
            marks = [marks[dimension] for marks in item.raters.values()]
            assert sum(marks) / 3 == pytest.approx(rating, abs=5e-5)


def test_the_official_form_of_summeval_is_read_as_well(shared_folder):
    data = load(shared_folder / "data" / "summeval" / "original_sample.jsonl", rename={"task_id": "id"})
    first = data.items[0]
    assert first.id == f"{first.task_id}/M11"
    assert (len(first.references), len(first.raters), sorted(first.ratings)) == (
        11,
        3,
        ["coherence", "consistency", "fluency", "relevance"],
    )


def test_rows_that_were_marked_twice_are_told_with_both_lines(shared_folder):
    # This set holds a few texts twice with different marks, which nobody but its user can settle.
    with pytest.raises(
        DataError, match=r"again, but not with the same ratings as scitldr_human_nuggets\.jsonl:"
    ) as caught:
        load(path_of(shared_folder, "scitldr/scitldr_human_nuggets"))
    assert len(caught.value.problems) == 8
