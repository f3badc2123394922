"""Readers: what is a verdict, what is none, and that a failure is never a number."""

import json

import pytest
from pydantic import BaseModel

from gameproof.llm.client import Reply
from gameproof.llm.loose_json import find_objects, is_cut_off
from gameproof.llm.replies import (
    FILTERED,
    TRUNCATED,
    UNREADABLE,
    read_choice,
    read_json,
    read_score,
    read_statement_verdicts,
)
from gameproof.prompts.messages import Message


def score(text, low=1, high=5, **more):
    return read_score(Reply(text=text, **more), low, high)


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 3}',
        'Sure!\n```json\n{"score": 3, // fine\n}\n```\nHope that helps',
        '{"score": 3.0, /* a comment */ "reason": "see http://a.b // not a comment"}',
        '{"reason": "first {\\"score\\": 5}", "score": "3"}',
        '{"score": 5} on reflection {"score": 3}',
        "[RESULT] 5 and then [RESULT] 3",
        "**Rating:** 3",
        "Rating: 3/5.",
        '"score": 3',
        "3",
        " **3** ",
        "<think>Rating: 5?</think>Rating: 3",
        'We take {x} for granted. {"score": 3}',
    ],
)
def test_a_verdict_is_read_through_fences_chat_comments_and_labels(text):
    assert score(text).value == 3
    assert score(text).reason is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"score": 7}', "off the menu: '7'"),
        ('{"score": 3.5}', "off the menu: '3.5'"),
        ('{"score": null}', "off the menu: 'None'"),
        ('{"score": true}', "off the menu: 'True'"),
        ("Rating: 8/10", "off the menu: '8/10'"),
        ('{"score": 4} then {"score": 9}', "off the menu: '9'"),  # no earlier verdict takes its place
        ("The text is fine, I would say.", UNREADABLE),
        ("I give it 4 of 5 stars", UNREADABLE),  # no looser pattern
        ("Score: 1 to 5", UNREADABLE),  # a scale, no verdict
        pytest.param("Score: " + "1" * 5000, f"off the menu: '{'1' * 24}'", id="thousands of digits"),
        pytest.param("Score: 1/" + "1" * 5000, f"off the menu: '1/{'1' * 22}'", id="of thousands of digits"),
        ("", UNREADABLE),
        ("{" * 5000, UNREADABLE),
        ('{"score": 4, "reason": "the second cla', TRUNCATED),
    ],
)
def test_what_is_no_verdict_has_a_reason_and_no_value(text, reason):
    read = score(text)
    assert read.value is None
    assert read.reason == reason


@pytest.mark.parametrize(("finish", "reason"), [("length", TRUNCATED), ("filter", FILTERED)])
def test_a_stopped_reply_is_never_read_even_where_it_holds_a_number(finish, reason):
    assert score('{"score": 4}', finish=finish).reason == reason


def test_a_bad_escape_is_mended_and_flagged():
    read = score(r'{"reason": "uses \$x and C:\new", "score": 2}')
    assert (read.value, read.repaired) == (2, True)
    assert not score('{"reason": "plain", "score": 2}').repaired


def test_a_raw_line_break_in_a_string_is_mended():
    read = score('{"reason": "one\ntwo", "score": 2}')
    assert (read.value, read.repaired) == (2, True)


def test_an_echo_of_the_prompt_is_not_read():
    prompt = (Message(role="user", content='Answer like {"score": 5}, a whole number from 1 to 5.'),)
    echo = Reply(text=prompt[0].content)
    assert read_score(echo, 1, 5, prompt=prompt).reason == UNREADABLE
    answered = Reply(text=prompt[0].content.replace(" ", "\n") + "\n\nScore: 2")
    assert read_score(answered, 1, 5, prompt=prompt).value == 2


def test_a_choice_ignores_case_and_nothing_else():
    assert read_choice(Reply(text="Verdict: **YES**"), ("yes", "no")).value == "yes"
    assert read_choice(Reply(text="Verdict: maybe"), ("yes", "no")).reason == "off the menu: 'maybe'"
    assert read_choice(Reply(text='{"verdict": -2}'), ("-2", "2")).value == "-2"


class Shades(BaseModel):
    shades: list[str]


def test_an_object_is_checked_against_its_model():
    assert read_json(Reply(text='x {"shades": []} y'), Shades).value == Shades(shades=[])
    assert "other fields" in str(read_json(Reply(text='{"shades": 3}'), Shades).reason)
    assert read_json(Reply(text="none"), Shades).reason == UNREADABLE
    assert read_json(Reply(text='{"shades": ["re'), Shades).reason == TRUNCATED
    assert read_json(Reply(text='{"shades": []}', finish="length"), Shades).reason == TRUNCATED


IDS = ["S1", "S2", "S3"]


@pytest.mark.parametrize(
    "text",
    [
        '{"verdicts": [{"id": "S1", "verdict": "yes"}, {"id": "S3", "verdict": "no"}]}',
        '[{"id": "S1", "verdict": "yes"}, {"id": "s3", "verdict": "No"}, {"id": "S9", "verdict": "no"}]',
        '{"S1": "yes", "S3": "no"}',
        "S1: yes\nS3 - no",
        '{"S1": "no", "S2": "perhaps", "S3": "no"} wait {"S1": "yes"}',
    ],
)
def test_statement_verdicts_are_matched_by_id(text):
    read = read_statement_verdicts(Reply(text=text), IDS, ["yes", "no"])
    assert read.values == {"S1": "yes", "S3": "no"}
    assert read.missing == ("S2",)


def test_no_verdict_at_all_is_unreadable():
    read = read_statement_verdicts(Reply(text="All fine."), IDS, ["yes", "no"])
    assert (read.values, read.missing, read.reason) == ({}, tuple(IDS), UNREADABLE)


def test_a_cut_off_list_of_verdicts_is_truncated():
    text = '{"verdicts": [{"id": "S1", "verdict": "yes"}, {"id": "S2", "ver'
    read = read_statement_verdicts(Reply(text=text), IDS, ["yes", "no"])
    assert read.reason == TRUNCATED or read.missing == ("S2", "S3")


@pytest.mark.parametrize("text", ['{"a": 1,' + "//" * 8000, '{"a":1,' * 50 + ",/*" * 5000])
def test_text_made_of_comments_that_never_end_is_read_once(text):
    # The first could be cut into comments in 2^8000 ways, and 44 of them took a reader 200 s.
    assert find_objects(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, // the last\n}', {"a": 1}),
        ('{"a": [1, 2, /* and */ // so on\n ], }', {"a": [1, 2]}),
        ('{"a": 1, /* } */ "b": 2,}', {"a": 1, "b": 2}),
    ],
)
def test_a_comma_before_a_closing_bracket_is_left_out_also_across_comments(text, value):
    assert [found.value for found in find_objects(text)] == [value]


def test_any_number_of_objects_is_read():
    lines = [{"id": f"S{n}", "verdict": "yes"} for n in range(120)]
    assert [found.value for found in find_objects("\n".join(map(json.dumps, lines)))] == lines


def test_text_made_of_braces_is_read_in_bounded_time():
    assert find_objects('{"' * 20_000) == []
    assert is_cut_off('{"' * 20_000)
