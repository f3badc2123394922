"""Write attacks as ``attack.json``, and read them back."""

import json
from collections.abc import Mapping
from typing import cast

from gameproof.attacks.result import SCHEMA, AttackResult, Attacks
from gameproof.errors import RunFolderError
from gameproof.reports.typed_json import plain_json, read_typed

__all__ = ["attacks_text", "parse_attacks", "render_attacks"]

RERUN = "Make it again with `gameproof attack`: what is stored is not searched for again."


def render_attacks(found: Attacks) -> dict[str, object]:
    """Return attacks as JSON values: no NaN, and null where data does not bound an interval."""
    return cast("dict[str, object]", plain_json(found.record()))  # a mapping stays one


def attacks_text(found: Attacks) -> str:
    """Return attacks as the text of ``attack.json``."""
    return f"{json.dumps(render_attacks(found), indent=1, ensure_ascii=False, allow_nan=False)}\n"


def parse_attacks(record: Mapping[str, object]) -> Attacks:
    """Read what `render_attacks` wrote; fields this version does not know are ignored.

    Raises:
        RunFolderError: It is not such a record, or one of a newer format.
    """
    schema = record.get("schema")
    if schema != SCHEMA:
        raise RunFolderError(f"the schema of the attack is {schema!r}; this version reads {SCHEMA!r}.")
    try:
        return Attacks(
            data=read_typed(str, record.get("data"), "data"),
            seed=read_typed(int, record.get("seed"), "seed"),
            results=read_typed(tuple[AttackResult, ...], record.get("metrics"), "metrics"),
            notes=read_typed(tuple[str, ...], record.get("notes", ()), "notes"),
        )
    except ValueError as error:
        raise RunFolderError(f"{error}", hint=RERUN) from error
