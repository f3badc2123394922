import math

import pytest
from tests.support.scoring import make_items, score_items
from tests.support.stub_server import Answer, StubServer, error, throttled

from gameproof.errors import EndpointError, SpecError
from gameproof.metrics.adapters import from_http

ITEMS = make_items([(f"text {n}", [f"reference {n}"]) for n in range(12)])


def last_digit(call):
    return Answer(body={"score": int(call.body["candidate"].split()[-1])})


def metric_of(stub, **options):
    return from_http(f"{stub.url}/score", backoff_s=0.001, **options)


def test_every_text_is_posted_with_what_belongs_to_it():
    with StubServer(last_digit) as stub:
        scores = score_items(metric_of(stub, headers={"Authorization": "Bearer secret"}), ITEMS)
    assert scores.values.tolist() == list(range(12))
    call = next(call for call in stub.calls if call.body["id"] == "item 3")
    assert call.body == {
        "id": "item 3",
        "task_id": "task 3",
        "candidate": "text 3",
        "references": ["reference 3"],
        "source": "A source.",
    }
    assert call.headers["authorization"] == "Bearer secret"
    assert call.path == "/v1/score"


def test_no_more_requests_at_the_same_time_than_said():
    with StubServer(lambda _: Answer(body={"score": 1}, delay_s=0.01)) as stub:
        score_items(metric_of(stub, at_once=3), ITEMS)
    assert stub.most_in_flight == 3


@pytest.mark.parametrize(
    "fault", [throttled("0.001"), error(503, "busy"), Answer(body={"score": 1}, cut=True)]
)
def test_what_may_pass_is_asked_again(fault):
    def script(call):
        first = [seen.body["id"] for seen in stub.calls].count(call.body["id"]) == 1
        return fault if first else last_digit(call)

    with StubServer(script) as stub:
        scores = score_items(metric_of(stub), ITEMS)
    assert scores.values.tolist() == list(range(12))
    assert len(stub.calls) == 24


def test_a_text_that_keeps_failing_is_missing_with_its_reason():
    def script(call):
        return error(500, "cannot read it") if call.body["id"] == "item 5" else last_digit(call)

    with StubServer(script) as stub:
        scores = score_items(metric_of(stub), ITEMS)
    assert scores.reasons == {"item 5": "HTTP 500: cannot read it (4 attempts)"}
    assert math.isnan(scores.values[5])
    assert len(stub.calls) == 11 + 4


def test_null_is_missing_with_the_reason_of_the_server():
    with StubServer(lambda _: Answer(body={"score": None, "reason": "no verb"})) as stub:
        assert set(score_items(metric_of(stub), ITEMS).reasons.values()) == {"no verb"}


@pytest.mark.parametrize("status", [400, 401, 404, 422])
def test_a_request_that_is_refused_stops_the_run_at_once(status):
    with (
        StubServer(lambda _: error(status, "not like this")) as stub,
        pytest.raises(EndpointError, match="not like this"),
    ):
        score_items(metric_of(stub, at_once=1), ITEMS)
    assert len(stub.calls) == 1


@pytest.mark.parametrize("body", [{"value": 1}, {"score": "good"}])
def test_an_answer_without_a_score_stops_the_run_and_is_shown(body):
    with (
        StubServer(lambda _: Answer(body=body)) as stub,
        pytest.raises(EndpointError, match="without a score"),
    ):
        score_items(metric_of(stub), ITEMS)


def test_a_closed_port_is_told_and_names_the_address():
    with pytest.raises(EndpointError, match=r"http://127\.0\.0\.1:9/score .* cannot be reached"):
        score_items(from_http("http://127.0.0.1:9/score", backoff_s=0.001), ITEMS)


@pytest.mark.parametrize("url", ["ftp://host/x", "localhost:8000", "http://"])
def test_what_is_no_web_address_is_refused(url):
    with pytest.raises(SpecError, match="allowed: an address"):
        from_http(url)


def test_what_may_be_secret_in_an_address_is_not_shown():
    metric = from_http("https://me:secret@host/score?key=secret")
    assert "secret" not in metric.name + metric.signature() + repr(metric)


@pytest.mark.parametrize("error", [None, "", {}])
def test_an_answer_that_names_no_error_is_an_answer(error):
    with StubServer(lambda _: Answer(body={"score": 0.5, "error": error})) as stub:
        scores = score_items(metric_of(stub), ITEMS)
    assert scores.values.tolist() == [0.5] * len(ITEMS)
    assert len(stub.calls) == len(ITEMS)
