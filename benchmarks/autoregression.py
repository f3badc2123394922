"""Autoregression packed against loops over pairs: time, tokens put in, and the distance of the log-probabilities.

    OTHER/bin/python -m benchmarks.autoregression --model FOLDER_OR_GGUF [--data ITEMS.jsonl] [--check]

Every candidate is held against a reference of its own task and of four others, in 32-bit floats. Three ways:

    packed   candidates' frames once each, their references behind them under a tree mask, marginals once
    pairs    one plain pass a pair, and one a reference for its marginal; logits of the reference's tokens only
    again    the same, with the marginal computed anew for each pair

Rounds take turns, so that other work on the machine slows all of them. With ``--matched`` the benchmark instead
counts how often a candidate makes its own task's reference likelier than another task's, against what is likely
without any candidate. Needs the extra ``local``; the embedded data are used unless others are given.
"""

import argparse
import asyncio
import json
import sys
import time
from statistics import median

from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.llm.local.packing import Job, fewest_tokens
from gameproof.llm.providers.transformers_local import TransformersLocal
from gameproof.metrics.fmi import build_fmi
from gameproof.metrics.llm_calls import Askers

CELL = "KL+fvar+token+autoreg,refs=first,neg={neg}"
ENOUGH = {"pairs": 1.7, "again": 2.3}
MOST_TOKENS, MOST_NATS, FEWEST_MATCHED = 1.05, 1e-3, 0.9


def prepared_cell(items, model, neg):
    """Draw negatives as a run does, without scoring anything."""
    from gameproof.metrics.fmi_preparation import rehearse_on  # noqa: PLC0415 - beside its only use

    metric = build_fmi(CELL.format(neg=neg), ask=Askers(model).find)
    return asyncio.run(rehearse_on(items, metric.spec, metric.predictor, seed=0))


def make_jobs(scorer, prepared, items):
    """Return a job for each candidate, and one for the marginals of all references that they meet."""
    predictor, units = prepared.predictor.predictor, prepared.pool.units
    texts = {unit: scorer.framer.text(unit) for unit in units}
    jobs, met = [], {}
    for item in items:
        chosen = [units[int(place)] for place in prepared.plan(item).units]
        met.update(dict.fromkeys(chosen))
        frame = predictor.setting(item.candidate, None, chosen)
        beginning = scorer.framer.beginning(frame.messages)
        jobs.append(Job(beginning=beginning, branches=tuple(texts[unit] for unit in chosen)))
    nothing = scorer.framer.beginning(predictor.setting(None, None, ()).messages)
    return jobs, Job(beginning=nothing, branches=tuple(texts[unit] for unit in met))


def run(scorer, way, jobs, alone):
    """Return the sums of all pairs with their marginals, seconds, processor seconds and tokens put in."""
    forward = scorer.forward
    forward.n_tokens = 0
    started, used = time.perf_counter(), time.process_time()
    if way == "packed":
        *sums, _ = forward.packed([*jobs, alone], batch=8)
    else:
        sums = forward.plain(jobs, batch=1)
        if way == "pairs":
            forward.plain([alone], batch=1)
        else:
            forward.plain([Job(beginning=alone.beginning, branches=job.branches) for job in jobs], batch=1)
    return sums, time.perf_counter() - started, time.process_time() - used, forward.n_tokens


def compare(scorer, jobs, alone, rounds):
    seconds = {way: [] for way in ("packed", *ENOUGH)}
    used = {way: [] for way in seconds}
    sums, tokens = {}, {}
    run(scorer, "packed", jobs[:2], alone)  # the first passes of a process are slower
    for _ in range(rounds):
        for way, taken in seconds.items():
            sums[way], one, cpu, tokens[way] = run(scorer, way, jobs, alone)
            taken.append(one)
            used[way].append(cpu)
    apart = max(
        abs(one - other)
        for ones, others in zip(sums["packed"], sums["pairs"], strict=True)
        for one, other in zip(ones, others, strict=True)
    )
    return {
        "pairs": sum(len(job.branches) for job in jobs),
        "tokens_to_minimum": tokens["packed"] / fewest_tokens([*jobs, alone]),
        "tokens": tokens,
        "nats_apart": apart,
        "seconds": {way: round(median(values), 2) for way, values in seconds.items()},
        "times_faster": {way: round(median(seconds[way]) / median(seconds["packed"]), 2) for way in ENOUGH},
        "times_less_processor": {way: round(median(used[way]) / median(used["packed"]), 2) for way in ENOUGH},
    }


def count_matched(items, model):
    """Return how often the own reference gains more than another task's, and the gains."""
    metric = build_fmi(CELL.format(neg=1), ask=Askers(model).find)
    prepared = asyncio.run(metric.prepare(items)).prepared
    from gameproof.metrics.fmi_meetings import blocks_of, meet  # noqa: PLC0415 - beside its only use

    meetings = meet([prepared.plan(item) for item in items])
    found = asyncio.run(prepared.predictor.predict(blocks_of(meetings, items), "log_ratio"))
    gains = [row.tolist() for predictions in found for row in predictions.values]
    won = sum(own > other for own, other in gains)
    own, other = (sum(column) / len(gains) for column in zip(*gains, strict=True))
    return {
        "candidates": len(gains),
        "matched_wins": won / len(gains),
        "mean_gain": own,
        "mean_gain_other": other,
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", default="planted")
    parser.add_argument("--items", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--matched", action="store_true")
    parser.add_argument("--check", action="store_true", help="fail where a number falls short")
    options = parser.parse_args()
    dataset = open_dataset(options.data, DataOptions(group_by="all"))
    model = TransformersLocal(options.model)
    by_task = {item.task_id: item for item in reversed(dataset.items)}
    items = list(by_task.values())[: options.items]
    if options.matched:
        found = count_matched(items, model)
        good = found["matched_wins"] >= FEWEST_MATCHED
    else:
        scorer = model.text_scorer("fp32")
        prepared = prepared_cell(items, model, 4)
        found = compare(scorer, *make_jobs(scorer, prepared, items), options.rounds)
        good = (
            found["tokens_to_minimum"] <= MOST_TOKENS
            and found["nats_apart"] <= MOST_NATS
            and all(found["times_less_processor"][way] >= least for way, least in ENOUGH.items())
        )
    print(json.dumps(found))
    if options.check and not good:
        sys.exit("falls short")


if __name__ == "__main__":
    main()
