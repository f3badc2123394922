# ruff: noqa: RUF001 - punctuation of other scripts is what this file is about
"""Where one sentence ends inside a line."""

import re
from dataclasses import dataclass

from gameproof.text.abbreviations import (
    CONNECTING,
    NUMBERED,
    OFTEN_LAST,
    SENTENCE_STARTERS,
    SHORTENED,
    TITLES,
)
from gameproof.text.tokens import CJK

__all__ = ["SPLITTER", "STOPS", "WritingStyle", "find_ends", "is_splittable", "writing_style"]

SPLITTER = "rules.v1"  # part of the signature of every number that depends on sentences

STOPS = ".!?…‽。！？｡।॥؟۔։።"
_STOPS_WITHOUT_SPACE = "。！？｡।॥؟۔።"  # after these, a sentence may begin without a space
_CLOSING = "\"'”’»)\\]}›」』）】》〉*_`"
_OPENING = "\"'“‘„«‹(\\[{「『（【《〈*_`#¿¡–—-"

# A run of stops with the quotes, brackets, emphasis and reference marks ("[3]") that close after it.
_CANDIDATE = re.compile(rf"(?:\.(?: \.)+|[{STOPS}]+)(?:[{_CLOSING}]|\[\d{{1,3}}(?:[,;–-] ?\d{{1,3}})*\])*")
# In tokenised text a closing quote or bracket stands alone after the stop.
_DETACHED_CLOSING = re.compile(r"\s+(''|”|’|'|\"|\)|\]|-rrb-|-RRB-)(?=\s|$)")
_FOLLOWING = re.compile(rf"\s*[{_OPENING}]*(\w?)")
_WORD = re.compile(r"[^\W\d_]+")
_LETTER = re.compile(r"[^\W\d_]")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")  # "u.s", "p.m", "e.g": single letters between stops
_STANDALONE_STOP = re.compile(r"(?:^|\s)[.!?](?=\s|$)")
_CUT_DOTTED = re.compile(r"(?<!\S)(?:[^\W\d_] \. )+[^\W\d_]$")
_GOES_ON = re.compile(r"\s*[,;:]")
_CUT_STOP = re.compile(r"(?<!\S)[A-Za-z] \. [A-Za-z] \.|\d \. \d")
_UNCUT_STOP = re.compile(r"\d\.\d|(?<![^\W\d_])[^\W\d_]\.[^\W\d_]")
_CJK = re.compile(f"[{CJK}]")
_WITHOUT_RULES = re.compile(
    "[\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\ua9e0-\ua9ff\uaa60-\uaa7f]"
)

_NEVER_BEFORE_SMALL_LETTER = TITLES | CONNECTING | OFTEN_LAST | SHORTENED
_PAUSES = ("..", ". .", "…")

MAX_WORD = 24  # characters looked back for the word before a stop
MIN_ORDINARY_WORD = 4  # letters; shorter words before a stop are often abbreviations
MAX_NUMBERING = 12  # characters that a sentence may have without a letter: "1.", "(12)."


@dataclass(frozen=True, slots=True)
class WritingStyle:
    """What the whole text tells about the meaning of its capitals and spaces."""

    has_capitals: bool  # capitals are used, so a lower-case letter after a stop usually goes on
    is_tokenised: bool  # stops stand alone (" . "), so a stop that sticks to a word is part of it
    cuts_abbreviations: bool  # stops also stand alone inside "e . g ." and "3 . 5"


def writing_style(text: str) -> WritingStyle:
    """Look at a whole text once, so that each of its lines is read the same way."""
    return WritingStyle(
        has_capitals=text != text.lower(),
        is_tokenised=_STANDALONE_STOP.search(text) is not None,
        cuts_abbreviations=_CUT_STOP.search(text) is not None and _UNCUT_STOP.search(text) is None,
    )


def is_splittable(text: str) -> bool:
    """Say whether the rules can find sentences in the script of this text.

    Thai, Lao, Khmer and Burmese end sentences without a mark that these rules know.

    Example:
        >>> is_splittable("Rain fell."), is_splittable("สวัสดีครับ ผมชื่อเล็ก")
        (True, False)
    """
    if text.isascii():
        return True
    unknown = len(_WITHOUT_RULES.findall(text))
    return unknown == 0 or 2 * unknown <= len(text) - text.count(" ")


def find_ends(line: str, style: WritingStyle) -> list[int]:
    """Return where sentences end in one line of text, the last one left out.

    An end is the place after the stop and all that closes with it; white space that follows belongs to
    neither sentence. The work is linear in the length of the line.
    """
    ends: list[int] = []
    start = 0
    last = len(line.rstrip())
    for match in _CANDIDATE.finditer(line):
        if match.end() >= last:
            break
        if match.start() < start:  # swallowed as a closing quote of the sentence before
            continue
        end = _end_at(line, match, start, style)
        if end is not None and end < last:
            ends.append(end)
            start = end
    return ends


def _end_at(  # noqa: PLR0911 - a list of rules: the first that applies decides
    line: str, match: re.Match[str], start: int, style: WritingStyle
) -> int | None:
    """Return where the sentence ends whose stop was matched, or None if it goes on."""
    end = match.end()
    mark = match.group()
    if mark[0] in _STOPS_WITHOUT_SPACE:
        return end
    if not line[end].isspace():
        return end if _ends_without_space(line, match, style) else None
    if end - start <= MAX_NUMBERING and not _LETTER.search(line, start, match.start()):
        return None  # nothing but numbering or punctuation so far
    is_pause = mark.startswith(_PAUSES)
    if match.start() > 0 and line[match.start() - 1].isspace() and mark[0] in ".!?" and not is_pause:
        return _with_detached_closing(line, end, start) if _ends_detached(line, match, style) else None
    following = _FOLLOWING.match(line, end)
    first = following.group(1) if following else ""
    if first.islower():
        return end if not is_pause and _ends_before_small_letter(line, match, style) else None
    if mark[0] == "." and not is_pause:
        return end if _ends_before_capital(line, match, following) else None
    return end


def _with_detached_closing(line: str, end: int, start: int) -> int:
    """Add closing quotes and brackets that stand alone after a stop; an opening one is left to what follows."""
    while closing := _DETACHED_CLOSING.match(line, end):
        if closing.group(1) == '"' and line.count('"', start, end) % 2 == 0:
            break
        end = closing.end()
    return end


def _ends_detached(line: str, match: re.Match[str], style: WritingStyle) -> bool:
    """Decide about a stop that stands alone: the end, unless a tokeniser cut it off an abbreviation or number."""
    if _GOES_ON.match(line, match.end()):
        return False
    if match.group()[0] != "." or not style.cuts_abbreviations:
        return True
    cut = _CUT_DOTTED.search(line, max(0, match.start() - MAX_WORD), match.start() - 1)
    word = cut.group().replace(" ", "").lower() if cut else _word_before(line, match.start())
    following = _FOLLOWING.match(line, match.end())
    if word.isdigit() and following is not None and following[1].isdigit():
        return False
    is_initial = len(word) == 1 and word.isalpha() and not _number_before(line, match.start() - 1 - len(word))
    return _ends_after(line, match.start(), word, following, is_initial=is_initial)


def _ends_without_space(line: str, match: re.Match[str], style: WritingStyle) -> bool:
    """Decide about a stop with no space after it: a forgotten space, or text in a script without spaces."""
    end = match.end()
    if _CJK.match(line, end):
        return match.start() > 0 and _CJK.match(line, match.start() - 1) is not None
    word = _WORD.match(line, end)
    if word is None or match.group() not in {".", "!", "?"} or not line[max(0, end - 3) : end - 1].islower():
        return False
    begins = word.group()[0].isupper() or (style.is_tokenised and not style.has_capitals)
    return begins and word.group().lower() in SENTENCE_STARTERS


def _ends_before_small_letter(line: str, match: re.Match[str], style: WritingStyle) -> bool:
    """Decide about a stop that sticks to its word and comes before a lower-case letter."""
    mark = match.group()
    if mark[-1] not in STOPS and style.has_capitals:
        return False  # "Stop!" he said
    if mark[0] != ".":
        return True
    word = _word_before(line, match.start())
    if word in _NEVER_BEFORE_SMALL_LETTER or _DOTTED.fullmatch(word):
        return False
    if style.has_capitals or style.is_tokenised:
        return len(word) >= MIN_ORDINARY_WORD and word.isalpha()
    return len(word) > 1 or _number_before(line, match.start() - len(word))


def _ends_before_capital(line: str, match: re.Match[str], following: re.Match[str] | None) -> bool:
    """Decide about a full stop that sticks to its word and comes before a capital, a digit or a symbol."""
    before = line[match.start() - 1] if match.start() else " "
    word = _word_before(line, match.start())
    return _ends_after(line, match.start(), word, following, is_initial=len(word) == 1 and before.isupper())


def _ends_after(line: str, at: int, word: str, following: re.Match[str] | None, *, is_initial: bool) -> bool:
    """Decide from the word before a full stop and from what follows it."""
    if word in CONNECTING or (word in TITLES and not _number_before(line, at - 1 - len(word))):
        return False
    first = following.group(1) if following else ""
    if word in NUMBERED and first.isdigit():
        return False
    if not (is_initial or word in OFTEN_LAST or _DOTTED.fullmatch(word)):
        return True
    if not first or following is None:
        return True
    return not first.isdigit() and _starts_sentence(line, following.start(1))


def _starts_sentence(line: str, at: int) -> bool:
    """Say whether the word at a place is one that begins sentences rather than goes on with a name."""
    word = _WORD.match(line, at)
    if word is None or word.group().lower() not in SENTENCE_STARTERS:
        return False
    return not line.startswith(".", word.end())  # "J. A. Smith": another initial


def _word_before(line: str, end: int) -> str:
    """Return the lower-case word that ends at a place, with the stops inside it and no opening quote."""
    pieces = line[max(0, end - MAX_WORD) : end].split()
    return pieces[-1].lstrip("\"'“‘„«‹([{*_`-–—/").lower() if pieces else ""


def _number_before(line: str, end: int) -> bool:
    """Say whether a number stands before a place: "3.5 m." has a unit, "j." an initial."""
    return line[max(0, end - MAX_WORD) : max(0, end)].rstrip()[-1:].isdigit()
