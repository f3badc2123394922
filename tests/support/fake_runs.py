"""Runs as reports show them, put together by hand: with evidence, and with texts that try to break a page."""

from dataclasses import replace

from tests.support.fake_results import check, fake_result

from gameproof.audits.evidence import Curve, Distribution, MetricEvidence, Move
from gameproof.audits.result import AuditResult
from gameproof.reports.html import ReportedRun
from gameproof.stats.results import Verdict

HOSTILE = "<script>alert('1')</script>\"'&amp;]]>--><!--\u202eevil\u2066\x1b[2J\x00"
LONG_WORD = "w" * 100_000


def evidence(
    metric, *, check_name="meaningless_elongation", before="A b.", after="A b. In short.", item="t1/a"
):
    """Return what a run folder adds for one metric."""
    return MetricEvidence(
        metric=metric,
        distribution=Distribution(low=-0.5, high=1.0, original=(0, 3, 9, 1), mismatched=(8, 4, 1, 0)),
        curves=(
            Curve(
                check="distractor_sentences",
                levels=(1, 2, 3),
                changes=(-0.1, -0.3, -0.2),
                counts=(13, 13, 12),
                from_original=True,
            ),
        ),
        moves=(
            Move(
                check=check_name,
                item=item,
                before=before,
                after=after,
                score_before=1.0,
                score_after=1.5,
                change=2.25,
            ),
        ),
        n_scored=2_000,
        n_missing=3,
    )


def fake_run(**change):
    """Return the hand-made result as a run with everything a folder adds."""
    result = fake_result()
    return ReportedRun(
        result=result,
        exit_code=3,
        evidence=tuple(evidence(metric.metric) for metric in result.metrics),
        plan={"data": "planted", "perturbations": ["padding", "sentence_deletion"], "seed": 0},
        versions={"gameproof": "0.1.0", "numpy": "2.0"},
        **change,
    )


def hostile_run(text=HOSTILE):
    """Return a run in which every text that can come from data or users is the given one."""
    result = fake_result()
    rows = (
        check(text, "manipulation", 0.1, Verdict.FAIL, detail=text, missing={text: 2}, n_missing=2),
        check("distractor_sentences", "ladder", 0.4, Verdict.WRONG_WAY),
    )
    metric = replace(
        result.metrics[0],
        metric=text,
        signature=text,
        checks=rows,
        alarms=(text,),
        correlation=(
            result.metrics[0].correlation[0],
            replace(result.metrics[0].correlation[1], dimension=text, state_detail=text),
        ),
    )
    return ReportedRun(
        result=AuditResult(
            run={"data": text, "notes": [text], "margin": ".10", text: {"a": [text]}},
            metrics=(metric, replace(metric, metric=f"{text} 2")),
        ),
        exit_code=3,
        gate=text,
        evidence=(
            evidence(text, check_name=text, before=text, after=f"{text} {LONG_WORD} {text}", item=text),
        ),
        plan={"data": text, text: [text], "perturbations": [text]},
        versions={text: text},
    )
