"""Score replies through verifiers' own scoring: tasks and traces of ``verifiers.v1``, or a rubric of 0.1.

Run it in an environment that has one of the two: see README.md beside this file.
"""

import asyncio
import importlib.metadata
import json
import os
import sys
import tempfile
from pathlib import Path

from tests.hosts.policy import planted_training_set

TV = "TV+fvar+statement+overlap"
PLUGGED = """
import os
from gameproof.rewards import verifiers_reward

alignment = verifiers_reward("TV+fvar+statement+overlap", os.environ["TRAIN"])
"""


def main() -> int:
    """Score an own reference, another task's and nothing; print what came of it and check it."""
    train = planted_training_set(12)
    said = (train[0]["references"][0], train[1]["references"][0], "")
    version = importlib.metadata.version("verifiers")
    is_legacy = version.startswith("0.1.")
    own, other, nothing = asyncio.run(_by_rubric(train, said) if is_legacy else _by_task(train, said))
    sys.stdout.write(f"verifiers {version}: own {own}, another's {other}, nothing {nothing}\n")
    # A rubric of 0.1 knows numbers only, so nothing said is the floor; verifiers.v1 fails the rollout.
    good = own > other and (nothing < own if is_legacy else "empty" in str(nothing))
    sys.stdout.write("scored as it should be\n" if good else "NOT as it should be\n")
    return 0 if good else 1


async def _by_task(train: list[dict], said: tuple[str, ...]) -> list[object]:
    """Plug the reward into tasks by the path of a file, as a config or the command line does."""
    import verifiers.v1 as vf  # noqa: PLC0415 - optional
    from verifiers.v1.trace import AgentInfo, TraceTask  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        data, module = Path(folder) / "train.jsonl", Path(folder) / "my_rewards.py"
        data.write_text("".join(json.dumps(row) + "\n" for row in train), "utf-8")
        module.write_text(PLUGGED, "utf-8")
        os.environ["TRAIN"] = str(data)
        config = vf.TaskConfig(rewards={"alignment": {"fn": f"{module}:alignment", "weight": 1.0}})
        found: list[object] = []
        for text in said:
            task = vf.Task(vf.TaskData(prompt=train[0]["prompt"], idx=0), config)
            trace = vf.Trace(
                task=TraceTask(type="Task", data=task.data), agent=AgentInfo(config=vf.AgentConfig())
            )
            trace.root_reply = text
            try:
                await task.score(trace)
            except vf.TaskError as error:
                found.append(str(error))
            else:
                found.append(round(trace.reward, 3))
    return found


async def _by_rubric(train: list[dict], said: tuple[str, ...]) -> list[object]:
    """Put the reward into a rubric and let it score rollouts, one by one and as a group."""
    import verifiers as vf  # noqa: PLC0415 - optional

    from gameproof.rewards import legacy_verifiers_reward  # noqa: PLC0415

    rows = [{**row, "prompt": [{"role": "user", "content": row["prompt"]}]} for row in train]
    rubric = vf.Rubric(funcs=[legacy_verifiers_reward(TV, rows)])
    states = [
        {
            "prompt": rows[0]["prompt"],
            "completion": [{"role": "assistant", "content": text}] if text else [],
            "answer": "",
            "task": "default",
            "info": {},
            "timing": {},
        }
        for text in said
    ]
    for state in states:
        await rubric.score_rollout(state)
    return [round(state["reward"], 3) for state in states]


if __name__ == "__main__":
    sys.exit(main())
