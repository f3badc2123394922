"""The verb `compare`: two runs, such as a metric before and after a change."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from gameproof import files
from gameproof.aio.reported import result_of
from gameproof.aio.reporting import write_text
from gameproof.audits.rerun import take_up
from gameproof.audits.run import VARIANTS_FILE
from gameproof.audits.run_difference import RunSide, compare_runs
from gameproof.audits.run_difference_result import RunDifference
from gameproof.errors import PlanError
from gameproof.reports.run_difference_json import difference_record
from gameproof.reports.run_difference_page import render_difference
from gameproof.reports.run_difference_text import difference_markdown

__all__ = ["compare"]

RENDERERS: dict[str, Callable[[RunDifference], str]] = {
    ".html": render_difference,
    ".htm": render_difference,
    ".md": difference_markdown,
    ".json": lambda difference: (
        f"{json.dumps(difference_record(difference), indent=1, ensure_ascii=False)}\n"
    ),
}


async def compare(
    before: str | Path,
    after: str | Path,
    *,
    pairs: Sequence[tuple[str, str]] = (),
    out: str | Path | None = None,
) -> RunDifference:
    """Say which verdicts changed between two runs, and how effects and correlations differ where they can be paired.

    Differences are taken on the texts that both runs scored, word for word the same, original and variant; tasks are
    the unit, as in every check. Runs of other data share nothing and are refused.

    Args:
        before: The folder of the first run.
        after: The folder of the second.
        pairs: (name before, name after) of metrics that changed their name. Where each run has one metric that the
            other lacks, these two are compared.
        out: A file for one page: ``.html``, ``.md`` or ``.json``.

    Raises:
        PlanError: The runs share no text or no metric; or the ending of ``out`` says no format.
        RunFolderError: A folder holds no finished run.
    """
    path = None if out is None else Path(out)
    if path is not None and path.suffix.lower() not in RENDERERS:
        raise PlanError(f"cannot write {path}: the ending of its name is none of .html, .md, .json.")
    difference = compare_runs(_read_side(before), _read_side(after), pairs=pairs)
    if path is not None:
        write_text(path, RENDERERS[path.suffix.lower()](difference))
    return difference


def _read_side(place: str | Path) -> RunSide:
    with files.RunFolder.open(place, create=False, read_only=True) as folder:
        run, table = take_up(folder)
        result = result_of(folder)
        variants = files.read_variants(folder.path / VARIANTS_FILE)
    return RunSide(
        result=result,
        items=run.dataset.items,
        scores={scores.metric: scores for scores in table},
        texts={
            (variant.item_id, variant.key): variant.text for variant in variants if variant.text is not None
        },
    )
