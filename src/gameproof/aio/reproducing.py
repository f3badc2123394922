"""The verb `reproduce`: the papers' tables, as far as they can be recomputed here."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gameproof.aio.auditing import audit
from gameproof.aio.reporting import write_text
from gameproof.audits.reproduce import Reproduced, read_by_our_rule, recompute
from gameproof.datasets.loaders.base import PublicDataset
from gameproof.datasets.loaders.table import PUBLIC
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.datasets.public import split_name
from gameproof.engine.progress import Progress
from gameproof.errors import PlanError
from gameproof.files.sampling import Sample
from gameproof.reports.reproduce import (
    Reproduction,
    as_records,
    beside_effects,
    beside_levels,
    render_reproduction,
)
from gameproof.reports.reproducible import CORPORA, LEVEL_METRICS, LEVEL_TESTS, LEXICAL, RULE_MADE

__all__ = ["reproduce"]

DOCUMENTS = 50  # of each corpus, as "Information Satisfaction" has them
RENDERERS: Mapping[str, Callable[[Reproduction], str]] = {
    ".md": render_reproduction,
    ".json": lambda found: f"{json.dumps(as_records(found), indent=1, ensure_ascii=False)}\n",
}


async def reproduce(
    data: Sequence[str] = (),
    *,
    sample: Sample | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Recompute what can be of the two papers' tables, beside the printed values.

    Values that follow from other printed ones need no data: flags and their counts from effects and intervals, shares from
    counts, z, p and odds ratios from coefficients. On data, metrics that count words are measured anew: the effects of
    changes made by a rule ("Scoring Rules!", tables 10 and 11, and correlations of table 6), and rho and M of reader tests
    ("Information Satisfaction", table 2) on the first 50 documents of each corpus, against each text that may have been
    the paper's reference.

    Args:
        data: Public data sets as ``summeval:FILE``: those of "Scoring Rules!", or arxiv, pubmed, scitldr and elife.
        sample: So many texts of each rated set, two to four of a task where there are more; all by default. The paper
            drew about 200.
        seed: Of the sample and of what is drawn.
        out: A file for all of it: ``.md`` or ``.json``.
        progress: Told about every batch.

    Raises:
        PlanError: A data set is in none of the tables; or the ending of ``out`` says no format.
    """
    path = None if out is None else Path(out)
    if path is not None and path.suffix.lower() not in RENDERERS:
        raise PlanError(f"cannot write {path}: the ending of its name is neither .md nor .json.")
    named = [(text, _named(text)) for text in data]
    measured: list[Reproduced] = []
    notes: list[str] = []
    for text, public in named:
        if public.name not in CORPORA:
            result = await audit(
                text,
                list(LEXICAL),
                perturbations=list(RULE_MADE),
                sample=sample,
                seed=seed,
                progress=progress,
            )
            measured += beside_effects(result)
    corpora = [(text, public.name) for text, public in named if public.name in CORPORA]
    if corpora:
        measured += await _reader_tests(corpora, seed=seed, progress=progress)
        absent = [name for name in CORPORA if name not in {name for _, name in corpora}]
        if absent:
            notes.append(
                f"Table 2 is over {len(CORPORA)} corpora together; here {', '.join(absent)} "
                f"{'is' if len(absent) == 1 else 'are'} missing, so equal numbers are not expected."
            )
    found = Reproduction(
        recomputed=recompute(), readings=read_by_our_rule(), measured=tuple(measured), notes=tuple(notes)
    )
    if path is not None:
        write_text(path, RENDERERS[path.suffix.lower()](found))
    return found


async def _reader_tests(
    corpora: Sequence[tuple[str, str]], *, seed: int, progress: Progress | None
) -> tuple[Reproduced, ...]:
    """Audit the reference summaries of several corpora together, each a group of its own."""
    rows = [row for text, name in corpora for row in _documents(text, name)]
    result = await audit(
        rows,
        list(LEVEL_METRICS),
        rename={"candidate": "references"},
        reference="all",
        perturbations=list(LEVEL_TESTS),
        domain="summaries",
        seed=seed,
        progress=progress,
    )
    return beside_levels(result)


def _documents(text: str, corpus: str) -> list[dict[str, object]]:
    options = DataOptions(rename={"candidate": "references"}, limit=DOCUMENTS, domain="summaries")
    return [
        {
            "task_id": f"{corpus}/{item.task_id}",
            "group": corpus,
            "references": [item.candidate],
            "title": item.title,
            "source": item.source,
        }
        for item in open_dataset(text, options).items
    ]


def _named(text: str) -> PublicDataset:
    found = split_name(text)
    known = [row.name for row in PUBLIC.values() if row.paper] + list(CORPORA)
    if found is None or found[0].name not in known:
        raise PlanError(
            f"{text!r} is in none of the papers' tables that can be measured here: expected NAME:FILE with one of "
            f"{', '.join(known)}.",
            hint="For example: gameproof reproduce summeval:model_annotations.aligned.jsonl",
        )
    return found[0]
