"""An audit's result put together by hand: five metrics, every verdict, note and state once."""

from dataclasses import replace

from gameproof.audits.result import (
    AuditResult,
    Card,
    CardMark,
    CheckRow,
    CorrelationRow,
    ExchangeRate,
    MetricResult,
)
from gameproof.stats.results import Interval, Note, State, Verdict

YES, NO, OPEN, NONE = CardMark.YES, CardMark.NO, CardMark.INCONCLUSIVE, CardMark.NOT_MEASURED
PASS, FAIL = Verdict.PASS, Verdict.FAIL

EXPECTED = {"degradation": "decrease", "manipulation": "no_increase", "ladder": "decrease", "probe": "none"}


def check(name, family, effect, verdict=None, **more):
    """Return one row with an interval of +- 0.08 around its effect."""
    row = CheckRow(
        check=name,
        family=family,
        expect=EXPECTED[family],
        suite="satisfaction" if family == "ladder" else "strategic",
        effect=effect,
        low=None if effect is None else effect - 0.08,
        high=None if effect is None else effect + 0.08,
        pvalue_zero=None if effect is None else 0.0001,
        pvalue_zero_adjusted=None if effect is None else 0.0006,
        pvalue_margin=None if effect is None else 0.0421,
        pvalue_margin_adjusted=None if effect is None else 0.0842,
        verdict=verdict,
        parity_verdict=None if effect is None else ("pass" if verdict is PASS else "fail"),
        n=0 if effect is None else 400,
        n_tasks=0 if effect is None else 40,
        smallest_detectable=None if effect is None else 0.11,
    )
    return replace(row, **more)


def correlation(rho, *, state=None, detail=None):
    """Return the three levels of the mean dimension."""
    levels = (("within_task", 40), ("pooled", 400), ("system", 10))
    return tuple(
        CorrelationRow(
            dimension="mean",
            level=level,
            rho=rho,
            low=None if rho is None else rho - 0.06,
            high=None if rho is None else rho + 0.07,
            n=n,
            state=state,
            state_detail=detail,
            ceiling=0.71,
            n_tied=0.02,
        )
        for level, n in levels
    )


NOT_RUN = check(
    "surface_report",
    "degradation",
    None,
    state=State.NOT_MEASURED,
    detail="needs a language model or variants in the data",
)
NOT_APPLICABLE = check(
    "opinion_flip",
    "manipulation",
    None,
    state=State.NOT_APPLICABLE,
    detail="these texts give no opinion that could be flipped",
)


def metric(name, card, rho, rows, **more):
    """Return a metric with the two checks that nothing could run."""
    return MetricResult(
        metric=name,
        signature=f"{name},tok=unicode,v=0.1.0",
        higher_is_better=True,
        card=Card(
            statistical=card[0], sensitive=card[1], resistant=card[2], satisfied=card[3], trusted=card[4]
        ),
        correlation=correlation(rho),
        checks=(*rows, NOT_RUN, NOT_APPLICABLE),
        summary={"n": 400.0, "n_missing": 0.0, "mean": 0.31, "sd": 0.12, "floor": 0.08, "rho_length": 0.44},
        **more,
    )


def fake_result():
    """Return a result that shows every word a report knows."""
    exchange = ExchangeRate(value=-0.02, interval=Interval(low=float("-inf"), high=-0.01), verdict=PASS)
    length = metric(
        "length",
        (NO, NO, NO, NO, NO),
        0.05,
        (
            check("random_replacement", "degradation", 0.02, FAIL, note=Note.BLIND),
            check("sentence_deletion", "degradation", -1.74, PASS),
            check(
                "meaningless_elongation", "manipulation", 2.31, FAIL,
                note=Note.MATERIAL, state=State.DETERMINISTIC, low=2.31, high=2.31,
                pvalue_zero=None, pvalue_zero_adjusted=None, pvalue_margin=None, pvalue_margin_adjusted=None,
            ),
            check("padding", "manipulation", 0.0, PASS, state=State.NO_CHANGE),
            check("distractor_sentences", "ladder", 0.92, Verdict.WRONG_WAY, rho=1.0, match_rate=0.0),
            check("null_answers", "probe", -3.2),
        ),
        alarms=("length metric: its order is the order of text lengths (Spearman +1.00)",),
    )  # fmt: skip
    rouge = metric(
        "rougeL",
        (YES, YES, OPEN, YES, OPEN),
        0.31,
        (
            check("random_replacement", "degradation", -1.45, PASS),
            check("sentence_deletion", "degradation", -0.06, FAIL, note=Note.NEGLIGIBLE),
            check("meaningless_elongation", "manipulation", -0.01, Verdict.INSENSITIVE),
            check("padding", "manipulation", 0.04, Verdict.INCONCLUSIVE, exchange=exchange),
            check("distractor_sentences", "ladder", -0.4, PASS),
            check("null_answers", "probe", -2.0, n=390, n_missing=10, missing={"empty": 10}),
        ),
    )
    chrf = replace(
        rouge,
        metric="chrf",
        signature="chrf,v=0.1.0",
        correlation=correlation(None, state=State.UNDEFINED, detail="constant scores"),
        card=replace(rouge.card, statistical=NONE),
    )
    total_variation = metric(
        "TV+fvar+statement+overlap",
        (YES, YES, YES, YES, YES),
        0.48,
        (
            check("random_replacement", "degradation", -1.9, PASS),
            check("sentence_deletion", "degradation", -0.12, PASS, note=Note.WEAK),
            check("meaningless_elongation", "manipulation", -0.03, PASS),
            check("padding", "manipulation", 0.03, PASS, note=Note.SMALL_GAIN, parity_verdict="fail"),
            check("distractor_sentences", "ladder", -0.2, PASS, parity_verdict="undefined"),
            check("null_answers", "probe", -1.0),
        ),
    )
    divergence = replace(
        total_variation,
        metric="KL+direct+statement+overlap",
        signature="KL+direct+statement+overlap,v=0.1.0",
        card=replace(total_variation.card, satisfied=NONE),
    )
    return AuditResult(
        run={
            "data": "planted",
            "n_items": 400,
            "n_tasks": 40,
            "n_groups": 3,
            "seed": 0,
            "margin": 0.1,
            "suite": "all",
            "version": "0.1.0",
            "folder": "gameproof-runs/demo",
            "notes": ["the ratings are planted by a formula, they are not human"],
        },
        metrics=(length, rouge, chrf, total_variation, divergence),
    )
