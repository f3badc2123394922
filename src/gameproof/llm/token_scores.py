"""Read how sure a model was of a verdict from the log-probabilities of its tokens.

A grade may be more than one token: "10" is one for some models, and "1" then "0" for others. What "1" stands for is
then decided by the token that follows it, or by the tokens of the same place: where "10" is among them, "1" is all
of its grade. Where neither can be told, the reply gives no probabilities, with that as the reason.
"""

import math
import re
from collections.abc import Mapping, Sequence

from gameproof.llm.client import Reply, TokenLogProb
from gameproof.llm.replies import UNREADABLE

__all__ = ["AMBIGUOUS", "NO_LOGPROBS", "OFF_MENU", "word_probabilities"]

NO_LOGPROBS = f"{UNREADABLE}: no log-probs at the verdict"
OFF_MENU = f"{UNREADABLE}: hardly any probability on the allowed verdicts"
AMBIGUOUS = f"{UNREADABLE}: a likely token begins several verdicts"
# Of probability on the menu; with less the verdict was not what the token is about. A server that holds a small model to
# the schema shows the probabilities it had before: a third of them may lie on grades that do not exist.
MIN_MASS = 0.2
MOST_OPEN = (
    0.01  # of that mass may begin several verdicts and is left out: .09 of a grade from 1 to 10 at the most
)

_BEGUN = re.compile(r"[ \"']*(?P<word>[\w+-]*)(?P<rest>.*)", re.DOTALL)


def word_probabilities(reply: Reply, start: int, menu: Sequence[str]) -> dict[str, float] | str:
    """Return the probability of each word of a menu at a place of a reply; they sum to 1.

    Args:
        reply: With the log-probs of its tokens.
        start: Where in its text the verdict begins.
        menu: The words, in small letters.

    Returns:
        The reason instead, where the endpoint gave no log-probs for that place or they do not tell the words apart.
    """
    tokens = reply.logprobs or ()
    offset = "".join(token.token for token in tokens).find(reply.text)
    if offset < 0:
        return NO_LOGPROBS
    place = -offset
    for number, token in enumerate(tokens):
        if place <= start < place + len(token.token):
            following = tokens[number + 1] if number + 1 < len(tokens) else None
            return _on_menu(token, following, token.token[: start - place], menu)
        place += len(token.token)
    return NO_LOGPROBS


def _on_menu(
    chosen: TokenLogProb, following: TokenLogProb | None, lead: str, menu: Sequence[str]
) -> dict[str, float] | str:
    """Add up the probability of the tokens by the words that they begin."""
    likely = _likely(chosen)
    begun = {token: _begin(token.removeprefix(lead)) for token in likely}
    mass = dict.fromkeys(menu, 0.0)
    undecided = 0.0
    for token, chance in likely.items():
        word, is_ended = begun[token]
        meant = [each for each in menu if each == word or (word and not is_ended and each.startswith(word))]
        longer = [each for each in meant if each != word]
        if len(meant) == 1:
            mass[meant[0]] += chance
        elif word in meant and any(other in longer for other, _ in begun.values()):
            mass[word] += chance  # the longer words are tokens of their own
        elif word in meant and token == chosen.token:
            for each, share in _continue(word, longer, following).items():
                mass[each] += chance * share
        elif meant:
            undecided += chance
    total = math.fsum(mass.values())
    if undecided > MOST_OPEN * (total + undecided):
        return AMBIGUOUS
    return {word: share / total for word, share in mass.items()} if total >= MIN_MASS else OFF_MENU


def _continue(word: str, longer: Sequence[str], following: TokenLogProb | None) -> dict[str, float]:
    """Share the probability of a word among itself and longer words by the token that comes next."""
    shares = dict.fromkeys([word, *longer], 0.0)
    for token, chance in _likely(following).items() if following is not None else [("", 1.0)]:
        found = _BEGUN.fullmatch(token)
        more = found["word"].casefold() if found is not None and token[:1].isalnum() else ""
        meant = [each for each in longer if each.startswith(word + more)] if more else [word]
        if len(meant) == 1:
            shares[meant[0]] += chance
    return shares


def _likely(token: TokenLogProb) -> Mapping[str, float]:
    found = dict(token.top) | {token.token: token.logprob}
    return {name: math.exp(min(value, 0.0)) for name, value in found.items()}  # some endpoints send anything


def _begin(text: str) -> tuple[str, bool]:
    """Return the word that a token begins, without the quotation mark or blank before it, and whether it ends there."""
    found = _BEGUN.fullmatch(text)
    return (found["word"].casefold(), bool(found["rest"])) if found is not None else ("", False)
