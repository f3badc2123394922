"""The verb `audit_all`: one audit for each of several data sets, and one report of all."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypedDict, Unpack

from gameproof.aio.arguments import Llm, Metrics
from gameproof.aio.auditing import audit
from gameproof.aio.reporting import report
from gameproof.audits.applicable import choose_checks
from gameproof.audits.result import AuditResult
from gameproof.datasets.naming import folder_names
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.engine.progress import Progress
from gameproof.errors import PlanError
from gameproof.files.sampling import Sample
from gameproof.llm.client import LanguageModel
from gameproof.llm.limits import Limits
from gameproof.llm.pool import as_pool
from gameproof.metrics.references_asked import read_references

__all__ = ["AuditOptions", "audit_all"]

STDIN = "-"
REPORTS = ("report.html", "report.md")


class AuditOptions(TypedDict, total=False):
    """The options of `audit` that are the same for every data set."""

    suite: Literal["all", "strategic", "satisfaction"]
    perturbations: Sequence[str] | None
    skip: Sequence[str] | None
    margin: str
    domain: str | None
    rename: Mapping[str, str] | None
    reference: str | Sequence[str] | None
    group_by: str | None
    sample: Sample | None
    limit: int | None
    rewriter: str | LanguageModel | None
    verify: str
    seed: int
    gate: str | None
    force: bool
    overwrite: bool
    engine: str
    workers: int | None
    parts: str | Path | None
    progress: Progress | None


async def audit_all(
    data: Sequence[str | Path],
    metrics: Metrics,
    *,
    out: str | Path | None = None,
    llm: Llm | None = None,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    **options: Unpack[AuditOptions],
) -> list[AuditResult]:
    """Audit the same metrics on several data sets, each with the checks that apply to it.

    All data is read before anything is scored, so that a bad file costs nothing.

    Args:
        data: Paths, embedded data sets, or public ones as ``summeval:FILE``.
        metrics: As in `audit`.
        out: A folder: each data set has its run folder in it, beside one report of all (``report.html``).
        llm: As in `audit`, and so `cache` and `limits`, which hold for all data sets together.
        cache: Where finished model calls are kept.
        limits: Of model calls.
        options: As in `audit`.

    Returns:
        The results, in the order of the data.

    Raises:
        DataError: Rows of a data set are bad.
        PlanError: Standard input is one of several data sets, or none is given.
    """
    names = [str(each) for each in data]
    _check(names, options)
    folders = [None if out is None else Path(out) / name for name in folder_names(names)]
    results: list[AuditResult] = []
    async with as_pool(llm, cache=cache, limits=limits) as models:
        for each, folder in zip(names, folders, strict=True):
            results.append(await audit(each, metrics, out=folder, llm=models, **options))
    if out is not None:
        runs = [folder for folder in folders if folder is not None]
        for name in REPORTS:
            await report(runs, out=Path(out) / name)
    return results


def _check(names: Sequence[str], options: AuditOptions) -> None:
    """Read every data set once."""
    if not names:
        raise PlanError("no data set is given: name at least one.")
    if STDIN in names:
        raise PlanError(
            "standard input cannot be one of several data sets.", hint="Save it as a file, and name that."
        )
    for name in names:
        read = DataOptions(
            rename=options.get("rename"),
            reference=read_references(options.get("reference")).single,
            group_by=options.get("group_by"),
            limit=options.get("limit"),
            domain=options.get("domain"),
        )
        dataset = open_dataset(name, read)
        choose_checks(dataset, options.get("suite", "all"), options.get("perturbations"), options.get("skip"))
