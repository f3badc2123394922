"""Every official shape, read from tiny files written by hand (tests/data/public)."""

import json
from pathlib import Path

import pytest

import gameproof
from gameproof.datasets.loaders.table import PUBLIC
from gameproof.datasets.opening import DataOptions, open_comparisons, open_dataset
from gameproof.datasets.public import guess, open_public, public_rows, split_name
from gameproof.errors import DataError, InputError, PlanError
from gameproof.files.formats import BadRow

FILES = Path(__file__).resolve().parents[2] / "data" / "public"

# Folder of tests/data/public -> format, rows, and the first row's task, writer, and mark or choice. All of it was
# written by hand; means are means of the marks in the file.
SHAPES = {
    "summeval": ("summeval", 2, "news-1", "M8", {"coherence": 3.0, "relevance": 3.0}),
    "summeval_paired": ("summeval", 2, "news-1", "M8", {"fluency": 13 / 3}),
    "summeval_geval": ("summeval", 1, "news-1", "M8", {"fluency": 4.3333}),
    "summeval_mteb": ("summeval", 2, "news-1", "system_00", {"coherence": 3.0}),
    "rose": ("rose", 1, "ex-1", "gpt3", {"acu": 0.5}),
    "summeval_op": ("summeval_op", 2, "op-000", "human-summaries", {"fluency": 4.33}),
    "summeval_op_detailed": ("summeval_op", 2, "op-000", "human-summaries", {"fluency": 13 / 3}),
    "space": ("space", 2, "77:food", None, None),
    "space_outputs": ("space", 2, "77:food", "qt", {}),
    "space_official": ("space", 1, "77:food", None, None),
    "squality": ("squality", 2, "101-q0", "bart", {"correctness": 50.0, "coverage": 25.0}),
    "scitldr": ("scitldr", 2, "P1", "baseline_aic", {"n_nuggets": 2.0}),
    "arxiv": ("arxiv", 1, "0901.0001", None, None),
    "pubmed_hf": ("pubmed", 1, "test-000", None, None),
    "pubmed_mirror": ("pubmed", 1, "pubmed-000", None, None),
    "pubmed_longeval": ("pubmed", 2, "pubmed-le-000", "bigbird_pegasus", {}),
    "elife": ("elife", 1, "e-1", None, None),
    "elife_hf": ("elife", 1, "test-000", None, None),
    "elife_mirror": ("elife", 1, "e-1", None, None),
    "elife_human": ("elife", 1, "e-1", "bart", {"comprehensiveness": 3.0}),
    "aclsum": ("aclsum", 1, "E1", None, None),
    "lfqa_e": ("lfqa_e", 2, "en-q1", "student_answer_a", "b"),
    "medaesqa": ("medaesqa", 2, "medaesqa-9", "M1", {"accuracy": 1.0, "required": 0.5, "supported": 0.5}),
    "expertqa": ("expertqa", 1, "eq-8b2cd5bb", "gpt4", {"usefulness": 3, "claim_correctness": 4.5}),
    "topical_chat": ("topical_chat", 3, "tc-000", "Original Ground Truth", {"groundedness": 0.5}),
    "openreview_table": ("openreview", 2, "p1", "human_review1", {}),
    "openreview_notes": ("iclr2026", 2, "f1", "Reviewer_a", {}),
    "peerread": ("openreview", 2, "104", "review_1", {}),
    "peer_grading": ("peer_grading_wh", 2, "algorithms/s1", "u1", {"grade": 8.0}),
    "news_pairwise": ("news_pairwise", 2, "x1:writer_1", "writer_1", "a"),
    "summarize_from_feedback": ("summarize_from_feedback", 1, "t3_1", "sup4", "b"),
    "summarize_axes": ("summarize_from_feedback", 1, "d1", "ref:wk1", {"accuracy": 7.0}),
    "lfqa_experts": ("lfqa_experts", 1, "physics-fe07dabe", "model", "a"),
    "lfqa_processed": ("lfqa_experts", 1, "lfqa-fe07dabe", "human", "a"),
    "pandalm": ("pandalm", 3, "pandalm-0000", "bloom-7b", "a"),
    "llmbar": ("llmbar", 2, "llmbar-natural-000", None, "a"),
    "reader_study": ("reader_study", 5, "annotator-7/0", "m1 (personalised)", "b"),
}


def test_every_folder_of_fixtures_has_a_case_and_every_format_a_folder() -> None:
    assert set(SHAPES) == {folder.name for folder in FILES.iterdir()}
    formats = {case[0] for case in SHAPES.values()} | {"peer_grading_xlsk"}  # one template for both
    assert formats == set(PUBLIC)


@pytest.mark.parametrize("folder", SHAPES)
def test_each_official_shape_becomes_rows(folder: str) -> None:
    name, n, task, writer, said = SHAPES[folder]
    rows = public_rows(PUBLIC[name], FILES / folder)
    first = rows[0]
    assert len(rows) == n
    assert first["task_id"] == task
    assert first.get("candidate_id", first.get("candidate_a_id")) == writer
    if isinstance(said, str):
        assert first["preference"] == said
    elif said is not None:
        found = {key: first["ratings"][key] for key in said}
        assert found == pytest.approx(said, abs=1e-9)


@pytest.mark.parametrize("folder", SHAPES)
def test_each_official_shape_opens_as_items_of_its_domain(folder: str) -> None:
    name = SHAPES[folder][0]
    dataset = open_dataset(f"{name}:{FILES / folder}", DataOptions())
    assert dataset.public == name
    assert {item.domain for item in dataset.items} == {PUBLIC[name].domain}
    assert len({item.id for item in dataset.items}) == len(dataset.items)


def test_no_two_shapes_of_a_format_take_the_same_file_unless_the_first_says_more() -> None:
    for row in PUBLIC.values():
        for place, shape in enumerate(row.shapes):
            later = row.shapes[place + 1 :]
            assert not any(shape.keys and shape.keys < other.keys for other in later), row.name


def test_groups_are_those_of_the_paper() -> None:
    """ "Scoring Rules!", section C.1: one group for ICLR 2026, Peer Grading-XLSK, SummEval and SPACE."""
    alone = {row.paper for row in PUBLIC.values() if row.paper and row.groups == "all"}
    assert alone == {"ICLR26", "PG-XLSK", "SummEval", "SPACE", "MedAESQA"}
    space = open_dataset(f"space:{FILES / 'space'}", DataOptions())
    assert {item.group for item in space.items} == {"all"}
    own = open_dataset(f"space:{FILES / 'space'}", DataOptions(group_by="group"))
    assert {item.group for item in own.items} == {"food", "general"}
    classes = open_dataset(f"peer_grading_wh:{FILES / 'peer_grading'}", DataOptions())
    assert {item.group for item in classes.items} == {"algorithms"}


def test_references_come_from_the_files_beside() -> None:
    stories = public_rows(PUBLIC["squality"], FILES / "squality")
    assert [len(row["references"]) for row in stories] == [
        2,
        1,
    ]  # the human response is no reference of itself
    assert stories[0]["question"] == "What happens?"
    papers = public_rows(PUBLIC["scitldr"], FILES / "scitldr")
    assert papers[1]["references"] == ["Ferries are counted by a new method."]
    assert papers[0]["source"] == "We count ferries. Counting is hard."
    pairs = public_rows(PUBLIC["pandalm"], FILES / "pandalm")
    assert (pairs[0]["group"], pairs[0]["references"]) == ("user_oriented_task_0", ["White fog."])
    news = public_rows(PUBLIC["news_pairwise"], FILES / "news_pairwise")
    assert news[0]["references"] == ["Nobody was hurt when a ferry ran aground."]
    reviews = public_rows(PUBLIC["peer_grading_wh"], FILES / "peer_grading")
    assert all(len(row["references"]) == 1 for row in reviews)


def test_what_is_left_out_is_counted() -> None:
    pairs = open_comparisons(f"pandalm:{FILES / 'pandalm'}")
    assert "left out: pairs with an empty answer: 1" in pairs.notes
    assert len(pairs.judgements) == 3
    rose = open_dataset(f"rose:{FILES / 'rose'}", DataOptions())
    assert any("nobody marked" in note for note in rose.notes)


def test_a_reader_study_has_a_final_only_between_two_winners() -> None:
    rows = public_rows(PUBLIC["reader_study"], FILES / "reader_study")
    assert [(row["round"], row["preference"]) for row in rows] == [
        ("round1_ab", "b"),
        ("round1_cd", "b"),
        ("final", "b"),
        ("round1_ab", "tie"),
        ("round1_cd", "a"),
    ]
    found = open_comparisons(f"reader_study:{FILES / 'reader_study'}")
    persona = found.items[0].persona
    assert persona is not None
    assert (persona.role, persona.needs) == ("pilot", "when fog is dangerous")


def test_another_question_can_be_asked_of_pairs() -> None:
    overall = open_comparisons(f"news_pairwise:{FILES / 'news_pairwise'}")
    informative = open_comparisons(
        f"news_pairwise:{FILES / 'news_pairwise'}", rename={"preference": "preference_informative"}
    )
    assert [j.choice for j in overall.judgements] == ["a", "tie"]
    assert [j.choice for j in informative.judgements] == ["tie", "b"]


def test_a_wrong_file_is_refused_with_what_it_looks_like() -> None:
    wrong = FILES / "news_pairwise" / "pairwise_evaluation_results.json"
    with pytest.raises(InputError) as caught:
        open_public(PUBLIC["pandalm"], wrong)
    assert "response1" in caught.value.message  # what PandaLM looks like
    assert "writer_summary" in caught.value.message  # what was found
    assert f"news_pairwise:{wrong}" in str(caught.value.hint)
    assert guess(wrong) == ["news_pairwise"]


def test_a_folder_without_official_files_says_where_they_should_be() -> None:
    with pytest.raises(InputError, match=r"holds no files of LLMBar[\s\S]*Natural/dataset\.json"):
        open_public(PUBLIC["llmbar"], FILES / "summeval")


def test_records_that_lack_something_are_named_with_their_lines(tmp_path: Path) -> None:
    good = (
        (FILES / "summeval" / "model_annotations.aligned.jsonl").read_text(encoding="utf-8").splitlines()[0]
    )
    bad = json.dumps({**json.loads(good), "decoded": None})
    path = tmp_path / "model_annotations.aligned.jsonl"
    path.write_text(f"{good}\n{bad}\n", encoding="utf-8")
    with pytest.raises(
        DataError, match=r"aligned\.jsonl:2: found 'decoded' is null; allowed: text under 'decoded'"
    ):
        open_dataset(f"summeval:{path}", DataOptions())


WRONG_KINDS = {
    "reader_study": {"token": "t", "annotations": [5]},
    "expertqa": {"question": "q", "answers": {"s": {"answer_string": "a", "claims": [5]}}},
    "summarize_from_feedback": {"info": {"id": "1", "post": "p"}, "summaries": [5, 6], "choice": 0},
    "squality": {"passage-id": "p", "questions": {"first": {}}},
    "openreview": {"notes": [5]},
    "medaesqa": {
        "question_id": 1,
        "question": "q",
        "machine_generated_answers": {"M1": {"answer": "a", "answer_sentences": 5}},
    },
    "elife": {"id": "1", "sections": [5], "abstract": "a", "summary": "s", "headings": []},
    "space": {"entity_id": 1, "reviews": [5], "summaries": {}},
    "summeval": {
        "id": "1", "decoded": "d", "expert_annotations": [5], "turker_annotations": [], "references": [], "model_id": "m",
    },
    "peer_grading_wh": {"submission": "s", "role": "student", "review": "r", "reviewer": "x", "grade": [1]},
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_KINDS)
def test_a_value_of_another_kind_is_told_with_its_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(f"\n{json.dumps(WRONG_KINDS[name])}\n", encoding="utf-8")
    told: list[str] = []
    try:
        rows = list(open_public(PUBLIC[name], path).source.rows())
        told += [f"records.jsonl:{line}: {row.found}" for line, row in rows if isinstance(row, BadRow)]
    except InputError as error:  # where the value is met outside of what a loader looks for
        told.append(str(error))
    assert [each.startswith("records.jsonl:2: ") for each in told] == [True]


def test_a_file_beside_that_is_not_as_published_is_told(tmp_path: Path) -> None:
    pairs = FILES / "pandalm" / "testset-v1.json"
    (tmp_path / pairs.name).write_bytes(pairs.read_bytes())
    beside = tmp_path / "user_oriented_instructions.jsonl"
    beside.write_text('{"id": "1", "instruction": "i", "instances": [{"input": 5}]}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"a file beside testset-v1\.json is not as it is published"):
        open_comparisons(f"pandalm:{tmp_path / pairs.name}")


def test_rows_of_our_own_pass_through_a_format(tmp_path: Path) -> None:
    path = tmp_path / "tidy.jsonl"
    row = {
        "task_id": "t",
        "group": "g",
        "candidate": "Fog.",
        "candidate_id": "A",
        "references": ["White fog."],
    }
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    dataset = open_dataset(f"summeval:{path}", DataOptions())
    assert dataset.items[0].domain == "summaries"
    assert dataset.items[0].group == "all"


def test_a_public_file_without_its_name_is_recognised_in_the_error() -> None:
    path = FILES / "expertqa" / "data" / "lfqa" / "rand_test.jsonl"
    with pytest.raises(DataError, match=f"expertqa:{path}"):
        open_dataset(str(path), DataOptions())


def test_a_misspelt_format_is_told() -> None:
    path = FILES / "summeval" / "model_annotations.aligned.jsonl"
    with pytest.raises(PlanError, match=f"did you mean summeval:{path}"):
        split_name(f"sumeval:{path}")


def test_a_file_with_a_colon_in_its_name_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("summeval:items.jsonl").write_text('{"candidate": "Fog."}\n', encoding="utf-8")
    assert split_name("summeval:items.jsonl") is None


def test_choices_are_refused_where_there_are_none() -> None:
    with pytest.raises(PlanError, match="no choices between two texts"):
        open_comparisons(f"summeval:{FILES / 'summeval'}")


def test_pairs_can_be_scored_as_texts() -> None:
    dataset = open_dataset(f"lfqa_e:{FILES / 'lfqa_e'}", DataOptions())
    assert len(dataset.items) == 4
    assert any("2 choices between two texts make 4 texts" in note for note in dataset.notes)
    table = gameproof.score(f"lfqa_e:{FILES / 'lfqa_e'}", "length")
    assert len(list(table.rows())) == 4


def test_a_text_that_was_marked_again_has_two_raters(tmp_path: Path) -> None:
    row = {"task_id": "t", "candidate": "Fog.", "candidate_id": "A", "ratings": {"n_nuggets": 2.0}}
    again = {**row, "ratings": {"n_nuggets": 3.0}}
    path = tmp_path / "tidy.jsonl"
    path.write_text(f"{json.dumps(row)}\n{json.dumps(again)}\n", encoding="utf-8")
    dataset = open_dataset(f"scitldr:{path}", DataOptions())
    assert len(dataset.items) == 1
    assert dataset.items[0].ratings == {"n_nuggets": 2.5}
    assert len(dataset.items[0].raters) == 2
    assert any("mark a text again" in note and note.endswith(": 1") for note in dataset.notes)
