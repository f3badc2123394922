"""No reader crashes: on what once crashed one, and on what a short hunt makes. `make fuzz` hunts for longer."""

import random

import pytest
from tests.fuzz.mutate import mutate
from tests.fuzz.readers import READERS

DEEP = 100_000
NESTED = b"[" * DEEP
HUGE = b"9" * 5000  # more digits than Python reads as a number
CONTENT = b'{"content": [{"type": "text", "text": "yes"}], '
CALLS = READERS["call-store"].seeds[0]
SPOILED_PARQUET = READERS["items-parquet"].seeds[0].replace(b"element", b"ele\xfb\xbfnt")
# What crashed a reader, as it was found.
CRASHES = (
    ("plan", b"a=" + NESTED),
    ("plan", b'data = "' + b"9" * 5000 + b'"'),
    ("study", b"a=" + NESTED),
    ("result", NESTED),
    ("result", b"[]"),
    ("scores", b'{"metric": "m", "variant": [], "level": 1, "item": "a", "score": 1, "reason": null}'),
    ("scores", b'{"metric": "m", "variant": null, "level": null, "item": "a", "score": {}, "reason": null}'),
    ("scores", b"\n\x97"),
    ("scores", NESTED),
    ("calls", NESTED),
    ("study-import", NESTED),
    ("study-import", b'{"page_times": [1]}'),
    ("study-import", b'{"annotations": [{"query": "q", "round1_ab": ["A"]}]}'),
    ("study-import", b'{"annotations": [{"query": "q", "comparisons": [1]}]}'),
    ("study-import", b'{"annotations": [{"query": "q", "comparisons": [], "documents": ["x"]}]}'),
    ("study-import", b'{"annotations": [{"query": "q", "comparisons": [], "at": "yesterday"}]}'),
    ("attack", NESTED),
    ("journal", NESTED),
    ("journal", b"[]"),
    (
        "journal",
        b'{"key": "k", "texts": {"a": {"kept": [{"text": "", "score": 0, "moves": [], "call": Infinity}]}}}',
    ),
    ("options", b"n" * 260 + b".v1"),
    ("replies", b'{"verdict": 1,' + b"//" * 8000),  # had 2^8000 ways to be cut into comments
    ("replies", b'{"verdicts": [' + b'{"a":' * 3000),  # was tried from fifty of its braces, each to the end
    ("replies", b'{"a":1,' * 50 + b",/*" * 5000),  # was read to its end from each comma, 40 s
    ("items-parquet", SPOILED_PARQUET),
    ("openai-wire", NESTED),
    ("openai-wire", b'{"choices": "x"}'),
    (
        "openai-wire",
        b'{"choices": [{"text": "yes", "logprobs": {"tokens": ["yes"], "token_logprobs": [1e30]}}]}',
    ),
    ("openai-wire", b'{"choices": Infinity}'),
    ("openai-wire", b'{"choices": [{"message": {"content": "yes"}, "finish_reason": [], "logprobs": "x"}]}'),
    ("openai-wire", b'{"choices": [{"message": {"content": [{"type": []}]}}], "usage": "x"}'),
    (
        "openai-wire",
        b'{"choices": [{"logprobs": {"tokens": ["a"], "token_logprobs": [-1], "text_offset": ["x"]}}]}',
    ),
    ("anthropic-wire", CONTENT + b'"usage": -1}'),
    ("anthropic-wire", CONTENT + b'"stop_reason": {}}'),
    ("anthropic-wire", b'{"content": [null]}'),
    ("failures", NESTED),
    ("failures", b"30 Nov " + HUGE + b" 11:00:00 GMT"),
    ("metric-answers", NESTED),
    ("openalex", NESTED),
    ("replies", b'"' + HUGE + b'"'),
    ("study-corpus", NESTED),
    ("study-lists", NESTED),
    ("study-lists", b'{"rain": [1]}'),
    ("study-prompt", b"## user\n\n" + b"{" * 300),
    ("study-prompt", b"## user\n\n{{ question % 0 }}"),
    ("options", b"\x00"),
    ("rewards", b'{"options": {"missing": {}}}'),
    ("rewards", b'{"options": {"unknown": []}}'),
    ("call-store", CALLS.replace(b'"finish"', b'"finish\x00')),
    ("call-store", CALLS.replace(b'"finish"', b'"f\xffnish"')),
    ("run-folder", b'"contrasts.npz"\nPK\x03\x04'),
    (
        "public",
        b'"medaesqa"\n[{"question_id": 1, "question": "q", "machine_generated_answers": {"M1": {"answer": "a", "answer_sentences": [3]}}}]',
    ),
    ("scores", b'{"metric": "m", "variant": "v", "level": "1", "item": "a", "score": 1, "reason": null}'),
    (
        "run-folder",
        b'"manifest.json"\n{"schema": "gameproof.manifest/1", "plan": {"metrics": [3]}, "versions": {}, "stages": {"score m": {"inputs": "", "files": {}, "finished": ""}}}',
    ),
    ("public", b'"summeval"\n{"id": "a", "decoded": "b", "expert_annotations": [false]}'),
)


@pytest.mark.parametrize(("name", "data"), CRASHES)
def test_what_once_crashed_a_reader_is_refused(name, data):
    READERS[name](data)


@pytest.mark.parametrize("name", READERS)
def test_a_reader_reads_what_it_starts_from(name):
    READERS[name].read(READERS[name].seeds[0])


@pytest.mark.parametrize("name", READERS)
def test_a_reader_raises_nothing_but_errors_for_the_user(name):
    rng = random.Random(name)
    inputs = list(READERS[name].seeds)
    for _ in range(60):
        data = mutate(rng.choice(inputs), rng, inputs)
        READERS[name](data)
        if rng.random() < 0.2:
            inputs.append(data)
