"""The longest common subsequence of a reference sentence with each sentence of a candidate, united."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

__all__ = ["CommonRows", "count_united_hits", "find_common_rows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonRows:
    """Which tokens of each reference sentence are in its longest common subsequence with one sentence."""

    rows: Sequence[Sequence[int]]

    @property
    def nbytes(self) -> int:
        """Return the memory that the rows take, roughly."""
        return 100 + sum([100 + 8 * len(rows) for rows in self.rows])


def count_united_hits(
    reference: Sequence[Sequence[int]], candidate: Sequence[Sequence[int]], common: Sequence[CommonRows]
) -> int:
    """Count the tokens of the united longest common subsequences of all reference sentences.

    This is the numerator of ROUGE-L at summary level (Lin, "ROUGE: A Package for Automatic Evaluation of
    Summaries", 2004, section 3.2) as ROUGE 1.5.5 and rouge-score count it: no token of the candidate counts
    more often than the candidate has it.

    Args:
        reference: Sentences of token numbers.
        candidate: Sentences of token numbers, from the same numbering.
        common: What each candidate sentence has in common with the reference.
    """
    hits: dict[int, int] = {}
    for place, sentence in enumerate(reference):
        for row in set[int]().union(*[found.rows[place] for found in common]):
            token = sentence[row]
            hits[token] = hits.get(token, 0) + 1
    available = Counter(chain.from_iterable(candidate))
    return sum([min(count, available[token]) for token, count in hits.items()])


def find_common_rows(reference: Sequence[Sequence[int]], sentence: Sequence[int]) -> CommonRows:
    """Find the longest common subsequence of each reference sentence with one candidate sentence."""
    positions, columns = _positions(sentence), (1 << len(sentence)) - 1
    found: list[list[int]] = []
    for other in reference:
        matches = [(row, positions[token]) for row, token in enumerate(other) if token in positions]
        found.append(_common_rows(matches, columns) if len(matches) > 1 else [row for row, _ in matches])
    return CommonRows(rows=found)


def _positions(sentence: Sequence[int]) -> Mapping[int, int]:
    """Return where a sentence has each token, as bits."""
    positions: dict[int, int] = {}
    bit = 1
    for token in sentence:
        positions[token] = positions.get(token, 0) | bit
        bit <<= 1
    return positions


def _common_rows(matches: Sequence[tuple[int, int]], everything: int) -> list[int]:
    """Return which tokens of the reference are in the subsequence that backtracking finds.

    Several subsequences can be longest, and the choice moves the union. It is the one that the usual table
    gives when it is read from its last corner: take a match, else go up if that loses nothing, else left.

    The rows of the table are kept as bits (H. Hyyrö, "Bit-parallel LCS-length computation revisited", 2004):
    a bit is set where the row does not grow from one column to the next. A row whose token the candidate
    does not have equals the row above it and is left out.

    Args:
        matches: For each row that has any: its number, and the columns that match it, as bits.
        everything: All columns, as bits.
    """
    level = everything
    above: list[int] = []  # for each row, where the row above it is level
    for _, matching in matches:
        above.append(level)
        usable = level & matching
        level = ((level + usable) | (level ^ usable)) & everything
    left = (level ^ everything).bit_count()  # length of the subsequence up to the current corner
    if left == len(matches):
        return [row for row, _ in matches]
    common: list[int] = []
    columns = everything  # the columns up to the current corner
    for (row, matching), level_above in zip(reversed(matches), reversed(above), strict=True):
        found = matching & columns
        if not found:
            continue
        column = found.bit_length()
        is_match = column == columns.bit_length()
        if not is_match and (columns & ~level_above).bit_count() == left:
            continue
        common.append(row)
        left -= 1
        if not left:
            break
        columns = (1 << (column - 1)) - 1
    return common
