"""Unicode word tokens."""

import functools
import itertools
import re
import unicodedata

__all__ = ["CJK", "words"]

# Characters that are a word each: ideographs, kana and bopomofo are written without spaces between words.
CJK = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b"  # iteration marks, zero, Hangzhou numerals
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d"  # kana
    "\u3105-\u312f\u31a0-\u31bf"  # bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\U0001b000-\U0001b16f"
)

_ASCII_WORD = re.compile(r"[a-z0-9]+")
# What typography and the web put between words and never inside one. Most texts have nothing else beyond ASCII,
# or beyond Latin-1, whose letters need no look at marks: both kinds are read at several times the speed.
_BETWEEN_WORDS = "\u2019\u2018\u201c\u201d\u2013\u2014\u2026\u2022\u20ac\u00a0"
_SOFT_HYPHEN = "\u00ad"
_WORD_WITHOUT_MARKS = re.compile(r"[^\W_]+")
# Joiners, soft hyphen and byte order mark are invisible inside a word and no part of it.
_INVISIBLE = re.compile("[\u00ad\u200c\u200d\u2060\ufeff]+")
_ANY_CJK = re.compile(f"[{CJK}]")
# `re` is slow with classes that reach beyond the first plane, so those are tried only where they are needed.
_ANY_BEYOND_FIRST_PLANE = re.compile("[\U00010000-\U0010ffff]")
# Ideographs, Hangul syllables, surrogates, private use and unassigned planes hold no combining marks.
_BLOCKS_WITH_MARKS = ((0x300, 0x3400), (0xA000, 0xAC00), (0xF900, 0x10000))
_BLOCKS_BEYOND_FIRST_PLANE = ((0x10000, 0x20000), (0xE0100, 0xE01F0))


def words(text: str) -> list[str]:
    """Return the words of a text: runs of letters, marks and digits, without case, accents kept.

    The text is case-folded and in Unicode form NFC, so the same word typed in two ways is one word. An
    ideograph or kana is a word of its own; a run of Thai, which has no spaces between words, is one word.

    Example:
        >>> words("Café No. 5: 日本!")
        ['café', 'no', '5', '日', '本']
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    plain = text
    for character in _BETWEEN_WORDS:
        plain = plain.replace(character, " ")
    if plain.isascii():
        return _ASCII_WORD.findall(plain.lower())
    if _is_latin_1(plain) and _SOFT_HYPHEN not in plain:
        return _WORD_WITHOUT_MARKS.findall(plain.casefold())
    return _words_of_any_script(text)


def _is_latin_1(text: str) -> bool:
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return True


def _words_of_any_script(text: str) -> list[str]:
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    text = _INVISIBLE.sub("", text)
    everywhere = _ANY_BEYOND_FIRST_PLANE.search(text) is not None
    if _ANY_CJK.search(text):
        return _word_or_cjk(everywhere=everywhere).findall(text)
    if _any_mark(everywhere=everywhere).search(text):
        return _word_with_marks(everywhere=everywhere).findall(text)
    return _WORD_WITHOUT_MARKS.findall(text)


@functools.cache
def _any_mark(*, everywhere: bool) -> re.Pattern[str]:
    return re.compile(f"[{_marks(everywhere=everywhere)}]")


@functools.cache
def _word_with_marks(*, everywhere: bool) -> re.Pattern[str]:
    # A mark alone is no word (an emoji's variation selector is one), so a word starts with a letter or digit.
    return re.compile(rf"[^\W_](?:[^\W_]|[{_marks(everywhere=everywhere)}])*")


@functools.cache
def _word_or_cjk(*, everywhere: bool) -> re.Pattern[str]:
    marks = _marks(everywhere=everywhere)
    return re.compile(rf"[{CJK}][{marks}]*|[^\W_{CJK}](?:[^\W_{CJK}]|[{marks}])*")


@functools.cache
def _marks(*, everywhere: bool) -> str:
    """Return all combining marks as the inside of a character class: `re` takes them for no part of a word."""
    blocks = _BLOCKS_WITH_MARKS + (_BLOCKS_BEYOND_FIRST_PLANE if everywhere else ())
    ranges: list[str] = []
    for first, last in blocks:
        for is_mark, run in itertools.groupby(map(chr, range(first, last)), key=_is_mark):
            if is_mark:
                members = list(run)
                ranges.append(f"{members[0]}-{members[-1]}")
    return "".join(ranges)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")
