"""What a path is, when it is no file that can be read."""

import io
import sys
from types import SimpleNamespace

import pytest

from gameproof.errors import InputError
from gameproof.files import load


def test_a_folder_is_refused_with_the_data_files_in_it(tmp_path):
    (tmp_path / "b.jsonl").write_text('{"candidate": "Fog."}\n')
    (tmp_path / "a.csv").write_text("candidate\nFog.\n")
    (tmp_path / "notes.md").write_text("Fog.\n")
    with pytest.raises(
        InputError, match="is a folder; a data file, or a folder of Parquet files alone, is needed"
    ) as caught:
        load(tmp_path)
    assert caught.value.hint == "It holds a.csv, b.jsonl."


def test_a_folder_without_data_is_refused_as_one(tmp_path):
    with pytest.raises(InputError) as caught:
        load(tmp_path)
    assert caught.value.hint == "It holds no data file."


@pytest.mark.parametrize("ending", [".zip", ".bz2", ".xz", ".zst"])
def test_a_compression_that_is_not_read_is_named(tmp_path, ending):
    path = tmp_path / f"items.jsonl{ending}"
    path.write_bytes(b"PK")
    with pytest.raises(InputError, match=r"is compressed in a way that is not read; allowed: .*\.gz"):
        load(path)


def test_a_parquet_file_on_standard_input_is_known_by_its_first_bytes(tmp_path, monkeypatch):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(
        pa.table({"candidate": ["Fog."], "reference": ["White fog."]}), tmp_path / "a.parquet"
    )
    piped = io.BytesIO((tmp_path / "a.parquet").read_bytes())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=piped, isatty=lambda: False))
    (item,) = load("-").items
    assert (item.candidate, item.references) == ("Fog.", ("White fog.",))


def test_standard_input_that_breaks_off_is_told(monkeypatch):
    class Broken(io.RawIOBase):
        def readable(self):
            return True

        def read(self, _size=-1):
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Broken(), isatty=lambda: False))
    with pytest.raises(InputError, match="cannot keep a copy of the input: Input/output error"):
        load("-")
