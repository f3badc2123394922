"""Tone of an English text by counted words: hedged or certain, praising or complaining.

Short lists of common words, no dictionary of sentiment: enough to see whether a rewrite moved a text's tone, not
to say what a text thinks. Other languages have no count, and a change of tone cannot be seen there.
"""

import re
from dataclasses import dataclass

from gameproof.text.layout import sentences

__all__ = ["Tone", "measure_tone"]

NEAR = 120  # characters before a word in which a negation and two words between them have room

_HEDGES = """may might could perhaps possibly maybe seem seems seemed seemingly appear appears appeared apparently
    arguably presumably probably likely potentially conceivably allegedly reportedly somewhat suggest suggests
    suggested tend tends roughly approximately supposedly tentatively"""
_HEDGING_PHRASES = (
    r"to some (?:extent|degree)",
    r"in all likelihood",
    r"if i am not mistaken",
    r"it is (?:at least )?possible",
    r"as far as (?:i|we|one) can tell",
    r"more or less",
    r"not (?:entirely|fully|completely) (?:clear|certain|sure)",
)
_CERTAIN = """certainly undoubtedly definitely absolutely clearly obviously unquestionably undeniably
    completely totally entirely utterly extremely spectacularly extraordinarily exceptionally outstandingly
    incredibly overwhelmingly decisively categorically indisputably emphatically certainty definitive
    best worst greatest finest strongest highest"""
_CERTAIN_PHRASES = (
    r"without (?:the (?:slightest|least) |any |a )?doubt",
    r"beyond (?:all |any |the shadow of a |a )?(?:question|doubt|dispute)",
    r"make no mistake",
    r"by far",
    r"there (?:is|can be) no (?:doubt|question)",
)
_PRAISE = """good great excellent superb wonderful delightful impressive impressively happily fortunately gladly glad
    pleased pleasure delight delighted credit admirable admirably remarkable remarkably praise strong strength
    strengths enjoy enjoyed enjoyable love loved recommend recommended recommends worthwhile convincing elegant
    valuable solid fine welcome brilliant fantastic outstanding compelling thorough pleasant pleasing favourable
    favorable favourably favorably positive sensible sturdy reliable comfortable worth bargain commendable rewarding
    pleased clear lucid careful spacious generous polished refined helpful useful superior acceptable"""
_COMPLAINT = """bad poor terrible awful horrible disappointing disappointingly disappointed disappointment
    regrettably regret sadly sad unfortunately annoying annoyingly complain complaint weak weakness weaknesses
    fails failed failure flawed flaw flaws lacking lacks inadequate unconvincing mediocre dreadful avoid reject
    rejected unpleasant frustrating frustrated worse worrying unfavourable unfavorable unfavourably unfavorably
    negative problem problems problematic shame waste wobbly loose flimsy awkward clumsy cramped shabby sloppy
    unreliable uncomfortable overpriced confusing useless inferior unacceptable"""


def _pattern(words: str, phrases: tuple[str, ...] = ()) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join([*phrases, *words.split()])})\b", re.IGNORECASE)


_HEDGE = _pattern(_HEDGES, _HEDGING_PHRASES)
_BOOST = _pattern(_CERTAIN, _CERTAIN_PHRASES)
_GOOD = _pattern(_PRAISE)
_BAD = _pattern(_COMPLAINT)
_DENIAL = re.compile(r"\b(?:not|no|never|nor|neither|cannot|\w+n['’]t)\b", re.IGNORECASE)  # noqa: RUF001 - an apostrophe as people type it
_TURNED = re.compile(
    r"\b(?:not|no|never|hardly|without|cannot|\w+n['’]t)\s+(?:\w+\s+){0,2}$",  # noqa: RUF001 - an apostrophe as people type it
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tone:
    """Counted marks of tone, all per sentence, so that texts of different length can be compared."""

    hedging: float  # hedges
    certainty: float  # words of certainty and superlatives
    favour: float  # words of praise less words of complaint
    denial: float  # negations


def measure_tone(text: str) -> Tone:
    """Count the marks of tone of a text.

    Example:
        >>> measure_tone("Happily, the fit is good. It may last.")
        Tone(hedging=0.5, certainty=0.0, favour=1.0, denial=0.0)
    """
    n = max(len(sentences(text)), 1)
    return Tone(
        hedging=len(_HEDGE.findall(text)) / n,
        certainty=len(_BOOST.findall(text)) / n,
        favour=(_signed(_GOOD, text) - _signed(_BAD, text)) / n,
        denial=len(_DENIAL.findall(text)) / n,
    )


def _signed(pattern: re.Pattern[str], text: str) -> int:
    """Count words; one behind a negation counts against itself."""
    marks = [
        -1 if _TURNED.search(text, max(0, found.start() - NEAR), found.start()) else 1
        for found in pattern.finditer(text)
    ]
    return sum(marks)
