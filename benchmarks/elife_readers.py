"""Readers of eLife: `python -m benchmarks.elife_readers elife_sample.jsonl`.

Each article has two texts: the abstract, written for experts, and the lay summary. Two readers are formed from a fixed
template, the same for every article; what they require is taken from the article by a fixed rule, since no language model
is asked: the lay reader requires the first sentences of the introduction (what the subject is, and why it matters), the
expert the sentences of the rest of the text with most numbers. Neither the abstract nor the lay summary is used for it.
`--write FILE` writes the rows, for `gameproof audit FILE -m reader-utility,needs=given --llm MODEL`.
"""

import argparse
import asyncio
import json
import re
from pathlib import Path

from gameproof.audits.checks import CheckSettings
from gameproof.audits.run import Run, run_audit
from gameproof.files import write_rows
from gameproof.metrics.catalogue import build_metrics
from gameproof.perturbations.catalogue import select
from gameproof.records import Dataset, Item, Persona, Requirement
from gameproof.text import sentences, words

N_REQUIRED = 6
FEWEST_WORDS, MOST_WORDS = 8, 45
QUERY = "What was found, and what does it mean?"
READERS = {
    "lay": Persona(role="a reader without training in the field", needs="to see why it matters", query=QUERY),
    "expert": Persona(role="a researcher of the field", needs="methods, numbers and effects", query=QUERY),
}
METRICS = (
    "reader-utility,needs=given,predictor=overlap",
    "reader-fit,needs=given,predictor=overlap",
    "rouge1,reference=source",
    "length",
)


def read_articles(path: Path) -> list[Item]:
    """Read the texts of both readers, those with both kinds of requirements."""
    items: list[Item] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        abstract, _, body = row["source"].partition("\n")
        required = requirements(body)
        texts = {"lay": row["references"][0], "expert": abstract}
        if min(len(each) for each in required.values()) < N_REQUIRED:
            continue
        items += [
            Item(
                id=f"{row['task_id']}/{name}",
                task_id=row["task_id"],
                candidate=" ".join(texts[name].split()),
                source=row["source"],
                system="authors",
                domain="summaries",
                persona=persona,
                requirements=tuple(Requirement(text=text) for text in required[name]),
            )
            for name, persona in READERS.items()
        ]
    return items


def requirements(body: str) -> dict[str, list[str]]:
    """Return what each reader requires, by the fixed rule."""
    usable = [one for one in sentences(body) if FEWEST_WORDS <= len(words(one)) <= MOST_WORDS]
    lay, rest = usable[:N_REQUIRED], usable[2 * N_REQUIRED :]
    numbers = sorted(rest, key=lambda one: -len(re.findall(r"\d+(?:\.\d+)?", re.sub(r"\(.*?\)", "", one))))
    return {"lay": lay, "expert": numbers[:N_REQUIRED]}


async def cross(items: list[Item]) -> list[str]:
    """Return a row of the table for each metric."""
    run = Run(
        dataset=Dataset(name="elife", items=tuple(items)),
        perturbations=select(names=["audience_crossing"]),
        settings=CheckSettings(),
        seed=0,
    )
    result = await run_audit(run, build_metrics(list(METRICS)))
    rows: list[str] = []
    for metric in result.metrics:
        (check,) = metric.checks
        effect = "" if check.effect is None else f"{-check.effect:+.2f}"
        ends = "" if check.low is None or check.high is None else f"[{-check.high:+.2f}, {-check.low:+.2f}]"
        said = f"{check.verdict or check.state}{f' ({check.note})' if check.note else ''}"
        rows.append(
            f"| `{metric.metric}` | {check.n_tasks} | {effect} {ends} | {said} | {check.detail or ''} |"
        )
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("articles", type=Path)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    items = read_articles(options.articles)
    if options.write is not None:
        write_rows(options.write, items)
    print("| metric | articles | half the interaction, in sd | verdict | |\n|---|---|---|---|---|")
    print("\n".join(asyncio.run(cross(items))))


if __name__ == "__main__":
    main()
