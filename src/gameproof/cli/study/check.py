"""``gameproof study check``: whether a study file fits, and what readers will go through."""

from typing import TYPE_CHECKING

from gameproof.cli import options
from gameproof.cli.printing import print_json, print_rows, say
from gameproof.cli.study import shared

if TYPE_CHECKING:
    from gameproof.study.model import Study

__all__ = ["check"]


def check(study: shared.StudyFile, *, json: options.Json = False) -> None:
    """Check a study file, and say what readers will go through.

    All problems are told together. No model is asked.
    """
    from gameproof.study.model import EXTRACTIVE  # noqa: PLC0415 - `--help` does not need it
    from gameproof.study.retrieve import open_retriever  # noqa: PLC0415 - `--help` does not need it
    from gameproof.study.study_file import read_study  # noqa: PLC0415

    found = read_study(study)
    opened = open_retriever(found.retrieval)
    rows = [
        {
            "condition": each.id,
            "model": each.model,
            "told about the reader": "yes" if each.persona else "no",
            "prompt": "-" if each.model.startswith(EXTRACTIVE) else each.prompt,
        }
        for each in found.conditions
    ]
    notes = [*opened.notes, *_notes(found)]
    if json:
        record = {
            "title": found.title.say(),
            "queries": found.n_queries,
            "comparisons": found.n_comparisons,
            "design": found.design.kind,
            "documents": opened.retriever.source,
            "conditions": rows,
            "notes": notes,
        }
        print_json(record)
        return
    print_rows(rows, ("condition", "model", "told about the reader", "prompt"))
    say(
        f"\n{found.title.say()}\nUp to {found.n_queries} queries a reader, each with {found.retrieval.n_documents} documents,"
        f" {len(found.conditions)} summaries and up to {found.n_comparisons} comparisons ({found.design.kind})."
        f" Documents come from {opened.retriever.source}."
    )
    for note in notes:
        say(f"note: {note}")
    say(f"\nThe file fits. Next: gameproof study serve {study}")


def _notes(study: "Study") -> list[str]:
    from gameproof.study.model import EXTRACTIVE  # noqa: PLC0415 - `--help` does not need it

    notes: list[str] = []
    if any(condition.model.startswith(EXTRACTIVE) for condition in study.conditions):
        notes.append(f"models named {EXTRACTIVE}... pick sentences and are no language models.")
    if study.invitations.open:
        notes.append("the study is open: anybody with its address may take part.")
    if not {"role", "domain", "needs"} & {question.name for question in study.questions}:
        notes.append(
            "no question is named role, domain or needs: personalised summaries know nothing about the reader."
        )
    return notes
