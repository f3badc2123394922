"""CIDEr-D by pycocoevalcap 1.2: for each system, its candidates of all tasks scored together, all references."""

import json
import sys
from importlib.metadata import version

from pycocoevalcap.cider.cider_scorer import CiderScorer


def main():
    rows = json.load(sys.stdin)
    values = {"cider-d": [None] * len(rows), "cider-d,refs=first": [None] * len(rows)}
    # The program counts a task for each row, so each task may have one row: the texts are scored in as many
    # turns as a task has rows, and each turn has one row of every task (the first, where a task has fewer).
    tasks = {}
    for place, row in enumerate(rows):
        tasks.setdefault(row["task"], []).append(place)
    for name, most in (("cider-d", None), ("cider-d,refs=first", 1)):
        for turn in range(max(len(places) for places in tasks.values())):
            scorer, asked = CiderScorer(), []
            for places in tasks.values():
                place = places[turn] if turn < len(places) else places[0]
                asked.append(place)
                scorer += (rows[place]["candidate"], rows[place]["references"][:most])
            _, scores = scorer.compute_score()
            for place, score in zip(asked, scores, strict=True):
                values[name][place] = float(score)
    made_by = f"pycocoevalcap {version('pycocoevalcap')}, see by_cider.py"
    json.dump({"made_by": made_by, "values": values}, sys.stdout)


if __name__ == "__main__":
    main()
