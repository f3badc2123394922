"""Check one metric: every perturbation measured, corrected for how many there are, and judged.

All thresholds of an audit's verdicts are in this file.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from gameproof.audits.contrasts import Contrasts
from gameproof.audits.levels import NO_UNIT, explain_artefacts
from gameproof.audits.measure import (
    Inference,
    Kind,
    Measured,
    Variants,
    kind_of,
    measure,
)
from gameproof.audits.result import CheckRow
from gameproof.audits.rows import Ruling, make_row
from gameproof.audits.samples import Frame
from gameproof.audits.verdicts import (
    Decision,
    Evidence,
    Question,
    judge_degradation,
    judge_ladder,
    judge_manipulation,
    judge_stable,
)
from gameproof.errors import SpecError
from gameproof.perturbations.base import Perturbation
from gameproof.records import Item, Scores
from gameproof.stats.ladder import LadderResult
from gameproof.stats.multiple import holm
from gameproof.stats.parity import LevelTest, PairedT
from gameproof.stats.power import detectable_effect
from gameproof.stats.results import State, Verdict

__all__ = [
    "ALPHA",
    "DEFAULT_MARGIN",
    "GATE",
    "MIN_RHO",
    "MIN_RUN_SHARE",
    "MIN_TASKS",
    "POWER",
    "CheckSettings",
    "Margin",
    "check_metric",
    "lacks_too_much",
    "parity_rule",
    "parse_margin",
]

ALPHA = 0.05  # of every one-sided question, after correction
MARGIN = 0.10  # in units of s_av: a smaller gain does not matter, a smaller loss is no loss
EXCHANGE_RATE = 0.5  # a gain may be worth half a randomly deleted sentence
STABLE_MARGIN = 0.20  # in units of s_av: what "stable" allows
MIN_TASKS = 20  # with fewer tasks nothing passes
MAX_MISSING = 0.10  # with a larger share of missing pairs nothing is decided
POWER = 0.80  # at which the smallest detectable effect is told
N_RESAMPLES = 9_999
CONFIDENCE_LEVEL = 0.95
MIN_RUN_SHARE = 0.5  # of the applicable checks that must have run before a metric is trusted
MIN_RHO = 0.10  # a metric is statistically aligned from this within-task correlation on

GATE = "sentence_deletion"  # the loss that a metric must see before its passes mean anything
ONE_SENTENCE = "one_sentence_deletion"  # what the exchange rate counts in

# The papers' own rules.
PARITY_ALPHA = 0.05  # "Scoring Rules!": two-sided paired t, with the sign
PARITY_RHO = 0.4  # "Information Satisfaction": rho of level and mean for decrease (<= -) and increase (>=)
PARITY_STABLE_RHO = 0.2  # the same for stable: at most this in absolute value

# Which questions each kind of check asks; checks of one family that ask the same are corrected together.
QUESTIONS: Mapping[Kind, tuple[Question, ...]] = {
    "degradation": ("below_zero", "above_zero", "below_loss", "above_loss", "below_gain"),
    "manipulation": ("above_zero", "below_gain"),
    "ladder": ("below_zero", "above_zero"),
    "stable": ("inside", "outside"),
    "crossing": ("below_zero", "above_zero", "below_loss", "above_loss", "below_gain"),
    "shown": (),
}
# The question about 0 and the one about the margin whose p-values a row shows.
SHOWN: Mapping[Kind, tuple[Question | None, Question | None]] = {
    "degradation": ("below_zero", "below_loss"),
    "manipulation": ("above_zero", "below_gain"),
    "ladder": (None, None),  # depends on the expected direction
    "stable": (None, "inside"),
    "crossing": ("below_zero", "below_loss"),
    "shown": (None, None),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """How large a gain may be before it matters."""

    value: float
    unit: Literal["sd", "sent"]  # standard deviations of scores (s_av), or randomly deleted sentences

    def __str__(self) -> str:
        digits = ".2f" if self.unit == "sd" and round(self.value, 2) == self.value else "g"
        return f"{self.value:{digits}}".removeprefix("0") + ("sent" if self.unit == "sent" else "")


DEFAULT_MARGIN = str(Margin(value=MARGIN, unit="sd"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSettings:
    """What a run may set; everything else is a constant of this file."""

    margin: Margin = field(default_factory=lambda: Margin(value=MARGIN, unit="sd"))
    seed: int = 0
    n_resamples: int = N_RESAMPLES

    @property
    def margin_sd(self) -> float:
        """Return the margin in units of s_av, which degradations and the gate always use."""
        return self.margin.value if self.margin.unit == "sd" else MARGIN

    @property
    def exchange_rate(self) -> float:
        """Return how many randomly deleted sentences a gain may be worth."""
        return self.margin.value if self.margin.unit == "sent" else EXCHANGE_RATE

    def inference(self, kind: Kind) -> Inference:
        """Return how to infer for one kind of check."""
        return Inference(
            margin=STABLE_MARGIN if kind == "stable" else self.margin_sd,
            n_resamples=self.n_resamples,
            confidence_level=CONFIDENCE_LEVEL,
            seed=self.seed,
        )


def parse_margin(text: str) -> Margin:
    """Read a margin: ``.10`` in standard deviations of scores, ``.5sent`` in randomly deleted sentences.

    Raises:
        SpecError: It is neither.

    Example:
        >>> parse_margin(".5sent")
        Margin(value=0.5, unit='sent')
        >>> str(parse_margin("0.1"))
        '.10'
    """
    found = re.fullmatch(r"(\d+\.?\d*|\.\d+)(sent)?", text.strip())
    if found is None or float(found[1]) <= 0:
        raise SpecError(
            f"margin {text!r} cannot be used: expected a number above 0, "
            "of standard deviations (.10) or of sentences (.5sent)."
        )
    return Margin(value=float(found[1]), unit="sent" if found[2] else "sd")


def check_metric(
    items: Sequence[Item],
    original: Scores,
    variants: Variants,
    perturbations: Sequence[Perturbation],
    *,
    higher_is_better: bool,
    settings: CheckSettings,
) -> tuple[CheckRow, ...]:
    """Check one metric: one row for each perturbation, in their order.

    Scores of a lower-is-better metric are turned round first: an increase is always a gain.

    Args:
        items: The originals.
        original: Their scores.
        variants: (Perturbation, level) -> scores of the items that have the variant. A failed variant is NaN
            with a reason; an item that a perturbation applies to but that is not in the column is missing too.
        perturbations: What to check.
        higher_is_better: Whether a larger score means a better text.
        settings: Margin, seed and resamples.
    """
    frame = Frame.of(items, original, higher_is_better=higher_is_better)
    found = [
        measure(frame, variants, perturbation, settings.inference(kind_of(perturbation)))
        for perturbation in perturbations
    ]
    contrast = Contrasts(
        frame=frame,
        variants=variants,
        inference=settings.inference("manipulation"),
        exchange_rate=settings.exchange_rate,
        stable_sentences=EXCHANGE_RATE,
        alpha=ALPHA,
    )
    found = contrast.add(found)
    if settings.margin.unit == "sent":
        found = [_by_exchange(measured) for measured in found]
    gate_met = any(_meets_gate(measured, settings.margin_sd) for measured in found)
    return tuple(
        make_row(measured, _rule(measured, adjusted, gate_met=gate_met, settings=settings))
        for measured, adjusted in zip(found, _adjust(found), strict=True)
    )


def parity_rule(parity: PairedT, *, decrease: bool) -> bool | None:
    """Judge by the rule of "Scoring Rules!": two-sided p < .05 with its sign; None with fewer than 2 pairs.

    A degradation passes on a significant decrease, a manipulation unless it increases significantly. Scores
    that all move alike have an interval of no width, which leaves 0 out unless they do not move at all.
    """
    if parity.n < 2:
        return None
    significant = parity.mean_change != 0 if parity.pvalue is None else parity.pvalue < PARITY_ALPHA
    if decrease:
        return significant and parity.mean_change < 0
    return not (significant and parity.mean_change > 0)


def lacks_too_much(n: int, n_missing: int) -> bool:
    """Say whether so many pairs are missing that nothing is decided."""
    return n_missing > MAX_MISSING * (n + n_missing)


def _by_exchange(measured: Measured) -> Measured:
    """Let the exchange rate say whether a gain is small enough."""
    if measured.kind != "manipulation":
        return measured
    zero = measured.exchange.zero if measured.exchange is not None else None
    return replace(measured, pvalues={**measured.pvalues, "below_gain": zero.below if zero else None})


def _meets_gate(measured: Measured, margin: float) -> bool:
    """Say whether this is the deletion of sentences, and its loss is shown to exceed the margin.

    Its p-value is not corrected: the gate is one question a metric.
    """
    result = measured.result
    if measured.perturbation.name != GATE or result is None or _lacks_too_much(measured):
        return False
    if result.state is State.DETERMINISTIC:
        return (measured.change or 0.0) < 0 and (result.effect is None or result.effect < -margin)
    pvalue = measured.pvalues.get("below_loss")
    return pvalue is not None and pvalue <= ALPHA


def _adjust(found: Sequence[Measured]) -> list[dict[Question, float | None]]:
    """Correct by Holm, separately for each question and each family of checks that have verdicts."""
    adjusted: list[dict[Question, float | None]] = [{} for _ in found]
    families: dict[tuple[str, Kind], list[int]] = {}
    for place, measured in enumerate(found):
        if measured.perturbation.parity_only:  # stands beside a paper's number: no verdict rests on it
            continue
        families.setdefault((measured.perturbation.family, measured.kind), []).append(place)
    for (_, kind), places in families.items():
        for question in QUESTIONS[kind]:
            pvalues = holm([found[place].pvalues.get(question) for place in places])
            for place, pvalue in zip(places, pvalues, strict=True):
                adjusted[place][question] = pvalue
    return adjusted


def _rule(
    measured: Measured,
    adjusted: Mapping[Question, float | None],
    *,
    gate_met: bool,
    settings: CheckSettings,
) -> Ruling:
    zero, margin = SHOWN[measured.kind]
    if measured.kind == "ladder":
        zero = "above_zero" if measured.direction == "increase" else "below_zero"
    return Ruling(
        decision=_decide(measured, adjusted, gate_met=gate_met, settings=settings),
        pvalue_zero=measured.pvalues.get(zero) if zero else None,
        pvalue_zero_adjusted=adjusted.get(zero) if zero else None,
        pvalue_margin=measured.pvalues.get(margin) if margin else None,
        pvalue_margin_adjusted=adjusted.get(margin) if margin else None,
        parity_verdict=_parity_verdict(measured),
        smallest_detectable=_smallest_detectable(measured),
        details=_details(measured, settings),
        alpha=ALPHA,
    )


def _decide(
    measured: Measured,
    adjusted: Mapping[Question, float | None],
    *,
    gate_met: bool,
    settings: CheckSettings,
) -> Decision | None:
    result = measured.result
    if result is None or measured.kind == "shown" or measured.perturbation.parity_only:
        return None
    if _lacks_too_much(measured):
        return Decision(verdict=Verdict.INCONCLUSIVE)
    evidence = Evidence(
        pvalues=adjusted,
        alpha=ALPHA,
        can_pass=measured.n_tasks >= MIN_TASKS,
        state=result.state,
        change=measured.change,
        effect=result.effect,
        low=result.interval.low if result.interval is not None else None,
    )
    if measured.kind in {"degradation", "crossing"}:
        return judge_degradation(evidence)
    if measured.kind == "manipulation":
        return judge_manipulation(evidence, margin=settings.margin_sd, gate_met=gate_met)
    if measured.kind == "stable":
        return judge_stable(evidence, margin=STABLE_MARGIN)
    return judge_ladder(evidence, expect=measured.direction)


def _lacks_too_much(measured: Measured) -> bool:
    n_missing = measured.coverage.n_missing
    return lacks_too_much(measured.coverage.n_applicable - n_missing, n_missing)


def _parity_verdict(measured: Measured) -> str | None:
    """Judge by the papers' rules."""
    result, passes = measured.result, None
    if result is None or measured.kind in {"shown", "crossing"}:  # no paper has a rule for these
        return None
    if measured.level_test is not None:
        passes = _level_rule(measured)
    elif not isinstance(result, LadderResult) and result.parity is not None:
        passes = parity_rule(result.parity, decrease=measured.kind == "degradation")
    if passes is None:
        return "undefined"
    return "pass" if passes else "fail"


def _level_rule(measured: Measured) -> bool | None:
    """Judge level means by the rule of "Information Satisfaction" on rho; None where rho is undefined."""
    rho = measured.level_test.rho if measured.level_test is not None else None
    if rho is None:
        return None
    if measured.kind == "stable":
        return abs(rho) <= PARITY_STABLE_RHO
    return rho >= PARITY_RHO if measured.direction == "increase" else rho <= -PARITY_RHO


def _on_levels(measured: Measured) -> list[str]:
    """Say what the numbers about levels leave out, and what is wrong with the papers'."""
    ratio = measured.loss_ratio
    without_unit = [f"{NO_UNIT}: {ratio.detail}"] if ratio is not None and ratio.detail is not None else []
    return without_unit + (
        _on_parity(measured, measured.level_test) if measured.level_test is not None else []
    )


def _on_parity(measured: Measured, test: LevelTest) -> list[str]:
    """Say what is wrong with the papers' rho and M of a ladder."""
    if test.rho_detail is not None:
        return [test.rho_detail]
    if measured.kind == "stable":
        low, high = -PARITY_STABLE_RHO, PARITY_STABLE_RHO
    else:
        low, high = (PARITY_RHO, 1.0) if measured.direction == "increase" else (-1.0, -PARITY_RHO)
    return explain_artefacts(measured.artefacts, measured.levels, low=low, high=high)


def _smallest_detectable(measured: Measured) -> float | None:
    result = measured.result
    if result is None or result.standard_error is None:
        return None
    return detectable_effect(result.standard_error, n_tasks=result.n_tasks, alpha=ALPHA, power=POWER)


def _details(measured: Measured, settings: CheckSettings) -> list[str]:
    """Say in words what verdict and state do not."""
    if measured.detail is not None:
        return [measured.detail]
    details: list[str] = []
    result, coverage = measured.result, measured.coverage
    if result is not None and result.detail is not None:
        details.append(result.detail)
    if result is not None and result.state is State.NO_CHANGE and measured.kind == "manipulation":
        # Of n tasks none changed: with 95% confidence at most 1 - .05^(1/n) of all tasks would.
        details.append(f"at most {1 - ALPHA ** (1 / result.n_tasks):.0%} of all tasks would change")
    if _lacks_too_much(measured):
        details.append(
            f"{coverage.n_missing:,} of {coverage.n_applicable:,} pairs are missing, more than {MAX_MISSING:.0%}"
        )
    if measured.kind != "shown" and measured.n_tasks < MIN_TASKS:
        details.append(f"{measured.n_tasks:,} tasks: fewer than {MIN_TASKS} cannot show a pass")
    if measured.kind == "crossing" and measured.change:
        details.append(f"interaction (S_AA - S_AB) - (S_BA - S_BB) = {-2 * measured.change:+.3g}")
    if measured.level is not None:
        details.append(f"level {measured.level} is shown")
    details.extend(_on_levels(measured))
    if settings.margin.unit == "sent" and measured.kind == "manipulation" and measured.exchange is None:
        details.append(f"the margin needs variants of {ONE_SENTENCE}")
    return details
