# ruff: noqa: RUF001 - punctuation of other scripts is what this file is about
"""The lines of a text as a reader sees them: headers, list items, paragraphs, wrapped lines joined."""

import itertools
import re
from dataclasses import dataclass, field

from gameproof.text.splitter import STOPS
from gameproof.text.tokens import CJK

__all__ = ["RawLine", "RawText", "read_lines"]

MAX_TITLE_WORDS = 6  # of a line that ends in a colon
MAX_BARE_TITLE_WORDS = 3  # of a title without a colon
MAX_TITLE_CHARACTERS = 80
MAX_CJK_TITLE_CHARACTERS = 15
MAX_CAPITALS_WORDS = 10  # of a line in capitals
MAX_HEADER_CHARACTERS = 200
MIN_WRAPPED = 40  # a line at least this long may go on in the next one
WIDTHS = range(50, 121)  # what texts are wrapped to
MIN_WRAPPED_LINES = 3

_BULLET = r"(?:[-*+•‣◦▪●○–—·]\s+|[-*•](?=[A-Z]))"
_NUMBERING = r"(?:\(?(?:(?:\d{1,3}\.)*\d{1,3}|[a-z]|[ivx]{1,5})[.)]\s+|\(?[A-Z]\)\s+|[①-⑳]\s*)"
_MARKER = re.compile(rf"\s*(?:>\s?)*(?:(?P<bullet>{_BULLET})|{_NUMBERING})?\s*")
_MARKDOWN_HEADER = re.compile(r"#{1,6}\s+\S")
_BOLD_LINE = re.compile(r"(\*\*|__)[^*_]+\1\s*[:：]?")
_LABEL = re.compile(
    r"[*_]{0,2}[^\W\d_][\w/&'-]*(?: (?:[\w/'-]+|&)){0,3}[*_]{0,2} ?[:：][*_]{0,2}\s"  # one to four words
)
_UNDERLINE = re.compile(r"={3,}|-{3,}|~{3,}")
_CJK = re.compile(f"[{CJK}]")
_SYMBOLS = "\"'”’»)]}›」』）】》*_` \t"
# A line that ends in one of these and a colon begins a sentence; it is no title.
_OPEN_ENDED = frozenset(
    """
    are as be by follow following follows include included includes including is of said say says that to was
    were with
    """.split()  # noqa: SIM905 - a long list of words reads best as text
)


@dataclass(slots=True)
class RawLine:
    """A line of a text, not yet split into sentences: ``marker + body + ending`` is the text itself."""

    marker: str
    body: str
    ending: str
    is_bullet: bool = False
    is_header: bool = False
    has_label: bool = False  # "Clarity: it is easy to follow."


@dataclass(slots=True)
class RawText:
    """The lines of a text and the empty lines before them."""

    leading: str = ""
    lines: list[RawLine] = field(default_factory=list[RawLine])


def read_lines(text: str) -> RawText:
    """Read the lines of a text: mark headers, cut off list markers, join lines that were only wrapped."""
    raw = _read_physical_lines(text)
    all_capitals = text.isupper()
    for line, following in zip(raw.lines, [*raw.lines[1:], None], strict=False):
        line.is_header = _is_header(line, following, all_capitals=all_capitals)
        line.has_label = not (line.is_header or line.is_bullet) and _LABEL.match(line.body) is not None
    return RawText(leading=raw.leading, lines=_join_wrapped(raw.lines))


def _read_physical_lines(text: str) -> RawText:
    raw = RawText()
    blank: list[str] = []  # empty lines belong to the visible line before them
    for physical in text.splitlines(keepends=True):
        content = physical.rstrip()
        if not content:
            blank.append(physical)
            continue
        _add_blank(raw, blank)
        marker = _MARKER.match(content)
        at = marker.end() if marker else 0
        raw.lines.append(
            RawLine(
                marker=content[:at],
                body=content[at:],
                ending=physical[len(content) :],
                is_bullet=marker is not None and marker["bullet"] is not None,
            )
        )
    _add_blank(raw, blank)
    return raw


def _add_blank(raw: RawText, blank: list[str]) -> None:
    if raw.lines:
        raw.lines[-1].ending += "".join(blank)
    else:
        raw.leading += "".join(blank)
    blank.clear()


def _is_header(line: RawLine, following: RawLine | None, *, all_capitals: bool) -> bool:
    body = line.body
    if len(body) > MAX_HEADER_CHARACTERS:
        return False
    if _MARKDOWN_HEADER.match(body) or not any(map(str.isalnum, body)):
        return True  # the second is a rule: ----, ####, ***
    core = body.rstrip(_SYMBOLS)
    if core.endswith((":", "：")):
        return _is_title(core[:-1])
    if core[-1:] in STOPS:
        return False
    if _BOLD_LINE.fullmatch(body) or _is_underlined(line, following):
        return True
    in_capitals = not all_capitals and _is_in_capitals(body)
    return not line.is_bullet and (in_capitals or _is_short_title(body, following))


def _is_underlined(line: RawLine, following: RawLine | None) -> bool:
    if following is None or len(line.ending.splitlines()) != 1:
        return False
    return _UNDERLINE.fullmatch(following.marker + following.body) is not None


def _is_title(text: str) -> bool:
    """Say whether what stands before a final colon names a section rather than begins a sentence."""
    if _CJK.search(text):
        return len(text) <= MAX_CJK_TITLE_CHARACTERS
    parts = text.lower().strip(_SYMBOLS).split()
    if not parts or len(parts) > MAX_TITLE_WORDS or len(text) > MAX_TITLE_CHARACTERS:
        return False
    return parts[-1] not in _OPEN_ENDED and not any(part[-1] in STOPS for part in parts[:-1] if len(part) > 2)


def _is_short_title(text: str, following: RawLine | None) -> bool:
    """Say whether a line like "Main strengths" stands above a list or a paragraph that is much longer."""
    parts = text.split()
    if following is None or len(parts) > MAX_BARE_TITLE_WORDS or not all(part.isalpha() for part in parts):
        return False
    if not parts[0][0].isupper() or parts[-1].lower() in _OPEN_ENDED:
        return False
    return following.is_bullet or len(following.body) >= MIN_WRAPPED


def _is_in_capitals(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    if len(letters) < 3 or len(text.split()) > MAX_CAPITALS_WORDS:
        return False
    return all(map(str.isupper, letters))


def _join_wrapped(lines: list[RawLine]) -> list[RawLine]:
    """Join each block of lines that one paragraph or list item was wrapped into."""
    joined: list[RawLine] = []
    block: list[RawLine] = []
    for line in lines:
        if block and not _may_continue(block[-1], line):
            joined.extend(_join_block(block))
            block = []
        block.append(line)
    joined.extend(_join_block(block))
    return joined


def _may_continue(line: RawLine, following: RawLine) -> bool:
    if line.is_header or following.is_header or following.has_label or following.marker.strip():
        return False
    return len(line.ending.splitlines()) == 1


def _join_block(block: list[RawLine]) -> list[RawLine]:
    all_wrapped = _is_wrapped_to_width(block)
    joined: list[list[RawLine]] = []
    for line in block:
        if joined and (all_wrapped or _goes_on(joined[-1][-1], line)):
            joined[-1].append(line)
        else:
            joined.append([line])
    return [_join(lines) for lines in joined]


def _is_wrapped_to_width(block: list[RawLine]) -> bool:
    """Say whether each line is so long that the next line's first word did not fit into the width."""
    if len(block) < MIN_WRAPPED_LINES:
        return False
    widths = [len(line.marker) + len(line.body) for line in block]
    if max(widths) not in WIDTHS:
        return False
    return all(
        width + 1 + len(following.body.split(maxsplit=1)[0]) > max(widths)
        for width, following in zip(widths, block[1:], strict=False)
    )


def _goes_on(line: RawLine, following: RawLine) -> bool:
    """Say whether a long line without a final stop goes on in a line that begins in lower case."""
    core = line.body.rstrip(_SYMBOLS)
    return len(line.body) >= MIN_WRAPPED and core[-1:] not in STOPS + ":：" and following.body[0].islower()


def _join(lines: list[RawLine]) -> RawLine:
    first = lines[0]
    if len(lines) == 1:
        return first
    parts = [first.body]
    for line, following in itertools.pairwise(lines):
        parts.extend((line.ending, following.marker, following.body))
    return RawLine(
        first.marker,
        "".join(parts),
        lines[-1].ending,
        is_bullet=first.is_bullet,
        has_label=first.has_label,
    )
