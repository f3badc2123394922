"""Which model the files of a folder hold, so that two models in folders of one name are told apart."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

__all__ = ["DIGEST_SHOWN", "digest_of_model"]

# What a tokenizer, a configuration, a chat template or weights are kept in; notes for readers are no part of a model.
KINDS = frozenset(
    {".json", ".safetensors", ".bin", ".gguf", ".txt", ".model", ".jinja", ".tiktoken", ".pt", ".py"}
)
WHOLE_BYTES = 16 * 2**20  # files up to this size are read from end to end
N_BLOCKS = 128  # of larger ones, evenly spread from their first byte to their last
BLOCK_BYTES = 32 * 2**10
DIGEST_SHOWN = 8  # digits of a digest in names


def digest_of_model(path: Path) -> str:
    """Return a digest of a model's files: their names, sizes and contents.

    Fine-tuned weights have the names, sizes and beginnings of those they come from, so large files are looked at in
    128 places, among them their last bytes: a tenth of a second, whatever their size. Who changes a few
    numbers elsewhere is not noticed.

    Args:
        path: A folder, of which the files directly inside count, or one file.
    """
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    digest = hashlib.sha256()
    for file in files:
        if file.is_file() and (file == path or file.suffix.lower() in KINDS):
            digest.update(f"{file.name}:{file.stat().st_size};".encode("utf-8", "surrogatepass"))
            for block in _blocks(file):
                digest.update(block)
    return digest.hexdigest()


def _blocks(file: Path) -> Iterator[bytes]:
    size = file.stat().st_size
    with file.open("rb") as opened:
        if size <= WHOLE_BYTES:
            yield opened.read()
            return
        for place in range(N_BLOCKS):
            opened.seek((size - BLOCK_BYTES) * place // (N_BLOCKS - 1))
            yield opened.read(BLOCK_BYTES)
