"""SPACE: hotel opinion summaries; gold folder, official file, and outputs of systems."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from gameproof.datasets.loaders.base import (
    BadRecord,
    Numbered,
    NumberedRow,
    Place,
    PublicDataset,
    Record,
    Row,
    Shape,
    each,
    listed,
    part,
    text,
    texts,
)
from gameproof.files.formats import BadRow

__all__ = ["SPACE"]

GOLD_FOLDERS = ("gold", "data/gold")
SPLITS_FILES = ("space_summ_splits.txt", "data/space_summ_splits.txt")
OUTPUT = re.compile(r"(?:aspect_(?P<system>.+)_(?P<aspect>[a-z]+)|(?P<general>.+)_general)")
GOLD_NAME = re.compile(r"(?P<hotel>.+)_(?P<number>\d+)")


def _gold(_records: Iterable[Numbered], place: Place) -> Iterator[NumberedRow]:
    """Read data/gold/<aspect>/<hotel>_<number>.txt: one task for each hotel and aspect."""
    folder = next(
        (place.path / name for name in ("", *GOLD_FOLDERS) if _aspects(place.path / name)), place.path
    )
    found = _gold_summaries(folder)
    splits = _splits(place.path, folder)
    for count, ((hotel, aspect), references) in enumerate(sorted(found.items()), start=1):
        split = {"split": splits[hotel]} if hotel in splits else {}
        yield count, {**_task(hotel, aspect), "source": None, "references": references, **split}


def _outputs(records: Iterable[Numbered], place: Place) -> Iterator[NumberedRow]:
    """Read the summaries of systems; the gold folder beside the file has the references."""
    around = (place.path.parent, place.path.parent.parent, place.root)
    folders = [base / name for base in around if base.is_dir() for name in GOLD_FOLDERS]
    folder = next((folder for folder in folders if folder.is_dir()), None)
    gold = {} if folder is None else _gold_summaries(folder)
    for line, record in records:
        if isinstance(record, BadRow):
            yield line, record
            continue
        for name in record:
            try:
                for row in _of_system(record, name, gold):
                    yield line, row
            except BadRecord as bad:
                yield line, bad.row


def _is_outputs(record: Record) -> bool:
    """Say whether every key names a system."""
    return bool(record) and all(OUTPUT.fullmatch(name) and isinstance(record[name], list) for name in record)


def _of_system(record: Record, name: str, gold: dict[tuple[str, str], list[str]]) -> Iterator[Row]:
    parts = OUTPUT.fullmatch(name)
    if parts is None:
        raise BadRecord(f"the key {name!r}", "aspect_SYSTEM_ASPECT or SYSTEM_general")
    aspect = parts["aspect"] or "general"
    for entry in listed(record, name):
        hotel = str(part(entry, "entity_id", str | int, "the hotel"))  # type: ignore[arg-type]
        yield {
            **_task(hotel, aspect),
            "source": None,
            "candidate": text(entry, "summary"),
            "candidate_id": parts["system"] or parts["general"],
            "references": gold.get((hotel, aspect), []),
            "ratings": {},
        }


def _hotel(record: Record, _count: int, _place: Place) -> Iterator[Row]:
    """Read a hotel of space_summ.json: its reviews, and the summaries of each aspect."""
    reviews = [" ".join(texts(review, "sentences")) for review in listed(record, "reviews")]
    summaries = part(record, "summaries", dict, "an object of summaries")
    hotel = str(record["entity_id"])
    for aspect in summaries:
        yield {**_task(hotel, aspect), "source": "\n\n".join(reviews), "references": texts(summaries, aspect)}


def _task(hotel: str, aspect: str) -> Row:
    return {"task_id": f"{hotel}:{aspect}", "group": aspect}


def _aspects(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    children = [child for child in sorted(folder.iterdir()) if child.is_dir()]
    return [
        child for child in children if any(GOLD_NAME.fullmatch(file.stem) for file in child.glob("*.txt"))
    ]


def _gold_summaries(folder: Path) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for aspect in _aspects(folder):
        for file in sorted(aspect.glob("*.txt"), key=_place_of):
            name = GOLD_NAME.fullmatch(file.stem)
            if name is not None:
                key = (name["hotel"], aspect.name)
                found.setdefault(key, []).append(file.read_text(encoding="utf-8").strip())
    return found


def _place_of(file: Path) -> tuple[str, int]:
    name = GOLD_NAME.fullmatch(file.stem)
    return (name["hotel"], int(name["number"])) if name is not None else (file.stem, 0)


def _splits(root: Path, gold: Path) -> dict[str, str]:
    places = [root / name for name in SPLITS_FILES] + [gold.parent / SPLITS_FILES[0]]
    path = next((path for path in places if path.is_file()), None)
    if path is None:
        return {}
    pairs = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


SPACE = PublicDataset(
    name="space",
    title="SPACE",
    contains="50 hotels, a general summary and six aspects, 3 human references each; outputs of 5 systems for 25 hotels",
    domain="summaries",
    licence="MIT",
    size="1,050 references, 725 outputs of systems, about 1 MB; the reviews are larger",
    where="git clone github.com/stangelid/qt (data/gold); outputs: github.com/tomhosking/hercules, output/space/",
    cite="Angelidis et al. (2021)",
    paper="SPACE",
    shapes=(
        Shape(
            looks="one JSON object with lists under aspect_SYSTEM_ASPECT and SYSTEM_general, each of entity_id and "
            "summary; the gold folder beside it has the references",
            fits=_is_outputs,
            convert=_outputs,
            files=("output/space/baselines_space_from_stefanos.json", "baselines_space*.json"),
        ),
        Shape(
            looks="a folder data/gold/<aspect>/ with a text file <hotel>_<number>.txt for each reference",
            convert=_gold,
            kind="corpus",
            files=("data/gold/*/*.txt", "gold/*/*.txt", "*/*_[0-9].txt"),
            together=True,
        ),
        Shape(
            looks="a JSON list with entity_id, entity_name, reviews and summaries by aspect (space_summ.json)",
            keys=frozenset({"entity_id", "reviews", "summaries"}),
            convert=each(_hotel),
            kind="corpus",
            files=("data/json/space_summ.json", "space_summ.json"),
        ),
    ),
)
