"""Worlds in which the effect is exactly 0, or exactly the margin, and naive tests go wrong."""

from collections.abc import Callable

import numpy as np

from gameproof.stats.paired import PairedSample

# Of a generator, an effect in units of s_av, and how many variants of the same originals there are.
World = Callable[[np.random.Generator, float, int], list[PairedSample]]


def shared_negatives(
    *, n_tasks: int, items_per_task: int, negatives_of: str = "item", sd_reference=0.5, sd_item=0.3
) -> World:
    """Make the whole change come through references that serve many tasks as negatives.

    Every reference reacts to each variant in its own way, wherever it is used; each is used equally often.

    Args:
        n_tasks: Tasks.
        items_per_task: Items of each.
        negatives_of: ``item`` draws four references for each item, ``task`` four for all items of a task.
        sd_reference: How differently references react.
        sd_item: Noise of each item.
    """
    n, m = n_tasks * items_per_task, 4
    tasks = np.repeat(np.arange(n_tasks), items_per_task)

    def world(rng: np.random.Generator, effect: float, n_variants: int = 1) -> list[PairedSample]:
        n_draws = items_per_task if negatives_of == "item" else 1
        steps = np.stack([rng.permutation(n_tasks - 1)[:m] + 1 for _ in range(n_draws)])
        order = rng.permutation(n_tasks)  # neighbours in a random circle: a regular design
        place = np.argsort(order)
        drawn = order[(place[tasks][:, None] + steps[np.arange(n) % n_draws]) % n_tasks]
        before = 0.3 * rng.normal(size=(n, m))
        matched = rng.normal(size=n)
        original = matched - before.mean(axis=1)
        variance = 1 + 0.3**2 / m
        moved_variance = variance + sd_item**2 + (sd_reference**2 + 0.1**2) / m
        shift = effect * np.sqrt((variance + moved_variance) / 2)
        samples: list[PairedSample] = []
        for _ in range(n_variants):
            reaction = sd_reference * rng.normal(size=n_tasks)
            after = before + reaction[drawn] + 0.1 * rng.normal(size=(n, m))
            variant = matched + sd_item * rng.normal(size=n) - after.mean(axis=1) + shift
            samples.append(
                PairedSample(
                    tasks=tasks,
                    original=original,
                    variant=variant,
                    negative_tasks=drawn,
                    original_negatives=before,
                    variant_negatives=after,
                )
            )
        return samples

    return world


def sparse_gains(*, n_tasks: int, items_per_task: int, share: float = 0.08, noise: float = 0.1) -> World:
    """Let a small share of the items gain a lot and the others nothing.

    No effect can be larger than the square root of 2 share / (1 - share), for the gain itself spreads scores.
    """
    tasks = np.repeat(np.arange(n_tasks), items_per_task)

    def world(rng: np.random.Generator, effect: float, n_variants: int = 1) -> list[PairedSample]:
        original = rng.normal(size=tasks.size)
        samples: list[PairedSample] = []
        for _ in range(n_variants):
            hits = (rng.random(tasks.size) < share).astype(float)
            change = noise * rng.normal(size=tasks.size)
            if effect:
                # share x gain = effect x s_av, and s_av grows with the gain: solve for the gain.
                spread = 1 + noise**2 / 2
                gain = np.sqrt(effect**2 * spread / (share**2 - effect**2 * share * (1 - share) / 2))
                change += gain * hits
            else:
                change += 1.25 * (hits - share)
            samples.append(PairedSample(tasks=tasks, original=original, variant=original + change))
        return samples

    return world


def close_pairs(*, n_tasks: int, correlation: float) -> World:
    """Make originals and variants correlate so closely that the spread of scores decides at a margin."""
    tasks = np.arange(n_tasks)

    def world(rng: np.random.Generator, effect: float, n_variants: int = 1) -> list[PairedSample]:
        original = rng.normal(size=n_tasks)
        samples: list[PairedSample] = []
        for _ in range(n_variants):
            noise = np.sqrt(1 - correlation**2) * rng.normal(size=n_tasks)
            variant = correlation * original + noise + effect
            samples.append(PairedSample(tasks=tasks, original=original, variant=variant))
        return samples

    return world
