"""The forms of replies that are lists. Importing this loads pydantic, so that is left to whoever reads a reply."""

from pydantic import BaseModel

__all__ = ["Requirements", "Statements"]


class Statements(BaseModel):
    """A list of statements."""

    statements: list[str]


class _Requirement(BaseModel):
    text: str
    importance: int


class Requirements(BaseModel):
    """What a reader requires."""

    requirements: list[_Requirement]
