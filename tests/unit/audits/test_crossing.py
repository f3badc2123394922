"""The crossing of readers and texts, from items to the verdict; expected values are derived by hand."""

import asyncio
from dataclasses import replace

import pytest

import gameproof
from gameproof.aio.reported import reported_run
from gameproof.audits.checks import CheckSettings, check_metric
from gameproof.audits.rewriting import Rewriting
from gameproof.audits.run import Run, run_audit
from gameproof.datasets.planted.readers import ReaderSpec, make_reader_world
from gameproof.files import RunFolder
from gameproof.llm.asking import Asker
from gameproof.llm.providers.planted import PlantedRewriter
from gameproof.metrics.base import as_metric
from gameproof.perturbations.apply import make_variants
from gameproof.perturbations.catalogue import PERTURBATIONS, select
from gameproof.perturbations.crossing import next_readers, reader_rings
from gameproof.perturbations.written import write_variants
from gameproof.records import Dataset, Item, Persona, Variant
from gameproof.stats.results import Note, State, Verdict

ROLES = ("child", "expert")


def make_items(n_tasks=30, roles=ROLES):
    return tuple(
        Item(
            id=f"{task}/{role}",
            task_id=f"t{task:02d}",
            candidate=f"Text {task} for the {role}, number {(task * 7) % 5}.",
            persona=Persona(role=role, query="Why?"),
            system="writer",
        )
        for task in range(n_tasks)
        for role in roles
    )


def fits(item):
    """One point for the text of the own reader, and something for the task and the text that the crossing removes."""
    task = int(item.candidate.split()[1])
    quality = 0.3 * ("expert" in item.candidate) + 0.2 * (item.persona.role == "child") + 0.01 * task
    return float(item.persona.role in item.candidate) * (1 + 0.1 * (task % 3)) + quality


def audit(metric, items, *, variants=(), rewriting=None, names=("audience_crossing",)):
    run = Run(
        dataset=Dataset(name="here", items=tuple(items), variants=tuple(variants)),
        perturbations=select(names=list(names)),
        settings=CheckSettings(n_resamples=999),
        seed=0,
        rewriting=rewriting,
    )
    (found,) = asyncio.run(run_audit(run, [metric])).metrics
    return found.checks[0]


def test_the_interaction_is_what_the_metric_gives_for_fit_and_nothing_of_text_or_reader_quality():
    row = audit(as_metric(fits, version="1"), make_items())
    # Own minus other: 1 + .1 (task mod 3) for both readers, whose text and reader effects cancel; mean 1.1.
    assert (row.verdict, row.family, row.n, row.n_tasks) == (Verdict.PASS, "crossing", 60, 30)
    assert "interaction (S_AA - S_AB) - (S_BA - S_BB) = +2.2" in row.detail
    assert row.effect < 0
    assert row.parity_verdict is None


def test_a_metric_that_does_not_look_at_the_reader_is_blind():
    row = audit(as_metric(lambda item: float(len(item.candidate)), name="length", version="1"), make_items())
    assert (row.verdict, row.note, row.state) == (Verdict.FAIL, Note.BLIND, State.NO_CHANGE)
    assert "do not depend on the reader" in row.detail


def test_a_metric_that_prefers_the_text_for_the_other_goes_the_wrong_way():
    row = audit(as_metric(lambda item: -fits(item), name="inverse", version="1"), make_items())
    assert row.verdict is Verdict.WRONG_WAY
    turned = audit(
        as_metric(lambda item: -fits(item), name="cost", version="1", higher_is_better=False), make_items()
    )
    assert turned.verdict is Verdict.PASS


def test_a_reader_without_a_score_takes_the_whole_ring_out():
    def lame(item):
        if item.id == "3/child":
            raise ValueError("no answer")
        return fits(item)

    row = audit(as_metric(lame, version="1"), make_items())
    assert (row.n, row.n_missing) == (58, 2)
    assert row.missing == {"ValueError: no answer": 1, "another reader of its task has no score": 1}


def rewritten(items):
    """Return two texts for each item: for its own reader, and for the next one of its task."""
    following = next_readers(items)
    return [
        Variant(item_id=item.id, name="audience_rewritten", level=level, text=f"{item.id}: {reader}")
        for item in items
        for level, reader in ((1, item.id), (2, following[item.id].id))
    ]


def test_two_runs_differ_by_what_each_reader_loses_and_not_by_how_the_originals_fare(tmp_path):
    def metric(name, worth):
        # One point for the own reader's text, `worth` for another's, 9 for an original: the crossing is about the first two.
        def score(item):
            _, made, reader = item.candidate.rpartition(": ")
            return (worth if reader != item.id else 1.0) + 0.1 * (len(item.id) % 2) if made else 9.0

        return as_metric(score, name=name, version="1")

    items = make_items()
    for folder, worth in (("a", 0.4), ("b", 0.2)):
        gameproof.audit(
            Dataset(name="here", items=items, variants=tuple(rewritten(items))),
            metric("mine", worth),
            perturbations=["audience_rewritten"],
            out=tmp_path / folder,
        )
    (change,) = gameproof.compare(tmp_path / "a", tmp_path / "b").metrics[0].checks
    assert change.n == len(items)
    # Effects are changes over s_av, and s_av of the same two columns; before and after as each run reports them.
    assert change.difference == pytest.approx(change.effect_after - change.effect_before, abs=1e-6)


def test_examples_of_a_failed_crossing_show_the_text_for_the_own_reader_before(tmp_path):
    items = make_items()
    data = Dataset(name="here", items=items, variants=tuple(rewritten(items)))
    wants_others = as_metric(
        lambda item: float(not item.candidate.endswith(item.id)) + 0.01 * int(item.id.split("/")[0]),
        name="others",
        version="1",
    )
    result = gameproof.audit(data, wants_others, perturbations=["audience_rewritten"], out=tmp_path / "run")
    assert result.metrics[0].checks[0].verdict is Verdict.WRONG_WAY
    with RunFolder.open(tmp_path / "run", read_only=True) as folder:
        moves = reported_run(folder, result).evidence[0].moves
    assert moves
    assert all(move.before == f"{move.item}: {move.item}" for move in moves)


def test_too_few_tasks_decide_nothing():
    assert audit(as_metric(fits, version="1"), make_items(10)).verdict is Verdict.INCONCLUSIVE


def test_data_without_personas_have_no_such_check():
    items = [replace(item, persona=None) for item in make_items()]
    row = audit(as_metric(lambda item: float(len(item.candidate)), name="length", version="1"), items)
    assert (row.verdict, row.state) == (None, State.NOT_APPLICABLE)


def test_one_text_for_all_readers_is_missing_and_no_change():
    items = [replace(item, candidate=f"Text {item.task_id}.") for item in make_items()]
    row = audit(as_metric(lambda item: float(len(item.id)), name="one", version="1"), items)
    assert row.state is State.NOT_MEASURED
    assert "none written for one of them" in row.detail


def test_three_readers_stand_in_a_ring_and_every_text_is_once_anothers():
    items = make_items(1, ("child", "expert", "nurse"))
    (ring,) = reader_rings(items)
    made = list(make_variants(items, [PERTURBATIONS["audience_crossing"]], seed=0))
    assert [variant.text for variant in made] == [items[1].candidate, items[2].candidate, items[0].candidate]
    assert len(ring) == 3


def test_a_system_that_wrote_for_both_readers_is_crossed_with_itself():
    items = [
        replace(item, id=f"{item.id}/{system}", system=system, candidate=f"{system}: {item.candidate}")
        for item in make_items(1)
        for system in ("x", "y")
    ]
    made = make_variants(items, [PERTURBATIONS["audience_crossing"]], seed=0)
    own = {item.id: item.candidate for item in items}
    assert all(variant.text.split(":")[0] == own[variant.item_id].split(":")[0] for variant in made)


def test_given_variants_are_taken_as_the_other_readers_texts():
    items = make_items()
    given = [
        Variant(item_id=item.id, name="audience_crossing", text=f"Text {item.id.split('/')[0]} for nobody.")
        for item in items
    ]
    row = audit(as_metric(fits, version="1"), items, variants=given)
    assert row.verdict is Verdict.PASS
    assert row.n == 60


def test_a_language_model_rewrites_for_either_reader_where_no_text_was_written_for_one():
    world = make_reader_world(ReaderSpec(seed=1, tasks_per_domain=12))
    first = {item.task_id: item.candidate for item in world.dataset.items}
    items = tuple(replace(item, candidate=first[item.task_id]) for item in world.dataset.items)
    writer = Asker(PlantedRewriter())
    written = asyncio.run(write_variants(items, select(names=["audience_rewritten"]), writer=writer))
    by_key = {(one.item_id, one.level): one.text for one in written.variants}
    # Two readers of one text: what is written for the other is what the other gets for itself.
    a, b = items[0], items[1]
    assert a.task_id == b.task_id
    assert by_key[a.id, 1] == by_key[b.id, 2]
    assert by_key[a.id, 2] == by_key[b.id, 1]
    row = audit(
        as_metric(lambda item: float(len(item.candidate)), name="length", version="1"),
        items,
        rewriting=Rewriting(writer=writer),
        names=("audience_rewritten",),
    )
    assert (row.verdict, row.note) == (Verdict.FAIL, Note.BLIND)


def test_a_check_of_readers_is_part_of_satisfied_and_corrected_among_its_own_kind():
    items = make_items()
    metric = as_metric(fits, version="1")
    prepared = asyncio.run(metric.score(items))
    rows = check_metric(
        items,
        prepared,
        {},
        select(names=["audience_crossing", "audience_rewritten"]),
        higher_is_better=True,
        settings=CheckSettings(n_resamples=99),
    )
    assert [row.suite for row in rows] == ["satisfaction", "satisfaction"]
    assert rows[1].detail == "needs a language model (--rewriter), or variants of your own (--variants)"
