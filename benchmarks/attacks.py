"""Attack flawed and sound metrics on unseen planted worlds: who is gamed, and by how much.

    python -m benchmarks.attacks [--seeds 5] [--first 5000] [--tasks 34] [--budget 64]

Each world has TASKS tasks in each of three domains and two texts a task. Quality is the planted truth. The flawed
metrics are written here, independently of the attack's code; the oracle errs systematically (yes to the same topic in a
tenth of the cases, misses a tenth of the denials), the judge is the planted one with its tastes for length and hedges.
"""

import argparse
import hashlib
import json
import re

import gameproof
from gameproof.datasets.planted import WorldSpec, make_world
from gameproof.metrics.base import as_metric, from_pair

ORACLE = "TV+fvar+statement+oracle,neg=4"
HEDGES = re.compile(r"\b(?:may|might|perhaps|possibly|seems?|could|as far as)\b", re.IGNORECASE)


def _words(text):
    return set(re.findall(r"\w+", text.lower()))


def _share(candidate, reference):
    wanted = _words(reference)
    return len(wanted & _words(candidate)) / max(len(wanted), 1)


def _noise(item):
    digest = hashlib.sha256(item.candidate.encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**32


FLAWED = (
    as_metric(lambda item: len(item.candidate.split()), name="length lover", version="1"),
    as_metric(lambda item: len(HEDGES.findall(item.candidate)), name="hedge lover", version="1"),
    from_pair(
        lambda candidate, reference: _share(candidate[:80], reference), name="position reader", version="1"
    ),
    as_metric(lambda _item: 1.0, name="constant", version="1"),
    as_metric(_noise, name="noise", version="1"),
    from_pair(_share, name="order-blind recall", version="1"),
)
MODELS = (
    (ORACLE, "planted:oracle,topic=0.1,negation=0.1,held_out=0.1"),
    ("judge", "planted:judge"),
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=5000)
    parser.add_argument("--tasks", type=int, default=34)
    parser.add_argument("--budget", type=int, default=64)
    parser.add_argument("--universal", type=int, default=0)
    parser.add_argument("--only", default="", help="a part of the metric's name")
    asked = parser.parse_args()
    for seed in range(asked.first, asked.first + asked.seeds):
        world = WorldSpec(seed=seed, tasks_per_domain=asked.tasks, candidates=2, variants=frozenset())
        data = make_world(world).dataset
        targets = [(metric, None) for metric in (*FLAWED, gameproof.metric("planted-reader"))] + list(MODELS)
        for metric, llm in targets:
            name = metric if isinstance(metric, str) else metric.name
            if asked.only in name:
                _attack(data, (metric, llm), name, seed, asked)


def _attack(data, target, name, seed, asked) -> None:
    metric, llm = target
    found = gameproof.attack(
        data, metric, llm=llm, budget=asked.budget, universal_budget=asked.universal, seed=seed, cache="off"
    ).results[0]
    result = found.largest.result
    interval = result.gap_interval
    row = {
        "seed": seed,
        "metric": name,
        "texts": found.n_items,
        "tasks": found.n_tasks,
        "budget": found.budget,
        "verdict": found.verdict,
        "gain": _round(result.gain),
        "quality": _round(result.quality_gain),
        "gap": _round(result.gap),
        "low": None if interval is None else _round(interval.low),
        "high": None if interval is None else _round(interval.high),
        "smallest": found.smallest_gamed,
        "moves": [f"{use.move} {use.share:.0%}" for use in found.moves[:3]],
    }
    print(json.dumps(row), flush=True)


def _round(value):
    return None if value is None else round(value, 3)


if __name__ == "__main__":
    main()
