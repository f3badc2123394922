"""Our metrics in DeepEval: `evaluate`, one that has no score, and `deepeval test run`."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.hosts.inside.common import JUDGE, LEXICAL, POOL, STATEMENTS, given

from gameproof.integrations.deepeval_metric import deepeval_metric

TEST_FILE = """
import pytest
from deepeval import assert_test
from deepeval.test_case import LLMTestCase
from gameproof.integrations.deepeval_metric import deepeval_metric

METRIC = deepeval_metric("TV+fvar+statement+overlap,neg=2", threshold=0.0, pool="planted,tasks=2")
CASES = {CASES!r}


@pytest.mark.parametrize("text, expected", CASES)
def test_answers(text, expected):
    assert_test(LLMTestCase(input="Describe it.", actual_output=text, expected_output=expected), [METRIC])
"""


def main():
    """Evaluate with three metrics; each score must be that of the verb."""
    from deepeval import evaluate  # noqa: PLC0415 - not in the environment of the tests
    from deepeval.evaluate import AsyncConfig, DisplayConfig  # noqa: PLC0415
    from deepeval.test_case import LLMTestCase  # noqa: PLC0415

    os.chdir(tempfile.mkdtemp())  # DeepEval keeps its last run in the working folder
    with given() as data:
        metrics = {
            name: deepeval_metric(name, threshold=0.1, pool=POOL, llm=data.llm, cache="off")
            for name in (STATEMENTS, JUDGE, LEXICAL)
        }
        cases = [
            LLMTestCase(
                input="Describe it.", actual_output=item.candidate, expected_output=item.references[0]
            )
            for item in data.items
        ]
        quiet = DisplayConfig(show_indicator=False, print_results=False)
        for run_async in (True, False):
            result = evaluate(
                cases,
                list(metrics.values()),
                display_config=quiet,
                async_config=AsyncConfig(run_async=run_async),
            )
            by_text = {test.actual_output: test.metrics_data for test in result.test_results}
            for place, name in enumerate(metrics):
                data.check(name, [by_text[item.candidate][place].score for item in data.items])
        row = result.test_results[0].metrics_data[0]
        print(f"name: {row.name}; success: {row.success}; reason: {row.reason}")

        foreign = LLMTestCase(input="x", actual_output="A text.", expected_output="Of no task of the pool.")
        (test,) = evaluate([foreign], [metrics[STATEMENTS]], display_config=quiet).test_results
        print(f"without a score: {test.metrics_data[0].score}, {test.metrics_data[0].error}")
        assert test.metrics_data[0].score is None
        assert test.metrics_data[0].success is False

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "test_answers.py"
        pairs = [(item.candidate, item.references[0]) for item in data.items[:3]]
        file.write_text(TEST_FILE.replace("{CASES!r}", repr(pairs)), encoding="utf-8")
        command = [str(Path(sys.executable).parent / "deepeval"), "test", "run", str(file)]
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder)
        print("\n".join(done.stdout.splitlines()[-14:]), f"\ndeepeval test run: exit code {done.returncode}")


if __name__ == "__main__":
    main()
