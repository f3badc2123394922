"""What changed between two runs, put together by hand: every change and every gap once."""

from gameproof.audits.result import CardMark
from gameproof.audits.run_difference_result import (
    CheckChange,
    CorrelationChange,
    MetricChange,
    PropertyChange,
    RunDifference,
)
from gameproof.stats.results import State, Verdict

RUN = {"data": "planted", "n_items": 288, "n_tasks": 72, "margin": ".10", "seed": 0}


def property_change(name, before=CardMark.YES, after=CardMark.YES, change="same"):
    return PropertyChange(name=name, before=before, after=after, change=change)


def check_change(name, before, after, change, difference=0.25, **more):
    known = difference is not None
    return CheckChange(
        **{
            "check": name,
            "family": "manipulation",
            "expect": "no_increase",
            "verdict_before": before,
            "verdict_after": after,
            "state_before": None,
            "state_after": None,
            "change": change,
            "effect_before": 0.01,
            "effect_after": 0.26,
            "n": 280 if known else 0,
            "difference": difference,
            "low": 0.2 if known else None,
            "high": 0.3 if known else None,
            "pvalue": 0.0002 if known else None,
            "pvalue_adjusted": 0.0004 if known else None,
            "detail": None if known else "not scored in both runs",
            **more,
        }
    )


def metric_change(*properties, name="judge", **more):
    return MetricChange(
        **{
            "metric": name,
            "metric_after": name,
            "signature_before": f"{name},v=1",
            "signature_after": f"{name},v=2",
            "n": 288,
            "n_changed": 40,
            "spearman": 0.97,
            "properties": properties,
            "checks": (
                check_change("rephrase", Verdict.PASS, Verdict.FAIL, "worse"),
                check_change("flip_case", Verdict.FAIL, Verdict.PASS, "better"),
                check_change(
                    "tag_text",
                    Verdict.PASS,
                    Verdict.PASS,
                    "same",
                    0.0,
                    low=0.0,
                    high=0.0,
                    pvalue=None,
                    pvalue_adjusted=None,
                ),
                check_change(
                    "repeat_text", Verdict.PASS, None, "unclear", None, state_after=State.NOT_MEASURED
                ),
            ),
            "correlations": (
                CorrelationChange(
                    dimension="mean",
                    level="within_task",
                    before=0.4,
                    after=0.3,
                    difference=-0.1,
                    low=-0.2,
                    high=0.0,
                    n=72,
                ),
                CorrelationChange(
                    dimension="mean",
                    level="system",
                    before=None,
                    after=None,
                    difference=None,
                    low=None,
                    high=None,
                    n=0,
                    detail="fewer than 3 systems",
                ),
            ),
            **more,
        }
    )


def fake_difference(*metrics, **more):
    """Return a difference in which `judge` is trusted no longer, unless other metrics are given."""
    lost = metric_change(
        property_change("statistical"),
        property_change("sensitive", CardMark.INCONCLUSIVE, CardMark.INCONCLUSIVE),
        property_change("resistant", CardMark.YES, CardMark.NO, "worse"),
        property_change("satisfied", CardMark.NOT_MEASURED, CardMark.YES, "unclear"),
        property_change("trusted", CardMark.YES, CardMark.NO, "worse"),
    )
    return RunDifference(
        **{
            "before": RUN,
            "after": {**RUN, "seed": 1},
            "n_shared": 288,
            "metrics": metrics or (lost,),
            "only_before": (),
            "only_after": ("bleu",),
            "notes": ("seed differs: 0 before, 1 after",),
            **more,
        }
    )
