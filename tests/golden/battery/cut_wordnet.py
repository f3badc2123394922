"""Cut WordNet down to the words of the planted pairs, so that METEOR's stored values can be checked anywhere.

``python -m tests.golden.battery.cut_wordnet /usr/share/wordnet`` writes tests/data/wordnet: the lines of the
index and the irregular forms that those words (and their stems) lead to, and of each synset the words among them.
A synset that is left with the one word that leads to it says nothing, and goes, but for base forms.
"""

import sys
from pathlib import Path

from tests.support.golden import planted_pairs

from gameproof.metrics.porter import stem
from gameproof.metrics.wordnet import ENDINGS, KINDS
from gameproof.text import words

OUT = Path(__file__).resolve().parents[2] / "data" / "wordnet"


def main() -> None:
    folder = Path(sys.argv[1])
    said = {
        word
        for item in planted_pairs()
        for text in (item.candidate, *item.references)
        for word in words(text)
    }
    said |= {stem(word) for word in said}
    OUT.mkdir(parents=True, exist_ok=True)
    licence = [line for line in (folder / "index.adv").read_text().splitlines() if line.startswith("  ")]
    for kind in KINDS:
        irregular = [line.split() for line in (folder / f"{kind}.exc").read_text().splitlines()]
        kept = [fields for fields in irregular if fields[0] in said]
        (OUT / f"{kind}.exc").write_text("".join(" ".join(fields) + "\n" for fields in kept))
        bases = {form for fields in kept for form in fields[1:]}
        bases |= {
            word[: -len(end)] + new for word in said for end, new in ENDINGS[kind] if word.endswith(end)
        }
        write_part(folder, kind, (said | bases, bases, said), licence)


def write_part(
    folder: Path, kind: str, vocabulary: tuple[set[str], set[str], set[str]], licence: list[str]
) -> None:
    forms, bases, said = vocabulary
    data = (folder / f"data.{kind}").read_bytes()
    text = "".join(f"{line}\n" for line in licence)
    places: dict[str, str] = {}
    index: list[str] = []
    for line in (folder / f"index.{kind}").read_text().splitlines():
        word, _, rest = line.partition(" ")
        if line.startswith(" ") or word not in forms:
            continue
        fields = rest.split()
        offsets: list[str] = []
        for offset in fields[-int(fields[1]) :]:
            found = synset_words(data, offset, said)
            if len(found) < 2 and word not in bases:
                continue
            if offset not in places:
                places[offset] = f"{len(text.encode()):08d}"
                listed = " ".join(f"{word} 0" for word in found)
                text += f"{places[offset]} 00 {fields[0]} {len(found):02x} {listed} 000 | \n"
            offsets.append(places[offset])
        if offsets:
            count = str(len(offsets))
            index.append(" ".join([word, fields[0], count, "0", count, "0", *offsets]))
    (OUT / f"data.{kind}").write_text(text)
    (OUT / f"index.{kind}").write_text("".join(f"{line}\n" for line in [*licence, *index]))


def synset_words(data: bytes, offset: str, said: set[str]) -> list[str]:
    start = int(offset)
    fields = data[start : data.index(b"\n", start)].decode().split()
    return [word for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2] if word.partition("(")[0] in said]


if __name__ == "__main__":
    main()
