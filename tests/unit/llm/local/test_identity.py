"""Two models in folders of one name are two models."""

import pytest

from gameproof.llm.local import identity
from gameproof.llm.local.identity import digest_of_model


def write(folder, **files):
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_bytes(content)
    return folder


@pytest.fixture
def model(tmp_path):
    return write(tmp_path / "one" / "tiny", config__json=b"{}", model__safetensors=b"weights 1")


def test_a_copy_of_a_model_is_the_same_model(model, tmp_path):
    copy = write(tmp_path / "two" / "tiny", config__json=b"{}", model__safetensors=b"weights 1")
    assert digest_of_model(copy) == digest_of_model(model)


@pytest.mark.parametrize(
    "files",
    [
        {"config__json": b"{ }", "model__safetensors": b"weights 1"},
        {"config__json": b"{}", "model__safetensors": b"weights 2"},  # fine-tuned: the same name and size
        {"config__json": b"{}", "weights__safetensors": b"weights 1"},
        {"config__json": b"{}", "model__safetensors": b"weights 1", "chat_template__jinja": b"{{ turns }}"},
    ],
)
def test_another_configuration_weights_name_or_template_is_another_model(model, tmp_path, files):
    assert digest_of_model(write(tmp_path / "two" / "tiny", **files)) != digest_of_model(model)


def test_notes_for_readers_are_no_part_of_a_model(model):
    before = digest_of_model(model)
    (model / "README.md").write_text("A tiny model.")
    (model / ".cache").mkdir()
    assert digest_of_model(model) == before


def test_large_weights_are_looked_at_from_the_first_byte_to_the_last(tmp_path, monkeypatch):
    monkeypatch.setattr(identity, "WHOLE_BYTES", 1000)
    monkeypatch.setattr(identity, "BLOCK_BYTES", 8)
    found = set()
    for changed in (None, 0, 2500, 4999):  # 128 blocks of 8 bytes over 5,000: a gap of 31 bytes between two
        content = bytearray(5000)
        if changed is not None:
            content[changed : changed + 40] = b"\x01" * len(content[changed : changed + 40])
        (tmp_path / "model.gguf").write_bytes(content)
        found.add(digest_of_model(tmp_path / "model.gguf"))
    assert len(found) == 4
