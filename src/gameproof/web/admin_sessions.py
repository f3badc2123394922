"""Who is signed in as the administrator: in memory, so that a restart signs everybody out."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from gameproof.study.store import Invited
from gameproof.study.tokens import draw_token, hash_token

__all__ = ["ADMIN_HOURS", "AdminSession", "AdminSessions"]

ADMIN_HOURS = 8
MAX_SESSIONS = 100


@dataclass(slots=True, kw_only=True)
class AdminSession:
    """One browser of the administrator; `fresh` are invitations whose links are shown until the next action."""

    ends_at: float
    fresh: tuple[Invited, ...] = ()


@dataclass(slots=True, kw_only=True)
class AdminSessions:
    """All browsers of the administrator, by the hash of their secret."""

    clock: Callable[[], float] = time.monotonic
    _sessions: dict[str, AdminSession] = field(default_factory=dict[str, AdminSession])

    def open(self) -> str:
        """Begin a session and return its secret, for a cookie."""
        token = draw_token()
        while len(self._sessions) >= MAX_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[hash_token(token)] = AdminSession(ends_at=self.clock() + ADMIN_HOURS * 3600)
        return token

    def find(self, token: str) -> AdminSession | None:
        """Return a session that has not ended."""
        found = self._sessions.get(hash_token(token))
        return found if found is not None and found.ends_at > self.clock() else None

    def close(self, token: str) -> None:
        """End a session."""
        self._sessions.pop(hash_token(token), None)
