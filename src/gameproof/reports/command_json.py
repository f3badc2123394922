"""What commands print as JSON that is part of no run folder: each with its format and version in ``schema``."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from gameproof.audits.calibration import CalibrationRow
from gameproof.audits.judge_sensitivity import JudgeSensitivity
from gameproof.audits.judged_pairs import JudgedPairs, pair_rows
from gameproof.audits.references_result import ReferencesResult
from gameproof.audits.result import AuditResult
from gameproof.audits.settle import Settling
from gameproof.audits.variance import VarianceReport
from gameproof.engine.summary import ScoreSummary
from gameproof.reports.result_json import render_json

__all__ = [
    "calibration_record",
    "judge_pairs_record",
    "power_record",
    "references_record",
    "score_summary_record",
    "sensitivity_record",
    "settle_record",
    "variance_record",
]


def calibration_record(rows: Sequence[CalibrationRow]) -> dict[str, object]:
    """Return a calibration in the format ``gameproof.calibration/1``."""
    return {"schema": "gameproof.calibration/1", "rows": [asdict(row) for row in rows]}


def judge_pairs_record(found: JudgedPairs) -> dict[str, object]:
    """Return chosen pairs in the format ``gameproof.judge_pairs/1``."""
    return {
        "schema": "gameproof.judge_pairs/1",
        "n_pairs": len(found.pairs),
        "n_flipped": found.n_flipped,
        "n_missing": found.n_missing,
        "missing": dict(found.missing),
        "flip_rate": found.flip_rate,
        "first_rate": found.first_rate,
        "systems": [asdict(system) for system in found.systems],
        "pairs": list(pair_rows(found)),
        "notes": list(found.notes),
    }


def power_record(rows: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Return what a plan needs in the format ``gameproof.power/1``."""
    return {"schema": "gameproof.power/1", "rows": [dict(row) for row in rows]}


def references_record(found: ReferencesResult) -> dict[str, object]:
    """Return compared references in the format ``gameproof.references/1``."""
    return {"schema": "gameproof.references/1", **found.to_record()}


def score_summary_record(summaries: Sequence[ScoreSummary]) -> dict[str, object]:
    """Return what is said of scores in the format ``gameproof.score_summary/1``."""
    return {"schema": "gameproof.score_summary/1", "metrics": [entry.record() for entry in summaries]}


def sensitivity_record(found: JudgeSensitivity) -> dict[str, object]:
    """Return what hangs on the judge in the format ``gameproof.sensitivity/1``."""
    return {
        "schema": "gameproof.sensitivity/1",
        "metric": found.metric,
        "models": list(found.models),
        "n": found.n,
        "spearman": found.spearman,
        "mean_difference": found.mean_difference,
        "mean_distance": found.mean_distance,
        "n_checks": found.n_checks,
        "flip_rate": found.flip_rate,
        "flipped": {
            check: [None if verdict is None else verdict.value for verdict in verdicts]
            for check, verdicts in found.flipped.items()
        },
        "results": render_json(AuditResult(run={}, metrics=found.results))["metrics"],
    }


def settle_record(found: Sequence[Settling]) -> dict[str, object]:
    """Return what became of checks in the format ``gameproof.settle/1``."""
    return {"schema": "gameproof.settle/1", "checks": [asdict(each) for each in found]}


def variance_record(found: VarianceReport) -> dict[str, object]:
    """Return sources of error in the format ``gameproof.variance/1``."""
    return {"schema": "gameproof.variance/1", **asdict(found)}
