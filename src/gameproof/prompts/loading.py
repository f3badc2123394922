"""Load prompts: plain files that never change once released, rendered with every foreign text fenced.

A file ``<role>/<name>.v<N>.md`` says on its first line what it is for; what is sent starts at the first
``## system`` or ``## user`` line. Its places are Jinja's, and an unset one is an error.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, cast

from gameproof.prompts.fences import draw_marker, fence, number_lines
from gameproof.prompts.messages import Message, Role

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["Prompt", "Slot", "Trusted", "load"]

DIGEST_SHOWN = 8  # hexadecimal digits in a signature

_SECTION = re.compile(r"^## (system|user|assistant)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Trusted:
    """Text of our own: it goes into the prompt as it is, without fences."""

    text: str


# A text is foreign and gets fences; several are numbered lines within them. Numbers are plain; None leaves out.
Slot = str | Trusted | int | float | Mapping[str, str] | Sequence[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One version of one prompt."""

    role: str
    name: str
    version: int
    text: str
    digest: str  # sha256 of the file

    @property
    def label(self) -> str:
        """What a signature says: ``supports.v1@8c1fd02e``."""
        return f"{self.name}.v{self.version}@{self.digest[:DIGEST_SHOWN]}"

    def render(self, **slots: Slot) -> tuple[Message, ...]:
        """Fill in the places.

        Whatever a text holds (braces, markup, orders, other fences) stays text: nothing in it is evaluated,
        and its fence bears a marker that is nowhere in it.
        """
        texts = {name: foreign for name, slot in slots.items() if (foreign := _foreign(slot)) is not None}
        marker = draw_marker(self.digest, texts.values())
        filled: dict[str, object] = {
            name: slot.text if isinstance(slot, Trusted) else slot for name, slot in slots.items()
        }
        filled |= {name: fence(name, text, marker) for name, text in texts.items()}
        return tuple(
            Message(role=role, content=template.render(filled, marker=marker).strip())
            for role, template in _templates(self.text)
        )


@cache
def load(role: str, name: str, version: int = 1) -> Prompt:
    """Load a prompt of the package.

    Example:
        >>> load("oracle", "supports").label.split("@")[0]
        'supports.v1'
    """
    data = files("gameproof.prompts").joinpath(role, f"{name}.v{version}.md").read_bytes()
    return Prompt(
        role=role,
        name=name,
        version=version,
        text=data.decode("utf-8"),
        digest=hashlib.sha256(data).hexdigest(),
    )


def _foreign(slot: Slot) -> str | None:
    if isinstance(slot, str):
        return slot
    if isinstance(slot, Mapping | Sequence):
        return number_lines(slot)
    return None


@cache
def _templates(text: str) -> list[tuple[Role, "Template"]]:
    from jinja2 import StrictUndefined  # noqa: PLC0415 - 60 ms that most runs can do without
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415 - the same

    # What is rendered is no HTML: it is read by a model. A study's own prompt may come from a stranger.
    environment = ImmutableSandboxedEnvironment(
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    parts = _SECTION.split(text)[1:]
    return [
        (cast("Role", role), environment.from_string(body))
        for role, body in zip(parts[::2], parts[1::2], strict=True)
    ]
