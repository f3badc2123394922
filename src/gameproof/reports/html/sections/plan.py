"""How the run was made: its whole plan, every signature, the versions of what ran it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from gameproof.reports.html.run import ReportedRun
from gameproof.reports.words import check_title

__all__ = ["Plan", "view"]

TOLD = frozenset({"notes", "metrics"})  # stand at the top of the run, and below as signatures


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one needs to run it again."""

    settings: Sequence[tuple[str, str]]
    lists: Sequence[tuple[str, Sequence[str]]]
    signatures: Sequence[tuple[str, str]]  # metric, signature
    versions: Sequence[tuple[str, str]]


def view(run: ReportedRun, prefix: str) -> Plan:
    """Return what the result says, and what the folder recorded besides.

    `gameproof check` takes another margin than the plan's: what is shown is what the verdicts were reached by.
    """
    del prefix
    told: Mapping[str, object] = {**run.result.run, **run.plan, **run.result.run}
    entries = [(check_title(key), value) for key, value in told.items() if key not in TOLD]
    return Plan(
        settings=[(key, _in_words(value)) for key, value in entries if not isinstance(value, list | tuple)],
        lists=[
            (key, [check_title(_in_words(entry)) for entry in cast("Sequence[object]", value)])
            for key, value in entries
            if isinstance(value, list | tuple) and value
        ],
        signatures=[(metric.metric, metric.signature) for metric in run.result.metrics],
        versions=list(run.versions.items()),
    )


def _in_words(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
