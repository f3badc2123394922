"""What a run may spend: calls and money, never a call or a cent more."""

import asyncio
from collections import deque
from dataclasses import dataclass

from gameproof.errors import BudgetError, PlanError
from gameproof.llm.client import Reply, Request

__all__ = ["Budget", "Prices", "Spending", "estimate_tokens", "fewest_tokens"]

TOKENS_PER_MESSAGE = 8  # what chat templates add around a turn, rounded up
BYTES_PER_TOKEN = 4
MOST_BYTES_PER_TOKEN = 6
PER_MILLION = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """US dollars per million tokens."""

    tokens_in: float
    tokens_out: float

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """Return the price of a call."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) * PER_MILLION


@dataclass(slots=True, kw_only=True)
class Spending:
    """Replies so far, and what they cost."""

    prices: Prices | None
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0

    def add(self, request: Request, reply: Reply) -> tuple[int, int]:
        """Count a reply; return its tokens, in and out. What the endpoint does not tell is estimated."""
        tokens_in = reply.tokens_in or _tokens_in(request)
        tokens_out = reply.tokens_out or estimate_tokens(reply.text)
        self.calls += 1
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        if self.prices is not None:
            self.cost += self.prices.cost(tokens_in, tokens_out)
        return tokens_in, tokens_out


class Budget:
    """Holds what may be spent.

    A call reserves the most that it can cost; its reply puts the real cost in that place. A call that finds
    no room waits for those under way, and fails only when nothing under way can make room.
    """

    def __init__(self, *, max_calls: int | None, max_cost: float | None, prices: Prices | None) -> None:
        """Begin with nothing spent.

        Raises:
            PlanError: A limit of cost without prices.
        """
        if max_cost is not None and prices is None:
            raise PlanError(
                "a limit of cost needs the prices of the model: --price-in and --price-out, in dollars per million tokens.",
                hint="No table of prices comes with gameproof: it would be wrong soon. --max-calls needs no prices.",
            )
        self._max_calls = max_calls
        self._max_cost = max_cost
        self._prices = prices
        self._spent = Spending(prices=prices)
        self._reserved_calls = 0
        self._reserved_cost = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def reserve(self, request: Request) -> float:
        """Set aside one call and the most that it can cost; return that cost.

        Raises:
            BudgetError: There is no room, and nothing under way can make any.
        """
        bound = self._most(request)
        while (full := self._full(bound)) is not None:
            if self._reserved_calls == 0:
                raise full
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        self._reserved_calls += 1
        self._reserved_cost += bound
        self._wake(1)  # there may be room for one more
        return bound

    def settle(self, bound: float, request: Request, reply: Reply) -> None:
        """Count a reply."""
        self._spent.add(request, reply)
        self.release(bound)

    def release(self, bound: float) -> None:
        """Give back what a call has not used."""
        self._reserved_calls -= 1
        self._reserved_cost = self._reserved_cost - bound if self._reserved_calls else 0.0
        self._wake(1 if self._reserved_calls else len(self._waiting))

    def _wake(self, number: int) -> None:
        while self._waiting and number > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                number -= 1

    def _full(self, bound: float) -> BudgetError | None:
        kept = "Replies so far are kept: the same command with a higher limit goes on from there."
        if self._max_calls is not None and self._spent.calls + self._reserved_calls >= self._max_calls:
            return BudgetError(f"the limit of {self._max_calls:,} model calls is reached.", hint=kept)
        if self._max_cost is not None and self._spent.cost + self._reserved_cost + bound > self._max_cost:
            return BudgetError(
                f"the next call could cost ${bound:.4f} and go over the limit of ${self._max_cost:g}; "
                f"${self._spent.cost:.4f} is spent.",
                hint=kept,
            )
        return None

    def _most(self, request: Request) -> float:
        if self._prices is None or self._max_cost is None:
            return 0.0
        # A token has at least one byte.
        most_in = sum(
            len(turn.content.encode("utf-8", "replace")) + TOKENS_PER_MESSAGE for turn in request.messages
        )
        return self._prices.cost(most_in, request.max_tokens)


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: a quarter of its bytes in UTF-8, rounded up.

    Example:
        >>> estimate_tokens("Hello there")
        3
    """
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def fewest_tokens(text: str) -> int:
    """Return how many tokens a text has at the least: one for each word, or for six bytes of long words.

    Example:
        >>> fewest_tokens("Hello there")
        2
    """
    return max(len(text.split()), len(text.encode("utf-8", "replace")) // MOST_BYTES_PER_TOKEN)


def _tokens_in(request: Request) -> int:
    return sum(estimate_tokens(turn.content) + TOKENS_PER_MESSAGE for turn in request.messages)
