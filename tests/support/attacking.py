"""Texts, a metric that counts how often it is asked, and an attack on it."""

import asyncio
from dataclasses import dataclass

from gameproof.attacks.plan import Plan
from gameproof.attacks.run import Target, attack_metric
from gameproof.metrics.base import as_metric
from gameproof.records import Item
from gameproof.text import words

N_TASKS = 24


def items_of(n_tasks=N_TASKS):
    nouns = ("bridge", "garden", "novel", "engine", "lamp", "harbour")
    return [
        Item(
            id=f"t{task}/{system}",
            task_id=f"t{task}",
            candidate=f"The {nouns[task % 6]} number {task} was {mood}. It has {task + 2} parts. {more * (1 + task % 3)}",
            references=(f"The {nouns[task % 6]} has {task + 2} parts and was {mood}.",),
        )
        for task in range(n_tasks)
        for system, (mood, more) in enumerate(
            [("praised", "People like it."), ("ignored", "Nobody knows why.")]
        )
    ]


@dataclass
class Counter:
    """The number of words, counting how often it is asked."""

    n: int = 0

    def __call__(self, item):
        self.n += 1
        return float(len(words(item.candidate)))


def target_of(metric, quality=None):
    even = as_metric(lambda item: 1.0 + (len(item.id) + hash_of(item.id)) % 3, name="quality", version="1")
    return Target(search=metric, measure=metric, quality=quality or even)


def hash_of(text):
    return sum(text.encode())


def attack_with(items, target, **plan):
    settings = {"budget": 8, "universal_budget": 0, "strategy": "greedy", **plan}
    return asyncio.run(attack_metric(items, target, Plan(**settings)))
