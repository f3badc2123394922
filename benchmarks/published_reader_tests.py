"""The reader tests of *Information Satisfaction* (arXiv:2608.14457), table 2, on samples of its corpora.

    python -m benchmarks.published_reader_tests

The paper perturbs reference summaries and does not say what they are scored against, which decides the signs. So
every test is made against the summary itself, the title and the source, by the option --reference of an audit. rho
and M are by the paper's own rule (level means over documents of different lengths included); slopes are per document.
For one corpus the same is

    gameproof audit scitldr_a_test.jsonl -m rouge1 --map candidate=references --reference all --limit 50 \\
        --perturbation distractor_sentences --perturbation incremental_sentences
"""

import csv
import json
from pathlib import Path

import gameproof
from gameproof.reports.reproducible import LEVEL_METRICS, LEVEL_TESTS

SHARED = Path(__file__).resolve().parents[2] / "shared"
CORPORA = {
    "scitldr": "scitldr/scitldr_a_test.jsonl",
    "pubmed": "pubmed/pubmed_sample.jsonl",
    "elife": "lay_summaries/elife_sample.jsonl",
    "aclsum": "aclsum/aclsum_test.jsonl",  # in place of arXiv, which is not among the samples
}
N_DOCUMENTS = 50  # of each corpus, as in the paper
METRICS = {
    **LEVEL_METRICS,
    "repeated": "Rep. 1-grams (%)",
    "repeated,n=2": "Rep. 2-grams (%)",
    "repeated,n=3": "Rep. 3-grams (%)",
}
# ours -> the paper's name of the test; the first two follow its levels exactly, the third is our form of the second
TESTS = {
    **LEVEL_TESTS,
    "incremental_addition": "incremental",
}
REFERENCES = ("summary", "title", "source")


def rows() -> list[dict[str, object]]:
    """Return the first documents of every corpus, each a group of its own; SciTLDR and ACLSum have titles."""
    found: list[dict[str, object]] = []
    for corpus, file in CORPORA.items():
        lines = (SHARED / "data" / file).read_text("utf-8").splitlines()[:N_DOCUMENTS]
        found += [
            {
                **row,
                "references": row["references"][:1],
                "group": corpus,
                "task_id": f"{corpus}/{row['task_id']}",
            }
            for row in map(json.loads, lines)
        ]
    return found


def published() -> dict[tuple[str, str], tuple[str, str]]:
    with (SHARED / "seed_tables" / "p2_table02_rho_and_M.csv").open(encoding="utf-8") as lines:
        return {
            (row["metric"], row["test"]): (row["spearman_rho"], row["monotonicity_M"])
            for row in csv.DictReader(lines)
        }


def cell(check, raw: float) -> str:
    """Show rho, M and slope of the score itself: an audit turns the signs of metrics where less is better."""
    slope = ""
    if check.effect is not None:
        low, high = sorted((raw * check.low, raw * check.high))
        slope = f"{raw * check.effect:+.2f} [{low:+.2f}, {high:+.2f}]"
    rho = "undefined" if check.rho is None else f"{raw * check.rho:+.2f}"
    rate = "" if check.match_rate is None else f"{check.match_rate if raw > 0 else 1 - check.match_rate:.2f}"
    return f"{rho}, {rate}, {slope}".strip(", ")


def _print_table(metrics, references, cells, paper) -> None:
    heads = [f"{reference or 'ours'}: rho, M, slope" for reference in references]
    print("\n| metric | test | paper rho, M | " + " | ".join(heads) + " |")
    print("| --- " * (3 + len(heads)) + "|")
    for metric in metrics:
        for test, name in TESTS.items():
            row = [cells.get((metric, test, reference), "no score") for reference in references]
            printed = ", ".join(paper.get((METRICS[metric], name), ("not printed",)))
            print(f"| {metric} | {test} | {printed} | {' | '.join(row)} |")


def main() -> None:
    paper = published()
    result = gameproof.audit(
        rows(),
        list(METRICS),
        rename={"candidate": "references"},
        reference="all",
        perturbations=list(TESTS),
        domain="summaries",
    )
    cells: dict[tuple[str, str, str], str] = {}
    agree: dict[str, list[bool]] = {reference: [] for reference in REFERENCES}
    for metric in result.metrics:
        name, _, reference = metric.metric.partition(",reference=")
        raw = 1.0 if metric.higher_is_better else -1.0
        for check in metric.checks:
            cells[name, check.check, reference] = cell(check, raw)
            theirs = paper.get((METRICS[name], TESTS[check.check]))
            if reference and check.check != "incremental_addition" and theirs and check.rho is not None:
                agree[reference].append((check.rho > 0) == (float(theirs[0]) > 0))
    with_reference = [name for name in METRICS if (name, "distractor_sentences", "source") in cells]
    _print_table(with_reference, REFERENCES, cells, paper)
    _print_table([name for name in METRICS if name not in with_reference], ("",), cells, paper)
    for reference, signs in agree.items():
        print(f"signs of rho as published, against the {reference}: {sum(signs)} of {len(signs)}")


if __name__ == "__main__":
    main()
