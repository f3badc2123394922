"""Attack flawed and sound metrics on unseen planted worlds: who is gamed, and by how much.

    python -m benchmarks.attacks [--seeds 20] [--first 5000] [--tasks 34] [--budget 64] [--universal 0] [--only PATTERN]
    python -m benchmarks.attacks --settings [--seeds 4] [--tasks 12]     which setting of the metric lowers the gap
    python -m benchmarks.attacks --table FILE...                         what the lines of such runs come to

Each world has TASKS tasks in each of three domains and two texts a task. Quality is the planted truth. The flawed
metrics are written here, independently of the attack's code. The oracle is wrong in a tenth of the cases where it can
be, always in the same places, and those depend on the exact text, on its meaning, or on the statement alone; the judge is
the planted one with its tastes for length and hedges. A question holds all statements about a candidate (batch=candidate),
which changes no answer of the planted oracle and saves most of the prompts.
"""

import argparse
import hashlib
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np

import gameproof
from gameproof.datasets.planted import WorldSpec, make_world
from gameproof.metrics.base import as_metric, from_pair

TV = "TV+fvar+statement+oracle,batch=candidate"
WRONG = "planted:oracle,topic=0.1,negation=0.1,held_out=0.1"
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
TARGETS = (
    *((metric.name, metric, None) for metric in FLAWED),
    ("truth", "planted-reader", None),
    ("judge", "judge", "planted:judge"),
    ("TV, wrong by text", f"{TV},neg=4", WRONG),
    ("TV, wrong by meaning", f"{TV},neg=4", f"{WRONG},errs_by=meaning"),
    ("TV, wrong by statement", f"{TV},neg=4", f"{WRONG},errs_by=statement"),
    (
        "TV, never wrong",
        f"{TV},neg=4",
        "planted:oracle,topic=0,negation=0,held_out=0",
    ),
)
# What a user can set in the metric, the oracle wrong by text.
SETTINGS = (
    ("as above", f"{TV},neg=4"),
    ("16 negatives", f"{TV},neg=16"),
    ("base rates taken off", f"{TV},neg=4,control=base_rate"),
    ("rare statements count more", f"{TV},neg=4,weights=rarity"),
    ("first reference only", f"{TV},neg=4,refs=first"),
    ("three answers at temperature .7", f"{TV},neg=4,samples=3,temperature=0.7"),
    ("two decompositions", f"{TV},neg=4,decompositions=2"),
    ("seven bins", f"{TV},neg=4,critic=bins"),
    ("KL", f"{TV.replace('TV', 'KL', 1)},neg=4"),
    ("whole reports", "TV+fvar+report+oracle,neg=4"),
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=5000)
    parser.add_argument("--tasks", type=int, default=34)
    parser.add_argument("--budget", type=int, default=64)
    parser.add_argument("--universal", type=int, default=0)
    parser.add_argument("--only", default="", help="a pattern of the metric's name")
    parser.add_argument("--no-generic", action="store_true", help="no statement fits several tasks")
    parser.add_argument("--settings", action="store_true", help="one metric with each of its settings")
    parser.add_argument("--table", nargs="+", type=Path, help="files that earlier runs have printed")
    asked = parser.parse_args()
    if asked.table:
        _summarise([json.loads(line) for path in asked.table for line in path.open(encoding="utf-8")])
        return
    targets = [(name, metric, WRONG) for name, metric in SETTINGS] if asked.settings else TARGETS
    for seed in range(asked.first, asked.first + asked.seeds):
        world = WorldSpec(
            seed=seed,
            tasks_per_domain=asked.tasks,
            candidates=2,
            variants=frozenset(),
            generic_facts=not asked.no_generic,
        )
        data = make_world(world).dataset
        for name, metric, llm in targets:
            if re.search(asked.only, name):
                _attack(data, (metric, llm), name, seed, asked)


def _attack(data, target, name, seed, asked) -> None:
    metric, llm = target
    found = gameproof.attack(
        data, metric, llm=llm, budget=asked.budget, universal_budget=asked.universal, seed=seed, cache="off"
    ).results[0]
    result = found.largest.result
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
        **_ends(result.gap_interval),
        "smallest": found.smallest_gamed,
        "moves": {use.move: round(use.share, 3) for use in found.moves},
    }
    if found.universal is not None:
        other = found.universal.result
        row["universal"] = {
            "verdict": "gamed" if other.gamed else "held" if other.held else "inconclusive",
            "gain": _round(other.gain),
            "gap": _round(other.gap),
            **_ends(other.gap_interval),
            "place": found.universal.place,
            "text": found.universal.text,
        }
    print(json.dumps(row), flush=True)


def _ends(interval):
    return {
        "low": None if interval is None else _round(interval.low),
        "high": None if interval is None else _round(interval.high),
    }


def _round(value):
    return None if value is None else round(value, 3)


def _summarise(rows) -> None:
    """Print one line a metric: verdicts over seeds, the median gap, its lowest and highest end, and the moves."""
    names = list(dict.fromkeys(row["metric"] for row in rows))
    print("| metric | seeds | gamed | held | gain | quality | gap | lower ends | upper ends | moves |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in names:
        mine = [row for row in rows if row["metric"] == name]
        verdicts = Counter(row["verdict"] for row in mine)
        shares = Counter()
        for row in mine:
            shares.update(row["moves"])
        moves = ", ".join(f"{move} {share / len(mine):.0%}" for move, share in shares.most_common(3))
        cells = [
            name,
            len(mine),
            verdicts["gamed"],
            verdicts["held"],
            *(_median(mine, key) for key in ("gain", "quality", "gap")),
            _range(mine, "low"),
            _range(mine, "high"),
            moves,
        ]
        print("| " + " | ".join(str(cell) for cell in cells) + " |")


def _median(rows, key):
    found = [row[key] for row in rows if row[key] is not None]
    return f"{np.median(found):.2f}" if found else "-"


def _range(rows, key):
    found = [row[key] for row in rows if row[key] is not None]
    return f"{min(found):.2f} to {max(found):.2f}" if found else "-"


if __name__ == "__main__":
    main()
