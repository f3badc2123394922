"""No reader crashes: on what once crashed one, and on what a short hunt makes. `make fuzz` hunts for longer."""

import random

import pytest
from tests.fuzz.mutate import mutate
from tests.fuzz.readers import READERS

DEEP = 100_000
# What crashed a reader, as it was found.
CRASHES = (
    ("plan", b"a=" + b"[" * DEEP),
    ("plan", b'data = "' + b"9" * 5000 + b'"'),
    ("study", b"a=" + b"[" * DEEP),
    ("result", b"[" * DEEP),
    ("result", b"[]"),
    ("scores", b'{"metric": "m", "variant": [], "level": 1, "item": "a", "score": 1, "reason": null}'),
    ("scores", b'{"metric": "m", "variant": null, "level": null, "item": "a", "score": {}, "reason": null}'),
    ("scores", b"\n\x97"),
    ("scores", b"[" * DEEP),
    ("calls", b"[" * DEEP),
    ("study-import", b"[" * DEEP),
    ("study-import", b'{"page_times": [1]}'),
    ("study-import", b'{"annotations": [{"query": "q", "round1_ab": ["A"]}]}'),
    ("study-import", b'{"annotations": [{"query": "q", "comparisons": [1]}]}'),
    ("study-import", b'{"annotations": [{"query": "q", "comparisons": [], "documents": ["x"]}]}'),
    ("study-import", b'{"annotations": [{"query": "q", "comparisons": [], "at": "yesterday"}]}'),
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
