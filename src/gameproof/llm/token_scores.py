"""Read how sure a model was of a verdict from the log-probabilities of its tokens."""

import math
from collections.abc import Sequence

from gameproof.llm.client import Reply
from gameproof.llm.replies import UNREADABLE

__all__ = ["NO_LOGPROBS", "word_probabilities"]

NO_LOGPROBS = f"{UNREADABLE}: no log-probs at the verdict"
MIN_MASS = 0.5  # of probability on the menu; with less the verdict was not what the token is about


def word_probabilities(reply: Reply, start: int, menu: Sequence[str]) -> dict[str, float] | None:
    """Return the probability of each word of a menu at a place of a reply; they sum to 1.

    Args:
        reply: With the log-probs of its tokens.
        start: Where in its text the verdict begins.
        menu: The words; no two of them may begin with the same letters that a token can be.

    Returns:
        None where the endpoint gave no log-probs for that place.
    """
    tokens = reply.logprobs or ()
    offset = "".join(token.token for token in tokens).find(reply.text)
    if offset < 0:
        return None
    place = -offset
    for token in tokens:
        if place <= start < place + len(token.token):
            lead = token.token[: start - place]
            likely = dict(token.top) | {token.token: token.logprob}
            return _on_menu(likely, lead, menu)
        place += len(token.token)
    return None


def _on_menu(likely: dict[str, float], lead: str, menu: Sequence[str]) -> dict[str, float] | None:
    """Add up the probability of the tokens that can only begin one word of the menu."""
    mass = dict.fromkeys(menu, 0.0)
    for token, logprob in likely.items():
        # The same word comes with and without the quotation mark or blank before it.
        rest = token.removeprefix(lead).strip(" \"'").casefold()
        meant = [word for word in menu if rest and (word.startswith(rest) or rest == word)]
        if len(meant) == 1:
            mass[meant[0]] += math.exp(logprob)
    total = math.fsum(mass.values())
    return {word: share / total for word, share in mass.items()} if total >= MIN_MASS else None
