"""The asynchronous verbs: the only implementation. `gameproof.audit` and the others run these."""

from gameproof.aio.auditing import audit, check, dry_run
from gameproof.aio.perturbing import perturb
from gameproof.aio.planning import power
from gameproof.aio.reporting import report
from gameproof.aio.scoring import score

__all__ = ["audit", "check", "dry_run", "perturb", "power", "report", "score"]
