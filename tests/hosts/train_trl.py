"""Train a tiny policy with TRL's GRPO on a CPU, with rewards of gameproof, and print what became of it.

Run it in an environment that has trl: see README.md beside this file.
"""

import argparse
import json
import logging
import sys
import tempfile
from pathlib import Path

from tests.hosts.policy import make_policy, planted_training_set

from gameproof.rewards import async_trl_reward, trl_reward

TV = "TV+fvar+statement+overlap"
TRUTH = "truth"  # what a perfect reader finds of the references: watched, never trained on


def main() -> int:
    """Train, print the log's rows, and check what a training with a reward must show."""
    asked = _arguments()
    logging.disable(logging.WARNING)
    train = planted_training_set(asked.tasks)
    if asked.chat:
        train = [{**row, "prompt": [{"role": "user", "content": row["prompt"]}]} for row in train]
    make = async_trl_reward if asked.asynchronous else trl_reward
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "rewards.jsonl"
        reward = make(asked.metric, train, log=log)
        watched = make("planted-reader", train, name=TRUTH), make("length", train, name="words")
        history, n_moved = _train(train, [reward, *watched], asked, Path(folder))
        lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    for row in history:
        _print(row, reward.__name__)
    counts = reward.reward.counts
    sys.stdout.write(
        f"{counts.n} completions, {counts.n_cached} known, without a reward: {dict(counts.missing)}\n"
    )
    sys.stdout.write(f"signature in the log: {lines[-1]['signature']}\n")
    good = (
        n_moved > 0
        and len(lines) == asked.steps
        and all(line["signature"] == reward.reward.signature for line in lines)
        and all(isinstance(row[f"rewards/{reward.__name__}/mean"], float) for row in history)
    )
    sys.stdout.write(
        "trained, and every batch logged with its signature\n" if good else "NOT as it should be\n"
    )
    return 0 if good else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.hosts.train_trl")
    parser.add_argument("metric", nargs="?", default=TV)
    parser.add_argument("--async", dest="asynchronous", action="store_true")
    parser.add_argument("--chat", action="store_true", help="prompts and completions as messages")
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--tasks", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=5e-3)
    return parser.parse_args()


def _train(
    train: list[dict], rewards: list, asked: argparse.Namespace, folder: Path
) -> tuple[list[dict], int]:
    """Return the rows of the trainer's log, and how many tensors of weights the training has moved."""
    import torch  # noqa: PLC0415 - optional
    from datasets import Dataset  # noqa: PLC0415
    from trl import GRPOConfig, GRPOTrainer  # noqa: PLC0415

    torch.set_num_threads(1)
    model, tokenizer = make_policy(planted_training_set(asked.tasks), folder / "policy")
    before = [weights.detach().clone() for weights in model.parameters()]
    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=rewards,
        train_dataset=Dataset.from_list(train),
        args=GRPOConfig(
            output_dir=str(folder / "out"),
            max_steps=asked.steps,
            per_device_train_batch_size=32,
            num_generations=8,
            max_completion_length=16,
            learning_rate=asked.rate,
            lr_scheduler_type="constant",
            beta=0.0,
            reward_weights=[1.0] + [0.0] * (len(rewards) - 1),
            logging_steps=max(asked.steps // 6, 1),
            seed=asked.seed,
            use_cpu=True,
            bf16=False,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            log_level="error",
        ),
    )
    from transformers.trainer_callback import PrinterCallback  # noqa: PLC0415

    trainer.remove_callback(PrinterCallback)
    trainer.train()
    moved = sum(not torch.equal(old, new) for old, new in zip(before, model.parameters(), strict=True))
    return [row for row in trainer.state.log_history if "reward" in row], moved


def _print(row: dict, name: str) -> None:
    shown = [f"step {row['step']:4d}"]
    shown += [f"{each} {row[f'rewards/{each}/mean']:8.3f}" for each in (name, TRUTH, "words")]
    shown.append(f"missing {row.get(f'rewards/{name}/missing', 0):.3f}")
    sys.stdout.write("   ".join(shown) + "\n")


if __name__ == "__main__":
    sys.exit(main())
