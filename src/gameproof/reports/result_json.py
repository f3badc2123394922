"""Write an audit's result as ``result.json``, and read it back."""

from collections.abc import Mapping

from gameproof.audits.result import RESULT_SCHEMA, AuditResult
from gameproof.errors import RunFolderError
from gameproof.reports.typed_json import plain_json, read_typed

__all__ = ["parse_result", "render_json"]

RERUN = "Make it again with `gameproof audit`, or with `gameproof check` where the scores are still there."


def render_json(result: AuditResult) -> dict[str, object]:
    """Return the result as JSON values: enums as text, no NaN, no infinity.

    An end of an interval that the data does not bound becomes null.
    """
    return {
        "schema": result.schema,
        "run": plain_json(result.run),
        "metrics": [plain_json(metric) for metric in result.metrics],
    }


def parse_result(record: Mapping[str, object]) -> AuditResult:
    """Read what `render_json` wrote; fields this version does not know are ignored.

    Raises:
        RunFolderError: It is not such a record, or one of a newer format.
    """
    schema = record.get("schema")
    if schema != RESULT_SCHEMA:
        raise RunFolderError(f"the result's schema is {schema!r}; this version reads {RESULT_SCHEMA!r}.")
    try:
        return read_typed(AuditResult, record, "result")
    except ValueError as error:
        raise RunFolderError(f"{error}", hint=RERUN) from error
