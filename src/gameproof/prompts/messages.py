"""One turn of a conversation with a language model: what prompts are rendered to."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Message", "Role"]

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str
