"""How many calls of a model things take: exact numbers, changed on purpose only."""

import asyncio

import pytest
from tests.support.fake_model import FakeModel, honest

from gameproof.audits.checks import CheckSettings
from gameproof.audits.dry_run import count_run
from gameproof.audits.run import Run, run_audit
from gameproof.metrics.catalogue import build_metrics
from gameproof.perturbations.apply import make_variants
from gameproof.perturbations.catalogue import PERTURBATIONS
from gameproof.records import Dataset, Item

N_TASKS, N_ITEMS, N_STATEMENTS = 6, 12, 3
TOPICS = ("harbour", "railway", "library", "orchard", "vineyard", "museum")


def make_items():
    return tuple(
        Item(
            id=f"{topic}/{writer}",
            task_id=topic,
            candidate=f"The {topic} was flooded at dawn. Writer {writer} saw the {topic} closed by noon. It rained.",
            references=(
                f"The {topic} was flooded. Guards closed the {topic}. Nobody near the {topic} was hurt.",
            ),
        )
        for topic in TOPICS
        for writer in ("one", "two")
    )


def calls_of(name, items=None):
    """Prepare and score, and return the purposes of all calls."""
    model = FakeModel(honest)
    items = make_items() if items is None else items

    async def work():
        (metric,) = build_metrics([name], llm=model)
        scores = await (await metric.prepare(items)).score(items)
        assert not scores.reasons

    asyncio.run(work())
    return [request.purpose for request in model.requests]


@pytest.mark.parametrize(("name", "calls"), [("judge", N_ITEMS), ("judge,samples=3,scale=5", 3 * N_ITEMS)])
def test_a_judge_makes_one_call_for_each_candidate_and_sample(name, calls):
    assert calls_of(name) == ["judge"] * calls


@pytest.mark.parametrize(
    ("batch", "calls"),
    [
        ("reference", N_ITEMS * (1 + 4)),
        ("statement", N_ITEMS * (1 + 4) * N_STATEMENTS),
        ("candidate", N_ITEMS),
    ],
)
def test_an_oracle_makes_one_call_for_each_batch_of_statements(batch, calls):
    purposes = calls_of(f"TV+fvar+statement+oracle,neg=4,batch={batch}")
    assert purposes.count("decompose") == N_TASKS  # each reference once
    assert purposes.count("oracle") == calls
    assert len(purposes) == N_TASKS + calls


def test_direct_cells_ask_about_the_own_reference_only():
    assert calls_of("KL+direct+statement+oracle,decompose=rules.v1") == ["oracle"] * N_ITEMS


def test_report_cells_ask_once_for_each_pair():
    assert calls_of("TV+fvar+report+oracle,neg=4") == ["oracle"] * N_ITEMS * 5


def test_metrics_of_one_run_share_their_calls():
    model = FakeModel(honest)
    items = make_items()
    names = ["KL+fvar+statement+oracle", "CHI2+fvar+statement+oracle", "KL+direct+statement+oracle", "judge"]

    async def work():
        for metric in build_metrics(names, llm=model):
            await (await metric.prepare(items)).score(items)

    asyncio.run(work())
    assert len(model.requests) == N_TASKS + 5 * N_ITEMS + N_ITEMS


MODES = ("reference", "statement", "candidate")


@pytest.mark.parametrize(
    "names",
    [
        ["judge"],
        ["elicitation", "elicitation,agg=mv"],
        *([f"TV+fvar+statement+oracle,batch={mode}"] for mode in MODES),
        [
            "TV+fvar+report+oracle",
            "KL+direct+statement+oracle,decompose=rules.v1",
            "judge,samples=2",
            "rouge1",
        ],
    ],
    ids=str,
)
def test_case_30_a_dry_run_says_the_number_of_calls_the_run_then_makes(names):
    model = FakeModel(honest)
    dataset = Dataset(name="test", items=make_items())
    chosen = [row for row in PERTURBATIONS.values() if row.make is not None][:12]

    async def work():
        variants = list(make_variants(dataset.items, chosen, seed=0))
        counted = await count_run(dataset, chosen, variants, build_metrics(names, llm=model))
        assert not model.requests  # nothing was spent
        run = Run(dataset=dataset, perturbations=chosen, settings=CheckSettings(), seed=0)
        await run_audit(run, build_metrics(names, llm=model))
        return counted

    counted = asyncio.run(work())
    assert counted.calls == len(model.requests)
    by_stage = {row["stage"]: row["calls"] for row in counted.stages}
    assert by_stage == {
        purpose: sum(request.purpose == purpose for request in model.requests) for purpose in by_stage
    }
    assert bool(counted.notes) == ("statement+oracle,batch=statement" in names[0])
