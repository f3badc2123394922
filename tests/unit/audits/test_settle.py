"""Draws are repeated until the sign of a change is settled."""

import asyncio
import hashlib
import json

import numpy as np
import pytest
from tests.support.fake_model import FakeModel, fences

from gameproof import aio
from gameproof.audits.settle import settle_checks
from gameproof.engine.progress import Silent
from gameproof.errors import GameproofError
from gameproof.llm.limits import Limits
from gameproof.metrics.catalogue import build_metrics
from gameproof.records import Dataset, Item, Variant
from gameproof.stats.sequential import MIN_LOOKS

N_TASKS = 12
ORACLE = "TV+fvar+statement+oracle,decompose=rules.v1,temperature=1"


def make_items():
    return [
        Item(
            id=str(task),
            task_id=f"{task:02}",
            candidate=f"Text on subject number {task}.",
            references=(f"Subject number {task} has one side. Subject number {task} has another side.",),
        )
        for task in range(N_TASKS)
    ]


def variants_of(items, change, name="rephrase"):
    return [Variant(item_id=item.id, name=name, text=change(item.candidate)) for item in items]


def chance(*names):
    digest = hashlib.blake2b(repr(names).encode(), digest_size=7).digest()
    return int.from_bytes(digest) / 2**56


def oracle_with(rate_of):
    """Answer yes with a chance that depends on the text and on whether the statement is of its subject."""

    def answer(request):
        texts = fences(request)
        subject = texts["candidate"].split("number ")[1].split(".")[0]
        lines = dict(line.split(": ", 1) for line in texts["statements"].splitlines())
        verdicts = []
        for name, statement in lines.items():
            rate = rate_of(texts["candidate"], f"number {subject} " in statement)
            says_yes = chance(request.sample, texts["candidate"], statement) < rate
            verdicts.append({"id": name, "verdict": "yes" if says_yes else "no"})
        return json.dumps({"verdicts": verdicts})

    return FakeModel(answer)


def settle(cell, model, change, **more):
    items = make_items()
    (metric,) = build_metrics([cell], llm=model)
    return asyncio.run(settle_checks(items, variants_of(items, change), metric, **more))


def test_a_real_loss_is_settled_with_its_sign_before_the_rounds_end():
    model = oracle_with(lambda text, own: 0.9 if own and "worse" not in text else 0.3)
    (found,) = settle(ORACLE, model, lambda text: f"{text} worse")
    assert found.state == "settled"
    assert found.rounds < 20
    # T falls from .4 to -.2 on the own reference and stays -.2 elsewhere: -.6, by hand
    assert found.change == pytest.approx(-0.6, abs=4 * found.spread / np.sqrt(found.rounds))
    assert found.n_items == N_TASKS


@pytest.mark.slow
def test_no_change_in_law_is_called_settled_in_at_most_one_run_of_twenty():
    model = oracle_with(lambda _, own: 0.7 if own else 0.3)
    settled = 0
    for seed in range(20):  # each with texts, and so answers, of its own
        (found,) = settle(
            ORACLE, model, lambda text, seed=seed: f"{text} again {seed}", max_rounds=16, seed=seed
        )
        settled += found.state == "settled"
    assert settled <= 4  # of 20 at .05: more in one test of 400 (binomial)


def test_texts_that_score_as_before_are_the_same_and_cost_eight_rounds():
    model = oracle_with(lambda _, own: 1.0 if own else 0.0)
    (found,) = settle(ORACLE, model, lambda text: f"{text} again")
    assert (found.state, found.rounds, found.change) == ("same", 8, 0.0)


def test_a_lexical_cell_draws_negatives_anew():
    (found,) = settle("TV+fvar+statement+overlap", None, lambda text: f"{text} One side has another side.")
    assert found.rounds >= 8
    assert found.state in {"settled", "open", "same"}


def test_where_the_budget_ends_the_sign_stays_open_with_what_was_seen():
    model = oracle_with(lambda _, own: 0.7 if own else 0.3)
    items = make_items()
    data = Dataset(
        name="x", items=tuple(items), variants=tuple(variants_of(items, lambda text: f"{text} again"))
    )
    (found,) = asyncio.run(
        aio.settle(data, ORACLE, ["rephrase"], llm=model, cache="off", limits=Limits(max_calls=300))
    )
    # 24 texts against two references take 48 calls a round: six rounds are complete
    assert (found.state, found.rounds) == ("open", 6)
    assert len(model.requests) <= 300


def test_a_second_look_at_the_same_seed_is_the_same():
    model = oracle_with(lambda _, own: 0.7 if own else 0.3)
    runs = [settle(ORACLE, model, lambda text: f"{text} again", max_rounds=10, seed=4) for _ in range(2)]
    assert runs[0] == runs[1]


def test_a_check_that_nobody_can_score_is_missing_with_its_reason():
    (found,) = settle("TV+fvar+statement+overlap", None, lambda _: " ", max_rounds=8)
    assert (found.state, found.rounds) == ("missing", 0)
    assert "empty" in found.why_missing


def test_a_check_without_scores_is_given_up_after_the_rounds_that_any_verdict_takes():
    class Rounds(Silent):
        n = 0

        def advance(self, steps):
            self.n += steps

    rounds = Rounds()
    (found,) = settle("TV+fvar+statement+overlap", None, lambda _: " ", progress=rounds)
    assert found.state == "missing"
    assert rounds.n == MIN_LOOKS  # and not all 200, each of them paid for


def test_a_check_without_texts_is_missing_beside_others_that_have_some():
    data = Dataset(name="x", items=tuple(make_items()))
    found = asyncio.run(
        aio.settle(data, "TV+fvar+statement+overlap", ["flip_case", "rephrase"], max_rounds=8)
    )
    assert [each.check for each in found] == ["flip_case", "rephrase"]
    assert found[0].state != "missing"
    assert (found[1].state, found[1].n_items) == ("missing", 0)
    assert "--variants" in found[1].why_missing


@pytest.mark.parametrize(
    ("cell", "names", "message"),
    [
        ("KL+direct+statement+overlap", ["sentence_deletion"], "draws neither negatives nor answers"),
        ("rouge1", ["sentence_deletion"], "is no mutual-information cell"),
        ("TV+fvar+statement+overlap", [], "no perturbation is named"),
        ("TV+fvar+statement+overlap", ["rephrase"], "no text could be changed by rephrase"),
    ],
)
def test_what_cannot_be_settled_is_refused(cell, names, message):
    with pytest.raises(GameproofError, match=message):
        asyncio.run(aio.settle(Dataset(name="x", items=tuple(make_items())), cell, names))
