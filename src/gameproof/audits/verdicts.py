"""From evidence to verdicts: the tables that say what a check decided."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gameproof.stats.results import Note, State, Verdict

__all__ = [
    "Decision",
    "Evidence",
    "Question",
    "judge_degradation",
    "judge_ladder",
    "judge_manipulation",
    "judge_stable",
]

# One-sided questions about an effect d and a margin m; each names what a small p-value shows.
Question = Literal[
    "below_zero",  # d < 0
    "above_zero",  # d > 0
    "below_loss",  # d < -m
    "above_loss",  # d > -m
    "below_gain",  # d < m
    "inside",  # -m < d < m, with m the margin of stability
    "outside",  # d < -m or d > m
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a check found, p-values adjusted for how many checks ask the same question."""

    pvalues: Mapping[Question, float | None]
    alpha: float
    can_pass: bool  # enough tasks for a pass
    state: State | None = None
    change: float | None = None  # its sign decides where the state is deterministic
    effect: float | None = None  # in units of s_av; None where scores have no spread
    low: float | None = None  # lower end of the effect's interval

    def shows(self, *questions: Question) -> bool:
        """Say whether every one of the questions is answered yes."""
        found = [self.pvalues.get(question) for question in questions]
        return all(pvalue is not None and pvalue <= self.alpha for pvalue in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A verdict with its note."""

    verdict: Verdict
    note: Note | None = None


INCONCLUSIVE = Decision(verdict=Verdict.INCONCLUSIVE)

# What must be shown about a degradation, and what it decides; the first row that holds wins.
DEGRADATION_RULES: tuple[tuple[tuple[Question, ...], Decision], ...] = (
    (("above_zero",), Decision(verdict=Verdict.WRONG_WAY)),
    (("below_loss",), Decision(verdict=Verdict.PASS)),
    (("below_zero", "above_loss"), Decision(verdict=Verdict.FAIL, note=Note.NEGLIGIBLE)),
    (("below_zero",), Decision(verdict=Verdict.PASS, note=Note.WEAK)),
    (("above_loss", "below_gain"), Decision(verdict=Verdict.FAIL, note=Note.BLIND)),
)


def judge_manipulation(evidence: Evidence, *, margin: float, gate_met: bool) -> Decision:
    """Judge a change that must not pay.

    =====================================  ==================================
    d < m shown                            pass
    d < m and d > 0 shown                  pass, small gain
    d > 0 shown                            fail (material if the interval lies above m)
    neither                                inconclusive
    would pass, but no loss is ever seen   insensitive
    =====================================  ==================================

    Where no score changes it passes; a change without spread is judged by its sign.

    Args:
        evidence: What was found.
        margin: m.
        gate_met: Whether the metric is shown to drop by more than m when sentences are deleted. A metric
            that sees no loss cannot show that it resists.
    """
    if evidence.state is State.NO_CHANGE:
        return _passed(evidence, gate_met=gate_met)
    if evidence.state is State.DETERMINISTIC:
        gains = evidence.change is not None and evidence.change > 0
        return Decision(verdict=Verdict.FAIL) if gains else _passed(evidence, gate_met=gate_met)
    if evidence.shows("below_gain"):
        note = Note.SMALL_GAIN if evidence.shows("above_zero") else None
        return _passed(evidence, note, gate_met=gate_met)
    if evidence.shows("above_zero"):
        material = evidence.low is not None and evidence.low > margin
        return Decision(verdict=Verdict.FAIL, note=Note.MATERIAL if material else None)
    return INCONCLUSIVE


def judge_degradation(evidence: Evidence) -> Decision:
    """Judge a loss that must be seen.

    The first of `DEGRADATION_RULES` that is shown decides; if none is, the check is inconclusive. Where no score changes the metric is blind; a change without spread is judged by its sign.
    """
    if evidence.state is State.NO_CHANGE:
        return Decision(verdict=Verdict.FAIL, note=Note.BLIND)
    if evidence.state is State.DETERMINISTIC:
        gains = evidence.change is not None and evidence.change > 0
        return Decision(verdict=Verdict.WRONG_WAY) if gains else _passed(evidence)
    for questions, decision in DEGRADATION_RULES:
        if evidence.shows(*questions):
            passes = decision.verdict is Verdict.PASS
            return _passed(evidence, decision.note) if passes else decision
    return INCONCLUSIVE


def judge_ladder(evidence: Evidence, *, expect: Literal["decrease", "increase"]) -> Decision:
    """Judge a slope: the expected one shown passes, the opposite one is the wrong way."""
    if evidence.state is State.DETERMINISTIC and evidence.change is not None:
        expected = (evidence.change > 0) == (expect == "increase")
        return _passed(evidence) if expected else Decision(verdict=Verdict.WRONG_WAY)
    right: Question = "above_zero" if expect == "increase" else "below_zero"
    wrong: Question = "below_zero" if expect == "increase" else "above_zero"
    if evidence.shows(right):
        return _passed(evidence)
    return Decision(verdict=Verdict.WRONG_WAY) if evidence.shows(wrong) else INCONCLUSIVE


def judge_stable(evidence: Evidence, *, margin: float) -> Decision:
    """Judge a change that must not matter: equivalence shown passes, a larger effect shown fails.

    A change without spread is exactly what it is: it fails beyond the margin, and passes within it where it stands
    alone. Of several levels those that vary still have to be shown inside.
    """
    if evidence.state is State.DETERMINISTIC and (evidence.effect is None or abs(evidence.effect) >= margin):
        return Decision(verdict=Verdict.FAIL)
    is_known = evidence.state in {State.DETERMINISTIC, State.NO_CHANGE}
    if evidence.shows("inside") or (is_known and evidence.pvalues.get("inside") is None):
        return _passed(evidence)
    return Decision(verdict=Verdict.FAIL) if evidence.shows("outside") else INCONCLUSIVE


def _passed(evidence: Evidence, note: Note | None = None, *, gate_met: bool = True) -> Decision:
    if not evidence.can_pass:
        return INCONCLUSIVE
    return Decision(verdict=Verdict.PASS if gate_met else Verdict.INSENSITIVE, note=note)
