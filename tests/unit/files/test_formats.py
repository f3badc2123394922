"""Files as strangers write them: one test for each way in which they surprise."""

import csv
import gzip
import json
import os
import subprocess
import sys
import threading

import pytest

from gameproof.errors import DataError, InputError, MissingExtraError
from gameproof.files import load, open_items

ROW = {"task_id": "t", "system": "A", "candidate": "It rained.", "references": ["Rain fell."]}


def write(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def candidates(path):
    return [item.candidate for item in load(path).items]


def refusal(path):
    with pytest.raises(InputError) as caught:
        load(path)
    return str(caught.value)


# JSON lines


def test_a_byte_order_mark_is_no_part_of_the_data(tmp_path):
    content = b"\xef\xbb\xbf" + json.dumps(ROW).encode()
    assert candidates(write(tmp_path, "a.jsonl", content)) == ["It rained."]


def test_windows_line_ends_and_blank_lines_are_fine_and_lines_are_counted_as_an_editor_does(tmp_path):
    content = '\r\n{"candidate": "a"}\r\n  \r\n{"candidate": 3}\r\n'
    with pytest.raises(DataError, match=r"a\.jsonl:4: candidate: found the number 3"):
        load(write(tmp_path, "a.jsonl", content))


def test_lines_that_are_no_json_are_told_with_their_numbers(tmp_path):
    content = '{"candidate": "a"}\n{"candidate": "b",}\n{"candidate": "c"\n[1]\n'
    with pytest.raises(DataError) as caught:
        load(write(tmp_path, "a.jsonl", content))
    assert [problem.where for problem in caught.value.problems] == ["a.jsonl:2", "a.jsonl:3", "a.jsonl:4"]
    assert "found JSON that ends or breaks at character 19" in str(caught.value)
    assert "found a list of 1; allowed: one JSON object in a line" in str(caught.value)


def test_bytes_that_are_no_utf8_are_told_with_line_and_place(tmp_path):
    content = b'{"candidate": "a"}\n{"candidate": "caf\xe9"}\n'
    with pytest.raises(DataError) as caught:
        load(write(tmp_path, "a.jsonl", content))
    assert "a.jsonl:2: found the byte 0xE9 at place 19 of the line; allowed: text in UTF-8" in str(
        caught.value
    )
    assert "iconv" in str(caught.value.hint)


def test_utf16_is_named(tmp_path):
    content = json.dumps(ROW).encode("utf-16")
    assert "UTF-16" in refusal(write(tmp_path, "a.jsonl", content))


def test_half_a_character_in_json_is_a_problem(tmp_path):
    content = '{"candidate": "cat \\ud83d"}\n'
    with pytest.raises(DataError, match=r"a\.jsonl:1: candidate: found half a character, U\+D83D"):
        load(write(tmp_path, "a.jsonl", content))


def test_nul_and_control_characters_survive(tmp_path):
    content = b'{"candidate": "a\\u0000b\\u001b[0m"}\n{"candidate": "tab\there"}\n'
    assert candidates(write(tmp_path, "a.jsonl", content)) == ["a\0b\x1b[0m", "tab\there"]


def test_line_separators_of_unicode_do_not_end_a_line(tmp_path):
    content = json.dumps({"candidate": "a\u2028b\u0085c\x0bd"}, ensure_ascii=False)
    assert candidates(write(tmp_path, "a.jsonl", content)) == ["a\u2028b\u0085c\x0bd"]


def test_deep_nesting_is_a_problem_and_no_crash(tmp_path):
    content = '{"candidate": "a"}\n{"candidate": ' + "[" * 100_000 + "\n"
    with pytest.raises(DataError, match=r"a\.jsonl:2: found JSON that"):
        load(write(tmp_path, "a.jsonl", content))


def test_texts_of_200_000_characters_are_fine(tmp_path):
    long = "é" * 200_000
    content = json.dumps({"candidate": long, "reference": long, "source": long})
    assert load(write(tmp_path, "a.jsonl", content)).items[0].references == (long,)


def test_nan_as_python_writes_it_is_a_missing_rating(tmp_path):
    path = write(tmp_path, "a.jsonl", '{"candidate": "a", "ratings": {"x": NaN, "y": 1}}')
    assert load(path).items[0].ratings == {"y": 1.0}


def test_json_lines_are_read_from_any_of_their_endings(tmp_path):
    for name in ("a.jsonl", "a.ndjson", "a.json", "a.JSONL"):
        assert candidates(write(tmp_path, name, json.dumps(ROW))) == ["It rained."]


def test_a_json_list_is_read_whole(tmp_path):
    path = write(tmp_path, "a.json", json.dumps([ROW, {**ROW, "system": "B"}], indent=2))
    assert len(load(path).items) == 2


def test_a_broken_json_list_says_where(tmp_path):
    message = refusal(write(tmp_path, "a.json", '[{"candidate": "a"},\n]'))
    assert "a.json is no JSON list: it breaks at line 2, character 1" in message


def test_a_json_list_of_other_things_is_a_problem(tmp_path):
    with pytest.raises(DataError, match="found the text 'a'; allowed: a list of objects"):
        load(write(tmp_path, "a.json", '["a"]'))


def test_one_object_spread_over_lines_is_named(tmp_path):
    message = refusal(write(tmp_path, "a.json", json.dumps({"data": [ROW]}, indent=1)))
    assert "a JSON object spread over lines" in message
    assert "save that list as a file of its own" in message


# files that are not what they should be


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv"])
@pytest.mark.parametrize("content", ["", "\n \n", "\ufeff"])
def test_an_empty_file_says_so(tmp_path, name, content):
    assert f"{name} is empty" in refusal(write(tmp_path, name, content))


def test_a_table_with_a_header_alone_has_no_rows(tmp_path):
    assert "a.csv has no rows" in refusal(write(tmp_path, "a.csv", "candidate,reference\n"))


def test_a_missing_file_suggests_one_with_a_similar_name(tmp_path):
    write(tmp_path, "items.jsonl", "x")
    assert f"Did you mean {tmp_path / 'items.jsonl'}?" in refusal(tmp_path / "itmes.jsonl")


def test_a_folder_names_the_data_files_in_it(tmp_path):
    write(tmp_path, "items.jsonl", "x")
    assert "is a folder" in refusal(tmp_path)
    assert "It holds items.jsonl." in refusal(tmp_path)


def test_an_unknown_ending_lists_the_known_ones(tmp_path):
    message = refusal(write(tmp_path, "a.txt", "x"))
    assert "the ending '.txt'; allowed: .jsonl" in message


def test_a_spreadsheet_says_what_to_do(tmp_path):
    assert "Save it as CSV" in refusal(write(tmp_path, "a.xlsx", "x"))


def test_an_address_is_not_fetched():
    assert "Download it first." in refusal("https://example.org/items.jsonl")


def test_a_path_that_is_too_long_is_an_error_for_the_user():
    assert "File name too long" in refusal("a" * 5000)


def test_gzipped_files_are_read_whatever_their_name(tmp_path):
    packed = gzip.compress(json.dumps(ROW).encode())
    assert candidates(write(tmp_path, "a.jsonl.gz", packed)) == ["It rained."]
    assert candidates(write(tmp_path, "b.jsonl", packed)) == ["It rained."]


def test_a_gzipped_file_that_is_cut_off_says_so(tmp_path):
    packed = gzip.compress(os.urandom(20_000).hex().encode())[:5000]
    assert "cut off or damaged" in refusal(write(tmp_path, "a.jsonl.gz", packed))


# tables


def test_csv_cells_hold_lists_as_json_as_python_or_plain_text(tmp_path):
    path = tmp_path / "a.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["candidate", "references"])
        writer.writerows([["a", '["r1", "r2"]'], ["b", "['r1', \"r'2\"]"], ["c", "[Music] r1"], ["d", ""]])
        writer.writerows([["e", "[[Category:Rain]]"], ["f", "[]"], ["g", '[["r1"], "r2"]']])
    assert [item.references for item in load(path).items] == [
        ("r1", "r2"),
        ("r1", "r'2"),
        ("[Music] r1",),
        (),
        ("[[Category:Rain]]",),
        (),
        ("r1", "r2"),
    ]


def test_a_list_as_numpy_prints_it_is_a_problem_and_not_one_joined_text(tmp_path):
    with pytest.raises(DataError, match="allowed: one text, or a list of texts written as JSON"):
        load(write(tmp_path, "a.csv", "candidate,references\na,['r1' 'r2']\n"))


def test_csv_ratings_come_in_columns_or_as_json(tmp_path):
    content = 'candidate,ratings.fluency,rating_relevance,ratings\na,3,,"{""coherence"": 2}"\n'
    data = load(write(tmp_path, "a.csv", content))
    assert data.items[0].ratings == {"coherence": 2.0, "fluency": 3.0}
    assert "marks that are null, empty or NaN, taken as missing: 1" in data.notes


def test_a_rating_column_with_a_text_is_a_problem_with_its_line(tmp_path):
    content = "candidate,rating_fluency\na,3\nb,good\n"
    with pytest.raises(
        DataError, match=r"a\.csv:3: ratings \(fluency\): found the text 'good'.*'rating_fluency'"
    ):
        load(write(tmp_path, "a.csv", content))


def test_csv_raters_and_personas_come_as_json(tmp_path):
    content = 'candidate,raters,persona\na,"[{""rater"": ""ann"", ""x"": 1}]","{""role"": ""nurse""}"\n'
    item = load(write(tmp_path, "a.csv", content)).items[0]
    assert item.raters == {"ann": {"x": 1.0}}
    assert item.persona is not None
    assert item.persona.role == "nurse"


def test_an_empty_cell_is_an_empty_candidate_but_a_missing_anything_else(tmp_path):
    item = load(write(tmp_path, "a.csv", "candidate,source,system,task_id\n,,,t\n")).items[0]
    assert (item.candidate, item.source, item.system) == ("", None, None)


def test_quotes_line_breaks_and_nul_survive_in_csv(tmp_path):
    content = 'candidate,source\r\n"a ""b"",\r\nc\0",x\r\n"second",y\r\n'
    assert candidates(write(tmp_path, "a.csv", content)) == ['a "b",\r\nc\0', "second"]


def test_a_cell_of_200_000_characters_is_fine(tmp_path):
    assert candidates(write(tmp_path, "a.csv", f"candidate\n{'x' * 200_000}\n")) == ["x" * 200_000]


def test_ragged_rows_are_told_with_the_line_they_begin_on(tmp_path):
    content = 'candidate,source\n"two\nlines",x\nonly one\na,b,c\n'
    with pytest.raises(DataError) as caught:
        load(write(tmp_path, "a.csv", content))
    assert [str(problem) for problem in caught.value.problems] == [
        "a.csv:4: found a row of 1; allowed: 2 cells, as in the first line",
        "a.csv:5: found a row of 3; allowed: 2 cells, as in the first line",
    ]


def test_a_quote_that_is_never_closed_is_a_problem(tmp_path):
    with pytest.raises(DataError, match=r"a\.csv:3: found a table row that breaks"):
        load(write(tmp_path, "a.csv", 'candidate,source\na,b\n"c,d\ne,f\n'))


def test_csv_with_a_byte_order_mark_and_semicolons_as_spreadsheets_write_it(tmp_path):
    content = "\ufeffcandidate;reference\nIl pleut;La pluie, enfin\n"
    assert load(write(tmp_path, "a.csv", content)).items[0].references == ("La pluie, enfin",)


def test_tsv_is_separated_by_tabs(tmp_path):
    assert candidates(write(tmp_path, "a.tsv", "candidate\treference\na, b\tc\n")) == ["a, b"]


def test_csv_that_is_no_utf8_is_told_with_its_line(tmp_path):
    content = b"candidate,source\nok,x\ncaf\xe9,y\n"
    with pytest.raises(DataError, match=r"a\.csv:3: found the byte 0xE9"):
        load(write(tmp_path, "a.csv", content))


def test_a_header_that_is_no_utf8_is_an_error(tmp_path):
    assert "its first line has the byte 0xE9" in refusal(write(tmp_path, "a.csv", b"r\xe9f,candidate\na,b\n"))


def test_two_columns_of_one_name_are_an_error(tmp_path):
    assert "two columns with the name 'candidate'" in refusal(
        write(tmp_path, "a.csv", "candidate,candidate\na,b\n")
    )


def test_columns_without_a_name_are_fine(tmp_path):
    assert candidates(write(tmp_path, "a.csv", ",candidate,,\n0,a,,\n")) == ["a"]


# Parquet


def test_parquet_is_read_with_lists_structs_and_maps(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.table(
        {
            "candidate": ["a"],
            "references": [["r1", "r2"]],
            "ratings": pa.array([[("fluency", 3.0)]], pa.map_(pa.string(), pa.float64())),
            "raters": [[{"rater": "ann", "fluency": 3.0}]],
            "persona": [{"role": "nurse"}],
        }
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    item = load(tmp_path / "a.parquet").items[0]
    assert item.references == ("r1", "r2")
    assert item.ratings == {"fluency": 3.0}
    assert item.raters == {"ann": {"fluency": 3.0}}


def test_a_file_that_is_no_parquet_says_so(tmp_path):
    pytest.importorskip("pyarrow")
    assert "is no readable Parquet file" in refusal(write(tmp_path, "a.parquet", "x" * 100))


def test_an_empty_parquet_file_says_so(tmp_path):
    pytest.importorskip("pyarrow")
    assert "a.parquet" in refusal(write(tmp_path, "a.parquet", ""))


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"reading a\.parquet needs the extra 'data'"):
        load(write(tmp_path, "a.parquet", "x"))


# standard input and pipes


def run_with_input(code, data, **environment):
    command = [sys.executable, "-c", code]
    env = {**os.environ, **environment}
    return subprocess.run(command, input=data, capture_output=True, check=False, env=env, timeout=120)


READ_STDIN = (
    "from gameproof.files import open_items\n"
    "with open_items('-') as stream:\n"
    "    print([item.candidate for item in stream], [item.candidate for item in stream])\n"
)


@pytest.mark.parametrize("data", [b'{"candidate": "a"}\n', b'[{"candidate": "a"}]', b"candidate,x\na,b\n"])
def test_standard_input_is_read_twice_in_the_format_it_has(data):
    done = run_with_input(READ_STDIN, data)
    assert done.stdout.decode().strip() == "['a'] ['a']", done.stderr.decode()


def test_empty_standard_input_says_so():
    assert "stdin is empty" in run_with_input(READ_STDIN, b"").stderr.decode()


def test_files_are_utf8_whatever_the_locale(tmp_path):
    path = write(tmp_path, "a.jsonl", json.dumps({"candidate": "café"}, ensure_ascii=False))
    code = f"from gameproof.files import load\nprint(ascii(load({str(path)!r}).items[0].candidate))"
    done = run_with_input(code, b"", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert done.stdout.decode().strip() == r"'caf\xe9'", done.stderr.decode()


def test_a_pipe_is_read_like_standard_input(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_text(json.dumps(ROW)))
    writer.start()
    with open_items(path) as stream:
        assert [item.candidate for item in stream] == ["It rained."]
    writer.join()
