"""The asynchronous verbs: the only implementation. `gameproof.audit` and the others run these."""

from gameproof.aio.agreeing import agree, plan_agree
from gameproof.aio.attacking import attack, plan_attack
from gameproof.aio.auditing import audit, check, dry_run
from gameproof.aio.auditing_several import audit_all
from gameproof.aio.calibrating import calibration, plan_calibration
from gameproof.aio.comparing import compare
from gameproof.aio.judging import judge_pairs, plan_judge_pairs, plan_sensitivity, sensitivity
from gameproof.aio.optimising import optimise, plan_optimise
from gameproof.aio.perturbing import perturb, plan_perturb
from gameproof.aio.planning import plan_power, power
from gameproof.aio.preferring import plan_prefer, prefer
from gameproof.aio.referencing import references
from gameproof.aio.reporting import report
from gameproof.aio.reproducing import reproduce
from gameproof.aio.scoring import plan_score, score
from gameproof.aio.self_testing import self_test
from gameproof.aio.settling import plan_settle, settle
from gameproof.aio.studying import analyse_study, export_study
from gameproof.aio.sweeping import plan_sweep, sweep
from gameproof.aio.varying import count_variance_calls, variance

__all__ = [
    "agree",
    "analyse_study",
    "attack",
    "audit",
    "audit_all",
    "calibration",
    "check",
    "compare",
    "count_variance_calls",
    "dry_run",
    "export_study",
    "judge_pairs",
    "optimise",
    "perturb",
    "plan_agree",
    "plan_attack",
    "plan_calibration",
    "plan_judge_pairs",
    "plan_optimise",
    "plan_perturb",
    "plan_power",
    "plan_prefer",
    "plan_score",
    "plan_sensitivity",
    "plan_settle",
    "plan_sweep",
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
