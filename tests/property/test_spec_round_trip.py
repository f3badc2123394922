"""Every spec survives being printed, and every signature rebuilds its spec."""

from hypothesis import given
from hypothesis import strategies as st

from gameproof.errors import SpecError
from gameproof.fmi.cells import CELLS, choices_of
from gameproof.fmi.spec import PINS, PRESETS, parse

ANY_TEXT = st.text("aZ09+,=%&~/:@._-$'\"\\ \n\té漢\udc80")
VALUES_OF_KIND = {
    "count": st.integers(1, 10**9).map(str),
    "whole": st.integers(0, 10**9).map(str),
    "nats": st.floats(1e-300, 1e300).map(str),
    "degree": st.floats(0, 2).map(str),
    "asset": st.sampled_from(["rules.v1", "atomic.v2", "gppm.v12@0123abcd"]),
    "text": ANY_TEXT.filter(lambda text: text and text.isprintable()),
}


def values_of(choice):
    words = st.sampled_from(choice.words) if choice.words else st.nothing()
    return words | VALUES_OF_KIND.get(choice.kind, st.nothing())


@st.composite
def specs(draw):
    """Build a legal spec: options that contradict one another are left out again."""
    cell = draw(st.sampled_from(CELLS))
    choices = choices_of(cell)
    keys = draw(st.sets(st.sampled_from(sorted(choices))))
    needed = {key for key, choice in choices.items() if choice.required}
    spec = parse(f"{cell}{''.join(f',{key}={choices[key].words[0]}' for key in needed)}")
    for key in sorted(keys):
        try:
            spec = spec.with_options({key: draw(values_of(choices[key]))})
        except SpecError:
            continue
    return spec


@given(spec=specs())
def test_a_printed_spec_parses_to_an_equal_spec(spec):
    assert parse(str(spec)) == spec


@given(spec=specs())
def test_a_signature_parses_to_an_equal_spec(spec):
    assert parse(spec.signature({})) == spec


@given(spec=specs(), version=st.text("0123456789.", min_size=1))
def test_pins_can_be_put_on_and_taken_off(spec, version):
    pinned = parse(spec.signature({"v": version}))
    assert pinned.get("v") == version
    assert pinned.without(PINS) == spec.without(PINS)


@given(spec=specs())
def test_nothing_in_a_printed_spec_means_anything_to_a_shell(spec):
    assert not set(spec.signature({})) & set(" \t\n\"'`$&|;<>()[]{}*?!#~\\^")


@given(spec=specs())
def test_equal_specs_have_equal_hashes(spec):
    assert hash(parse(str(spec))) == hash(spec)


@given(head=st.sampled_from(["", *PRESETS, *map(str, CELLS)]), tail=ANY_TEXT)
def test_any_text_is_read_or_refused_and_nothing_else(head, tail):
    try:
        spec = parse(head + tail)
    except SpecError:
        return
    assert parse(str(spec)) == spec
