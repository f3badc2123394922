"""References by who wrote them: what each stratum makes of candidates, and how far references agree."""

import asyncio
import json
import random

import pytest
from typer.testing import CliRunner

import gameproof
from gameproof.audits.leave_one_out import lowest_references, score_references
from gameproof.cli.app import app
from gameproof.errors import InputError, PlanError, SpecError
from gameproof.metrics.catalogue import build_metrics
from gameproof.records import Item


def rows(n_tasks=24, *, copied="A"):
    """Make candidates of four systems that tell 2 to 5 of six facts, and references of two people and a model.

    The ratings are the numbers of facts. The model's reference says what system A chose to say, in its words;
    with another value of `copied` it tells two facts at random.
    """
    rng = random.Random(7)
    made = []
    for task in range(n_tasks):
        words = [f"w{task}x{place}" for place in range(24)]
        facts = [" ".join(words[place : place + 4]) for place in range(0, 24, 4)]
        told = {system: rng.sample(facts, rng.randint(2, 5)) for system in "ABCD"}
        references = [
            ". ".join(f"People saw {fact}" for fact in facts[:5]) + ".",
            ". ".join(f"We read {fact}" for fact in facts[1:]) + ".",
            ". ".join(f"Note {fact}" for fact in told.get(copied) or rng.sample(facts, 2)) + ".",
        ]
        made += [
            {
                "task_id": f"t{task}",
                "system": system,
                "candidate": ". ".join(f"Note {fact}" for fact in told[system]) + ".",
                "references": references,
                "reference_kinds": ["human", "human", "model"],
                "rating": len(told[system]),
            }
            for system in "ABCD"
        ]
    return made


def cell(cells, level):
    return next(one for one in cells if (one.dimension, one.level) == ("mean", level))


def test_references_of_a_model_favour_the_system_that_they_copy():
    found = gameproof.references(rows())
    assert [(row.stratum, row.n_references, row.n_tasks) for row in found.strata] == [
        ("human", 48, 24),
        ("model", 24, 24),
    ]
    (difference,) = found.differences
    assert (difference.stratum, difference.baseline, difference.n) == ("model", "human", 96)
    favoured = difference.systems[0]
    assert favoured.system == "A"
    assert favoured.shown
    assert favoured.shift.low > 0
    assert all(one.shift.value < 0 for one in difference.systems[1:])
    # shifts are deviations from the mean over systems of a task: planted, so they cancel
    assert sum(one.shift.value for one in difference.systems) == pytest.approx(0, abs=1e-12)
    # ratings count facts, and the model knows those of system A alone
    within = cell(difference.correlations, "within_task")
    assert within.high < 0
    human, model = (cell(row.correlations, "within_task").rho for row in found.strata)
    assert within.rho == pytest.approx(model - human, abs=1e-12)


def test_without_a_favourite_no_system_is_named():
    (difference,) = gameproof.references(rows(copied="nobody")).differences
    assert not any(one.shown for one in difference.systems)


def test_a_stratum_alone_gives_the_scores_of_data_with_no_other_references():
    made = rows()
    alone = [{**row, "references": row["references"][:2], "reference_kinds": None} for row in made]
    together, single = gameproof.references(made).strata[0], gameproof.references(alone).strata[0]
    assert single.stratum == "unmarked"
    assert together.mean == single.mean
    assert together.correlations == single.correlations


def test_a_reference_is_scored_as_a_candidate_against_the_others():
    made = rows(6)
    items = gameproof.load(made).items
    (metric,) = build_metrics(["TV+fvar+statement+overlap"])
    left_out = asyncio.run(score_references(items, metric))
    # by hand: the references of each task as data of their own, prepared with all tasks
    again = [
        Item(
            id=f"{task}-{place}",
            task_id=task,
            candidate=text,
            references=tuple(t for t in texts if t != text),
        )
        for task, texts in {item.task_id: item.references for item in items}.items()
        for place, text in enumerate(texts)
    ]
    expected = asyncio.run(asyncio.run(metric.prepare(again)).score(again))
    assert left_out.values.tolist() == expected.values.tolist()
    assert left_out.strata == ("human", "human", "model") * 6


def test_a_reference_about_something_else_is_named():
    made = rows()
    vague = "A person did a thing somewhere."
    for row in made:
        if row["task_id"] == "t5":
            row["references"] = [row["references"][0], vague, *row["references"][1:]]
            row["reference_kinds"] = ["human", "panel", "human", "model"]
    found = gameproof.references(made, lowest=30)
    named = {(one.task_id, one.place, one.stratum): one for one in found.lowest}
    odd = named["t5", 2, "panel"]
    assert odd.below < 0
    assert odd.text == vague
    panel = next(row for row in found.strata if row.stratum == "panel")
    assert panel.reliability.n_references == 1
    assert panel.reliability.mean.value == odd.score
    assert panel.reliability.mean.low is None  # one task gives no interval


def test_a_cell_can_take_the_references_of_one_kind_and_negatives_of_the_same():
    made = rows()
    for row in made:
        if row["task_id"] == "t0":
            row["references"], row["reference_kinds"] = row["references"][:1], "human"
    cell_text = "TV+fvar+statement+overlap"
    by_option = gameproof.score(made, [f"{cell_text},refs=kind:model"]).scores[0]
    alone = [{**row, "references": row["references"][2:], "reference_kinds": None} for row in made]
    on_their_own = gameproof.score(alone, [cell_text]).scores[0]
    assert by_option.values[4:].tolist() == on_their_own.values[4:].tolist()
    assert set(by_option.reasons.values()) == {"no reference of kind:model"}
    assert len(by_option.reasons) == 4  # the candidates of t0


def test_a_kind_that_is_no_word_is_refused():
    with pytest.raises(SpecError, match="kind:WORD such as kind:human"):
        gameproof.score(rows(2), ["TV+fvar+statement+overlap,refs=kind:9"])


def test_a_task_with_one_reference_is_counted_as_not_measurable():
    made = rows()
    for row in made:
        if row["task_id"] in {"t0", "t1"}:
            row["references"], row["reference_kinds"] = row["references"][:1], "human"
    found = gameproof.references(made)
    human, model = found.strata
    assert found.n_tasks_alone == human.reliability.n_alone == 2
    assert human.reliability.n_references == 44
    assert model.n_tasks == 22
    assert model.missing == {"no reference": 8}
    assert model.reliability.n_alone == 0


def test_of_two_references_neither_is_the_odd_one():
    made = [{**row, "references": row["references"][:2], "reference_kinds": "human"} for row in rows()]
    (metric,) = build_metrics(["rougeL"])
    left_out = asyncio.run(score_references(gameproof.load(made).items, metric))
    assert lowest_references(left_out, count=5, higher_is_better=True) == ((), 0)


def test_data_without_ratings_or_systems_still_tell_reliability():
    made = [{key: row[key] for key in ("candidate", "references", "task_id")} for row in rows(4)]
    found = gameproof.references(made, "rougeL")
    assert found.strata[0].correlations == ()
    assert found.differences == ()
    assert found.strata[0].reliability.n_references == 12


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        (
            {"baseline": "panel"},
            PlanError,
            "--baseline: found 'panel'; the strata of this data are human, model",
        ),
        ({"metric": "length"}, PlanError, "does not use references"),
        ({"lowest": -1}, PlanError, "--lowest: found -1"),
    ],
)
def test_bad_options_give_one_clear_error(options, kind, message):
    with pytest.raises(kind, match=message):
        gameproof.references(rows(3), **options)


def test_data_without_references_is_refused():
    with pytest.raises(InputError, match="has no references"):
        gameproof.references([{"candidate": "c", "task_id": "a"}])


def run(*args):
    return CliRunner().invoke(app, list(args))


def test_the_command_prints_strata_favourites_and_reliability(tmp_path):
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, rows())), encoding="utf-8")
    done = run("references", str(path))
    assert done.exit_code == 0, done.stderr
    assert "model - human" in done.stdout
    assert "favoured" in done.stdout
    assert "0 tasks have one reference" in done.stdout
    assert "reliability" in done.stdout
    record = json.loads(run("references", str(path), "--json").stdout)
    assert record["differences"][0]["systems"][0]["system"] == "A"


def test_the_command_refuses_kinds_that_fit_no_reference(tmp_path):
    path = tmp_path / "items.jsonl"
    path.write_text(json.dumps({"candidate": "c", "references": ["a"], "reference_kinds": ["x", "y"]}))
    done = run("references", str(path))
    assert done.exit_code == 2
    assert "reference_kinds: found 2 words for 1 reference" in done.stderr
