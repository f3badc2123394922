"""Reader Utility and Fit: weights, negatives, forms, what is asked and what a failed call means.

Expected values are derived by hand in the tests from the equations of the module's own docstring.
"""

import asyncio
import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tests.support.fake_model import FakeModel, fences
from tests.support.scoring import score_items

from gameproof.errors import CallError, InputError, PlanError, SpecError
from gameproof.llm.asking import Asker
from gameproof.metrics.catalogue import metric
from gameproof.metrics.comparative import compare_support
from gameproof.metrics.llm_calls import TellsCalls
from gameproof.records import Item, Persona, Requirement

TOWNS = ("Arden", "Brome", "Corve", "Dunth", "Elmsk", "Farth")


class Clerk:
    """Requires of a source what the reader's role says; supports a statement that stands in the text."""

    def __init__(self, *, fails=(), forgets=()):
        self.model = FakeModel(self.answer)
        self.asked = Counter()
        self.fails, self.forgets = fails, forgets

    def answer(self, request):
        self.asked[request.purpose] += 1
        texts = fences(request)
        if request.purpose in self.fails:
            raise CallError("the endpoint timed out")
        if request.purpose == "requirements":
            role = re.search(r"role: (\w+)", texts["reader"])[1]
            found = [one.strip() + "." for one in texts["source"].split(".") if role in one]
            return json.dumps(
                {"requirements": [{"text": one, "importance": 3 - place} for place, one in enumerate(found)]}
            )
        if request.purpose == "decompose":
            return json.dumps({"statements": [texts["reference"]]})
        lines = dict(line.split(": ", 1) for line in texts["statements"].splitlines())
        text = texts.get("candidate") or texts["found"]
        return json.dumps(
            {
                "verdicts": [
                    {"id": name, "verdict": "yes" if one in text else "no"}
                    for name, one in lines.items()
                    if name not in self.forgets
                ]
            }
        )


def items(knows=(), roles=("nurse", "mayor"), texts=None):
    """Two readers for each of six towns; a source states two facts for each of them."""
    made = []
    for town in TOWNS:
        source = f"In {town} the nurse left. In {town} the nurse was ill. In {town} the mayor won. In {town} the mayor spoke."
        for role in roles:
            text = (texts or {}).get((town, role), f"In {town} the {role} left.")
            made.append(
                Item(
                    id=f"{town}/{role}",
                    task_id=town,
                    candidate=text,
                    source=source,
                    persona=Persona(role=role, query="What happened?", knows=knows),
                )
            )
    return made


def score(name, clerk, given=None):
    return score_items(metric(name, llm=clerk.model), items() if given is None else given)


def test_utility_is_the_weighted_support_of_what_the_reader_requires_against_readers_of_other_queries():
    # The nurse requires two facts of importance 3 and 2; the first is there: U = (3/5)(1/2) - (2/5)(1/2) = .1.
    # Nothing that readers of other towns require is there: each U_j is -.5. RU = .1 + .5.
    scores = score("reader-utility", Clerk())
    assert scores.values[0] == pytest.approx(0.6)
    # "The mayor left" stands for no requirement: U = -.5 = U_j, and RU = 0.
    assert scores.values[1] == pytest.approx(0.0)
    assert scores.contrast.matched[0] == pytest.approx(0.1)
    assert np.all(scores.contrast.negatives[0] == -0.5)


def test_fit_contrasts_with_the_other_readers_of_the_same_query_and_is_zero_sum_between_two():
    text = {("Arden", "nurse"): "In Arden the nurse left. In Arden the mayor won."}
    both = {**text, ("Arden", "mayor"): text["Arden", "nurse"]}
    scores = score("reader-fit", Clerk(), items(texts=both))
    # The text gives each reader the requirement of importance 3 of 5, so it serves both alike.
    assert scores.values[:2].tolist() == pytest.approx([0.0, 0.0])
    one_sided = score("reader-fit", Clerk(), items(texts={("Arden", "nurse"): "In Arden the nurse left."}))
    assert one_sided.values[0] == pytest.approx(0.6)
    assert one_sided.contrast is None


def test_what_the_reader_knows_already_weighs_nothing():
    knows = tuple(f"In {town} the nurse left." for town in TOWNS)
    text = {("Arden", "nurse"): "In Arden the nurse left. In Arden the nurse was ill."}
    known = score("reader-utility", Clerk(), items(knows=knows, texts=text))
    # Only "was ill" is new to the nurse: U = 1/2 whether or not the text repeats what she knows; U_j = -1/2.
    assert known.values[0] == pytest.approx(1.0)
    half = score("reader-utility", Clerk(), items(knows=knows))
    assert half.values[0] == pytest.approx(0.0)  # the text gives only what she knows
    ignored = score("reader-utility,novelty=false", Clerk(), items(knows=knows))
    assert ignored.values[0] == pytest.approx(0.6)


def test_a_reader_who_knows_everything_has_no_score_and_is_nobodys_negative():
    knows = ("In Arden the nurse left.\nIn Arden the nurse was ill.",)
    made = items()
    made[0] = replace(made[0], persona=replace(made[0].persona, knows=knows))
    scores = score("reader-utility", Clerk(), made)
    assert scores.reasons == {"Arden/nurse": "its reader knows already all that it needs"}
    assert np.isfinite(scores.values[1:]).all()


def test_a_reader_whom_the_source_gives_nothing_has_no_score():
    made = [
        replace(item, persona=replace(item.persona, role="fox")) if n == 0 else item
        for n, item in enumerate(items())
    ]
    assert score("reader-utility", Clerk(), made).reasons == {
        "Arden/nurse": "its source has nothing that its reader needs"
    }


def test_the_model_that_lists_needs_is_not_told_what_the_reader_knows():
    clerk = Clerk()
    score("reader-utility", clerk, items(knows=("The weather was fine.",)))
    asked = [fences(one)["reader"] for one in clerk.model.requests if one.purpose == "requirements"]
    assert len(asked) == 12
    assert not any("weather" in text for text in asked)


def test_a_failed_list_is_a_missing_score_and_not_an_empty_one():
    scores = score("reader-utility", Clerk(fails=("requirements",)))
    assert set(scores.reasons.values()) == {"what its reader needs: the endpoint timed out"}


def test_a_failed_verdict_is_missing_and_never_not_covered():
    assert set(score("reader-utility", Clerk(fails=("oracle",))).reasons.values()) == {
        "the endpoint timed out"
    }
    # One of two verdicts of each list is missing: half of a list is enough, and the remark counts them.
    part = score("reader-utility", Clerk(forgets=("S2",)))
    assert part.values[0] == pytest.approx(1.0)  # S1 alone: U = 1/2, U_j = -1/2
    assert part.remarks["Arden/nurse"] == "5/10 statements"


def test_one_call_asks_about_all_requirements_of_a_reader():
    clerk = Clerk()
    score("reader-utility,neg=2", clerk)
    # 12 lists; each of 12 texts against its own reader and one reader of each of two other queries.
    assert clerk.asked == {"requirements": 12, "oracle": 12 * 3}


@pytest.mark.parametrize("name", ["reader-utility", "reader-utility,neg=all", "reader-fit", "persona_recall"])
def test_a_dry_run_counts_the_calls_of_the_run(name):
    clerk, made = Clerk(), items(knows=("In Arden the nurse left.",))
    built = metric(name, llm=clerk.model)
    assert isinstance(built, TellsCalls)
    planned = asyncio.run(built.planned_calls(made, made))
    assert not clerk.asked
    score_items(built, made)
    assert len(planned) == sum(clerk.asked.values())


def test_negatives_are_a_regular_design_over_queries_and_readers():
    clerk = Clerk()

    async def plans():
        prepared = await metric("reader-utility,neg=4", seed=3, llm=clerk.model).prepare(items())
        return [prepared.plan(item) for item in items()]

    found = asyncio.run(plans())
    used = Counter(int(task) for plan in found for task in plan.negative_tasks)
    assert set(used.values()) == {2 * 4}  # each query is a negative of four others, for both of their readers
    assert all(plan.task not in plan.negative_tasks for plan in found)
    first_units = [
        units for plan in found for units in np.split(plan.units, plan.layout.references.starts[1:])[1:]
    ]
    assert set(Counter(int(units[0]) for units in first_units).values()) == {4}  # each reader as often


def test_the_signature_pins_what_is_required_and_refuses_other_data():
    clerk = Clerk()

    async def sign(made, name="reader-utility"):
        return (await metric(name, llm=clerk.model).prepare(made)).signature()

    signature = asyncio.run(sign(items()))
    assert "requirements=requirements.v2@" in signature
    assert "prompt=supports.v1@" in signature
    assert asyncio.run(sign(items(), signature)) == signature
    other = items(knows=("It rained.",))
    with pytest.raises(PlanError, match="names requirements"):
        asyncio.run(sign(other, signature))


def given_items():
    made = []
    for town in TOWNS:
        for role in ("nurse", "mayor"):
            needs = (
                Requirement(text=f"The {role} of {town} resigned.", importance=2),
                Requirement(text="Rain fell."),
            )
            made.append(Item(id=f"{town}/{role}", task_id=town, candidate=needs[0].text, requirements=needs))
    return made


def test_given_requirements_need_no_model_with_overlap():
    name = "reader-utility,needs=given,predictor=overlap"
    built = metric(name)
    assert built.needs == {"pool", "requirements"}
    scores = score_items(built, given_items())
    # "Rain fell" stands in every list, so that its words tell no query from another and it weighs nothing. Of the own
    # requirement every word is there; of another query's only "resigned" and "of", which weigh nothing either, and
    # the role, of weight log 1 = 0 since every query has both readers: U = 1/2, U_j = -1/2.
    assert scores.values.tolist() == pytest.approx([1.0] * 12)
    assert "llm" not in scores.signature


def test_seven_answers_and_one_soft_answer_are_read_as_everywhere():
    assert "critic=bins" in metric("reader-utility,critic=bins", llm=Clerk().model).signature()
    with pytest.raises(SpecError, match="reader-utility: critic"):
        metric("reader-utility,needs=given,predictor=overlap,critic=bins")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"persona": None}, "no persona"),
        ({"persona": Persona(role="nurse")}, "no query"),
        ({"source": None}, "no source"),
    ],
)
def test_data_without_readers_are_one_clear_message(change, told):
    made = [replace(item, **change) for item in items()]
    with pytest.raises(
        InputError, match=rf"reader-utility has no reader to score for: {told}.*12 of 12 items"
    ) as raised:
        score("reader-utility", Clerk(), made)
    assert '"query"' in raised.value.hint
    mixed = [made[0], *items()[1:]]
    assert list(score("reader-utility", Clerk(), mixed).reasons) == ["Arden/nurse"]


def test_a_question_of_the_item_serves_where_the_persona_has_none():
    made = [
        replace(item, persona=replace(item.persona, query=None), query="What happened?") for item in items()
    ]
    assert score("reader-utility", Clerk(), made).values[0] == pytest.approx(0.6)


def test_recall_takes_the_same_list_and_given_requirements():
    model = Clerk().model
    # Half of the nurse's two requirements is told, each counts alike.
    assert score_items(metric("persona_recall", llm=model), items()).values[0] == pytest.approx(0.5)
    given = score_items(metric("persona_recall,needs=given", llm=model), given_items())
    assert given.values.tolist() == pytest.approx([0.5] * 12)


def test_texts_for_the_same_reader_are_compared_requirement_by_requirement():
    made = items()
    other = [
        replace(
            item,
            id=f"{item.id}/b",
            candidate=f"{item.candidate} In {item.task_id} the {item.persona.role} spoke.",
        )
        for item in made
    ]

    def answer(request):
        if request.purpose != "comparative":
            return clerk.answer(request)
        texts = fences(request)
        lines = dict(line.split(": ", 1) for line in texts["statements"].splitlines())
        said = {
            (True, False): "first", (False, True): "second", (True, True): "both", (False, False): "neither"
        }  # fmt: skip
        verdicts = [
            {"id": k, "verdict": said[one in texts["first"], one in texts["second"]]}
            for k, one in lines.items()
        ]
        return json.dumps({"verdicts": verdicts})

    clerk = Clerk()
    found = asyncio.run(compare_support([*made, *other], Asker(FakeModel(answer)), cell="reader-utility"))
    assert len(found.matches) == 12  # one pair for each reader, never across readers
    by_pair = {(match.first, match.second): match for match in found.matches}
    mayor = by_pair[1, 13]
    # "The mayor spoke" has importance 2 of 5: the second text is better by .4, as the absolute scores say.
    assert mayor.own == pytest.approx(-0.4)
    assert mayor.contrast == pytest.approx(found.absolute.values[1] - found.absolute.values[13])


def test_a_metric_that_has_not_seen_the_readers_says_what_to_do():
    built = metric("reader-utility", llm=Clerk().model)
    with pytest.raises(PlanError, match="must see them first") as caught:
        asyncio.run(built.score(items()))
    assert "prepare(originals)" in caught.value.hint


def test_without_a_model_nobody_says_what_readers_need():
    with pytest.raises(SpecError, match="reader-utility asks a language model, and none is given"):
        metric("reader-utility")


def test_a_reader_that_was_not_there_is_no_reader_of_the_data():
    async def later():
        prepared = await metric("reader-utility", llm=Clerk().model).prepare(items())
        stranger = items()[0]
        stranger = replace(stranger, id="new", persona=replace(stranger.persona, role="fox"))
        return await prepared.score([stranger])

    assert asyncio.run(later()).reasons == {"new": "its reader is not in the data the metric was prepared on"}


def test_what_the_reader_knows_and_nobody_can_tell_costs_the_score():
    """A call about what a reader knows that fails leaves no novelty, and none is made up."""
    knows = ("In Arden the nurse left.",)
    made = items()
    made[0] = replace(made[0], persona=replace(made[0].persona, knows=knows))

    class Forgetful(Clerk):
        def answer(self, request):
            known = fences(request).get("candidate") or ""
            if request.purpose == "oracle" and known.strip() == knows[0]:
                raise CallError("the endpoint timed out")
            return super().answer(request)

    # The text under test is the very same sentence: it fails as well, so another text is scored.
    made[0] = replace(made[0], candidate="In Arden the nurse was ill.")
    made = [one for one in made if one.candidate != knows[0]]
    scores = score("reader-utility", Forgetful(), made)
    assert scores.reasons == {"Arden/nurse": "what its reader knows: the endpoint timed out"}


def test_readers_of_groups_too_small_for_their_negatives_are_noted():
    async def notes(groups):
        made = [replace(item, group=groups[item.task_id]) for item in items()]
        prepared = await metric("reader-utility,neg=2", llm=Clerk().model).prepare(made)
        return prepared.notes

    halves = dict.fromkeys(TOWNS[:3], "a") | dict.fromkeys(TOWNS[3:], "b")
    of_halves = asyncio.run(notes(halves))
    assert (
        "the other readers are of the same group: the scores estimate information given the group"
        in of_halves
    )
    alone = dict.fromkeys(TOWNS[:5], "a") | {TOWNS[5]: "b"}
    assert any(
        note.startswith("1 of 6 queries are in groups too small") for note in asyncio.run(notes(alone))
    )
