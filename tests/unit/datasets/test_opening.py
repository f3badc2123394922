"""What `gameproof.load` takes: the same names as the command line."""

import json

import pytest

import gameproof


def test_embedded_data_load_by_name():
    assert len(gameproof.load("planted").items) == 288  # the frozen demo world
    assert len(gameproof.load("planted,tasks=2", sample=5).items) == 5


def test_a_file_of_that_name_comes_first(tmp_path, monkeypatch):
    row = {"candidate": "It rained.", "reference": "Rain fell."}
    (tmp_path / "planted").write_text(json.dumps(row) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(gameproof.InputError, match="planted"):  # a file without an ending has no format
        gameproof.load("planted")


def test_an_unknown_option_of_embedded_data_is_named():
    with pytest.raises(gameproof.GameproofError, match="colour"):
        gameproof.load("planted,colour=red")
