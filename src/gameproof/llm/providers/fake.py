"""A model made of a function: for tests, examples and models that live in somebody's own code."""

from collections.abc import Callable

from gameproof.llm.client import Reply, Request

__all__ = ["FakeModel"]


class FakeModel:
    """Answers with what a function returns for a request; `requests` has all that were asked.

    Example:
        >>> import asyncio
        >>> from gameproof.llm.client import Message
        >>> model = FakeModel(lambda request: request.messages[-1].content.upper())
        >>> question = Request(model="fake", messages=(Message(role="user", content="yes"),))
        >>> asyncio.run(model.complete(question)).text
        'YES'
    """

    def __init__(self, answer: Callable[[Request], str | Reply], *, name: str = "fake") -> None:
        """Keep the function."""
        self._answer = answer
        self._name = name
        self.requests: list[Request] = []

    @property
    def name(self) -> str:
        """The name it was given."""
        return self._name

    async def complete(self, request: Request) -> Reply:
        """Call the function."""
        self.requests.append(request)
        answer = self._answer(request)
        return answer if isinstance(answer, Reply) else Reply(text=answer, model=self._name)

    async def close(self) -> None:
        """Hold nothing, close nothing."""
