import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from gameproof import aio
from gameproof.datasets.planted import WorldSpec, make_world
from gameproof.llm.asking import Asker
from gameproof.llm.client import Reply, Request
from gameproof.llm.providers.planted import PlantedRewriter
from gameproof.perturbations.written import NOT_AS_NAMED
from gameproof.records import Dataset

NAMES = ("sentence_deletion", "rephrase", "lengthen")
FAULTLESS = "planted:oracle,held_out=0,negation=0,topic=0"


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    world = make_world(WorldSpec(seed=91, tasks_per_domain=3, candidates=1))
    return replace(world.dataset, variants=())


class Counting:
    """Counts what another model is asked."""

    def __init__(self) -> None:
        self.inner = PlantedRewriter(wrong=0.3)
        self.name = "counting"
        self.asked: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return await self.inner.complete(request)

    async def close(self) -> None:
        pass


def test_an_audit_measures_what_a_rewriter_wrote_and_says_what_was_dropped(dataset: Dataset, tmp_path: Path):
    run = tmp_path / "run"
    result = asyncio.run(
        aio.audit(
            dataset, ["rougeL"], out=run, perturbations=NAMES, rewriter=PlantedRewriter(wrong=0.3),
            verify=FAULTLESS,
        )
    )  # fmt: skip
    rows = {row.check: row for row in result.metrics[0].checks}
    assert rows["rephrase"].effect is not None
    notes = " ".join(map(str, result.run["notes"]))  # type: ignore[call-overload]
    assert f"rewrites written by planted:rewriter, verified by {FAULTLESS}" in notes
    review = [json.loads(line) for line in (run / "review.jsonl").read_text().splitlines()]
    assert {row["verdict"] for row in review} == {"keep", "drop"}
    variants = [json.loads(line) for line in (run / "variants.jsonl").read_text().splitlines()]
    dropped = [row for row in variants if (row["reason"] or "").startswith(NOT_AS_NAMED)]
    assert len(dropped) == sum(row["verdict"] == "drop" for row in review)


def test_a_second_run_in_the_same_folder_writes_nothing_again(dataset: Dataset, tmp_path: Path):
    for n_asked in (9, 0):
        writer = Counting()
        asyncio.run(
            aio.audit(dataset, ["length"], out=tmp_path / "run", perturbations=["rephrase"], rewriter=writer)
        )
        assert len(writer.asked) == n_asked


def test_a_dry_run_counts_the_calls_that_the_run_makes(dataset: Dataset):
    planned = asyncio.run(aio.dry_run(dataset, ["length"], perturbations=NAMES, rewriter=Counting()))
    writer = Counting()
    asyncio.run(aio.audit(dataset, ["length"], perturbations=NAMES, rewriter=writer))
    assert planned.calls == len(writer.asked) == 27
    assert "dropped" in planned.notes[-1]


def test_perturb_counts_what_it_would_write_and_writes_nothing(dataset: Dataset, tmp_path: Path):
    writer = Counting()
    given = {"perturbations": NAMES, "rewriter": writer}
    planned = asyncio.run(aio.plan_perturb(dataset, **given))
    assert not writer.asked
    asyncio.run(aio.perturb(dataset, out=tmp_path / "variants.jsonl", **given))
    assert planned.calls == len(writer.asked) == 27
    assert [row["perturbation"] for row in planned.checks] == list(NAMES)


def test_a_review_file_that_a_person_edited_is_fed_back_without_asking_again(
    dataset: Dataset, tmp_path: Path
):
    out = tmp_path / "variants.jsonl"
    writer = Counting()
    asyncio.run(aio.perturb(dataset, out=out, perturbations=["rephrase"], rewriter=writer, verify=FAULTLESS))
    review = tmp_path / "variants.review.jsonl"
    rows = [json.loads(line) for line in review.read_text().splitlines()]
    assert len(rows) == len(writer.asked) == 9
    review.write_text("".join(json.dumps(row | {"verdict": "keep"}) + "\n" for row in rows))
    run = tmp_path / "run"
    again = Counting()
    asyncio.run(
        aio.audit(dataset, ["length"], out=run, perturbations=["rephrase"], variants=review, rewriter=again)
    )
    assert again.asked == []
    used = [json.loads(line) for line in (run / "variants.jsonl").read_text().splitlines()]
    assert [row["text"] for row in used] == [row["text"] for row in rows]


def test_without_a_rewriter_the_same_variants_are_not_measured(dataset: Dataset):
    result = asyncio.run(aio.audit(dataset, ["length"], perturbations=NAMES))
    rows = {row.check: row for row in result.metrics[0].checks}
    assert rows["rephrase"].effect is None


def test_a_metric_that_judges_what_its_own_kind_wrote_is_noted(dataset: Dataset):
    from gameproof.audits.rewriting import Rewriting  # noqa: PLC0415

    class Metric:
        name = "judge"

        def signature(self) -> str:
            return "judge,llm=claude-haiku-4.5,prompt=score.v1"

    writer = Counting()
    writer.name = "anthropic:claude-sonnet-5"
    (by, misses, note) = Rewriting(writer=Asker(writer)).notes((), (), [Metric()])  # type: ignore[list-item]
    assert "verified by their words (overlap)" in by
    assert "counted words do not read meaning" in misses
    assert "of one family" in note
    del dataset
