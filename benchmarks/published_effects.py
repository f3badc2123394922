"""ROUGE-L and BLEU on SummEval beside the effects that paper 1 (arXiv:2608.01423) prints in tables 10 and 11.

    python -m benchmarks.published_effects

The filler of meaningless elongation is ours, so that row is compared, not matched; the paper drew about 200
candidates, and does not say which ROUGE and BLEU it used.
"""

import csv
from pathlib import Path

import gameproof

SHARED = Path(__file__).resolve().parents[2] / "shared"
TABLES = {
    "random_replacement": "p1_table10_degradation_smd.csv",
    "sentence_deletion": "p1_table10_degradation_smd.csv",
    "meaningless_elongation": "p1_table11_manipulation_smd.csv",
}
NAMES = {"rougeL": "ROUGE-L", "rougeL,stem=true,tok=legacy": "ROUGE-L", "bleu": "BLEU"}


def published(check: str, metric: str) -> tuple[float, float]:
    with (SHARED / "seed_tables" / TABLES[check]).open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if (row["strategy"], row["metric"], row["dataset"]) == (check, metric, "SummEval"):
                return float(row["smd"]), float(row["ci95_half_width"])
    raise SystemExit(f"no published value of {metric} under {check}")


def main() -> None:
    data = SHARED / "data" / "summeval" / "summeval.jsonl"
    result = gameproof.audit(data, list(NAMES), perturbations=list(TABLES), domain="summaries")
    print(f"{'metric':30} {'check':24} {'ours (1,600 texts)':>22} {'parity interval':>18} {'paper 1':>14}")
    for metric in result.metrics:
        for check in metric.checks:
            smd, half = published(check.check, NAMES[metric.metric])
            ours = f"{check.effect:+.2f} [{check.low:+.2f}, {check.high:+.2f}]"
            parity = f"[{check.parity_low:+.2f}, {check.parity_high:+.2f}]"
            print(f"{metric.metric:30} {check.check:24} {ours:>22} {parity:>18} {smd:+.2f} +- {half:.2f}")


if __name__ == "__main__":
    main()
