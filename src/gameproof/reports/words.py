"""The words in which people read a result: one table for the terminal, the page and the notebook."""

from dataclasses import dataclass
from typing import Literal

from gameproof.audits.result import CardMark, CheckRow
from gameproof.stats.results import Note, State, Verdict

__all__ = [
    "EFFECT_MEANING",
    "GROUP_TITLES",
    "LEVEL_TITLES",
    "MARKS",
    "MINUS",
    "NOTES",
    "NOTHING",
    "PARITY_MEANING",
    "PROPERTIES",
    "STATES",
    "VERDICTS",
    "LegendEntry",
    "Property",
    "Tone",
    "Word",
    "check_title",
    "fold_name",
    "format_effect",
    "format_interval",
    "format_number",
    "format_pvalue",
    "group_title",
    "margin_number",
    "verdict_word",
]

Tone = Literal["good", "bad", "open", "none"]

MINUS = "\N{MINUS SIGN}"
NOTHING = "\N{EN DASH}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """How one value of an enum is shown: a mark that works without colour, the word, the tone."""

    mark: str  # empty where nothing is decided: the word alone says so
    word: str
    tone: Tone
    meaning: str

    def __str__(self) -> str:
        return f"{self.mark} {self.word}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """One column of the card."""

    name: str  # the field of `Card`
    question: str
    failure: str  # what is wrong with a metric that lacks it


@dataclass(frozen=True, slots=True, kw_only=True)
class LegendEntry:
    """A term, and what it means to somebody who sees it for the first time."""

    term: str
    meaning: str


PROPERTIES = (
    Property(
        name="statistical",
        question="Does the score rise and fall with the ratings?",
        failure="does not follow the ratings",
    ),
    Property(
        name="sensitive",
        question="Does the score drop when a text is made worse?",
        failure="overlooks damage",
    ),
    Property(
        name="resistant",
        question="Does the score stay down when a text is only dressed up?",
        failure="can be gamed",
    ),
    Property(
        name="satisfied",
        question="Does the score follow how much a reader gets out of the text?",
        failure="misses what readers get out of a text",
    ),
    Property(
        name="trusted",
        question="Is every measured answer yes, with at least half of the checks measured?",
        failure="cannot be trusted",
    ),
)

MARKS = {
    CardMark.YES: Word(mark="✓", word="yes", tone="good", meaning="shown by the data"),
    CardMark.NO: Word(mark="✗", word="no", tone="bad", meaning="at least one check failed"),
    CardMark.INCONCLUSIVE: Word(
        mark="", word="inconclusive", tone="open", meaning="nothing failed, but the data cannot show a yes"
    ),
    CardMark.NOT_MEASURED: Word(
        mark="", word="not measured", tone="none", meaning="the data has nothing to measure it with"
    ),
}

VERDICTS = {
    Verdict.PASS: Word(
        mark="✓", word="pass", tone="good", meaning="the metric is shown to do what a good metric does here"
    ),
    Verdict.FAIL: Word(
        mark="✗",
        word="fail",
        tone="bad",
        meaning="a gain is shown where none should be, or no drop where one should be",
    ),
    Verdict.WRONG_WAY: Word(
        mark="✗", word="wrong way", tone="bad", meaning="the score moves in the opposite direction"
    ),
    Verdict.INCONCLUSIVE: Word(
        mark="", word="inconclusive", tone="open", meaning="the data cannot decide; more tasks may"
    ),
    Verdict.INSENSITIVE: Word(
        mark="",
        word="insensitive",
        tone="open",
        meaning="no gain above the margin, but the metric is not shown to see deleted sentences (by more than "
        "the margin) either, so that proves nothing",
    ),
}

NOTES = {
    Note.SMALL_GAIN: Word(
        mark="", word="small gain", tone="open", meaning="the score rises, but surely by less than the margin"
    ),
    Note.MATERIAL: Word(
        mark="", word="material", tone="bad", meaning="the gain is surely larger than the margin"
    ),
    Note.WEAK: Word(
        mark="", word="weak", tone="open", meaning="the score drops, perhaps by less than the margin"
    ),
    Note.NEGLIGIBLE: Word(
        mark="", word="negligible", tone="bad", meaning="the score drops, surely by less than the margin"
    ),
    Note.BLIND: Word(mark="", word="blind", tone="bad", meaning="the score surely does not move either way"),
}

STATES = {
    State.NO_CHANGE: Word(mark="", word="no change", tone="none", meaning="no score changed at all"),
    State.DETERMINISTIC: Word(
        mark="=",
        word="deterministic",
        tone="none",
        meaning="every text changed by exactly the same amount, so there is no p-value to give",
    ),
    State.UNDEFINED: Word(mark="", word="undefined", tone="none", meaning="the number cannot be computed"),
    State.NOT_APPLICABLE: Word(
        mark="", word="n/a", tone="none", meaning="not applicable: this check makes no sense for these texts"
    ),
    State.NOT_MEASURED: Word(
        mark="", word="not measured", tone="none", meaning="the check could not run; the reason is given"
    ),
}

LEVEL_TITLES = {"within_task": "within task", "pooled": "pooled", "system": "per system"}

GROUP_TITLES = {
    ("degradation", "decrease"): "Degradations: the text is made worse, so the score should drop",
    (
        "manipulation",
        "no_increase",
    ): "Manipulations: the text is only dressed up, so the score should not rise",
    ("ladder", "decrease"): "Ladders down: the text gets worse step by step, so the score should drop",
    ("ladder", "increase"): "Ladders up: the text gains step by step, so the score should rise",
    ("ladder", "stable"): "Ladders of form: nothing is gained or lost, so the score should stay level",
    (
        "crossing",
        "decrease",
    ): "Readers: somebody gets the text written for another, so the score should drop",
    ("probe", "none"): "Probes: shown for information",
}

EFFECT_MEANING = (
    "mean change of the score in standard deviations of the scores: "
    f"{MINUS}0.50 is a drop by half a standard deviation, +0.50 a gain"
)
PARITY_MEANING = (
    "the papers' own rule beside ours: [P] pass, [F] fail, [U] undefined. It passes whatever shows no "
    "significant effect, so with few texts everything looks safe; ours asks for proof"
)


def group_title(family: str, expect: str) -> str:
    """Return the heading of checks of one family that expect the same."""
    return GROUP_TITLES.get((family, expect), f"{family}: {expect.replace('_', ' ')}")


def check_title(name: str) -> str:
    """Return the name of a check as people read it.

    Example:
        >>> check_title("meaningless_elongation")
        'meaningless elongation'
    """
    return name.replace("_", " ")


def verdict_word(row: CheckRow) -> Word:
    """Return how a row's verdict is shown, or its state where there is no verdict."""
    if row.verdict is not None:
        return VERDICTS[row.verdict]
    if row.state is not None:
        return STATES[row.state]
    return Word(mark="", word="shown only", tone="none", meaning="this check has no right answer")


def format_number(value: float | None, digits: int = 2) -> str:
    """Write a number, or a dash where there is none.

    Example:
        >>> format_number(0.256)
        '0.26'
    """
    if value is None or value != value:  # noqa: PLR0124 - NaN is the value that differs from itself
        return NOTHING
    if value in {float("inf"), float("-inf")}:
        return "∞" if value > 0 else f"{MINUS}∞"
    text = f"{value:.{digits}f}"
    return text.replace("-", MINUS) if float(text) else text.removeprefix("-")


def format_effect(value: float | None) -> str:
    """Write a change with its sign.

    Example:
        >>> format_effect(0.314), format_effect(0.001)
        ('+0.31', '0.00')
    """
    text = format_number(value)
    return text if value is None or not value > 0 or not text.strip("0.") else f"+{text}"


def format_interval(low: float | None, high: float | None) -> str:
    """Write an interval; an end the data does not bound is infinite.

    Example:
        >>> format_interval(0.1, 0.25)
        '[0.10, 0.25]'
    """
    if low is None and high is None:
        return NOTHING
    left = float("-inf") if low is None else low
    right = float("inf") if high is None else high
    return f"[{format_number(left)}, {format_number(right)}]"


def format_pvalue(value: float | None) -> str:
    """Write a p-value to three places, and never as zero.

    Example:
        >>> format_pvalue(0.0421), format_pvalue(0.0001)
        ('0.042', '<0.001')
    """
    if value is None:
        return NOTHING
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def margin_number(margin: object) -> float | None:
    """Return a margin where it is a number of standard deviations, not of sentences.

    Example:
        >>> margin_number(".10"), margin_number(".5sent")
        (0.1, None)
    """
    try:
        return float(str(margin))
    except ValueError:
        return None


def fold_name(name: str, width: int) -> list[str]:
    """Break a metric's name into lines of at most ``width``, after its own separators where possible.

    A line holds at least one character, however narrow the place.

    Example:
        >>> fold_name("TV+fvar+statement+overlap", 12)
        ['TV+fvar+', 'statement+', 'overlap']
    """
    width = max(1, width)
    lines = [""]
    for piece in _pieces(name):
        if len(lines[-1]) + len(piece) <= width or not lines[-1]:
            lines[-1] += piece
        else:
            lines.append(piece)
        while len(lines[-1]) > width:
            lines[-1:] = [lines[-1][:width], lines[-1][width:]]
    return lines


def _pieces(name: str) -> list[str]:
    pieces = [""]
    for character in name:
        pieces[-1] += character
        if character in "+,:/= ":
            pieces.append("")
    return [piece for piece in pieces if piece]
