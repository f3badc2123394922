"""How likely given texts are behind given frames: what a model must do to serve autoregression."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from gameproof.llm.connect import Connection
from gameproof.prompts.messages import Message

__all__ = ["NumberFormat", "ScoresTexts", "Setting", "TextScore", "find_text_scorer", "too_long"]

NumberFormat = Literal["fp32", "bf16"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The turns before some texts, each of which would be the model's reply."""

    messages: tuple[Message, ...]
    texts: tuple[str, ...]
    family: str = ""  # settings of one family begin alike, probably


@dataclass(frozen=True, slots=True)
class TextScore:
    """The natural log-probability of a text with the end of its turn, summed over so many tokens."""

    logprob: float
    n_tokens: int


@runtime_checkable
class ScoresTexts(Protocol):
    """A model on this machine: it takes many texts at once."""

    async def score_texts(
        self, settings: Sequence[Setting], *, dtype: NumberFormat, batch: int
    ) -> list[list[TextScore | str]]:
        """Score every text of every setting.

        Args:
            settings: In any order.
            dtype: Number format of the model's weights and activations.
            batch: The most beginnings that go through the model together.

        Returns:
            For each setting and text its score, or the reason why there is none.
        """
        ...

    def scoring_notes(self, dtype: NumberFormat) -> tuple[str, ...]:
        """Say what a reader of the scores must know about how the model was used."""
        ...


def find_text_scorer(model: object) -> ScoresTexts | None:
    """Return the model behind limits and store if it runs on this machine."""
    inner = model.provider.model if isinstance(model, Connection) else model
    return inner if isinstance(inner, ScoresTexts) else None


def too_long(most: int) -> str:
    """Say why a text has no score: nothing is ever cut."""
    return f"longer with its reference than the model's context of {most:,} tokens"
