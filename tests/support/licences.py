"""The licences of what gameproof installs, from the packages' own metadata: ``python -m tests.support.licences > docs/licences.md``."""

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement

__all__ = ["EXTRAS", "LISTED", "is_copyleft", "licence_of", "needed", "render"]

LISTED = Path(__file__).resolve().parents[2] / "docs" / "licences.md"
PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
EXTRAS = (
    "data",
    "study",
)  # those that `make test` installs; torch, transformers and spaCy are not here to be asked
COPYLEFT = re.compile(r"\bA?GPL|GNU (?:AFFERO )?GENERAL PUBLIC", re.IGNORECASE)
LESSER = re.compile(r"\bLGPL|LESSER", re.IGNORECASE)


def needed(extras: Iterable[str] = ()) -> list[str]:
    """Return the packages that an installation with these extras brings, with all they need, sorted."""
    project = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    todo = [Requirement(line) for line in project["dependencies"]]
    todo += [Requirement(line) for extra in extras for line in project["optional-dependencies"][extra]]
    found: set[str] = set()
    while todo:
        wanted = todo.pop()
        name = _plain(wanted.name)
        if name in found:
            continue
        found.add(name)
        todo += _needs(name, wanted.extras)
    return sorted(found)


def _needs(name: str, extras: Iterable[str]) -> Iterator[Requirement]:
    for line in metadata.requires(name) or ():
        requirement = Requirement(line)
        marker = requirement.marker
        environments = [{**default_environment(), "extra": extra} for extra in ("", *extras)]
        if marker is None or any(marker.evaluate(each) for each in environments):
            yield requirement


def licence_of(name: str) -> str:
    """Return the licence as the package's metadata states it: expression, classifier, or first line of the text."""
    about = metadata.metadata(name)
    expression = about.get("License-Expression")
    classifiers = [
        line.rpartition(" :: ")[2]
        for line in about.get_all("Classifier") or ()
        if line.startswith("License ::") and line.count("::") > 1
    ]
    text = (about.get("License") or "").strip().partition("\n")[0]
    return expression or ", ".join(classifiers) or text or "not stated"


def is_copyleft(licence: str) -> bool:
    """Return whether a licence is a GNU GPL or AGPL (a lesser one is not)."""
    return bool(COPYLEFT.search(LESSER.sub("", licence))) and not LESSER.search(licence)


def render() -> str:
    """Return the page."""
    core = needed()
    rows = [
        f"| {name} | {licence_of(name)} | {'core' if name in core else _extra_of(name)} |"
        for name in sorted({*core, *needed(EXTRAS)})
    ]
    return "\n".join(
        [
            "# Licences of what is installed",
            "",
            "gameproof is under Apache-2.0. This is what `pip install gameproof` and its extras `data` and `study` bring, with all that",
            "they need, on Linux, as each package states its own licence; versions as in `constraints.txt`. No package is under the GPL or",
            "the AGPL; psycopg (extra `study`) is under the LGPL. The extras `local`, `llamacpp`, `syntax` and `ray` bring large packages of their own: ask `make sbom` there.",
            "",
            "| package | licence | comes with |",
            "| --- | --- | --- |",
            *rows,
            "",
        ]
    )


def _extra_of(name: str) -> str:
    return ", ".join(extra for extra in EXTRAS if name in needed((extra,)))


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.stdout.write(render())
