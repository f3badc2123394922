"""FActScore and persona precision and recall: what is asked, how often, and what a failed call means."""

import asyncio
import json
from collections import Counter
from dataclasses import replace

import pytest
from tests.support.fake_model import FakeModel, fences
from tests.support.scoring import score_items

from gameproof.errors import CallError
from gameproof.metrics.catalogue import metric
from gameproof.metrics.llm_calls import TellsCalls
from gameproof.records import Item, Persona

FACTS = "The bridge closed. Costs rose. Foxes came."
SOURCE = "The bridge closed at dawn and costs rose by half."
NURSE = Persona(role="nurse", query="Is the bridge open?")


def item(name="one", candidate=FACTS, **more):
    given = {"source": SOURCE, "persona": NURSE, "references": ("The bridge is closed.",)} | more
    return Item(id=name, task_id=name, candidate=candidate, **given)


class Clerk:
    """Splits texts at stops, needs three things, and gives verdicts by a word; counts what it is asked."""

    name = "clerk"

    def __init__(self, yes=("bridge",), *, fails=(), forgets=()):
        self.yes, self.fails, self.forgets = yes, fails, set(forgets)
        self.model = FakeModel(self.answer)
        self.asked = Counter()

    def answer(self, request):
        self.asked[request.purpose] += 1
        texts = fences(request)
        if request.purpose in self.fails:
            raise CallError("the endpoint timed out")
        if request.purpose == "decompose":
            return json.dumps(
                {"statements": [f"{part.strip()}." for part in texts["reference"].split(".") if part.strip()]}
            )
        if request.purpose == "requirements":
            needed = ["The bridge is closed.", "Costs rose by half.", "It was dawn."]
            return json.dumps({"requirements": [{"text": text, "importance": 1} for text in needed]})
        lines = dict(line.split(": ", 1) for line in texts["statements"].splitlines())
        verdicts = [
            {"id": name, "verdict": "yes" if any(word in text for word in self.yes) else "no"}
            for name, text in lines.items()
            if name not in self.forgets
        ]
        return json.dumps({"verdicts": verdicts})


def score(name, clerk, *items):
    return score_items(metric(name, llm=clerk.model), items or [item()])


def test_factscore_is_the_share_of_supported_statements():
    clerk = Clerk(yes=("bridge", "Costs"))
    assert score("factscore", clerk).values[0] == pytest.approx(2 / 3)
    assert clerk.asked == {"decompose": 1, "factscore": 1}


@pytest.mark.parametrize(("against", "text"), [("source", SOURCE), ("references", "One.\n\nTwo.")])
def test_factscore_shows_the_source_or_the_references_and_not_the_candidate(against, text):
    clerk = Clerk()
    score(f"factscore,against={against}", clerk, item(references=("One.", " ", "Two.")))
    (request,) = [request for request in clerk.model.requests if request.purpose == "factscore"]
    assert fences(request)["candidate"] == text


def test_precision_is_the_share_of_use_to_the_reader_who_is_described_with_the_question():
    clerk = Clerk(yes=("bridge",))
    assert score("persona_precision", clerk).values[0] == pytest.approx(1 / 3)
    assert "asked: Is the bridge open?" in fences(clerk.model.requests[-1])["reader"]


def test_recall_is_the_share_of_needs_that_the_candidate_meets():
    clerk = Clerk(yes=("bridge", "Costs"))
    assert score("persona_recall", clerk).values[0] == pytest.approx(2 / 3)
    assert fences(clerk.model.requests[-1])["found"].splitlines()[0] == "C1: The bridge closed."


def test_all_candidates_of_a_reader_and_a_source_are_held_against_one_list_of_needs():
    clerk = Clerk()
    items = [item(str(place), f"The bridge closed {place} times.") for place in range(5)]
    other = item("other", "The bridge closed for a doctor.", persona=replace(NURSE, role="doctor"))
    score("persona_recall", clerk, *items, other)
    assert clerk.asked == {"decompose": 6, "requirements": 2, "persona_recall": 6}


def test_the_three_share_the_statements_of_a_candidate():
    clerk = Clerk()
    built = [metric(name, llm=clerk.model) for name in ("factscore", "persona_precision")]
    assert all(score_items(each, [item()]).values[0] >= 0 for each in built)
    from gameproof.metrics.catalogue import build_metrics  # noqa: PLC0415

    together = Clerk()
    for each in build_metrics(["factscore", "persona_precision", "persona_recall"], llm=together.model):
        score_items(each, [item()])
    assert together.asked["decompose"] == 1


@pytest.mark.parametrize("name", ["factscore", "persona_precision", "persona_recall"])
def test_a_verdict_call_that_fails_is_missing_and_not_a_no(name):
    scores = score(name, Clerk(fails=(name,)))
    assert scores.reasons == {"one": "the endpoint timed out"}


@pytest.mark.parametrize(
    ("purpose", "reason"),
    [
        ("decompose", "its statements: the endpoint timed out"),
        ("requirements", "what its reader needs: the endpoint timed out"),
    ],
)
def test_without_the_lists_a_score_is_missing_with_the_reason(purpose, reason):
    assert score("persona_recall", Clerk(fails=(purpose,))).reasons == {"one": reason}


def test_statements_without_a_verdict_are_asked_for_once_more_and_then_left_out_with_a_remark():
    clerk = Clerk(yes=("bridge",), forgets=["S3"])
    scores = score("factscore", clerk)
    assert clerk.asked["factscore"] == 2
    assert scores.values[0] == pytest.approx(1 / 2)  # of the two that have a verdict
    assert scores.remarks == {"one": "2/3 statements"}


def test_with_fewer_than_half_of_the_verdicts_there_is_no_score():
    scores = score("factscore", Clerk(forgets=["S2", "S3"]))
    assert "one" in scores.reasons
    assert not scores.remarks


def test_a_candidate_without_words_or_statements_is_missing():
    clerk = Clerk()
    scores = score("factscore", clerk, item("stops", "..."), item("none", "!? -"))
    assert set(scores.reasons.values()) == {"no statement in the candidate"}
    assert not clerk.asked


def test_an_item_without_a_persona_is_missing():
    assert score("persona_precision", Clerk(), item(persona=None)).reasons == {"one": "no persona"}


@pytest.mark.parametrize("name", ["factscore", "persona_precision", "persona_recall"])
def test_as_many_calls_are_made_as_were_told_before(name):
    clerk = Clerk()
    items = [item(str(place), f"Bridge {place} closed. It rained.") for place in range(4)]
    built = metric(name, llm=clerk.model)
    assert isinstance(built, TellsCalls)
    planned = asyncio.run(built.planned_calls(items, items))
    score_items(built, items)
    told = Counter(call.purpose for call in planned.values())
    assert told == clerk.asked


def test_the_signature_pins_the_wordings_and_the_model():
    signature = metric("persona_recall", llm=Clerk().model).signature()
    assert "prompt=covered.v1@" in signature
    assert "requirements=requirements.v2@" in signature
    assert "llm=fake" in signature
