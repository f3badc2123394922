"""What answers.yaml calls: two metrics, the second prepared on the task's own questions."""

from pathlib import Path

from gameproof.integrations.lm_eval_results import lm_eval_results

process_results = lm_eval_results(
    {"rougeL": "rougeL", "information": "TV+fvar+statement+overlap"},
    fields={"references": "references", "query": "query"},
    pool=Path(__file__).with_name("answers.jsonl"),
)
