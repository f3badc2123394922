"""Score completions through verl's own reward managers, with the reward named in verl's config by path and name.

Run it in an environment that has verl, as a file: one of its dependencies installs a package called tests. README.md
beside this file says how.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from policy import make_policy, planted_training_set

TV = "TV+fvar+statement+overlap"


def main() -> int:
    """Score own references, those of the next task, and nothing, with each manager; print and check the rewards."""
    train = planted_training_set(12)
    with tempfile.TemporaryDirectory() as folder:
        _, tokenizer = make_policy(train, Path(folder) / "policy")
        path = Path(folder) / "train.jsonl"
        rows = [_row(row, number) for number, row in enumerate(train)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        good = all(_one_at_a_time(name, path, rows, tokenizer) for name in ("naive", "dapo"))
        good = _in_batches(path, rows, tokenizer) and good
    sys.stdout.write("scored as it should be\n" if good else "NOT as it should be\n")
    return 0 if good else 1


def _row(row: dict, number: int) -> dict:
    """Return a row as verl's data sets have it."""
    return {
        "data_source": "planted",
        "prompt": [{"role": "user", "content": row["prompt"]}],
        "ability": "review",
        "reward_model": {"style": "rule", "ground_truth": row["references"]},
        "extra_info": {"split": "train", "index": number},
    }


def _said(rows: list[dict]) -> list[list[str]]:
    """Return three completions for each of two tasks, as sentences: own, another task's, none."""
    from gameproof.text import sentences  # noqa: PLC0415

    texts = [sentences(row["reward_model"]["ground_truth"][0]) for row in rows]
    return [texts[0], texts[1], [], texts[1], texts[2], []]


def _batch(rows: list[dict], tokenizer):
    """Return the completions as verl holds them: padded ids, and the columns of their rows."""
    import numpy as np  # noqa: PLC0415
    import torch  # noqa: PLC0415
    from verl import DataProto  # noqa: PLC0415

    said = _said(rows)
    longest = max(map(len, said)) + 1
    ids = torch.zeros((len(said), longest), dtype=torch.long)
    mask = torch.zeros_like(ids)
    for number, words in enumerate(said):
        found = tokenizer("\n".join(words)).input_ids if words else []
        ids[number, : len(found) + 1] = torch.tensor([*found, tokenizer.eos_token_id])
        mask[number, : len(found) + 1] = 1
    prompts = torch.zeros((len(said), 1), dtype=torch.long)
    mask = torch.cat([torch.ones_like(prompts), mask], dim=1)
    chosen = [rows[0]] * 3 + [rows[1]] * 3
    columns = {
        "data_source": np.array([row["data_source"] for row in chosen], dtype=object),
        "reward_model": np.array([row["reward_model"] for row in chosen], dtype=object),
        "extra_info": np.array([dict(row["extra_info"]) for row in chosen], dtype=object),
    }
    return DataProto.from_dict(
        tensors={"prompts": prompts, "responses": ids, "attention_mask": mask}, non_tensors=columns
    )


def _one_at_a_time(manager: str, path: Path, rows: list[dict], tokenizer) -> bool:
    from omegaconf import OmegaConf  # noqa: PLC0415
    from verl.trainer.ppo.reward import load_reward_manager  # noqa: PLC0415

    config = OmegaConf.create(
        {
            "reward": {
                "custom_reward_function": {
                    "path": "pkg://gameproof.rewards.verl",
                    "name": "compute_score",
                    "reward_kwargs": {"metric": TV, "train": str(path)},
                },
                "reward_manager": {"source": "register", "name": manager},
            }
        }
    )
    loaded = load_reward_manager(config, tokenizer)
    batch = _batch(rows, tokenizer)

    async def all_of_them():
        return await asyncio.gather(*(loaded.run_single(batch[n : n + 1]) for n in range(len(batch))))

    found = loaded.loop.run_until_complete(all_of_them())
    _print(manager, [row["reward_extra_info"] for row in found])
    tensor = loaded.assemble_rm_scores(batch, [row["reward_score"] for row in found])
    finite = bool(tensor.isfinite().all()) and tuple(tensor.shape) == tuple(batch.batch["responses"].shape)
    return finite and _is_right([row["reward_extra_info"] for row in found])


def _in_batches(path: Path, rows: list[dict], tokenizer) -> bool:
    from verl.workers.reward_manager.batch import BatchRewardManager  # noqa: PLC0415

    from gameproof.rewards.verl import compute_score_batch  # noqa: PLC0415

    manager = BatchRewardManager(
        tokenizer, num_examine=0, compute_score=compute_score_batch, metric=TV, train=str(path)
    )
    found = manager(_batch(rows, tokenizer), return_dict=True)
    extra = found["reward_extra_info"]
    scored = [
        {"score": score, "reward_missing": missing}
        for score, missing in zip(extra["score"], extra["reward_missing"], strict=True)
    ]
    _print("batch", scored)
    return bool(found["reward_tensor"].isfinite().all()) and _is_right(scored)


def _print(manager: str, scored: list[dict]) -> None:
    shown = "  ".join(f"{row['score']:.3f}{' (floor)' if row['reward_missing'] else ''}" for row in scored)
    sys.stdout.write(f"{manager:6}  own, another's, nothing, twice:  {shown}\n")


def _is_right(scored: list[dict]) -> bool:
    """Own references above those of other tasks; nothing said gets the floor, and says so."""
    return all(
        own["score"] > other["score"]
        and [row["reward_missing"] for row in (own, other, nothing)] == [0, 0, 1]
        for own, other, nothing in (scored[:3], scored[3:])
    )


if __name__ == "__main__":
    sys.exit(main())
