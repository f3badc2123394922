import json
import math
from dataclasses import replace

import numpy as np
import pytest
from tests.support.fake_results import fake_result

from gameproof.audits.result import CheckRow
from gameproof.errors import RunFolderError
from gameproof.reports.result_json import parse_result, render_json


def through_text(record):
    return json.loads(json.dumps(record, allow_nan=False))


def test_a_result_survives_the_way_through_json():
    result = fake_result()

    assert parse_result(through_text(render_json(result))) == result


def test_json_holds_neither_nan_nor_infinity():
    result = fake_result()
    row = replace(result.metrics[0].checks[0], low=-math.inf, high=math.nan)
    result = replace(result, metrics=(replace(result.metrics[0], checks=(row,)),))

    record = render_json(result)["metrics"][0]["checks"][0]

    assert (record["low"], record["high"]) == (None, None)


def test_enums_are_written_as_text():
    record = render_json(fake_result())["metrics"][0]

    assert type(record["card"]["resistant"]) is str
    assert record["checks"][0]["verdict"] == "fail"


def test_an_open_end_of_an_exchange_rate_comes_back_as_infinity():
    result = parse_result(through_text(render_json(fake_result())))
    padding = next(row for row in result.metrics[1].checks if row.check == "padding")

    assert padding.exchange.interval.low == -math.inf


def test_numpy_values_and_large_seeds_stay_exact():
    run = {"n_items": np.int64(7), "share": np.float64(0.5), "seed": 2**63 + 1, "tags": ("a", 1)}
    result = replace(fake_result(), run=run, metrics=())

    assert through_text(render_json(result))["run"] == {
        "n_items": 7,
        "share": 0.5,
        "seed": 2**63 + 1,
        "tags": ["a", 1],
    }


def test_fields_of_a_later_version_are_ignored():
    record = render_json(fake_result())
    record["metrics"][0]["checks"][0]["later"] = 1

    assert parse_result(record) == fake_result()


def test_optional_fields_may_be_missing():
    row = CheckRow(
        check="a", family="probe", expect="none", suite="strategic", effect=None, low=None, high=None
    )
    result = replace(fake_result(), metrics=(replace(fake_result().metrics[0], checks=(row,)),))
    record = render_json(result)
    for name in ("n", "missing", "exchange", "verdict"):
        del record["metrics"][0]["checks"][0][name]

    assert parse_result(record) == result


def test_another_schema_is_refused():
    with pytest.raises(RunFolderError, match=r"gameproof\.result/9"):
        parse_result({"schema": "gameproof.result/9", "run": {}, "metrics": []})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: record.update(metrics={}), r"metrics: found \{\}; allowed: a list"),
        (
            lambda record: record["metrics"][0].pop("card"),
            r"metrics\[0\].card: found nothing; this field is required",
        ),
        (
            lambda record: record["metrics"][0]["checks"][1].update(effect="big"),
            r"metrics\[0\].checks\[1\].effect: found 'big'; allowed: a number or null",
        ),
        (
            lambda record: record["metrics"][0]["checks"][1].update(verdict="maybe"),
            r"checks\[1\].verdict: found 'maybe'; allowed: pass, fail, wrong_way, inconclusive, insensitive",
        ),
        (lambda record: record["metrics"][0].update(alarms=[1]), r"alarms\[0\]: found 1; allowed: text"),
        (lambda record: record["metrics"][0].update(summary={"n": "7"}), r"summary.n: found '7'"),
        (lambda record: record.update(run=[]), r"run: found \[\]; allowed: an object"),
    ],
)
def test_a_damaged_result_is_refused_with_its_place(change, message):
    record = through_text(render_json(fake_result()))
    change(record)

    with pytest.raises(RunFolderError, match=message):
        parse_result(record)
