"""Answers from an exported file of calls, and asks nobody."""

import json
from collections.abc import Mapping
from pathlib import Path

from gameproof.errors import CallError, PlanError
from gameproof.llm.client import Reply, Request, canonical_json, digest_of
from gameproof.llm.store import StoredCall, read_exported
from gameproof.llm.stored import reply_from_json

__all__ = ["Replay", "load_replay"]

ANYWHERE = ""  # the same question has the same key, whichever endpoint answered it


class Replay:
    """Knows the answers to questions that were asked before, at whichever endpoint."""

    def __init__(self, replies: Mapping[str, str], *, name: str) -> None:
        """Keep replies by the digest of their question."""
        self._replies = replies
        self._name = name

    @property
    def name(self) -> str:
        """The model that gave the answers."""
        return self._name

    async def complete(self, request: Request) -> Reply:
        """Answer what was asked before.

        Raises:
            CallError: It was not.
        """
        kept = self._replies.get(request.digest(ANYWHERE))
        if kept is None:
            raise CallError("not among the replayed calls")
        return reply_from_json(kept)

    async def close(self) -> None:
        """Hold nothing, close nothing."""


def load_replay(path: str | Path) -> Replay:
    """Read a file that ``gameproof cache export`` wrote.

    Raises:
        PlanError: It cannot be read, or is empty or of several models.
        StoreError: A line is not a call.
    """
    try:
        with Path(path).open(encoding="utf-8") as lines:
            calls = [call for call in read_exported(lines, str(path)) if "messages" in call.request]
    except (OSError, UnicodeDecodeError) as error:
        raise PlanError(f"the replay {path} cannot be read: {error}.") from error
    names = sorted({call.model for call in calls})
    if len(names) != 1:
        found = ", ".join(names) or "none"
        raise PlanError(
            f"the replay {path} must hold the calls of one model; it has: {found}.",
            hint="`gameproof cache export FILE --model NAME` writes the calls of one.",
        )
    return Replay({_key(call): call.reply for call in calls}, name=names[0])


def _key(call: StoredCall) -> str:
    return digest_of(ANYWHERE, canonical_json(json.loads(call.request)))
