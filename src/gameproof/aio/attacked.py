"""Find the attacks that belong to the runs of a report."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gameproof.aio.reported import RESULT_FILE
from gameproof.attacks.result import Attacks
from gameproof.errors import PlanError, RunFolderError
from gameproof.files.json_object import read_json_object
from gameproof.reports.attack_json import parse_attacks
from gameproof.reports.conclusion import data_name, short_name
from gameproof.reports.html import ReportedRun

__all__ = [
    "ATTACK_FILE",
    "ATTACK_PAGE",
    "attack_page",
    "has_attack",
    "is_attack",
    "read_attack",
    "refuse_other_attack",
    "with_attacks",
]

ATTACK_FILE, ATTACK_PAGE = "attack.json", "attack.html"


def is_attack(place: str | Path) -> bool:
    """Say whether a path is the folder of an attack, and of no audit, or the file in it."""
    path = Path(place)
    return path.name == ATTACK_FILE or (has_attack(path) and not (path / RESULT_FILE).is_file())


def has_attack(place: str | Path) -> bool:
    """Say whether there is an attack at a path, alone or beside an audit."""
    return (_folder(place) / ATTACK_FILE).is_file()


def attack_page(place: str | Path) -> Path:
    """Return where the page of an attack belongs."""
    return _folder(place) / ATTACK_PAGE


def read_attack(place: str | Path) -> Attacks:
    """Read what an attack found, from its folder or its file.

    Raises:
        RunFolderError: It cannot be read.
    """
    return parse_attacks(read_json_object(_folder(place) / ATTACK_FILE))


def refuse_other_attack(folder: Path, data: str) -> None:
    """Refuse a folder that has an attack on other data: what it found would be gone without a word.

    Raises:
        RunFolderError: An attack on data of another name lies there, or one that this version cannot read.
    """
    if not has_attack(folder):
        return
    before = read_attack(folder).data
    if before != data:
        raise RunFolderError(
            f"{folder} holds an attack on {before}, and {data} is other data.",
            hint="Choose another folder with -o, or remove that one.",
        )


def with_attacks(runs: Sequence[ReportedRun], attacks: Mapping[str, Attacks]) -> list[ReportedRun]:
    """Put each attack to the run on the same data.

    Args:
        runs: Of audits.
        attacks: Where an attack was found -> what it found.

    Raises:
        PlanError: There is no run on its data, or several.
    """
    found = [list(run.attacks) for run in runs]
    for place, attack in attacks.items():
        fits = [number for number, run in enumerate(runs) if data_name(run.result) == short_name(attack.data)]
        if len(fits) != 1:
            names = ", ".join(dict.fromkeys(data_name(run.result) for run in runs))
            raise PlanError(
                f"{place}: an attack on {attack.data}, and {'several of the runs are' if fits else 'no run is'} on"
                f" that data; the runs are on {names}.",
                hint="`gameproof report` takes one audit of the same data, and shows the attack in it.",
            )
        found[fits[0]].append(attack)
    return [replace(run, attacks=tuple(own)) for run, own in zip(runs, found, strict=True)]


def _folder(place: str | Path) -> Path:
    path = Path(place)
    return path.parent if path.name == ATTACK_FILE else path
