"""Write fmi_vectors.json: f-mutual information of one small world, in 50-digit decimal arithmetic.

Independent of the package: the formulas are those of paper 1's Table 9 in the ratio itself, with the gauge
c = f(0) (1 + log 8 for reverse KL). Run: python tests/golden/make_fmi_vectors.py > tests/golden/fmi_vectors.json
"""

import json
import sys
from decimal import Decimal, getcontext

ONE, TWO, HALF = Decimal(1), Decimal(2), Decimal("0.5")

JOINT_COUNTS = [[14, 3, 1, 4], [2, 10, 5, 3], [1, 3, 9, 5]]
KERNEL = [["0.7", "0.2", "0.1"], ["0.1", "0.8", "0.1"], ["0.3", "0.3", "0.4"]]
BINS = [ONE / 8, ONE / 4, HALF, ONE, TWO, Decimal(4), Decimal(8)]


def sign(value):
    return Decimal((value > 0) - (value < 0))


def divergences():
    """symbol -> f(t), T*(r), f*(T*(r)), c"""
    return {
        "TV": (lambda t: abs(t - 1) / 2, lambda r: sign(r - 1) / 2, lambda r: sign(r - 1) / 2, HALF),
        "KL": (lambda t: t * t.ln(), lambda r: 1 + r.ln(), lambda r: r, Decimal(0)),
        "RKL": (lambda t: -t.ln(), lambda r: -1 / r, lambda r: r.ln() - 1, 1 + Decimal(8).ln()),
        "CHI2": (lambda t: (t - 1) ** 2, lambda r: 2 * (r - 1), lambda r: r * r - 1, ONE),
        "H2": (lambda t: (t.sqrt() - 1) ** 2, lambda r: 1 - 1 / r.sqrt(), lambda r: r.sqrt() - 1, ONE),
        "JS": (
            lambda t: (t * t.ln() - (t + 1) * ((t + 1) / 2).ln()) / 2,
            lambda r: (2 * r / (1 + r)).ln() / 2,
            lambda r: ((1 + r) / 2).ln() / 2,
            TWO.ln() / 2,
        ),
    }


def cells(joint):
    total = sum(sum(row) for row in joint)
    rows = [sum(row) / total for row in joint]
    columns = [sum(row[y] for row in joint) / total for y in range(len(joint[0]))]
    for x, row in enumerate(joint):
        for y, weight in enumerate(row):
            yield weight / total, rows[x] * columns[y]


def information(joint, f):
    return sum(q * f(p / q) for p, q in cells(joint))


def garbled(joint):
    kernel = [[Decimal(chance) for chance in row] for row in KERNEL]
    return [[sum(kernel[x][to] * joint[x][y] for x in range(3)) for y in range(4)] for to in range(3)]


def describe(f, critic, penalty, gauge):
    joint = [[Decimal(count) for count in row] for row in JOINT_COUNTS]
    merged = [[a + b for a, b in zip(joint[0], joint[1], strict=True)], joint[2]]
    return {
        "information": information(joint, f),
        "mean_matched_critic": sum(p * critic(p / q) for p, q in cells(joint)),
        "mean_mismatched_conjugate": sum(q * penalty(p / q) for p, q in cells(joint)),
        "after_garbling": information(garbled(joint), f),
        "after_merging_rows_0_and_1": information(merged, f),
        "gauge": gauge,
        "bins": [
            {
                "ratio": r,
                "generator": f(r),
                "critic": critic(r),
                "conjugate_of_critic": penalty(r),
                "joint": f(r) / r,
                "monotone": f(r) / r + gauge * (1 - 1 / r),
            }
            for r in BINS
        ],
    }


if __name__ == "__main__":
    getcontext().prec = 50
    json.dump(
        {
            "origin": "tests/golden/make_fmi_vectors.py: Python's decimal module, 50 digits, rounded to float64",
            "joint_counts": JOINT_COUNTS,
            "kernel": [[float(chance) for chance in row] for row in KERNEL],
            "divergences": {symbol: describe(*row) for symbol, row in divergences().items()},
        },
        sys.stdout,
        indent=1,
        default=float,
    )
    sys.stdout.write("\n")
