"""Tell whether a text metric can be trusted as a target, and supply metrics that can.

Names load on first use, so that ``import gameproof`` costs next to nothing.
"""

import importlib
from typing import TYPE_CHECKING

from gameproof._version import __version__

if TYPE_CHECKING:
    from gameproof.audits.result import AuditResult
    from gameproof.datasets.opening import load
    from gameproof.errors import DataError, GameproofError, InputError
    from gameproof.metrics.base import Metric, as_metric, from_pair
    from gameproof.metrics.catalogue import metric
    from gameproof.records import Dataset, Item, Persona, Scores, Variant
    from gameproof.verbs import (
        agree,
        analyse_study,
        attack,
        audit,
        audit_all,
        calibration,
        check,
        compare,
        dry_run,
        export_study,
        judge_pairs,
        optimise,
        perturb,
        power,
        prefer,
        references,
        report,
        reproduce,
        score,
        self_test,
        sensitivity,
        settle,
        sweep,
        variance,
    )

__all__ = [
    "AuditResult",
    "DataError",
    "Dataset",
    "GameproofError",
    "InputError",
    "Item",
    "Metric",
    "Persona",
    "Scores",
    "Variant",
    "__version__",
    "agree",
    "analyse_study",
    "as_metric",
    "attack",
    "audit",
    "audit_all",
    "calibration",
    "check",
    "compare",
    "dry_run",
    "export_study",
    "from_pair",
    "judge_pairs",
    "load",
    "metric",
    "optimise",
    "perturb",
    "power",
    "prefer",
    "references",
    "report",
    "reproduce",
    "score",
    "self_test",
    "sensitivity",
    "settle",
    "sweep",
    "variance",
]

_HOMES = {
    "gameproof.audits.result": ("AuditResult",),
    "gameproof.datasets.opening": ("load",),
    "gameproof.errors": ("DataError", "GameproofError", "InputError"),
    "gameproof.metrics.base": ("Metric", "as_metric", "from_pair"),
    "gameproof.metrics.catalogue": ("metric",),
    "gameproof.records": ("Dataset", "Item", "Persona", "Scores", "Variant"),
    "gameproof.verbs": (
        "agree",
        "analyse_study",
        "attack",
        "audit",
        "audit_all",
        "calibration",
        "check",
        "compare",
        "prefer",
        "dry_run",
        "export_study",
        "judge_pairs",
        "optimise",
        "perturb",
        "power",
        "references",
        "report",
        "reproduce",
        "score",
        "self_test",
        "sensitivity",
        "settle",
        "sweep",
        "variance",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'gameproof' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
