"""Candidates compared statement by statement, with models that answer as a test wants."""

import asyncio
import json

import numpy as np
import pytest
from tests.support.fake_model import FakeModel, fences, words

from gameproof.audits.comparing import analyse_comparisons
from gameproof.errors import SpecError
from gameproof.llm.asking import Asker
from gameproof.llm.providers.planted import Errors, PlantedOracle
from gameproof.metrics.comparative import compare_support, draw_matches
from gameproof.records import Item

TOPICS = ("harbour", "railway", "library", "orchard", "vineyard", "museum")
CELL = "TV+fvar+statement+oracle,decompose=rules.v1"
TEXTS = {
    "all": "The {} was flooded at dawn. Guards closed the {} by noon.",
    "half": "The {} was flooded at dawn.",
    "none": "Nothing of the kind has been heard.",
}


def make_items(writers=("all", "half", "none")):
    return [
        Item(
            id=f"{topic}/{writer}",
            task_id=topic,
            candidate=TEXTS[writer].format(topic, topic),
            references=(f"The {topic} was flooded at dawn. Guards closed the {topic} by noon.",),
        )
        for topic in TOPICS
        for writer in writers
    ]


def supports(text, statement):
    return len(words(text) & words(statement)) * 4 > len(words(statement)) * 3


def fair(request):
    """Support by shared long words, absolute and compared, without any habit."""
    texts = fences(request)
    lines = dict(line.split(": ", 1) for line in texts["statements"].splitlines())
    if "candidate" in texts:
        said = {name: "yes" if supports(texts["candidate"], each) else "no" for name, each in lines.items()}
    else:
        both = {
            name: tuple(supports(texts[label], each) for label in ("first", "second"))
            for name, each in lines.items()
        }
        names = {
            (True, True): "both",
            (True, False): "first",
            (False, True): "second",
            (False, False): "neither",
        }
        said = {name: names[each] for name, each in both.items()}
    return json.dumps({"verdicts": [{"id": name, "verdict": verdict} for name, verdict in said.items()]})


def first_always(request):
    said = fair(request)
    return (
        said
        if "candidate" in fences(request)
        else said.replace('"second"', '"first"').replace('"both"', '"first"')
    )


def compare(answer=fair, items=None, **options):
    model = FakeModel(answer)
    items = make_items() if items is None else items
    found = asyncio.run(compare_support(items, Asker(model), cell=options.pop("cell", CELL), **options))
    return found, analyse_comparisons(items, found), model.requests


def test_contrasts_of_pairs_are_differences_of_absolute_scores_where_the_model_is_consistent():
    found, compared, _ = compare()
    values = found.absolute.values
    for match in found.matches:
        assert match.contrast == pytest.approx(values[match.first] - values[match.second], abs=1e-12)
    assert compared.summary["absolute_gap"] == pytest.approx(0, abs=1e-12)
    assert compared.summary["absolute_rho"] == pytest.approx(1.0)
    assert (compared.summary["same_sign"], compared.summary["flips"]) == (1.0, 0.0)


def test_strengths_follow_what_candidates_support():
    _, compared, _ = compare()
    by_writer = {row["item"].split("/")[1]: row["comparative"] for row in compared.items}
    assert by_writer["all"] > by_writer["half"] > by_writer["none"]
    assert (compared.summary["circles"], compared.summary["triads"]) == (0, len(TOPICS))


def test_every_pair_of_a_task_is_asked_about_in_both_orders_for_each_reference():
    _, compared, requests = compare()
    asked = [request for request in requests if request.purpose == "comparative"]
    # 6 tasks, 3 pairs of 3 candidates, 2 orders, 1 own and 4 foreign references
    assert len(asked) == 6 * 3 * 2 * 5
    assert (compared.summary["pairs"], compared.summary["missing_pairs"]) == (18, 0)


def test_texts_that_support_everything_gain_nothing_by_contrast():
    stuffed = " ".join(TEXTS["all"].format(topic, topic) for topic in TOPICS)
    items = [
        *make_items(("all",)),
        *(
            Item(id=f"{topic}/stuffed", task_id=topic, candidate=stuffed, references=item.references)
            for topic, item in zip(TOPICS, make_items(("all",)), strict=True)
        ),
    ]
    found, compared, _ = compare(items=items)
    # both support their own statements; the stuffed one supports all foreign ones besides
    assert [abs(match.own) for match in found.matches] == [0.0] * 6
    by_writer = {row["item"].split("/")[1]: row for row in compared.items}
    assert by_writer["stuffed"]["foreign"] > 0 > by_writer["stuffed"]["comparative"]


def test_a_model_that_prefers_the_first_text_is_found_out():
    _, compared, _ = compare(first_always)
    assert compared.summary["first_place"] == 1.0
    assert compared.summary["flips"] > 0.1
    assert any("order decides" in note for note in compared.notes) == (compared.summary["flips"] > 0.2)


def test_the_planted_habit_of_order_shows_in_flips():
    texts = ("It weighs 230 grams without its packaging.", "The shop price is 131 euros.")
    items = [
        Item(
            id=f"{n}/{m}",
            task_id=str(n),
            candidate=f"{text} It is number {n}.",
            references=(" ".join(texts),),
        )
        for n in range(6)
        for m, text in enumerate(texts)
    ]

    def flips(order):
        oracle = PlantedOracle(errors=Errors(topic=0, negation=0, held_out=0, order=order))
        found = asyncio.run(compare_support(items, Asker(oracle), cell=CELL))
        return analyse_comparisons(items, found).summary["flips"]

    assert flips(0.0) == 0.0
    assert flips(1.0) == 0.0  # here one text of the two always supports a statement, so habit has no say
    identical = [item.with_candidate(texts[0]) for item in items]
    oracle = PlantedOracle(errors=Errors(order=1.0))
    found = asyncio.run(compare_support(identical, Asker(oracle), cell=CELL))
    assert analyse_comparisons(identical, found).summary["flips"] == 1.0


def test_an_answer_that_cannot_be_read_is_no_verdict_that_flips():
    def answer(request):
        texts = fences(request)
        unread = "orchard" in texts["statements"] and len(texts.get("first", "")) > len(
            texts.get("second", "")
        )
        return "hm" if unread else fair(request)

    found, compared, _ = compare(answer)
    held = [match for match in found.matches if match.reason is None]
    assert any(np.isnan(match.verdicts).any() for match in held)  # one order alone has a verdict
    assert {row["flips"] for row in compared.pairs} == {0}  # a fair model says the same in both orders


def test_a_pair_without_readable_verdicts_is_missing_with_the_reason():
    def answer(request):
        texts = fences(request)
        return "hm" if "museum" in texts.get("first", "") + texts.get("second", "") else fair(request)

    found, compared, _ = compare(answer)
    reasons = [match.reason for match in found.matches if match.reason]
    assert reasons == ["unreadable"] * 3  # museum: every pair shows at least one text that names it
    assert {row["item"]: row["reason"] for row in compared.items}["museum/all"] == "never compared"


def test_candidates_without_another_one_are_never_compared():
    found, compared, _ = compare(items=make_items(("all",)))
    assert not found.matches
    assert all(row["comparative"] is None for row in compared.items)
    assert any("nothing was compared" in note for note in compared.notes)


def test_only_statement_cells_of_total_variation_have_matching_absolute_scores():
    for cell in ("KL+fvar+statement+oracle", "TV+fvar+report+oracle"):
        with pytest.raises(SpecError, match="texts are compared on statements"):
            compare(cell=cell)


@pytest.mark.parametrize(
    ("n", "opponents", "n_pairs"),
    [
        (2, 1, 1),
        (2, 4, 1),
        (5, None, 10),
        (6, 1, 3),
        (6, 2, 6),
        (6, 3, 9),
        (6, 4, 12),
        (6, 5, 15),
        (6, None, 15),
    ],
)
def test_everybody_meets_as_many_as_asked_for(n, opponents, n_pairs):
    pairs = draw_matches(list(range(n)), opponents, np.random.default_rng(1))
    assert len(pairs) == len(set(pairs)) == n_pairs
    met = np.bincount(np.array(pairs).ravel(), minlength=n)
    assert set(met.tolist()) == {2 * n_pairs // n}


@pytest.mark.parametrize(("opponents", "met"), [(1, 2), (3, 4)])
def test_an_odd_number_of_opponents_does_not_go_round_an_odd_number_of_texts(opponents, met):
    pairs = draw_matches(list(range(7)), opponents, np.random.default_rng(1))
    assert np.bincount(np.array(pairs).ravel()).tolist() == [met] * 7
