"""Our metrics in the language model evaluation harness: the example of the docs, and a model over HTTP."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from tests.support.stub_server import Answer, StubServer

import gameproof

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "lm_eval"
ROWS = [json.loads(line) for line in (EXAMPLE / "answers.jsonl").read_text("utf-8").splitlines()]


def main():
    """Run the example with the harness's dummy and with a stub that says each answer's first sentence."""
    said = {row["query"]: row["references"][0].split(". ")[0] + "." for row in ROWS}
    said[ROWS[0]["query"]] = ""  # no answer: no score

    def answer(call):
        (text,) = [text for query, text in said.items() if query in str(call.body["prompt"])]
        choice = {"index": 0, "text": text, "finish_reason": "stop"}
        return Answer(body={"id": "1", "object": "text_completion", "model": "stub", "choices": [choice]})

    run("dummy")
    with StubServer(answer) as stub:
        options = (
            f"model=stub,base_url={stub.url}/completions,tokenizer_backend=None,tokenized_requests=False"
        )
        found = run("local-completions", "--model_args", options)
    for name, metric in (("rougeL", "rougeL"), ("information", "TV+fvar+statement+overlap")):
        rows = [{**row, "candidate": said[row["query"]]} for row in ROWS]
        (scores,) = gameproof.score(rows, metric).scores
        wanted = {row["task_id"]: value for row, value in zip(ROWS, scores.values.tolist(), strict=True)}
        equal = all(
            np.array_equal(wanted[task], value, equal_nan=True) for task, value in found[name].items()
        )
        print(f"{name}: {'equal' if equal else 'NOT equal'} to gameproof.score on {len(wanted)} documents")
        if not equal:
            raise SystemExit(1)


def run(model, *arguments):
    """Run the command of the docs; return metric -> document -> score."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(Path(sys.executable).parent / "lm_eval"), "run", "--model", model, *arguments]
        command += ["--tasks", "gameproof_answers", "--include_path", "examples/lm_eval"]
        command += ["--log_samples", "--output_path", folder]
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
        print(done.stdout[-700:], f"lm_eval {model}: exit code {done.returncode}")
        if done.returncode:
            raise SystemExit(done.stderr[-3000:])
        print(*[line for line in done.stderr.splitlines() if "no score" in line], sep="\n")
        (file,) = Path(folder).rglob("samples_*.jsonl")
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        return {
            name: {row["doc"]["task_id"]: float(row[name]) for row in rows}
            for name in ("rougeL", "information")
        }


if __name__ == "__main__":
    main()
