import asyncio
import json
from pathlib import Path

import pytest

from gameproof.datasets.planted import WorldSpec, make_world
from gameproof.files import read_variants, write_rows
from gameproof.llm.asking import Asker
from gameproof.llm.providers.planted import Errors, PlantedOracle, PlantedRewriter
from gameproof.perturbations.catalogue import select
from gameproof.perturbations.written import NOT_AS_NAMED, Written, review_rows, summarise, write_variants

NAMES = ("deletion_and_completion", "opinion_flip", "rephrase", "shorten")


@pytest.fixture(scope="module")
def written() -> Written:
    items = make_world(WorldSpec(seed=81, tasks_per_domain=3, candidates=1)).dataset.items
    oracle = PlantedOracle(errors=Errors(topic=0, negation=0, held_out=0))
    return asyncio.run(
        write_variants(
            items,
            select(names=NAMES),
            writer=Asker(PlantedRewriter(wrong=0.3)),
            judge=Asker(oracle),
        )
    )


def test_rewrites_that_break_their_promise_have_a_reason_in_place_of_a_text(written: Written):
    dropped = [finding for finding in written.findings if finding.reason is not None]
    assert dropped
    reasons = {(variant.item_id, variant.key): variant.reason for variant in written.variants}
    for finding in dropped:
        variant = finding.case.variant
        assert reasons[variant.item_id, variant.key] == f"{NOT_AS_NAMED}: {finding.reason}"
    assert sum(variant.text is None for variant in written.variants) == len(dropped)


def test_a_line_for_each_rewrite_says_how_many_were_dropped(written: Written):
    lines = summarise(written.findings)
    assert [line.partition(":")[0] for line in lines] == list(NAMES)
    assert "of 9 rewrites do what the name says" in lines[2]


def test_a_review_file_read_back_gives_the_same_variants(written: Written, tmp_path: Path):
    path = tmp_path / "review.jsonl"
    write_rows(path, review_rows(written))
    again = {(variant.item_id, variant.key): variant for variant in read_variants(path)}
    for variant in written.variants:
        read = again[variant.item_id, variant.key]
        assert read.text == variant.text
        assert (read.reason is None) == (variant.reason is None)


def test_a_person_can_overrule_a_verdict_in_the_review_file(written: Written, tmp_path: Path):
    rows = review_rows(written)
    row = next(row for row in rows if row.get("verdict") == "drop")
    path = tmp_path / "review.jsonl"
    path.write_text("".join(json.dumps(one | {"verdict": "keep"}) + "\n" for one in rows if one is row))
    (variant,) = read_variants(path)
    assert variant.text == row["text"]
    kept = next(row for row in rows if row.get("verdict") == "keep")
    path.write_text(json.dumps(kept | {"verdict": "drop", "why": "too flowery"}) + "\n")
    (variant,) = read_variants(path)
    assert (variant.text, variant.reason) == (None, "dropped in review: too flowery")
