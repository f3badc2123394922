import fractions
import sys
from types import SimpleNamespace

import pytest
from tests.support.scoring import make_items, score_items

from gameproof.errors import SpecError
from gameproof.metrics.adapters import from_promptfoo
from gameproof.metrics.catalogue import metric

ITEMS = make_items([("Rain fell.", ["It rained."])])
ASSERTS = """
def get_assert(output, context):
    return {"pass": False, "score": len(output) / 100, "reason": context["vars"]["reference"]}

async def waits(output, context):
    return True

number = 3
"""


def value_of(function, **terms):
    scores = score_items(from_promptfoo(function, **terms), ITEMS)
    return scores.reasons.get("item 0") or scores.values[0]


# What an assertion may return: https://www.promptfoo.dev/docs/configuration/expected-outputs/python/
@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        (True, 1.0),
        (False, 0.0),
        (0.25, 0.25),
        ({"pass": True, "score": 0.5, "reason": "so so"}, 0.5),
        ({"pass_": False, "score": 0.75}, 0.75),
        (SimpleNamespace(pass_=True, score=0.5), 0.5),
        ({"pass": True}, "ValueError: the assertion returned a result without a score"),
        (None, "the metric returned nothing"),
        ("good", "the metric returned str, not a number"),
    ],
)
def test_scores_are_read_and_passing_is_not(returned, expected):
    assert value_of(lambda _output, _context: returned) == expected


def test_the_context_holds_the_parts_of_the_item():
    seen = []

    def get_assert(output, context):
        seen.append((output, context["prompt"], context["vars"]))
        return 1

    value_of(get_assert, fields={"expected": "reference"})
    parts = {"reference": "It rained.", "references": ["It rained."], "source": "A source."}
    assert seen == [("Rain fell.", "", {**parts, "expected": "It rained."})]


def test_a_file_is_loaded_by_its_path_and_its_text_rebuilds_it(tmp_path):
    path = tmp_path / "asserts.py"
    path.write_text(ASSERTS)
    built = metric(f"promptfoo:{path},version=2,vars.expected=reference")
    assert score_items(built, ITEMS).values.tolist() == [0.1]  # ten characters
    assert built.signature() == f"promptfoo:{path},vars.expected=reference,version=2"
    assert metric(built.signature()).signature() == built.signature()
    assert built.needs == {"references"}
    assert score_items(metric(f"promptfoo:{path}:waits"), ITEMS).values.tolist() == [1.0]


def test_what_is_no_assertion_is_refused(tmp_path):
    path = tmp_path / "asserts.py"
    path.write_text(ASSERTS)
    broken = tmp_path / "broken.py"
    broken.write_text("import no_such_package_here")
    for address, said in [
        (tmp_path / "none.py", "there is no file"),
        (f"{path}:number", "has no function 'number'"),
        (f"{path}:nothing", "has no function 'nothing'"),
        (broken, "cannot be loaded: ModuleNotFoundError"),
    ]:
        with pytest.raises(SpecError, match=said):
            from_promptfoo(address)


@pytest.mark.parametrize(
    "name", ["own_assertions", "fractions"]
)  # a module of Python has the second name too
def test_a_file_with_dataclasses_is_loaded_and_hides_no_module_of_its_name(name, tmp_path):
    path = tmp_path / f"{name}.py"
    path.write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass Result:\n    score: float\n"
        "def get_assert(output, context):\n    return Result(score=0.25)\n"
    )
    assert value_of(path) == 0.25
    assert sys.modules["fractions"] is fractions
    assert "own_assertions" not in sys.modules
