"""Write what a check measured and decided as a row of the result."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.audits.levels import Level
from gameproof.audits.measure import Measured
from gameproof.audits.result import CheckRow, ExchangeRate, LevelRow, SentenceRatio
from gameproof.audits.verdicts import Decision
from gameproof.stats.ladder import LadderResult
from gameproof.stats.paired import Combination, PairedResult
from gameproof.stats.ratio import LossRatio
from gameproof.stats.results import Interval, State, Verdict

__all__ = ["BY_VERIFICATION", "Ruling", "make_row"]

# A flip of opinions is a bijection, which no information is lost by, and a surface report may add a news lead.
BY_VERIFICATION = (
    "direction by verification: such a text need not hold less, so that it does is a claim about each"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What was decided about a check, and on which p-values."""

    decision: Decision | None
    pvalue_zero: float | None
    pvalue_zero_adjusted: float | None
    pvalue_margin: float | None
    pvalue_margin_adjusted: float | None
    parity_verdict: str | None
    smallest_detectable: float | None
    details: Sequence[str]  # sentences
    alpha: float  # of the exchange rate's own verdict


def make_row(measured: Measured, ruling: Ruling) -> CheckRow:
    """Put measurement and ruling together; numbers that do not exist are None, never NaN or infinite."""
    found = measured.result
    paired = found if isinstance(found, PairedResult) else None
    ladder = found if isinstance(found, LadderResult) else None
    parity = paired.parity if paired is not None else None
    parity_interval = parity.interval if parity is not None else None
    levels = measured.level_test
    state = measured.unmeasured or (found.state if found is not None else None)
    by_verification = found is not None and measured.perturbation.verify_direction
    return CheckRow(
        check=measured.perturbation.name,
        family=measured.perturbation.family,
        expect=measured.perturbation.expect,
        suite=measured.perturbation.suite,
        extra=measured.perturbation.extra,
        effect=found.effect if found is not None else None,
        low=_low(found.interval) if found is not None else None,
        high=_high(found.interval) if found is not None else None,
        effect_original=paired.effect_original if paired is not None else None,
        pvalue_zero=ruling.pvalue_zero,
        pvalue_zero_adjusted=ruling.pvalue_zero_adjusted,
        pvalue_margin=ruling.pvalue_margin,
        pvalue_margin_adjusted=ruling.pvalue_margin_adjusted,
        verdict=ruling.decision.verdict if ruling.decision is not None else None,
        note=ruling.decision.note if ruling.decision is not None else None,
        state=state,
        detail="; ".join([*ruling.details, *([BY_VERIFICATION] if by_verification else [])]) or None,
        parity_verdict=ruling.parity_verdict,
        parity_low=_low(parity_interval),
        parity_high=_high(parity_interval),
        parity_pvalue=parity.pvalue if parity is not None else None,
        sign_flip_pvalue=paired.sign_flip_pvalue if paired is not None else None,
        n=found.n if found is not None else 0,
        n_tasks=measured.n_tasks,
        n_missing=measured.coverage.n_missing,
        missing=dict(measured.coverage.missing),
        smallest_detectable=ruling.smallest_detectable,
        rho=levels.rho if levels is not None else None,
        match_rate=levels.match_rate if levels is not None else None,
        share_right=ladder.share_right if ladder is not None else None,
        share_low=_low(ladder.share_interval) if ladder is not None else None,
        share_high=_high(ladder.share_interval) if ladder is not None else None,
        artefacts=measured.artefacts,
        levels=tuple(_level(level) for level in measured.levels),
        exchange=_exchange(measured.exchange, ruling.alpha),
        beyond_length=_exchange(measured.beyond_length, ruling.alpha),
        sentence_ratio=_ratio(measured.loss_ratio, ruling.alpha),
    )


def _level(level: Level) -> LevelRow:
    return LevelRow(
        level=level.level,
        n=level.n,
        mean=level.mean,
        effect=level.effect,
        low=_low(level.interval),
        high=_high(level.interval),
        pvalue_inside=level.pvalue_inside,
    )


def _ratio(ratio: LossRatio | None, alpha: float) -> SentenceRatio | None:
    if ratio is None or ratio.value is None or not math.isfinite(ratio.value):
        return None
    verdict = Verdict.INCONCLUSIVE
    if ratio.at_loss is not None and ratio.at_gain is not None:
        if max(ratio.at_loss.above, ratio.at_gain.below) <= alpha:
            verdict = Verdict.PASS
        elif 2 * min(ratio.at_loss.below, ratio.at_gain.above) <= alpha:  # two ways to be outside
            verdict = Verdict.FAIL
    return SentenceRatio(
        value=ratio.value, low=_low(ratio.interval), high=_high(ratio.interval), verdict=verdict
    )


def _exchange(exchange: Combination | None, alpha: float) -> ExchangeRate | None:
    if exchange is None or exchange.value is None:
        return None
    verdict = Verdict.INCONCLUSIVE
    if exchange.zero is None:  # the same in every task: its sign decides, where it has one
        if exchange.state is State.DETERMINISTIC:
            verdict = Verdict.PASS if exchange.value < 0 else Verdict.FAIL
    elif exchange.zero.below <= alpha:
        verdict = Verdict.PASS
    elif exchange.zero.above <= alpha:
        verdict = Verdict.FAIL
    exactly = Interval(low=exchange.value, high=exchange.value)
    return ExchangeRate(value=exchange.value, interval=exchange.interval or exactly, verdict=verdict)


def _low(interval: Interval | None) -> float | None:
    return interval.low if interval is not None and math.isfinite(interval.low) else None


def _high(interval: Interval | None) -> float | None:
    return interval.high if interval is not None and math.isfinite(interval.high) else None
