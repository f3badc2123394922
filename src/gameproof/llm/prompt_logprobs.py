"""Which log-probabilities of a prompt belong to a continuation."""

import math
from dataclasses import dataclass

from gameproof.errors import CallError, EndpointError

__all__ = ["PromptLogProbs", "split_pair", "sum_continuation", "token_starts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptLogProbs:
    """The log-probability of each token of a prompt, as an endpoint gives it; NaN where it gives none.

    `offsets` are the places where tokens begin in the prompt, in characters.
    """

    prompt: str
    tokens: tuple[str, ...]
    logprobs: tuple[float, ...]
    offsets: tuple[int, ...] | None = None
    n_prompt_tokens: int | None = None


def split_pair(context: str, continuation: str) -> tuple[str, str]:
    """Let the white space between context and continuation belong to the continuation, where tokens have it.

    Example:
        >>> split_pair("The capital is ", "Paris")
        ('The capital is', ' Paris')
    """
    bare = context.rstrip()
    return bare, context[len(bare) :] + continuation


def sum_continuation(scored: PromptLogProbs, context: str, continuation: str) -> float:
    """Add up the log-probabilities of the tokens of a continuation.

    Raises:
        EndpointError: The endpoint scored no prompt tokens, or not all.
        CallError: One token spans the end of the context, or the first token has no log-probability.
    """
    if not scored.tokens or len(scored.tokens) != len(scored.logprobs):
        raise EndpointError(
            f"the endpoint gave {len(scored.logprobs)} log-probabilities for {len(scored.tokens)} prompt tokens."
        )
    start = len(split_pair(context, continuation)[0])
    ends = [begin + len(token) for begin, token in zip(token_starts(scored), scored.tokens, strict=True)]
    total = 0.0
    for begin, end, token, logprob in zip(
        token_starts(scored), ends, scored.tokens, scored.logprobs, strict=True
    ):
        if begin >= len(scored.prompt) or end <= start:
            continue
        if begin < start:
            raise CallError(f"the token {token!r} spans the end of the context and the beginning of the text")
        if math.isnan(logprob):
            raise CallError(f"the endpoint gives no log-probability for the token {token!r}")
        total += logprob
    if ends[-1] < len(scored.prompt):
        raise EndpointError("the endpoint scored only the beginning of the prompt.")
    return total


def token_starts(scored: PromptLogProbs) -> tuple[int, ...]:
    """Return where tokens begin, by the endpoint's own offsets or else by the lengths of the tokens."""
    if scored.offsets is not None and len(scored.offsets) == len(scored.tokens):
        return scored.offsets
    starts: list[int] = []
    place = 0
    for token in scored.tokens:
        starts.append(place)
        place += len(token)
    return tuple(starts)
