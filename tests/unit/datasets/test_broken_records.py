"""A record that is not as it is published is told with its line, and takes no other record with it."""

import csv
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from gameproof.datasets.loaders.base import LeftOut
from gameproof.datasets.loaders.table import PUBLIC
from gameproof.datasets.public import open_public, public_rows
from gameproof.errors import InputError
from gameproof.files.formats import BadRow

FILES = Path(__file__).resolve().parents[2] / "data" / "public"
GONE = object()  # the key is taken away

# Folder of tests/data/public -> format, and its file of records.
MAIN = {
    "summeval": ("summeval", "model_annotations.aligned.jsonl"),
    "summeval_geval": ("summeval", "summeval.json"),
    "summeval_mteb": ("summeval", "test.jsonl"),
    "rose": ("rose", "protocol-comparison-llm.json"),
    "summeval_op": ("summeval_op", "summeval-op.jsonl"),
    "summeval_op_detailed": ("summeval_op", "summeval-op-detailed.jsonl"),
    "space_outputs": ("space", "baselines_space.json"),
    "space_official": ("space", "space_summ.json"),
    "squality": ("squality", "all-responses.jsonl"),
    "scitldr": ("scitldr", "analysis/human_eval_informativeness.csv"),
    "elife": ("elife", "test.json"),
    "elife_human": ("elife", "human_eval/eval_output_eLife-annotator1.jsonl"),
    "aclsum": ("aclsum", "test.jsonl"),
    "lfqa_e": ("lfqa_e", "data/en_test.json"),
    "medaesqa": ("medaesqa", "medaesqa_v1.json"),
    "expertqa": ("expertqa", "data/lfqa/rand_test.jsonl"),
    "topical_chat": ("topical_chat", "topical_chat.json"),
    "openreview_table": ("openreview", "dataset_human_review1.json"),
    "openreview_notes": ("iclr2026", "notes.json"),
    "peerread": ("openreview", "reviews/104.json"),
    "peer_grading": ("peer_grading_wh", "reviews.csv"),
    "news_pairwise": ("news_pairwise", "pairwise_evaluation_results.json"),
    "summarize_from_feedback": ("summarize_from_feedback", "comparisons/batch3.json"),
    "summarize_axes": ("summarize_from_feedback", "axis_evals/cnndm1.json"),
    "lfqa_experts": ("lfqa_experts", "Annotated_Dataset/physics_11.json"),
    "lfqa_processed": ("lfqa_experts", "preference_data/experts.jsonl"),
    "pandalm": ("pandalm", "testset-v1.json"),
    "llmbar": ("llmbar", "Natural/dataset.json"),
    "reader_study": ("reader_study", "results/annotator-7.json"),
}

# Folder, the path in a record and what is put there; what is told as found and as allowed. The values that are allowed
# are those of the papers' own files, as each loader's `looks` names them.
MARRED = (
    ("summeval", ("expert_annotations",), [], "'expert_annotations' is empty", "a list of marks under"),
    ("summeval_geval", ("scores", "fluency"), "high", "'fluency' is the text", "a number under 'fluency'"),
    ("summeval_mteb", ("coherence",), [3.0], "1 marks of coherence", "a number for each of 2 summaries"),
    ("summeval_op", ("reviews",), [], "'reviews' is a list", "an object of reviews under"),
    ("summeval_op_detailed", ("fl",), [[4]], "no marks of 'fl' for summary 2", "a list of numbers for each"),
    ("space_outputs", ("lexrank_general",), [{}], "no 'entity_id'", "the hotel under 'entity_id'"),
    ("space_official", ("summaries",), GONE, "no 'summaries'", "an object of summaries under"),
    ("squality", ("questions",), [], "'questions' is a list", "an object of questions under"),
    ("scitldr", ("area_field_topic",), "perhaps", "'area_field_topic' is the text", "a number under"),
    ("elife", ("summary",), 5, "'summary' is the number", "text, or a list of texts, under 'summary'"),
    ("elife_human", ("scores",), [], "'scores' is a list", "an object of scores under"),
    (
        "lfqa_e",
        ("student_answer_a_vs_model_answer_a",),
        "model_answer_b",
        "is 'model_answer_b'",
        "student_answer_a, model_answer_a or same",
    ),
    ("lfqa_e", ("student_answer_a_vs_model_answer_a",), GONE, "no key such as", "the label of the pair"),
    (
        "medaesqa",
        ("machine_generated_answers", "M1", "is_answer_accurate"),
        "perhaps",
        "'is_answer_accurate' is 'perhaps'",
        "yes or no",
    ),
    ("expertqa", ("answers", "gpt4", "claims"), 5, "'claims' is the number", "a list under 'claims'"),
    ("topical_chat", ("scores",), None, "'scores' is null", "an object of scores under"),
    ("openreview_table", ("review",), None, "'review' is null", "text under 'review'"),
    (
        "openreview_notes",
        ("notes",),
        [{"forum": "f1", "invitation": "ICLR.cc/2023/Conference/Paper1/-/Official_Review", "content": 5}],
        "'content' is the number",
        "the parts of the review",
    ),
    ("peerread", ("reviews",), GONE, "no 'reviews'", "a list under 'reviews'"),
    ("peer_grading", ("role",), "dean", "'role' is 'dean'", "staff or student"),
    ("peer_grading", ("grade",), "good", "'grade' is the text", "a number under 'grade'"),
    (
        "news_pairwise",
        ("overall_writer_better",),
        "a bit",
        "'overall_writer_better' is 'a bit'",
        "true, false or 'Equally Good'",
    ),
    ("summarize_from_feedback", ("summaries",), [{"text": "one"}], "1 summaries", "two"),
    ("summarize_from_feedback", ("choice",), 2, "'choice' is 2", "0 or 1"),
    (
        "summarize_from_feedback",
        ("info", "post"),
        GONE,
        "neither 'post' nor 'article'",
        "the text that was summarised",
    ),
    ("summarize_axes", ("summary", "axes"), [], "'axes' is a list", "an object of marks under"),
    ("lfqa_experts", ("BetterAnswer",), "Both", "'BetterAnswer' is 'Both'", "Answer A or Answer B"),
    ("lfqa_processed", ("overall_preference",), 2, "'overall_preference' is 2", "-1, 0 or 1"),
    ("pandalm", ("annotator1",), 3, "'annotator1' is 3", "1, 2 or 0"),
    ("llmbar", ("label",), 0, "'label' is 0", "1 or 2"),
    ("reader_study", ("annotations", 0, "round1_ab"), "C", "'round1_ab' is 'C'", "A, B or N"),
)  # fmt: skip


def _records(path: Path) -> list[dict]:
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        return list(csv.DictReader(content.splitlines()))
    try:
        found = json.loads(content)
    except json.JSONDecodeError:
        return [json.loads(line) for line in content.splitlines()]
    return found if isinstance(found, list) else [found]


def _write(path: Path, records: Sequence[dict | str]) -> None:
    """Write a record on each line, in the form of the file; a text is a line as it is."""
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            writer = csv.DictWriter(file, list(records[0]))
            writer.writeheader()
            writer.writerows(records)
        else:
            file.writelines(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in records)


def _changed(record: Mapping, path: Sequence, value: object) -> dict:
    copy = json.loads(json.dumps(record))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    if value is GONE:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return copy


def _copy(folder: str, tmp_path: Path) -> tuple[str, Path]:
    name, file = MAIN[folder]
    shutil.copytree(FILES / folder, tmp_path / folder)
    return name, tmp_path / folder / file


def _read(name: str, path: Path) -> tuple[list[dict], list[tuple[int, BadRow]]]:
    found = list(open_public(PUBLIC[name], path, as_published=True).source.rows())
    bad = [(line, row) for line, row in found if isinstance(row, BadRow)]
    return [row for _, row in found if not isinstance(row, BadRow | LeftOut)], bad


@pytest.mark.parametrize(
    ("folder", "path", "value", "told"),
    [(folder, path, value, told) for folder, path, value, *told in MARRED],
    ids=[f"{folder}-{'.'.join(map(str, path))}-{allowed[:12]}" for folder, path, _, _, allowed in MARRED],
)
def test_a_record_that_lacks_something_is_told_and_the_others_are_read(
    folder: str, path: tuple, value: object, told: Sequence[str], tmp_path: Path
) -> None:
    found, allowed = told
    name, file = _copy(folder, tmp_path)
    records = _records(file)
    _write(file, records)
    whole, _ = _read(name, file)
    marred = _changed(records[0], path, value)
    _write(file, [*records, marred])
    rows, bad = _read(name, file)
    assert len(bad) == 1
    assert found in bad[0][1].found
    assert allowed in bad[0][1].allowed
    assert rows[: len(whole)] == whole
    assert bad[0][0] == len(records) + 1 + (file.suffix == ".csv")  # a line each, below the header of a table


@pytest.mark.parametrize("folder", [name for name, (_, file) in MAIN.items() if not file.endswith(".csv")])
def test_a_line_that_is_no_json_is_told_and_the_others_are_read(folder: str, tmp_path: Path) -> None:
    name, file = _copy(folder, tmp_path)
    records = _records(file)
    _write(file, records)
    whole, _ = _read(name, file)
    _write(file, [*records, '{"id": "cut o'])
    rows, bad = _read(name, file)
    assert [line for line, _ in bad] == [len(records) + 1]
    assert "JSON" in bad[0][1].found + bad[0][1].allowed
    assert rows == whole


def test_a_broken_line_in_a_file_beside_takes_nothing_else_away(tmp_path: Path) -> None:
    """Marks of another expert, stories, and answers of people are looked up; a broken line has none of them."""
    beside = {
        "elife_human": "human_eval/eval_output_eLife-annotator2.jsonl",
        "squality": "v1-3/txt/test.jsonl",
        "scitldr": "SciTLDR-Data/SciTLDR-A/test.jsonl",
        "pandalm": "user_oriented_instructions.jsonl",
        "news_pairwise": "writer_summaries.json",
    }
    for folder, other in beside.items():
        name, file = _copy(folder, tmp_path)
        whole = public_rows(PUBLIC[name], tmp_path / folder)
        path = tmp_path / folder / other
        _write(path, [*_records(path), '{"id": "cut o'])
        assert public_rows(PUBLIC[name], tmp_path / folder) == whole
        path.unlink()
        alone, bad = _read(name, file)
        assert len(alone) == len(whole)
        assert not bad
        assert alone != whole  # what stood beside it was read


def test_an_answer_that_an_earlier_file_has_is_counted_and_not_read_twice(tmp_path: Path) -> None:
    _, file = _copy("expertqa", tmp_path)
    shutil.copy(file, file.with_name("rand_val.jsonl"))
    found = open_public(PUBLIC["expertqa"], tmp_path / "expertqa")
    assert [row["candidate_id"] for _, row in found.source.rows()] == ["gpt4"]
    assert found.notes == ("left out: answers that an earlier file has: 1",)


def test_a_form_without_prose_is_no_review(tmp_path: Path) -> None:
    """A review of marks and of choices from a list has nothing to be scored."""
    name, file = _copy("openreview_notes", tmp_path)
    note = _records(file)[0]["notes"][0]
    silent = {
        **note,
        "content": {"rating": {"value": 6}, "flag": {"value": "no"}, "title": {"value": "x" * 60}},
    }
    _write(file, [{"notes": [note, silent]}])
    found = open_public(PUBLIC[name], file)
    assert [row["candidate_id"] for _, row in found.source.rows()] == ["Reviewer_a"]
    assert found.notes == ("left out: notes that are no reviews, or have no prose: 1",)


@pytest.mark.parametrize("folder", ["peer_grading", "scitldr"])
def test_a_row_of_a_table_with_too_many_cells_is_told(folder: str, tmp_path: Path) -> None:
    name, file = _copy(folder, tmp_path)
    whole, _ = _read(name, file)
    n_lines = len(file.read_text(encoding="utf-8").splitlines())
    with file.open("a", encoding="utf-8") as table:
        table.write(",".join("abcdefghijklmn") + "\n")
    rows, bad = _read(name, file)
    assert [(line, row.found) for line, row in bad] == [(n_lines + 1, "a row of 14")]
    assert rows == whole


def test_an_object_that_ends_early_is_told_by_its_file(tmp_path: Path) -> None:
    """PeerRead has an object of several lines for each paper; half of one is no record."""
    name, file = _copy("peerread", tmp_path)
    content = file.read_text(encoding="utf-8")
    file.write_text(content[: len(content) // 2], encoding="utf-8")
    with pytest.raises(InputError, match=r"104\.json cannot be read: neither JSON lines nor one JSON object"):
        _read(name, file)


def test_outputs_under_a_name_that_says_no_system_are_told(tmp_path: Path) -> None:
    name, file = _copy("space_outputs", tmp_path)
    records = _records(file)
    _write(file, [*records, {"lexrank": []}])
    rows, bad = _read(name, file)
    assert [row.found for _, row in bad] == ["the key 'lexrank'"]
    assert bad[0][1].allowed == "aspect_SYSTEM_ASPECT or SYSTEM_general"
    assert [row["candidate_id"] for row in rows] == ["qt", "lexrank"]


def test_a_first_round_that_was_not_played_is_no_choice_and_has_no_final(tmp_path: Path) -> None:
    """A reader who left after the first choice of a bracket made one choice."""
    name, file = _copy("reader_study", tmp_path)
    reader = _records(file)[0]
    query = {key: value for key, value in reader["annotations"][0].items() if key != "round1_cd"}
    _write(file, [{**reader, "annotations": [query]}])
    rows, bad = _read(name, file)
    assert not bad
    assert [(row["round"], row["preference"]) for row in rows] == [("round1_ab", "b")]


def test_stories_can_be_had_without_their_evaluation() -> None:
    path = FILES / "squality" / "v1-3" / "txt" / "test.jsonl"
    rows = public_rows(PUBLIC["squality"], path)
    assert rows == [
        {
            "task_id": "101-q0",
            "group": "101",
            "source": "Once a sailor lost his way. A lamp guided him home.",
            "question": "What happens?",
            "references": [
                "A sailor is lost at sea and found by a lamp.",
                "A lamp guides a lost sailor home.",
            ],
        }
    ]
