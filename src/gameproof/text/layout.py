"""The visible layout of a text: lines, headers, list markers, sentences and the white space between."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gameproof.text.lines import RawLine, read_lines
from gameproof.text.splitter import WritingStyle, find_ends, writing_style

__all__ = ["Layout", "Line", "sentences", "split_layout"]


@dataclass(frozen=True, slots=True)
class Line:
    """One visible line: a header, or sentences behind an indent and a list marker.

    Lines that were only wrapped to a width are one line here.
    """

    marker: str  # indent and list marker, with the white space after it
    sentences: tuple[str, ...]  # of a header: its text, as one
    gaps: tuple[str, ...]  # white space between the sentences: one fewer than there are
    ending: str  # line break with the empty lines after it; nothing at the end of the text
    is_header: bool = False
    has_label: bool = False  # it begins a section in its first sentence: "Clarity: it is easy to follow."


@dataclass(frozen=True, slots=True)
class Layout:
    """A text in lines, from which it can be put together again, whole or in part."""

    leading: str  # empty lines before the first visible one
    lines: tuple[Line, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences in order, without headers and list markers."""
        return tuple(sentence for line in self.lines if not line.is_header for sentence in line.sentences)

    @property
    def sections(self) -> tuple[tuple[int, ...], ...]:
        """The places in `sentences` that stand under the same header or label; before any there is one too."""
        sections: list[list[int]] = [[]]
        for line, places in self._placed_lines():
            if line.is_header or line.has_label:
                sections.append([])
            sections[-1].extend(places)
        return tuple(tuple(section) for section in sections if section)

    @property
    def line_starts(self) -> frozenset[int]:
        """The places in `sentences` that begin a line."""
        return frozenset(
            places.start for line, places in self._placed_lines() if not line.is_header and places
        )

    def keep(self, kept: Collection[int]) -> str:
        r"""Return the text with only the sentences at the given places; headers and layout stay.

        A line that has no sentence left goes with its list marker; where it ended a paragraph, the line
        before it ends that paragraph now.

        Example:
            >>> split_layout("Pros:\n- Cheap. Near the sea.\n- Quiet.").keep({0})
            'Pros:\n- Cheap.'
        """
        shown: list[Line] = []
        for line, places in self._placed_lines():
            rest = (
                line
                if line.is_header
                else _keep_in_line(line, [n for n, at in enumerate(places) if at in kept])
            )
            if rest is not None:
                shown.append(rest)
            elif shown and _n_breaks(line.ending) > _n_breaks(shown[-1].ending):
                shown[-1] = replace(shown[-1], ending=line.ending)
        if shown:
            shown[-1] = replace(shown[-1], ending=self.lines[-1].ending)
        return self.leading + "".join(map(_render, shown))

    def with_sentences(self, others: Mapping[int, str]) -> str:
        """Return the text with other sentences at the given places; layout stays.

        Example:
            >>> split_layout("Rain fell. The bridge closed.").with_sentences({1: "[gap]"})
            'Rain fell. [gap]'
        """
        shown: list[Line] = []
        for line, places in self._placed_lines():
            told = tuple(
                others.get(at, sentence) for at, sentence in zip(places, line.sentences, strict=False)
            )
            shown.append(line if line.is_header else replace(line, sentences=told))
        return self.leading + "".join(map(_render, shown))

    def first(self, count: int) -> str:
        """Return the text up to the end of its first `count` sentences."""
        shown: list[Line] = []
        for line, places in self._placed_lines():
            if not line.is_header and places.stop >= count:
                wanted = count - places.start
                if wanted > 0:
                    shown.append(_cut_line(line, wanted))
                break
            shown.append(line)
        return (self.leading + "".join(map(_render, shown))).rstrip() if count > 0 else ""

    def _placed_lines(self) -> Iterator[tuple[Line, range]]:
        count = 0
        for line in self.lines:
            n_sentences = 0 if line.is_header else len(line.sentences)
            yield line, range(count, count + n_sentences)
            count += n_sentences


def split_layout(text: str) -> Layout:
    r"""Take a text apart into headers, list markers, sentences and the white space between; nothing is lost.

    Example:
        >>> layout = split_layout("# Summary\nRain fell. The bridge closed.")
        >>> layout.sentences
        ('Rain fell.', 'The bridge closed.')
        >>> layout.lines[0].is_header
        True
    """
    raw = read_lines(text)
    style = writing_style(text)
    lines = tuple(_split_line(line, style) for line in raw.lines)
    return Layout(leading=raw.leading, lines=lines)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, each with its list marker; a header is one too.

    Example:
        >>> sentences("Dr. Lee paid $3.5 m. Then left.")
        ['Dr. Lee paid $3.5 m.', 'Then left.']
    """
    found: list[str] = []
    for line in split_layout(text).lines:
        found.append(line.marker.lstrip() + line.sentences[0])
        found.extend(line.sentences[1:])
    return found


def _split_line(raw: RawLine, style: WritingStyle) -> Line:
    if raw.is_header:
        return Line(raw.marker, (raw.body,), (), raw.ending, is_header=True)
    body = raw.body
    parts: list[str] = []
    gaps: list[str] = []
    start = 0
    for end in find_ends(body, style):
        parts.append(body[start:end])
        start = end
        while body[start].isspace():
            start += 1
        gaps.append(body[end:start])
    parts.append(body[start:])
    return Line(raw.marker, tuple(parts), tuple(gaps), raw.ending, has_label=raw.has_label)


def _keep_in_line(line: Line, wanted: Sequence[int]) -> Line | None:
    """Keep some sentences of a line, each with the space that stood before its new neighbour."""
    if len(wanted) == len(line.sentences):
        return line
    if not wanted:
        return None
    return replace(
        line,
        sentences=tuple(line.sentences[n] for n in wanted),
        gaps=tuple(line.gaps[n - 1] for n in wanted[1:]),
    )


def _cut_line(line: Line, count: int) -> Line:
    return replace(line, sentences=line.sentences[:count], gaps=line.gaps[: count - 1])


def _render(line: Line) -> str:
    parts = [line.marker, line.sentences[0]]
    for gap, sentence in zip(line.gaps, line.sentences[1:], strict=True):
        parts.extend((gap, sentence))
    parts.append(line.ending)
    return "".join(parts)


def _n_breaks(ending: str) -> int:
    return len(ending.splitlines())
