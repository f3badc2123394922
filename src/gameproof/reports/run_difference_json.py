"""Write the difference of two runs as JSON; the format is published as ``compare.1.json``."""

from gameproof.audits.run_difference_result import RunDifference
from gameproof.reports.typed_json import plain_json

__all__ = ["difference_record"]


def difference_record(difference: RunDifference) -> dict[str, object]:
    """Return the difference as JSON values: enums as text, no NaN, no infinity."""
    return {
        "schema": difference.schema,
        "exit_code": difference.exit_code,
        "worse": [{"metric": metric, "property": item.name} for metric, item in difference.worse],
        "unclear": [{"metric": metric, "property": item.name} for metric, item in difference.unclear],
        "before": plain_json(difference.before),
        "after": plain_json(difference.after),
        "n_shared": difference.n_shared,
        "metrics": plain_json(difference.metrics),
        "only_before": list(difference.only_before),
        "only_after": list(difference.only_after),
        "notes": list(difference.notes),
    }
