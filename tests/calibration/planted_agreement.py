"""When a verdict agrees with the population it was drawn from."""

from collections.abc import Mapping

from gameproof.audits.checks import MARGIN, STABLE_MARGIN
from gameproof.audits.result import CheckRow
from gameproof.stats.results import Note, Verdict

__all__ = ["agrees", "is_decided"]


def is_decided(row: CheckRow) -> bool:
    """A verdict that says something: not inconclusive, not insensitive, and given at all."""
    return row.verdict in {Verdict.PASS, Verdict.FAIL, Verdict.WRONG_WAY}


def agrees(row: CheckRow, effects: Mapping[int | None, float]) -> bool:
    """Say whether what a decided verdict claims is true of the population effect d.

    m is the margin (.10), s the margin of stability (.20); a ladder's d is its slope.

    =============  ==================  =====================
    kind           verdict, note       claim
    =============  ==================  =====================
    degradation    pass                d < -m
    degradation    pass, weak          d < 0
    degradation    fail, negligible    -m < d < 0
    degradation    fail, blind         -m < d < m
    degradation    wrong_way           d > 0
    manipulation   pass                d < m
    manipulation   pass, small_gain    0 < d < m
    manipulation   fail                d > 0
    manipulation   fail, material      d > m
    ladder         pass                d has the expected sign
    ladder         wrong_way           d has the opposite sign
    stable         pass                every level: -s < d < s
    stable         fail                some level: d < -s or d > s
    =============  ==================  =====================

    Args:
        row: What the audit of one world says.
        effects: Level (None where there is one only) -> effect in the population.
    """
    if row.expect == "stable":
        inside = all(abs(effect) < STABLE_MARGIN for effect in effects.values())
        return inside if row.verdict is Verdict.PASS else not inside
    if row.family == "ladder":
        rises = effects[None] > 0
        return rises == ((row.expect == "increase") == (row.verdict is Verdict.PASS))
    low, high = CLAIMS[row.expect, row.verdict, row.note]
    effect = effects[max(effects, key=lambda level: level or 0)]
    return low < effect < high


ANY = float("inf")
CLAIMS: Mapping[tuple[str, Verdict | None, Note | None], tuple[float, float]] = {
    ("decrease", Verdict.PASS, None): (-ANY, -MARGIN),
    ("decrease", Verdict.PASS, Note.WEAK): (-ANY, 0),
    ("decrease", Verdict.FAIL, Note.NEGLIGIBLE): (-MARGIN, 0),
    ("decrease", Verdict.FAIL, Note.BLIND): (-MARGIN, MARGIN),
    ("decrease", Verdict.WRONG_WAY, None): (0, ANY),
    ("no_increase", Verdict.PASS, None): (-ANY, MARGIN),
    ("no_increase", Verdict.PASS, Note.SMALL_GAIN): (0, MARGIN),
    ("no_increase", Verdict.FAIL, None): (0, ANY),
    ("no_increase", Verdict.FAIL, Note.MATERIAL): (MARGIN, ANY),
}
