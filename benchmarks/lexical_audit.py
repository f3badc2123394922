"""An audit of eight lexical metrics against the script one would write by hand.

    python -m benchmarks.lexical_audit [--items N]

The script by hand scores the same originals and variants with rouge-score and sacrebleu, one pair after another, and
tests them with scipy. Ours does everything an audit does: it makes the variants, scores, infers, and writes
the run folder.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import sacrebleu
from rouge_score.rouge_scorer import RougeScorer
from scipy import stats

import gameproof
from gameproof.perturbations.apply import make_variants
from gameproof.perturbations.catalogue import select
from gameproof.records import Dataset, Item

METRICS = ("rouge1", "rouge2", "rougeL", "rougeLsum", "bleu", "chrf", "chrf++", "length")
SUMMEVAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "summeval" / "summeval.jsonl"


def score_by_hand(scorer: RougeScorer, candidate: str, reference: str) -> list[float]:
    rouge = scorer.score(reference.replace(" . ", " .\n"), candidate.replace(" . ", " .\n"))
    return [
        *(rouge[name].fmeasure for name in ("rouge1", "rouge2", "rougeL", "rougeLsum")),
        sacrebleu.sentence_bleu(candidate, [reference]).score,
        sacrebleu.sentence_chrf(candidate, [reference]).score,
        sacrebleu.sentence_chrf(candidate, [reference], word_order=2).score,
        float(len(candidate.split())),
    ]


def audit_by_hand(items: Sequence[Item], texts: dict[tuple[str, int | None], dict[str, str]]) -> float:
    """Score and test everything the straightforward way; return the seconds it took."""
    started = time.perf_counter()
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"], use_stemmer=False)
    references = {item.id: item.references[0] for item in items}
    original = {item.id: score_by_hand(scorer, item.candidate, references[item.id]) for item in items}
    for index in range(len(METRICS)):
        for dimension in items[0].ratings:
            stats.spearmanr(
                [original[item.id][index] for item in items], [item.ratings[dimension] for item in items]
            )
    for column in texts.values():
        scored = {key: score_by_hand(scorer, text, references[key]) for key, text in column.items()}
        for index in range(len(METRICS)):
            before = [original[key][index] for key in scored]
            stats.ttest_rel([scores[index] for scores in scored.values()], before)
    return time.perf_counter() - started


def audit_by_gameproof(dataset: Dataset) -> float:
    """Run the whole audit with its files; return the seconds it took."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        gameproof.audit(dataset, METRICS, out=Path(folder) / "run")
        return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=None, help="only the first N rows")
    options = parser.parse_args()
    dataset = gameproof.load(SUMMEVAL, limit=options.items)
    texts: dict[tuple[str, int | None], dict[str, str]] = {}
    for variant in make_variants(dataset.items, select("all"), seed=0):
        if variant.text is not None and variant.text.strip():
            texts.setdefault(variant.key, {})[variant.item_id] = variant.text
    ours = audit_by_gameproof(dataset)
    by_hand = audit_by_hand(dataset.items, texts)
    print(
        json.dumps(
            {
                "benchmark": "lexical_audit",
                "items": len(dataset.items),
                "variants": sum(len(column) for column in texts.values()),
                "gameproof_seconds": round(ours, 1),
                "by_hand_seconds": round(by_hand, 1),
                "ratio": round(by_hand / ours, 2),
            }
        )
    )


if __name__ == "__main__":
    main()
