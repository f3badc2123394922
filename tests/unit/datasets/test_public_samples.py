"""Excerpts of the published files, beside the rows that were made of them by hand."""

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gameproof.datasets.loaders.table import PUBLIC
from gameproof.datasets.opening import DataOptions, open_comparisons, open_dataset
from gameproof.datasets.public import public_rows

pytestmark = pytest.mark.real_data

TOLERANCE = 6e-5  # the tidy rows keep four decimals of a mean
CUT = "..."  # how the excerpts mark where a text was cut

# Excerpt -> format, the tidy rows, what identifies a row in both, and the name of the file in the official folder.
# `only` lists fields that an excerpt of a few records cannot have as the whole file has them.
CASES: Mapping[str, tuple[str, str, tuple[str, ...], str, tuple[str, ...]]] = {
    "summeval/original_sample.jsonl": ("summeval", "summeval/summeval.jsonl", ("task_id", "candidate_id"), "a.jsonl", ()),
    "rose/original_sample.json": ("rose", "rose/rose_cnndm_protocol.jsonl", ("task_id", "candidate_id"), "a.json", ()),
    "summeval_op/original_sample_detailed.jsonl": ("summeval_op", "summeval_op/summeval_op.jsonl", ("task_id", "candidate_id"), "summeval-op-detailed.jsonl", ()),
    "topical_chat/original_sample.json": ("topical_chat", "topical_chat/topical_chat.jsonl", ("task_id", "candidate_id"), "a.json", ("references",)),
    "pandalm/original_sample.json": ("pandalm", "pandalm/pandalm.jsonl", ("task_id", "annotator"), "testset-v1.json", ()),
    "llmbar/original_sample.json": ("llmbar", "llmbar/llmbar.jsonl", ("task_id",), "Natural/dataset.json", ()),
    "lfqa_e_sample/original_sample_en.json": ("lfqa_e", "lfqa_e_sample/lfqa_e_sample.jsonl", ("task_id", "candidate_a_id", "candidate_b_id"), "a.json", ()),
    "lfqa_e_sample/original_sample_zh.json": ("lfqa_e", "lfqa_e_sample/lfqa_e_sample.jsonl", ("task_id", "candidate_a_id", "candidate_b_id"), "a.json", ()),
    "lfqa_eval_experts/original_sample.json": ("lfqa_experts", "lfqa_eval_experts/lfqa_eval_experts.jsonl", ("task_id", "annotator"), "Biology_12.json", ()),
    "news_pairwise/original_sample.json": ("news_pairwise", "news_pairwise/news_pairwise.jsonl", ("group", "candidate_a", "preference", "preference_informative"), "pairwise_evaluation_results.json", ("references", "source", "task_id", "annotator", "candidate_a_id")),
    "scitldr/original_sample.jsonl": ("scitldr", "scitldr/scitldr_a_test.jsonl", ("task_id",), "test.jsonl", ()),
    "scitldr/original_sample_human_eval.csv": ("scitldr", "scitldr/scitldr_human_nuggets.jsonl", ("task_id", "candidate_id"), "a.csv", ("references", "source")),
    "expertqa/original_sample_cut.jsonl": ("expertqa", "expertqa/expertqa.jsonl", ("task_id", "candidate_id"), "a.jsonl", ("n_claims", "claim_correctness", "claim_informativeness")),
    "squality_human_eval/original_sample.jsonl": ("squality", "squality_human_eval/squality_human_eval.jsonl", ("task_id", "candidate_id"), "all-responses.jsonl", ("question", "references")),
    "aclsum/original_sample.jsonl": ("aclsum", "aclsum/aclsum_test.jsonl", ("task_id",), "a.jsonl", ()),
    "lay_summaries/original_sample_elife_mirror.jsonl": ("elife", "lay_summaries/elife_sample.jsonl", ("task_id",), "sample.json", ()),
    "lay_summaries/original_sample_human_eval.jsonl": ("elife", "lay_summaries/lay_human_eval.jsonl", ("task_id", "candidate_id"), "eval_output_eLife-annotator1.jsonl", ("raters", "ratings")),
    "pubmed/original_sample_mirror_format.json": ("pubmed", "pubmed/pubmed_sample.jsonl", ("task_id",), "pubmed_200.json", ()),
    "pubmed/original_sample_longeval_cut.jsonl": ("pubmed", "pubmed/pubmed_longeval_system_outputs.jsonl", ("task_id", "candidate_id"), "beam_3.jsonl", ("source",)),
}  # fmt: skip
BESIDE = {
    "summeval_op/original_sample_detailed.jsonl": ("summeval_op/original_sample.jsonl", "summeval-op.jsonl"),
    "pandalm/original_sample.json": (
        "pandalm/original_sample_self_instruct.jsonl",
        "user_oriented_instructions.jsonl",
    ),
    "news_pairwise/original_sample.json": (
        "news_pairwise/original_sample_writer_summaries.json",
        "writer_summaries.json",
    ),
}
TIDY_ONLY = frozenset({"text_form", "source_chars_full", "title"})  # what the tidy rows added or left out


@pytest.mark.parametrize("sample", CASES)
def test_an_excerpt_equals_the_tidy_rows(sample: str, shared_folder: Path, tmp_path: Path) -> None:
    name, tidy, key, official, only = CASES[sample]
    data = shared_folder / "data"
    path = _put(data / sample, tmp_path / official)
    if sample in BESIDE:
        _put(data / BESIDE[sample][0], tmp_path / BESIDE[sample][1])
    known = {tuple(row.get(part) for part in key): row for row in reversed(_lines(data / tidy))}
    rows = public_rows(PUBLIC[name], path)
    assert rows
    for row in rows:
        different = _differences(row, known[tuple(row.get(part) for part in key)], only)
        assert list(different) == []


@pytest.mark.parametrize(
    ("sample", "dimensions"),
    [
        ("summeval/original_sample.jsonl", {"coherence", "consistency", "fluency", "relevance"}),
        ("rose/original_sample.json", {"prior", "ref_based", "ref_free", "acu", "normalized_acu"}),
    ],
)
def test_an_excerpt_gives_the_items_of_the_tidy_rows(
    sample: str, dimensions: set[str], shared_folder: Path
) -> None:
    name, tidy, *_ = CASES[sample]
    loaded = open_dataset(f"{name}:{shared_folder / 'data' / sample}", DataOptions())
    known = {
        item.id: item for item in open_dataset(f"{name}:{shared_folder / 'data' / tidy}", DataOptions()).items
    }
    for item in loaded.items:
        other = known[item.id]
        assert set(item.ratings) == dimensions
        assert item.ratings == pytest.approx(other.ratings, abs=TOLERANCE)
        assert item.candidate == other.candidate
        assert item.references == other.references
        assert (item.source, item.group, item.system, item.domain) == (
            other.source,
            other.group,
            other.system,
            other.domain,
        )


def test_the_gold_files_of_space_equal_the_tidy_rows(shared_folder: Path, tmp_path: Path) -> None:
    data = shared_folder / "data" / "space"
    for part in (data / "original_sample.txt").read_text(encoding="utf-8").split("### file ")[1:]:
        name, _, content = part.partition("\n")
        path = tmp_path / name.strip()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content.rstrip("\n"), encoding="utf-8")
    known = {row["task_id"]: row for row in _lines(data / "space_references.jsonl")}
    rows = public_rows(PUBLIC["space"], tmp_path)
    assert len(rows) == 7
    for row in rows:
        assert row["references"] == known[row["task_id"]]["references"][:1]  # the excerpt has one of three
        assert row["group"] == known[row["task_id"]]["group"]


def test_reviews_of_the_table_keep_their_text(shared_folder: Path) -> None:
    """The two papers of this excerpt are not among the tidy rows; what they become is told by the file."""
    path = shared_folder / "data" / "iclr2023_reviews" / "original_sample_as_json.json"
    records = json.loads(path.read_text(encoding="utf-8"))
    rows = public_rows(PUBLIC["openreview"], path)
    assert [row["candidate"] for row in rows] == [record["review"] for record in records]
    assert [row["task_id"] for row in rows] == [record["paper_id"] for record in records]


@pytest.mark.parametrize(
    ("name", "file", "n"),
    [
        ("summarize_from_feedback", "summarize_from_feedback_axis_evals_example.jsonl", 1),
        ("summarize_from_feedback", "summarize_from_feedback_comparisons_example.jsonl", 1),
        ("openreview", "peerread_acl_review_cut.json", 1),
    ],
)
def test_examples_of_sets_that_could_not_be_had_load(
    name: str, file: str, n: int, shared_folder: Path
) -> None:
    assert len(public_rows(PUBLIC[name], shared_folder / "data" / "unavailable_formats" / file)) == n


@pytest.mark.parametrize(
    ("name", "file", "n"),
    [
        ("news_pairwise", "news_pairwise/news_pairwise.jsonl", 599),
        ("pandalm", "pandalm/pandalm.jsonl", 2835),
        ("lfqa_experts", "lfqa_eval_experts/lfqa_eval_experts.jsonl", 260),
        ("llmbar", "llmbar/llmbar.jsonl", 419),
        ("lfqa_e", "lfqa_e_sample/lfqa_e_sample.jsonl", 22),
    ],
)
def test_tidy_pairs_keep_their_choices(name: str, file: str, n: int, shared_folder: Path) -> None:
    """The numbers of rows are those of the data folder's README."""
    assert len(open_comparisons(f"{name}:{shared_folder / 'data' / file}").judgements) == n


def _put(source: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)
    return target


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _differences(  # noqa: C901 - one case for each kind of value
    found: object, known: object, only: tuple[str, ...], where: str = "row"
) -> Iterator[str]:
    if isinstance(found, Mapping) and isinstance(known, Mapping):
        for key in {*found, *known} - {*only, *TIDY_ONLY}:
            if key not in found or key not in known:
                yield f"{where}.{key} is in one of them only"
            else:
                yield from _differences(found[key], known[key], only, f"{where}.{key}")
    elif isinstance(found, list) and isinstance(known, list) and len(found) == len(known):
        for place, (one, other) in enumerate(zip(found, known, strict=True)):
            yield from _differences(one, other, only, f"{where}[{place}]")
    elif isinstance(found, float) and isinstance(known, float):
        if abs(found - known) > TOLERANCE:
            yield f"{where}: {found} and {known}"
    elif (
        isinstance(found, str)
        and isinstance(known, str)
        and found.rstrip().endswith("]")
        and CUT in found[-16:]
    ):
        kept = found[: found.rindex("[")].rstrip()
        if not known.startswith(kept):
            yield f"{where}: the text differs before the cut"
    elif found != known:
        yield f"{where}: {found!r:.80} and {known!r:.80}"
