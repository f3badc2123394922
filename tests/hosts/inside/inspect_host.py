"""Our metrics in Inspect: in a Task, on both event loops, by `inspect eval` and `inspect score`."""

import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.hosts.inside.common import JUDGE, LEXICAL, POOL, STATEMENTS, given

from gameproof.audits.ready import ReadyMetric
from gameproof.integrations.inspect_scorer import inspect_scorer

TASK_FILE = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.solver import solver
from gameproof.integrations.inspect_scorer import inspect_scorer


@solver
def says():
    async def solve(state, generate):
        state.output = ModelOutput.from_content("none", state.metadata["says"])
        return state

    return solve


@task
def answers():
    text = "It rained all night in the north."
    return Task(
        dataset=[Sample(input="Describe it.", target=text, metadata={"says": "It rained all night."})],
        solver=says(),
        scorer=inspect_scorer("rougeL"),
    )
"""


def main():
    """Run a task whose answers are the texts; each score must be that of the verb."""
    import inspect_ai  # noqa: PLC0415 - not in the environment of the tests
    from inspect_ai.dataset import Sample  # noqa: PLC0415
    from inspect_ai.model import ModelOutput  # noqa: PLC0415
    from inspect_ai.solver import solver  # noqa: PLC0415

    @solver
    def says():
        async def solve(state, _generate):
            state.output = ModelOutput.from_content("none", texts[state.sample_id])
            return state

        return solve

    with given() as data, tempfile.TemporaryDirectory() as logs:
        samples = [
            Sample(id=item.id, input=f"Describe {item.task_id}.", target=item.references[0])
            for item in data.items
        ]
        samples += [
            Sample(id="foreign", input="x", target="Of no task."),
            Sample(id="empty", input="y", target=data.items[0].references[0]),
        ]
        texts = {item.id: item.candidate for item in data.items} | {"foreign": "A text.", "empty": ""}
        terms = {"pool": POOL, "llm": data.llm, "cache": "off"}
        names = (STATEMENTS, JUDGE, LEXICAL)
        scorers = [inspect_scorer(name, **terms) for name in names[:2]]
        scorers.append(inspect_scorer(ReadyMetric(LEXICAL, pool=POOL)))

        task = inspect_ai.Task(dataset=samples, solver=says(), scorer=scorers)
        (log,) = inspect_ai.eval(task, model="mockllm/model", log_dir=logs, display="none")
        if log.status != "success":
            raise SystemExit(f"{log.status}: {log.error.message}")
        by_id = {sample.id: sample.scores for sample in log.samples}
        shown = [result.name for result in log.results.scores]
        for name, key in zip(names, shown, strict=True):
            data.check(name, [by_id[item.id][key].value for item in data.items])
        for result in log.results.scores[:1]:
            metrics = {key: round(metric.value, 4) for key, metric in result.metrics.items()}
            print(f"{result.name} {result.params}: {metrics}; {result.unscored_samples} unscored")
            wanted = data.expected[STATEMENTS]
            assert math.isclose(result.metrics["mean"].value, sum(wanted) / len(wanted))
        for sample in ("foreign", "empty"):
            found = by_id[sample][shown[0]]
            print(f"{sample}: {found.value}, {found.reason}, {found.explanation[:70]}")
            assert math.isnan(found.value)

        again = inspect_ai.score(log, inspect_scorer(LEXICAL, pool=POOL), action="overwrite")
        print(
            f"score() of the log: {again.results.scores[0].name}, {again.results.scores[0].scored_samples} scored"
        )

        file = Path(logs) / "answers.py"
        file.write_text(TASK_FILE, encoding="utf-8")
        os.chdir(logs)  # Inspect takes relative paths
        shown = ("--display", "plain")
        _command("eval", file.name, "--model", "mockllm/model", *shown, "--log-dir", "cli")
        (written,) = Path("cli").glob("*.eval")
        options = ("--scorer", "gameproof/metric_score", "-S", "metric=chrf")
        _command("score", str(written), *options, "--action", "overwrite", "--overwrite", *shown)


def _command(*arguments):
    """Run the host's command line; show what it ends with."""
    command = [str(Path(sys.executable).parent / "inspect"), *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=os.environ)
    print(f"inspect {arguments[0]}: exit code {done.returncode}", (done.stdout + done.stderr)[-600:])
    if done.returncode:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
