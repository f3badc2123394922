"""A metric that is prepared once and asked for a few texts at a time."""

import asyncio
import copy
import gc
import os
import pickle
import threading

import pytest
from tests.support.fake_model import FakeModel, honest

import gameproof
from gameproof.audits.ready import ReadyMetric
from gameproof.audits.task_index import TaskIndex
from gameproof.errors import EndpointError, InputError, PlanError
from gameproof.records import Item

CELL = "TV+fvar+statement+overlap,neg=2"
POOL = [
    {"task_id": f"t{n}", "candidate": text, "references": [text, f"Again: {text}"], "query": f"What of {n}?"}
    for n, text in enumerate(
        (
            "The bridge fell at dawn; nobody was hurt there.",
            "Rain had weakened the dam, and the valley was cleared.",
            "Seven trains were late because of snow on the line.",
            "The museum reopened with a show of early maps.",
            "A new harbour will take larger ships from next spring.",
        )
    )
]

MANY = [{"task_id": f"t{n}", "candidate": "c", "references": [f"Fact number {n}."]} for n in range(9)]


def scores_of_the_verb(metric, pool=POOL, **more):
    table = gameproof.score(pool, metric, **more)
    return table.scores[0].values.tolist()


def test_scores_are_those_of_the_verb_on_the_same_data():
    """Origin: `gameproof.score`, which prepares on all rows and scores them together."""
    ready = ReadyMetric(CELL, pool=POOL)
    one_by_one = [
        ready.score([ready.item(row["candidate"], references=row["references"][:1])])[0].value for row in POOL
    ]
    assert one_by_one == scores_of_the_verb(CELL)


def test_the_signature_is_that_of_the_verb_once_something_is_scored():
    ready = ReadyMetric(CELL, pool=POOL)
    assert "pool=" not in ready.signature
    ready.prepare()
    assert ready.signature == gameproof.score(POOL, CELL).scores[0].signature


def test_preparing_happens_once_however_many_ask_at_the_same_time():
    model = FakeModel(honest)
    ready = ReadyMetric("TV+fvar+statement+oracle,neg=2,decompose=atomic.v1", pool=POOL, llm=model)
    assert model.requests == []

    async def many():
        items = [ready.item(row["candidate"], query=row["query"]) for row in POOL]
        return await asyncio.gather(*(ready.ascore([item]) for item in items))

    found = [outcomes[0].value for outcomes in asyncio.run(many())]
    again = [outcomes[0].value for outcomes in asyncio.run(many())]  # another loop, the same connections
    assert None not in found
    assert found == again
    decomposed = [request for request in model.requests if request.purpose == "decompose"]
    assert len(decomposed) == 2 * len(POOL)  # two references a task


def test_an_endpoint_that_was_away_is_asked_again_once_closed():
    answers = iter([ConnectionError("away")])

    def answer(request):
        for error in answers:
            raise EndpointError(str(error))
        return honest(request)

    ready = ReadyMetric(
        "TV+fvar+statement+oracle,neg=2,decompose=atomic.v1", pool=POOL, llm=FakeModel(answer)
    )
    item = ready.item(POOL[0]["candidate"], query=POOL[0]["query"])
    for _ in range(2):
        with pytest.raises(EndpointError, match="away"):
            ready.score([item])
    ready.close()
    assert ready.score([item])[0].value is not None


def test_a_task_that_the_pool_lacks_is_missing_with_its_reason():
    ready = ReadyMetric(CELL, pool=POOL)
    (outcome,) = ready.score([ready.item("Some text.", references=["Not in the pool at all."])])
    assert outcome.value is None
    assert outcome.reason == "its task is not in the data the metric was prepared on"


def test_an_empty_text_is_missing_and_leaves_the_others_alone():
    ready = ReadyMetric("rougeL")
    items = [ready.item(text, references=["It rained."]) for text in ("", "It rained.")]
    empty, full = ready.score(items)
    assert (empty.value, empty.reason) == (None, "empty")
    assert full.value == 1.0  # a text against itself
    assert not ready.meets(empty.value, -1.0)


def test_a_metric_that_needs_other_tasks_asks_for_a_pool_at_once():
    with pytest.raises(PlanError, match="pool is missing"):
        ReadyMetric(CELL)


def test_a_metric_of_unknown_direction_has_to_be_told():
    with pytest.raises(InputError, match="higher score is better"):
        ReadyMetric("call:builtins:len,args=candidate")


@pytest.mark.parametrize(("declared", "met"), [("true", [True, False]), ("false", [False, True])])
def test_the_threshold_is_met_on_the_better_side(declared, met):
    ready = ReadyMetric(f"call:builtins:len,args=candidate,higher_is_better={declared},version=1")
    assert [ready.meets(value, 5.0) for value in (6.0, 4.0)] == met
    assert ready.meets(5.0, 5.0)


def test_a_direction_that_nobody_declares_is_measured_on_the_pool():
    ready = ReadyMetric("call:tests.unit.audits.test_ready:distance,args=candidate+references", pool=MANY)
    ready.prepare()
    assert not ready.higher_is_better
    assert ready.meets(0.2, 0.5)


def distance(candidate, references):
    return 0.0 if candidate in references else 1.0


def test_copies_share_and_other_processes_start_anew():
    ready = ReadyMetric(CELL, pool=POOL)
    assert copy.deepcopy(ready) is ready
    assert copy.copy(ready) is ready
    item = ready.item(POOL[1]["candidate"], query=POOL[1]["query"])
    sent = pickle.loads(pickle.dumps(ready))  # noqa: S301 - our own
    assert sent.score([item]) == ready.score([item])


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_makes_its_own_connections():
    ready = ReadyMetric("rougeL")
    item = ready.item("It rained.", references=["It rained."])
    ready.score([item])
    child = os.fork()
    if child == 0:  # the loop's thread is not here
        os._exit(0 if ready.score([item])[0].value == 1.0 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_metric_that_asks_for_itself_is_an_error_not_a_hang():
    def asks(_item):
        return ready.score([])

    ready = ReadyMetric(gameproof.as_metric(asks, version="1"))
    (outcome,) = ready.score([ready.item("Text.")])
    assert "wait for itself" in outcome.reason


def test_closed_it_opens_again():
    ready = ReadyMetric("length")
    ready.close()
    assert ready.score([ready.item("one two three")])[0].value == 3.0


def test_what_nobody_needs_any_more_is_closed():
    class Closes(FakeModel):
        closed = False

        async def close(self):
            self.closed = True

    model = Closes(honest)
    ready = ReadyMetric("judge", llm=model)
    ready.score([ready.item("It rained at dawn.", references=["Rain."])])
    names = [thread.name for thread in threading.enumerate()]
    assert not model.closed
    del ready
    gc.collect()
    assert model.closed
    assert [thread.name for thread in threading.enumerate()].count("gameproof-ready") < names.count(
        "gameproof-ready"
    )


def make_task(task, references=(), *, query=None, source=None):
    return Item(
        id=task, task_id=task, candidate="c", references=tuple(references), query=query, source=source
    )


TASKS = TaskIndex(
    [
        make_task("a", ["Yes.", "It is."], query="Is it?", source="One."),
        make_task("b", ["Yes."], query="Was it?", source="Two."),
        make_task("c", ["No."], query="Is it?"),
    ]
)


@pytest.mark.parametrize(
    ("given", "task"),
    [
        ({"references": ["No."]}, "c"),
        ({"references": [" Yes. "]}, "a"),  # alike: the first of the data
        ({"references": ["Yes."], "query": "Was it?"}, "b"),
        ({"references": ["Yes."], "source": "Two."}, "b"),
        ({"references": ["Yes.", "It is."]}, "a"),
        ({"references": ["Yes."], "query": "Nobody asked."}, "a"),
        ({"references": ["No.", "It is."]}, None),  # no task has both
        ({"references": ["Maybe."], "query": "Was it?"}, None),  # references decide
        ({"query": "Is it?", "source": "One."}, "a"),
        ({"source": "Two."}, "b"),
        ({"task": "b", "references": ["No."]}, "b"),
        ({"task": "z"}, None),
        ({}, None),
    ],
)
def test_a_task_is_found_by_its_texts(given, task):
    found = TASKS.find(**given)
    assert (found and found.task_id) == task
