"""Several workers give the bytes that one process gives, also when some of them die."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.fake_crew import FakeCrew
from tests.support.stub_server import StubServer, serve_model

from gameproof import files
from gameproof.audits.applicable import choose_checks
from gameproof.audits.checks import CheckSettings, parse_margin
from gameproof.audits.run import Run, run_audit_with_scores
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.engine import partition
from gameproof.engine.distributed import Distributed
from gameproof.engine.distributed_rows import score_parts_to_file, score_parts_to_memory
from gameproof.engine.drawn import DrawnScores, drawn_numbers
from gameproof.engine.scoring import score_to_file, score_to_memory
from gameproof.engine.summary import ScoreTable
from gameproof.errors import BudgetError, PlanError
from gameproof.llm.limits import Limits
from gameproof.llm.pool import ModelPool
from gameproof.llm.providers.planted import open_planted
from gameproof.llm.store import CallStore
from gameproof.metrics.base import Metric, as_metric
from gameproof.metrics.catalogue import build_metrics
from gameproof.reports.result_json import render_json

METRICS = ("rougeL", "cider-d", "TV+fvar+statement+overlap,neg=4", "KL+direct+report+overlap")
ORACLE = "TV+fvar+statement+oracle,neg=2"


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition, "BATCH_SIZE", 4)


@pytest.fixture
def items():
    return open_dataset("planted", DataOptions(sample=60)).items


def distributed(crew: FakeCrew, models: ModelPool | None = None, parts: Path | None = None) -> Distributed:
    return Distributed(crew=crew, models=models or ModelPool(cache="off"), seed=0, parts=parts)


async def prepared(names, items, models=None) -> list[Metric]:
    built = build_metrics(names, seed=0) if models is None else build_metrics(names, seed=0, llm=models)
    return [await metric.prepare(items) for metric in built]


def score_both(items, names, folder: Path, crew: FakeCrew, ending: str) -> tuple[ScoreTable, ScoreTable]:
    """Score in one process and with a crew; the files are ``one`` and ``many``."""

    async def work() -> tuple[ScoreTable, ScoreTable]:
        metrics = await prepared(names, list(items))
        drawn = [DrawnScores(seed=0), DrawnScores(seed=0)]
        one = await score_to_file(items, metrics, folder / f"one{ending}", drawn=drawn[0])
        metrics = await prepared(names, list(items))
        many = await score_parts_to_file(
            distributed(crew), items, metrics, folder / f"many{ending}", drawn=drawn[1]
        )
        assert drawn[0].texts() == drawn[1].texts()
        for place in range(len(names)):
            first, second = drawn[0].scores(place), drawn[1].scores(place)
            assert first is not None
            assert second is not None
            np.testing.assert_array_equal(first.values, second.values)
            assert (first.item_ids, first.reasons, first.remarks) == (
                second.item_ids,
                second.reasons,
                second.remarks,
            )
        return one, many

    return asyncio.run(work())


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet", ".jsonl.gz"])
def test_rows_are_the_same_bytes_while_workers_die(items, tmp_path: Path, ending: str):
    crew = FakeCrew(n_workers=3, dies=frozenset({2, 5, 6}))
    one, many = score_both(items, METRICS, tmp_path, crew, ending)
    assert (tmp_path / f"many{ending}").read_bytes() == (tmp_path / f"one{ending}").read_bytes()
    assert [each.record() for each in many.summaries] == [each.record() for each in one.summaries]
    assert set(crew.finished.values()) == {1}
    assert len(crew.finished) == 15  # 60 texts in batches of 4
    assert sum(crew.started.values()) == 3 + 3
    assert not (tmp_path / f"many{ending}.parts").exists()


@pytest.fixture(params=["a folder", "one file", "lines"])
def stored(request, items, tmp_path: Path) -> Path:
    """Return texts in files, with a row among them that comes twice and one without a text."""
    rows = [
        {
            "id": item.id,
            "task_id": item.task_id,
            "candidate": item.candidate,
            "references": list(item.references),
        }
        for item in items
    ]
    rows[7]["candidate"] = ""
    rows.insert(20, rows[3])
    if request.param == "lines":
        files.write_rows(tmp_path / "items.jsonl", rows)
        return tmp_path / "items.jsonl"
    if request.param == "one file":
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "items.parquet", row_group_size=9)
        return tmp_path / "items.parquet"
    (tmp_path / "items").mkdir()
    for start in range(0, len(rows), 17):
        part = pa.Table.from_pylist(rows[start : start + 17])
        pq.write_table(part, tmp_path / "items" / f"{start:03d}.parquet")
    return tmp_path / "items"


def test_workers_read_their_own_parts_of_files(stored: Path, tmp_path: Path):
    with files.open_items(stored) as stream:
        stream.validate()
        crew = FakeCrew(dies=frozenset({4}))
        one, many = score_both(stream, ("rougeL", "length"), tmp_path, crew, ".jsonl")
    assert (tmp_path / "many.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()
    assert [each.record() for each in many.summaries] == [each.record() for each in one.summaries]
    assert one.n_rows == 2 * 60


def test_scores_in_memory_are_the_same(items):
    async def work() -> None:
        drawn = [DrawnScores(seed=0), DrawnScores(seed=0)]
        one = await score_to_memory(items, await prepared(METRICS, items), drawn=drawn[0])
        crew = distributed(FakeCrew(dies=frozenset({1})))
        many = await score_parts_to_memory(crew, items, await prepared(METRICS, items), drawn=drawn[1])
        assert list(one.rows()) == list(many.rows())
        assert [each.record() for each in one.summaries] == [each.record() for each in many.summaries]
        for first, second in zip(one.scores, many.scores, strict=True):
            if first.contrast is not None and second.contrast is not None:
                assert first.contrast.negatives.tolist() == second.contrast.negatives.tolist()
            assert (first.contrast is None) == (second.contrast is None)

    asyncio.run(work())


def test_a_part_that_is_there_is_not_done_again(items, tmp_path: Path):
    async def work(crew: FakeCrew, names=METRICS[:1]) -> None:
        run = distributed(crew, parts=tmp_path / "parts")
        metrics = await prepared(names, items)
        await score_parts_to_file(run, items, metrics, tmp_path / "scores.jsonl", drawn=DrawnScores(seed=0))

    first, second, third = FakeCrew(), FakeCrew(), FakeCrew()
    asyncio.run(work(first))
    rows = (tmp_path / "scores.jsonl").read_bytes()
    gone = sorted((tmp_path / "parts").glob("*.jsonl"))[4]
    gone.unlink()
    asyncio.run(work(second))
    assert len(first.finished) == 15
    assert list(second.finished) == ["scoring texts 17 to 20"]
    assert (tmp_path / "scores.jsonl").read_bytes() == rows
    asyncio.run(work(third, ["rouge1"]))  # other scores are other parts
    assert len(third.finished) == 15


def test_a_function_without_a_version_is_scored_again(items, tmp_path: Path):
    metric = as_metric(_count_letters, name="letters")

    async def work(crew: FakeCrew) -> None:
        run = distributed(crew, parts=tmp_path / "parts")
        await score_parts_to_file(run, items, [metric], tmp_path / "out.jsonl", drawn=DrawnScores(seed=0))

    crews = [FakeCrew(), FakeCrew()]
    for crew in crews:
        asyncio.run(work(crew))
    assert [len(crew.finished) for crew in crews] == [15, 15]


def _count_letters(item) -> float:
    return float(len(item.candidate))


def test_a_metric_that_no_process_can_be_sent_is_refused(items, tmp_path: Path):
    metric = as_metric(lambda _: 1.0, name="here", version="1")
    with pytest.raises(PlanError, match="cannot be sent to worker processes"):
        asyncio.run(
            score_parts_to_file(
                distributed(FakeCrew()), items, [metric], tmp_path / "x.jsonl", drawn=DrawnScores(seed=0)
            )
        )


@pytest.mark.parametrize("n_texts", [0, 5, 50, 51, 300])
def test_the_texts_that_are_drawn_are_known_before_they_come(n_texts: int, items):
    drawn = DrawnScores(seed=3, most=50)
    numbered = [items[number % len(items)] for number in range(n_texts)]
    drawn.add(numbered, [])
    numbers = drawn_numbers(n_texts, seed=3, most=50)
    assert drawn.texts() == [numbered[number] for number in numbers]
    assert drawn.n_seen == n_texts


def audit(names, crew: FakeCrew | None, folder: Path) -> dict[str, bytes]:
    """Audit into a run folder; return the result and what the folder holds."""

    async def work() -> dict[str, object]:
        chosen, dataset = choose_checks(open_dataset("planted", DataOptions(sample=60)), "all", None)
        with files.RunFolder.open(folder) as opened:
            run = Run(
                dataset=dataset,
                perturbations=chosen,
                settings=CheckSettings(margin=parse_margin(".10"), seed=0),
                seed=0,
                folder=opened,
                crew=None if crew is None else distributed(crew),
            )
            found = await run_audit_with_scores(run, build_metrics(names, seed=0))
        record = render_json(found.result)
        record["run"]["folder"] = None
        for metric in record["metrics"]:
            metric["summary"]["seconds"] = None
        return record

    record = asyncio.run(work())
    held = {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if path.is_file() and "manifest" not in path.name
    }
    return {"result": json.dumps(record, sort_keys=True).encode(), **held}


def test_an_audit_is_the_same_while_workers_die(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(partition, "BATCH_SIZE", 16)
    one = audit(METRICS[::2], None, tmp_path / "one")
    crew = FakeCrew(n_workers=3, dies=frozenset({1, 9, 20}))
    many = audit(METRICS[::2], crew, tmp_path / "many")
    assert many == one
    assert {"scores.jsonl", "variants.jsonl", "items.jsonl", "contrasts.npz"} <= set(one)
    assert set(crew.finished.values()) == {1}
    assert not (tmp_path / "many" / "parts").exists()


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What scoring with an oracle came to."""

    rows: bytes
    notes: list[str]
    n_counted: int  # calls, as the run counts them
    n_arrived: int  # calls, as the endpoint does
    n_stored: int
    left: list[str]  # files of workers


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(serve_model(open_planted("planted:oracle"))) as started:
        yield started


def ask(items, server: StubServer, crew: FakeCrew | None, store: Path | str, **limits) -> Asked:
    """Score with an oracle over HTTP, in one process or with a crew."""
    before = len(server.calls)
    with TemporaryDirectory() as folder:
        out = Path(folder, "scores.jsonl")

        async def work() -> tuple[int, list[str]]:
            models = ModelPool(f"stub@{server.url}", cache=store, limits=Limits(**limits))
            async with models:
                metrics = await prepared([ORACLE], items, models)
                drawn = DrawnScores(seed=0)
                if crew is None:
                    await score_to_file(items, metrics, out, drawn=drawn)
                else:
                    await score_parts_to_file(distributed(crew, models), items, metrics, out, drawn=drawn)
            notes = [note for metric in metrics for note in getattr(metric, "notes", ())]
            return sum(usage.calls for usage in models.usages()), notes

        n_counted, notes = asyncio.run(work())
        n_stored = 0
        if store != "off":
            with closing(CallStore(store)) as kept:
                n_stored = len(list(kept.calls()))
        left = [path.name for path in Path(folder).rglob("calls-*")]
        return Asked(
            rows=out.read_bytes(),
            notes=notes,
            n_counted=n_counted,
            n_arrived=len(server.calls) - before,
            n_stored=n_stored,
            left=left,
        )


def test_calls_of_workers_are_merged_and_those_of_dead_ones_are_not_paid_twice(items, server, tmp_path: Path):
    one = ask(items, server, None, tmp_path / "one.sqlite")
    crew = FakeCrew(n_workers=2, dies=frozenset({2, 6}))
    many = ask(items, server, crew, tmp_path / "many.sqlite")
    assert many.rows == one.rows
    assert many.notes == one.notes
    assert many.n_arrived == one.n_arrived
    assert many.n_stored == one.n_stored == one.n_arrived
    assert not many.left
    again = ask(items, server, FakeCrew(), tmp_path / "many.sqlite")
    assert (again.rows, again.n_arrived) == (one.rows, 0)


def test_workers_share_a_budget_of_calls_and_never_exceed_it(items, server, tmp_path: Path):
    crew = FakeCrew(n_workers=2, dies=frozenset({3}))

    async def work() -> None:
        models = ModelPool(f"stub@{server.url}", cache=tmp_path / "calls.sqlite", limits=Limits(max_calls=90))
        async with models:
            metrics = await prepared([ORACLE], items, models)
            run, drawn = distributed(crew, models), DrawnScores(seed=0)
            try:
                await score_parts_to_file(run, items, metrics, tmp_path / "scores.jsonl", drawn=drawn)
            finally:
                await crew.close()

    with pytest.raises(BudgetError, match="its share of the budget, one of 2"):
        asyncio.run(work())
    assert 60 < len(server.calls) <= 90
    with closing(CallStore(tmp_path / "calls.sqlite")) as kept:
        assert len(list(kept.calls())) == len(server.calls)


def test_a_budget_without_a_store_is_refused(items, server):
    with pytest.raises(PlanError, match="need the store of calls"):
        ask(items, server, FakeCrew(), "off", max_calls=10_000)
