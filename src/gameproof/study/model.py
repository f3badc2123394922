"""What a study is: its texts, questions, conditions, search and design, as values.

`gameproof.study.study_file` reads them from a TOML file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

__all__ = [
    "ANSWER_KINDS",
    "DESIGNS",
    "EXTRACTIVE",
    "PERSONA_FIELDS",
    "RETRIEVALS",
    "AnswerKind",
    "Condition",
    "Design",
    "DesignKind",
    "Generation",
    "Invitations",
    "ProfileQuestion",
    "Retrieval",
    "RetrievalKind",
    "Study",
    "Text",
]

AnswerKind = Literal["line", "paragraph", "choice", "list"]
ANSWER_KINDS: tuple[AnswerKind, ...] = get_args(AnswerKind)
DesignKind = Literal["tournament", "all_pairs", "balanced"]
DESIGNS: tuple[DesignKind, ...] = get_args(DesignKind)
RetrievalKind = Literal["local", "openalex", "fixed"]
RETRIEVALS: tuple[RetrievalKind, ...] = get_args(RetrievalKind)

# Profile questions with these names make the reader's persona; others are kept and exported as they are.
PERSONA_FIELDS = ("role", "domain", "needs", "use_case", "knows")
# A model of this form is no language model: it picks sentences (see `gameproof.study.extractive`).
EXTRACTIVE = "extractive:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text that people read, in one or several languages."""

    by_language: Mapping[str, str]

    def say(self, language: str | None = None) -> str:
        """Return the text in a language; in the first one it has where it lacks that one.

        Example:
            >>> Text(by_language={"en": "Hello", "de": "Hallo"}).say("fr")
            'Hello'
        """
        found = self.by_language.get(language or "")
        return found if found is not None else next(iter(self.by_language.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileQuestion:
    """One question about the reader."""

    name: str
    label: Text
    help: Text | None = None
    kind: AnswerKind = "line"  # `list`: one entry a line
    choices: tuple[str, ...] = ()  # of kind `choice`
    required: bool = True
    max_length: int = 500  # characters; of each entry of a list


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One way to make a summary: a model, with the reader's profile or without it.

    `id` and `model` must never reach a page (architecture 12).
    """

    id: str
    model: str  # as in --llm, or extractive:lead, extractive:central
    persona: bool  # whether the model is told about the reader
    prompt: str = "summary.v1"  # of the package, or a file


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """Where documents come from."""

    kind: RetrievalKind = "local"
    corpus: Path | None = (
        None  # of `local`: JSONL; None takes the embedded one. Of `fixed`: JSON, query -> documents
    )
    n_documents: int = 10
    url: str = "https://api.openalex.org"
    key_env: str = "OPENALEX_API_KEY"  # the name of the environment variable, never the key
    per_second: float = 5.0
    timeout_s: float = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """How summaries are asked for."""

    words: int = 200
    max_tokens: int = 1500
    temperature: float | None = 0.0
    timeout_s: float = 120.0  # after it a summary counts as failed, and the page goes on


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Which pairs a reader compares."""

    kind: DesignKind = "tournament"
    comparisons: int | None = None  # of a query, in a balanced design


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitations:
    """Who may take part."""

    open: bool = False  # whether anybody with the address may start; else only by an invitation's link
    valid_days: int = 90
    max_participants: int = 1000  # of an open study


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A whole study. `source` is the text of its file, `digest` its SHA-256."""

    title: Text
    introduction: Text
    consent: Text
    questions: tuple[ProfileQuestion, ...]
    conditions: tuple[Condition, ...]
    thanks: Text
    query_help: Text | None = None
    retrieval: Retrieval = field(default_factory=Retrieval)
    generation: Generation = field(default_factory=Generation)
    design: Design = field(default_factory=Design)
    invitations: Invitations = field(default_factory=Invitations)
    languages: tuple[str, ...] = ("en",)
    n_queries: int = 8  # each reader answers up to so many
    max_query_length: int = 500  # characters
    seed: int = 0
    contact: str = ""
    folder: Path = field(default_factory=Path)  # paths of the file are relative to it
    source: str = ""
    digest: str = ""

    def condition(self, name: str) -> Condition:
        """Return a condition by its id; KeyError where there is none."""
        for condition in self.conditions:
            if condition.id == name:
                return condition
        raise KeyError(name)

    @property
    def n_comparisons(self) -> int:
        """How many comparisons a query asks for at most."""
        n = len(self.conditions)
        pairs = n * (n - 1) // 2
        if self.design.kind == "tournament":
            return n - 1
        return pairs if self.design.kind == "all_pairs" else min(self.design.comparisons or n // 2, pairs)
