"""Surface statistics by SummEval's own package (summ_eval 0.892), which has the Newsroom paper's code.

The package does not install beside today's libraries, so the file with its fragments is loaded by itself: give
the folder the wheel was unpacked in. Its n-gram shares stand in a module that loads spaCy on import; they are
computed here in the steps it takes: different n-grams, as sets and a Counter. ``longest`` is the definition of
the paper by brute force: every run from each word, looked up in the joined text of the source.
"""

import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path


def load_fragments(folder):
    path = Path(folder) / "summ_eval" / "data_stats_utils.py"
    spec = importlib.util.spec_from_file_location("data_stats_utils", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Fragments


def longest(summary, text):
    joined = " " + " ".join(text) + " "
    lengths, start = [], 0
    while start < len(summary):
        ends = [
            end for end in range(len(summary), start, -1) if f" {' '.join(summary[start:end])} " in joined
        ]
        length = ends[0] - start if ends else 0
        lengths += [length] if length else []
        start += max(length, 1)
    return lengths


def ngrams(row, n):
    return list(zip(*[row[start:] for start in range(n)], strict=False))


def main():
    fragments = load_fragments(sys.argv[1])
    values = {}
    for row in json.load(sys.stdin):
        summary, text = row["candidate"].split(), row["source"].split()
        old, runs = fragments(summary, text), longest(summary, text)
        found = {
            "coverage": sum(runs) / len(summary),
            "density": sum(run * run for run in runs) / len(summary),
            "coverage,compat=newsroom": old.coverage(),
            "density,compat=newsroom": old.density(),
            "compression": old.compression(),
        }
        for n in (1, 2, 3):
            own, other = ngrams(summary, n), set(ngrams(text, n))
            found[f"novel,n={n}"] = len(set(own) - other) / len(set(own))
            found[f"repeated,n={n}"] = sum(count > 1 for count in Counter(own).values()) / len(set(own))
        for name, value in found.items():
            values.setdefault(name, []).append(value)
    made_by = "summ_eval 0.892 (data_stats_utils.Fragments) and brute force, see by_surface.py"
    json.dump({"made_by": made_by, "values": values}, sys.stdout)


if __name__ == "__main__":
    main()
