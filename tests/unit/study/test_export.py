"""A study's data as files, and back."""

import csv
import dataclasses
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.folders import folder_in_memory
from tests.support.study_simulation import simulate

from gameproof import files
from gameproof.errors import DataError, InputError, PlanError
from gameproof.study.export import export_files, write_export
from gameproof.study.layout import RESULTS, read_layout
from gameproof.study.layout_writing import layout_files
from gameproof.study.opening import open_record, record_store
from gameproof.study.record import NEITHER, PageTime, ReaderRecord, SessionRecord, StudyRecord
from gameproof.study.store import open_store
from gameproof.study.tables import COLUMNS, TABLES, agreement_rows

RELEASED = {
    "token": "t1",
    "pre_task_answers": {"role": "nurse", "Research Area": "wards", "info_needs": "numbers"},
    "annotations": [
        {
            "query_index": 0,
            "query": "sleep in hospital",
            "summaries": {"A": "one", "B": "two", "C": "three", "D": "four"},
            "metadata": {
                "A": {"model": "large", "has_pre_question": True},
                "B": {"model": "small", "has_pre_question": False},
                "C": {"model": "large", "has_pre_question": False},
                "D": {"model": "small", "has_pre_question": True},
            },
            "paper_ids": ["https://openalex.org/W1"],
            "round1_ab": "A",
            "round1_cd": "D",
            "final": "D",
        },
        {"query_index": 1, "query": "not answered", "summaries": {}, "metadata": {}},
    ],
}


@pytest.fixture(scope="module")
def record() -> StudyRecord:
    """Return two readers' sessions, of the whole way through the core."""
    with folder_in_memory() as folder:
        store = open_store(folder / "study.db")
        desk = simulate(store, seed=3, sessions=(3, 2))
        who = store.enrol().id  # somebody who only agreed
        desk.answer(who, "consent", {"agree": "yes"})
        found = record_store(store)
        store.close()
    return found


def released(folder: Path, **changes: object) -> Path:
    (folder / "results").mkdir(parents=True)
    annotation = RELEASED["annotations"][0] | changes
    data = RELEASED | {"annotations": [annotation, *RELEASED["annotations"][1:]]}
    (folder / "results" / "annotator-x.json").write_text(json.dumps(data))
    (folder / "users.json").write_text(json.dumps([{"token": "t1", "name": "N"}]))
    return folder


def test_an_export_is_read_back_without_loss(record: StudyRecord, tmp_path: Path) -> None:
    write_export(record, tmp_path / "out")
    back = read_layout(tmp_path / "out")
    for name in ("readers", "sessions", "n_queries"):
        assert getattr(back, name) == getattr(record, name)
    assert set(back.conditions) == set(record.conditions)
    assert sorted(map(repr, back.page_times)) == sorted(map(repr, record.page_times))


def test_the_layout_is_the_one_that_the_paper_released(record: StudyRecord) -> None:
    """Names and codes as the paper's own loader reads them (github.com/JHU-CLSP/persona-eval-metric, annotations.py)."""
    written = export_files(record, "layout")
    users = json.loads(written["users.json"])
    assert set(users) == {reader.id for reader in record.readers}
    results = [json.loads(text) for name, text in written.items() if name.startswith("results/annotator-")]
    assert len(results) == 3
    for result in results:
        assert result["token"] in users
        for annotation in result["annotations"]:
            assert set(annotation["summaries"]) == set("ABCD")
            assert all(
                {"model", "has_pre_question"} <= set(about) for about in annotation["metadata"].values()
            )
            assert annotation["round1_ab"] in {"A", "B", "N"}
            assert annotation["round1_cd"] in {"C", "D", "N"}
            undecided = "N" in {annotation["round1_ab"], annotation["round1_cd"]}
            expected = {None} if undecided else {annotation["round1_ab"], annotation["round1_cd"], "N"}
            assert annotation["final"] in expected
    assert results[0]["pre_task_answers"]["info_needs"] == "numbers and what they cost"


def test_released_data_are_read(tmp_path: Path) -> None:
    found = open_record(released(tmp_path))
    assert found.readers[0].answers == {"role": "nurse", "domain": "wards", "needs": "numbers"}
    session = found.sessions[0]
    assert len(found.sessions) == 1  # a query without summaries is none
    assert [(match.round, match.left, match.right, match.choice) for match in session.comparisons] == [
        ("round1", "A", "B", "A"), ("round1", "C", "D", "D"), ("final", "A", "D", "D"),
    ]  # fmt: skip
    assert not session.comparisons[2].sides_known
    assert {condition.id for condition in found.conditions} == {
        f"{model} ({kind})" for model in ("large", "small") for kind in ("personalised", "generic")
    }
    assert found.persona(session).query == "sleep in hospital"


@pytest.mark.parametrize(
    ("first", "second", "final", "choice", "cancelled"),
    [
        ("N", "D", None, None, "neither in an earlier match"),
        ("N", "D", "D", None, "neither in an earlier match"),  # the winner of the bracket who met nobody
        ("A", None, None, None, None),  # left before it was through
        ("A", "C", "N", NEITHER, None),
        ("A", "C", None, None, None),
    ],
)
def test_cancelled_finals_of_released_data_are_no_comparisons(  # noqa: PLR0917 - a table of cases
    tmp_path: Path,
    first: str,
    second: str | None,
    final: str | None,
    choice: str | None,
    cancelled: str | None,
) -> None:
    found = open_record(released(tmp_path, round1_ab=first, round1_cd=second, final=final))
    match = found.sessions[0].comparisons[2]
    assert (match.choice, match.cancelled) == (choice, cancelled)


def test_an_archive_is_read_like_its_folder(tmp_path: Path) -> None:
    folder = released(tmp_path / "data")
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
        for path in folder.rglob("*.json"):
            archive.write(path, f"annotations/{path.relative_to(folder)}")
        archive.writestr("__MACOSX/results/._annotator-x.json", "junk")
        archive.writestr("../results/../../evil.json", "{}")
    assert open_record(tmp_path / "data.zip").sessions == open_record(folder).sessions
    assert not (tmp_path.parent / "evil.json").exists()


def test_bad_annotations_are_told_together(tmp_path: Path) -> None:
    folder = released(tmp_path)
    strange = RELEASED["annotations"][0] | {"round1_ab": "C"}
    other = RELEASED | {
        "annotations": [{"query_index": 0}, 7, strange, RELEASED["annotations"][0] | {"final": "B"}]
    }
    (folder / "results" / "annotator-y.json").write_text(json.dumps(other))
    with pytest.raises(DataError) as caught:
        open_record(folder)
    assert [problem.found for problem in caught.value.problems] == [
        "no query", "no JSON object", "round1_ab: 'C'", "final: 'B'",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("choice", "C", "choice: the text 'C', allowed: A, B, neither"),
        ("choice", "Z", "choice: the text 'Z', allowed: A, B, neither"),
        ("left", ["A"], "left: a list"),
        ("round", None, "round: null, allowed: a text"),
        ("number", "x", "invalid literal"),
        ("seconds", "x", "seconds: the text 'x', allowed: seconds"),
    ],
)
def test_comparisons_of_an_export_that_was_changed_are_refused_in_words(
    tmp_path: Path, field: str, value: object, told: str
) -> None:
    match = {"number": 1, "round": "round1", "left": "A", "right": "B", "choice": "A", "seconds": 2.5}
    assert (
        open_record(released(tmp_path / "good", comparisons=[match])).sessions[0].comparisons[0].seconds
        == 2.5
    )
    with pytest.raises(DataError) as caught:
        open_record(released(tmp_path / "bad", comparisons=[match | {field: value}]))
    assert told in caught.value.problems[0].found


def test_the_sides_of_finals_that_are_not_known_stay_unknown_in_an_export(tmp_path: Path) -> None:
    record = open_record(released(tmp_path / "data"))
    write_export(record, tmp_path / "out", "layout")
    assert [match.sides_known for match in read_layout(tmp_path / "out").sessions[0].comparisons] == [
        True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize("answers", [{"knows": 7}, {"role": 5, "knows": {"a": 1}}])
def test_answers_of_another_kind_make_a_persona_all_the_same(
    tmp_path: Path, answers: dict[str, object]
) -> None:
    folder = released(tmp_path)
    (folder / "results" / "annotator-x.json").write_text(json.dumps(RELEASED | {"pre_task_answers": answers}))
    record = open_record(folder)
    assert len(record.persona(record.sessions[0]).knows) == 1


def test_queries_that_do_not_say_what_made_their_summaries_are_left_out_and_counted(tmp_path: Path) -> None:
    folder = released(tmp_path)
    other = RELEASED | {
        "token": "t2",
        "annotations": [RELEASED["annotations"][0] | {"metadata": {"A": {"model": "x"}}}],
    }
    (folder / "results" / "annotator-y.json").write_text(json.dumps(other))
    found = open_record(folder)
    assert [session.reader for session in found.sessions] == ["t1"]
    assert (
        found.notes[0]
        == "left out, since the data do not say which model made their summaries: 1 of the queries"
    )


def test_what_is_no_study_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no"):
        open_record(tmp_path / "nothing")
    with pytest.raises(InputError, match="holds no study's data"):
        open_record(tmp_path)
    (tmp_path / "x.zip").write_bytes(b"no archive")
    with pytest.raises(InputError, match="cannot be read as an archive"):
        open_record(tmp_path / "x.zip")
    open_store(tmp_path / "empty.db").close()
    with pytest.raises(InputError, match="holds no study yet"):
        open_record(tmp_path / "empty.db")


def test_comparisons_are_what_agree_reads(record: StudyRecord, tmp_path: Path) -> None:
    write_export(record, tmp_path / "out", "jsonl")
    loaded = files.load_comparisons(str(tmp_path / "out" / "comparisons.jsonl"))
    made = [match for session in record.sessions for match in session.comparisons if match.is_made]
    assert len(loaded.judgements) == len(made)
    assert {judgement.annotator for judgement in loaded.judgements} == {
        record.readers[0].id,
        record.readers[1].id,
    }
    persona = loaded.items[0].persona
    assert persona is not None
    assert persona.knows == ("shade cools", "trees need water")
    assert loaded.items[0].source is not None
    assert loaded.items[0].source.startswith("[1] ")


def test_no_condition_is_in_what_a_metric_sees(record: StudyRecord) -> None:
    row = agreement_rows(record)[0]
    seen = json.dumps({name: value for name, value in row.items() if not name.startswith("condition_")})
    assert not any(condition.id in seen or condition.model in seen for condition in record.conditions)


def test_every_column_is_in_the_dictionary(record: StudyRecord) -> None:
    for name, rows in TABLES.items():
        columns = {column for row in rows(record) for column in row}
        known = set(COLUMNS[name])
        assert {"answer_*" if column.startswith("answer_") else column for column in columns} == known
    dictionary = export_files(record)["dictionary.md"]
    assert all(f"`{column}`" in dictionary for columns in COLUMNS.values() for column in columns)


def test_a_table_without_rows_has_its_columns(record: StudyRecord) -> None:
    tables = export_files(replace(record, readers=(), sessions=(), page_times=()), "csv")
    assert tables["tables/pages.csv"] == "reader,page,seconds\n"
    assert tables["tables/readers.csv"] == "reader,language\n"


def test_a_spreadsheet_runs_no_cell_as_a_formula(record: StudyRecord) -> None:
    session = dataclasses.replace(record.sessions[0], text='=HYPERLINK("http://x","y")')
    written = export_files(dataclasses.replace(record, sessions=(session,)))
    rows = list(csv.DictReader(io.StringIO(written["tables/sessions.csv"])))
    assert rows[0]["text"] == '\'=HYPERLINK("http://x","y")'
    assert json.loads(written["comparisons.jsonl"].splitlines()[0])["query"].startswith("=HYPER")


def test_an_export_goes_into_a_new_folder(record: StudyRecord, tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("{}")
    with pytest.raises(PlanError, match="not empty"):
        write_export(record, tmp_path)


@pytest.mark.parametrize(("design", "n_comparisons"), [("all_pairs", 6), ('balanced"\ncomparisons = 2 #', 2)])
def test_other_designs_go_out_and_come_back(design: str, n_comparisons: int, tmp_path: Path) -> None:
    with folder_in_memory() as folder:
        store = open_store(folder / "study.db")
        simulate(store, sessions=(2, 1), design=design)
        record = record_store(store)
        store.close()
    assert [len(session.comparisons) for session in record.sessions] == [n_comparisons] * 3
    write_export(record, tmp_path / "out", "layout")
    assert read_layout(tmp_path / "out").sessions == record.sessions


def test_an_archive_without_results_and_one_with_a_file_too_large_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "study.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes/readme.json", "{}")
        archive.writestr("__MACOSX/results/annotator-x.json", "{}")
    with pytest.raises(InputError, match=r"has no results/\*\.json: expected the layout"):
        open_record(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("results/annotator-x.json", json.dumps(RELEASED))
    monkeypatch.setattr("gameproof.study.layout.MAX_FILE", 100)
    with pytest.raises(InputError, match=r"results/annotator-x\.json has [\d,]+ bytes; at most 100 are read"):
        open_record(path)


@pytest.mark.parametrize("field", ["summaries", "metadata"])
def test_summaries_and_metadata_that_are_no_objects_are_told(field: str, tmp_path: Path) -> None:
    folder = released(tmp_path)
    other = RELEASED | {"annotations": [RELEASED["annotations"][0] | {field: ["one", "two"]}]}
    (folder / "results" / "annotator-y.json").write_text(json.dumps(other))
    with pytest.raises(DataError, match="summaries or metadata that are no object"):
        open_record(folder)


def test_of_many_readers_each_gets_sessions_times_and_persona_of_their_own():
    # Sessions of two readers take turns, and a reader without any is among them.
    sessions = tuple(
        SessionRecord(
            reader=reader, query=query, text=f"{reader}{query}", documents=(), summaries=(), comparisons=()
        )
        for query in (1, 2)
        for reader in ("b", "a")
    )
    record = StudyRecord(
        name="x",
        conditions=(),
        readers=tuple(
            ReaderRecord(id=name, answers={"role": f"role of {name}"}) for name in ("a", "none", "b")
        ),
        sessions=sessions,
        page_times=(
            PageTime(reader="b", page="query", seconds=2.0),
            PageTime(reader="a", page="query", seconds=1.0),
            PageTime(reader="b", page="compare", seconds=3.0),
        ),
    )
    written = layout_files(record)
    found = [written[f"{RESULTS}/annotator-{place:03d}.json"] for place in (1, 2, 3)]

    assert [[each["query"] for each in one["annotations"]] for one in found] == [
        ["a1", "a2"],
        [],
        ["b1", "b2"],
    ]
    assert [one["page_times"] for one in found] == [[["query", 1.0]], [], [["query", 2.0], ["compare", 3.0]]]
    assert [record.persona(session).role for session in sessions] == ["role of b", "role of a"] * 2


def test_of_a_reader_who_is_there_twice_the_first_answers_count():
    readers = tuple(ReaderRecord(id="a", answers={"role": role}) for role in ("first", "second"))
    session = SessionRecord(reader="a", query=1, text="q", documents=(), summaries=(), comparisons=())
    stranger = replace(session, reader="nobody")
    record = StudyRecord(name="x", conditions=(), readers=readers, sessions=(session, stranger))

    assert record.persona(session).role == "first"
    assert record.persona(stranger).role is None
