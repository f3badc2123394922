"""The prompts of a study: released files of the package, or a study's own."""

import hashlib
import re
from pathlib import Path

from gameproof.errors import InputError
from gameproof.prompts.loading import Prompt, Trusted, load

__all__ = ["ROLE", "find_prompt"]

ROLE = "study"
_RELEASED = re.compile(r"^(?P<name>[a-z_]+)\.v(?P<version>\d+)$")


def find_prompt(name: str, folder: Path) -> Prompt:
    """Find a prompt: ``summary.v1`` of the package, or a Markdown file beside the study's own.

    Raises:
        InputError: There is none, or it has no ``## user`` section.

    Example:
        >>> find_prompt("summary.v1", Path()).label.split("@")[0]
        'summary.v1'
    """
    released = _RELEASED.match(name)
    if released is not None:
        try:
            return load(ROLE, released["name"], int(released["version"]))
        except OSError as error:  # there is none, or the name is too long for one
            raise InputError(f"found {name!r}; allowed: summary.v1, or the path of a .md file") from error
    path = folder / name
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig").replace("\r\n", "\n")  # as editors of Windows write it
    except (OSError, ValueError) as error:  # also a name that is none, and text that is not UTF-8
        raise InputError(
            f"found {name!r}, which cannot be read; allowed: summary.v1, or the path of a .md file"
        ) from error
    if not re.search(r"^## user$", text, re.MULTILINE):
        raise InputError(f"{name} has no line '## user', after which the prompt begins")
    prompt = Prompt(role=ROLE, name=path.stem, version=0, text=text, digest=hashlib.sha256(data).hexdigest())
    _try_out(prompt)
    return prompt


def _try_out(prompt: Prompt) -> None:
    """Fill the places in once, so that a slip is told before the first reader meets it."""
    for reader in ("role: nurse", None):
        try:
            prompt.render(
                question="?", reader=reader, abstracts={"1": "?"}, language=Trusted("English"), words=100
            )
        except Exception as error:
            allowed = "question, reader, abstracts, language, words and marker"
            raise InputError(f"{prompt.name}: {error}; the places of a prompt are {allowed}") from error
