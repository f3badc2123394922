"""Let a language model propose texts: told the scores only (black box), or what the metric is as well (grey box)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from gameproof.attacks.search import Found, Hunt
from gameproof.llm.asking import Asker, Question, Unread
from gameproof.llm.client import Reply, Request
from gameproof.perturbations.rewrites import read_written_text
from gameproof.prompts.loading import Trusted, load
from gameproof.prompts.messages import Message
from gameproof.text import words

__all__ = ["Box", "ModelProposals"]

Box = Literal["black", "grey"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProposals:
    """Asks a model for one new version of each given text."""

    asker: Asker
    definition: str | None  # of the metric, in the grey box
    longest: float  # times the words of the original

    async def __call__(self, asked: Sequence[tuple[Hunt, Found]]) -> Sequence[str | None]:
        """Return a text for each; None where the model gave none, and the reason in the hunt's failures."""
        if not asked:
            return []
        attempts: dict[str, int] = {}
        questions: list[Question[str]] = []
        for hunt, parent in asked:
            attempts[hunt.item.id] = attempts.get(hunt.item.id, 0) + 1
            questions.append(self._question(hunt, parent, hunt.n_calls + attempts[hunt.item.id]))
        answers = await self.asker.ask(questions)
        texts: list[str | None] = []
        for (hunt, _), answer in zip(asked, answers, strict=True):
            if isinstance(answer, Unread):
                reason = f"no proposal: {answer.reason}"
                hunt.failures[reason] = hunt.failures.get(reason, 0) + 1
                texts.append(None)
            else:
                texts.append(answer)
        return texts

    def _question(self, hunt: Hunt, parent: Found, attempt: int) -> Question[str]:
        messages = load("attack", "propose").render(
            candidate=parent.text,
            score=Trusted(f"{parent.score:.4g}"),
            first_score=Trusted(f"{hunt.original.score:.4g}"),
            definition=None if self.definition is None else Trusted(self.definition),
            most_words=int(self.longest * max(len(words(hunt.original.text)), 1)),
            attempt=attempt,
        )
        request = Request(model=self.asker.name, messages=messages, purpose="attack")
        return Question(request=request, read=partial(_read, messages=messages))


def _read(reply: Reply, *, messages: tuple[Message, ...]) -> str | Unread:
    return read_written_text(reply, messages)
