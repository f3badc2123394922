"""A reader's profile as a persona: the one shape that judges, Reader Utility and the study share."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from gameproof.records import Persona

__all__ = ["persona_of"]


def persona_of(answers: Mapping[str, Any], *, query: str | None = None) -> Persona:  # Any: JSON
    """Make a persona of profile answers; answers with other names are left out.

    Example:
        >>> persona_of({"role": "nurse", "knows": "triage", "shoe_size": "40"}).knows
        ('triage',)
    """
    knows = answers.get("knows") or ()
    listed = cast("Sequence[object]", knows if isinstance(knows, list | tuple) else (knows,))
    entries = knows.splitlines() if isinstance(knows, str) else listed
    return Persona(
        **{name: _text(answers.get(name)) for name in ("role", "domain", "needs", "use_case")},
        query=query,
        knows=tuple(str(entry).strip() for entry in entries if str(entry).strip()),
    )


def _text(answer: object) -> str | None:
    if isinstance(answer, list):
        return "; ".join(map(str, cast("list[object]", answer))) or None
    return str(answer) if answer else None
