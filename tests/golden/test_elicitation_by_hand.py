"""ElicitationGPT on 240 pairs, worked out from the definition in plain Python: no program of the paper can serve.

A clerk stands for the model: the points of a text are its sentences, a rubric is the dozen points with the smallest
checksums, and a checksum decides who agrees. What that pays is computed here after Wu and Hartline (2024) from the
texts alone; no line of gameproof takes part. Points are numbered anew in every prompt, so a wrong place would show.
"""

import json
import re
import zlib
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from tests.support.fake_model import FakeModel, fences
from tests.support.golden import planted_pairs, summeval_pairs
from tests.support.scoring import score_items

from gameproof.metrics.catalogue import metric
from gameproof.records import Item

LIMIT = 12  # points of a cluster
SIDES = {"agree": 1, "disagree": 0, "na": None}


def checksum(*parts: str) -> int:
    return zlib.crc32("|".join(parts).encode())


def points_of(text: str) -> list[str]:
    found = [" ".join(part.split()) for part in text.split(".")]
    return list(dict.fromkeys(f"{part}." for part in found if re.search(r"\w", part)))


def rubric_of(points: list[str]) -> list[str]:
    return sorted(dict.fromkeys(points), key=checksum)[:LIMIT]


def side_of(text: str, point: str) -> str:
    return ("agree", "agree", "disagree", "na")[checksum(text, point) % 4]


def answer(request) -> str:
    shown = fences(request)
    if "ground_truth" in shown:
        made = points_of(shown["ground_truth"])
        return json.dumps({"points": [{"positive": each, "negative": f"Not so: {each}"} for each in made]})
    lines = dict(line.split(": ", 1) for line in shown["points"].splitlines())
    points = {name: line.split(" [opposite: ")[0] for name, line in lines.items()}
    if "text" not in shown:
        made = rubric_of(list(points.values()))
        return json.dumps({"points": [{"positive": each, "negative": f"Not so: {each}"} for each in made]})
    return json.dumps(
        {"verdicts": [{"id": name, "verdict": side_of(shown["text"], each)} for name, each in points.items()]}
    )


def paid(report: int | None, truth: int | None, p: Fraction) -> Fraction:
    """Return what the V-shaped rule pays, case by case as the paper defines it."""
    half = Fraction(1, 2)
    if report is None or truth is None:
        return half
    if p > half:
        return paid(1 - report, 1 - truth, 1 - p)
    earned = (truth - p) / (2 * (1 - p))
    return half if report == p else half + earned if report > p else half - earned


def worked_out(items: list[Item], *, agg: str, prior: str) -> list[float]:
    groups: dict[str, dict[str, set[str]]] = {}
    for item in items:
        groups.setdefault(item.group, {}).setdefault(item.task_id, set()).update(item.references)
    everything = {task: texts for tasks in groups.values() for task, texts in tasks.items()}
    rubrics: dict[str, dict[str, Fraction]] = {}
    for name, own in groups.items():
        tasks = own if len(own) >= 5 else everything  # a small group shares the cluster of the whole data
        truths = Counter(text for texts in tasks.values() for text in texts)
        points = rubric_of([each for text in truths for each in points_of(text)])
        rubrics[name] = {}
        for point in points:
            sides = [(SIDES[side_of(text, point)], n) for text, n in truths.items()]
            counted = [(side, n) for side, n in sides if prior == "all" or side is not None]
            rubrics[name][point] = Fraction(
                sum(n for side, n in counted if side == 1), sum(n for _, n in counted)
            )
    return [float(pay(item, rubrics[item.group], agg)) for item in items]


def pay(item: Item, priors: dict[str, Fraction], agg: str) -> Fraction:
    total = Fraction()
    for reference in item.references:
        row = {
            point: paid(SIDES[side_of(item.candidate, point)], SIDES[side_of(reference, point)], p)
            for point, p in priors.items()
        }
        if agg == "mv":
            believed = {
                point: paid(*[SIDES[side_of(item.candidate, point)]] * 2, p) for point, p in priors.items()
            }
            row = {point: value for point, value in row.items() if believed[point] == max(believed.values())}
        total += sum(row.values(), Fraction()) / len(row)
    return total / len(item.references)


CASES = [("av", "known"), ("av", "all"), ("mv", "known")]


def assert_equal(items: list[Item], agg: str, prior: str) -> None:
    spec = f"elicitation,agg={agg},prior={prior},points={LIMIT},refs=mean"
    scores = score_items(metric(spec, llm=FakeModel(answer)), items)
    expected = worked_out(items, agg=agg, prior=prior)
    assert not scores.reasons
    assert len(set(expected)) > len(items) / 2
    assert scores.values.tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("agg", "prior"), CASES)
def test_240_planted_pairs_are_paid_as_worked_out(agg: str, prior: str):
    assert_equal(planted_pairs(), agg, prior)


@pytest.mark.real_data
@pytest.mark.parametrize(("agg", "prior"), CASES)
def test_240_rated_summaries_are_paid_as_worked_out(shared_folder: Path, agg: str, prior: str):
    assert_equal(summeval_pairs(shared_folder), agg, prior)
