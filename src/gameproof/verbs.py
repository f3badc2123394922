"""The verbs for scripts and notebooks: each runs its asynchronous twin in `gameproof.aio`."""

import functools
from collections.abc import Callable, Coroutine
from typing import ParamSpec, TypeVar

from gameproof import _bridge, aio

__all__ = [
    "agree",
    "analyse_study",
    "attack",
    "audit",
    "audit_all",
    "calibration",
    "check",
    "compare",
    "dry_run",
    "export_study",
    "judge_pairs",
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

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def _synchronous(
    verb: Callable[Parameters, Coroutine[object, object, Result]],
) -> Callable[Parameters, Result]:
    @functools.wraps(verb)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        return _bridge.run(verb(*args, **kwargs))

    return run


agree = _synchronous(aio.agree)
analyse_study = _synchronous(aio.analyse_study)
attack = _synchronous(aio.attack)
audit = _synchronous(aio.audit)
audit_all = _synchronous(aio.audit_all)
calibration = _synchronous(aio.calibration)
check = _synchronous(aio.check)
compare = _synchronous(aio.compare)
prefer = _synchronous(aio.prefer)
dry_run = _synchronous(aio.dry_run)
export_study = _synchronous(aio.export_study)
judge_pairs = _synchronous(aio.judge_pairs)
optimise = _synchronous(aio.optimise)
perturb = _synchronous(aio.perturb)
power = _synchronous(aio.power)
references = _synchronous(aio.references)
report = _synchronous(aio.report)
reproduce = _synchronous(aio.reproduce)
score = _synchronous(aio.score)
self_test = _synchronous(aio.self_test)
settle = _synchronous(aio.settle)
sensitivity = _synchronous(aio.sensitivity)
sweep = _synchronous(aio.sweep)
variance = _synchronous(aio.variance)
