"""What a reward costs a training besides the metric itself: the same batches scored by both, in turn.

Processor time of a batch, as a median: the clock of a busy machine says little. Completions are new in every batch, so
nothing is remembered; the last row repeats a batch, as a policy does that has settled.
"""

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import Callable

import gameproof
from gameproof.datasets.catalogue import load_dataset
from gameproof.rewards import as_reward, async_trl_reward, trl_reward, verl_reward
from gameproof.text import sentences

METRICS = ("rouge1", "rougeL", "TV+fvar+statement+overlap")
GROUP = 8  # completions of a prompt


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rewards")
    parser.add_argument("--batches", type=int, default=40)
    parser.add_argument("--size", type=int, default=64)
    asked = parser.parse_args()
    tasks = {item.task_id: item for item in load_dataset("planted").items}
    train = [{"prompt": task, "references": list(item.references)} for task, item in tasks.items()]
    batches = [_batch(train, asked.size, seed) for seed in range(asked.batches)]
    print(
        f"{asked.batches} batches of {asked.size} completions, {len(train)} prompts; milliseconds of processor time"
    )
    print(
        "| metric | metric alone | TRL | TRL, async | verl, one by one | known completions |\n| --- "
        + "| --- " * 5
        + "|"
    )
    for metric in METRICS:
        rows = _rows(metric, train, batches)
        alone = rows["alone"]
        shown = [
            f"{value:.2f} ({(value - alone) / asked.size * 1000:+.0f} us each)"
            for value in list(rows.values())[1:]
        ]
        print(f"| `{metric}` | {alone:.2f} | " + " | ".join(shown) + " |")


def _batch(train: list[dict], size: int, seed: int) -> tuple[list[int], list[str]]:
    """Return places of prompts and completions: sentences of any review, in any order."""
    rng = random.Random(seed)  # noqa: S311 - not cryptography
    pool = [sentence for row in train for sentence in sentences(row["references"][0])]
    places = [place for place in rng.sample(range(len(train)), size // GROUP) for _ in range(GROUP)]
    return places, [" ".join(rng.sample(pool, 8)) for _ in places]


def _rows(metric: str, train: list[dict], batches: list[tuple[list[int], list[str]]]) -> dict[str, float]:
    core = as_reward(metric, train)
    items, prepared = core.training.items, core.metric
    rewards = {"trl": trl_reward(metric, train), "async": async_trl_reward(metric, train)}
    verl = verl_reward(metric, [{**row, "ground_truth": row["references"]} for row in train])
    loop = asyncio.new_event_loop()

    def alone(places: list[int], said: list[str]) -> object:
        texts = [
            gameproof.Item(
                id=str(n), task_id=items[p].task_id, candidate=text, references=items[p].references
            )
            for n, (p, text) in enumerate(zip(places, said, strict=True))
        ]
        return loop.run_until_complete(prepared.score(texts))

    def trl(places: list[int], said: list[str]) -> object:
        return rewards["trl"](prompts=[train[place]["prompt"] for place in places], completions=said)

    def awaited(places: list[int], said: list[str]) -> object:
        prompts = [train[place]["prompt"] for place in places]
        return loop.run_until_complete(rewards["async"](prompts=prompts, completions=said))

    async def one_by_one(places: list[int], said: list[str]) -> object:
        calls = [verl("x", text, train[p]["references"], {}) for p, text in zip(places, said, strict=True)]
        return await asyncio.gather(*calls)

    ways: dict[str, Callable[[list[int], list[str]], object]] = {
        "alone": alone,
        "trl": trl,
        "async": awaited,
        "verl": lambda places, said: loop.run_until_complete(one_by_one(places, said)),
        "known": trl,
    }
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for places, said in batches:
        for name, way in ways.items():
            started = time.process_time()
            way(places, said)
            spent[name].append(1000 * (time.process_time() - started))
    loop.close()
    return {name: statistics.median(times[5:]) for name, times in spent.items()}  # the first fill memos


if __name__ == "__main__":
    main()
