from hypothesis import given
from hypothesis import strategies as st

from gameproof.metrics.spec_text import join_spec, split_spec

keys = st.from_regex(r"[a-z]{1,8}", fullmatch=True)


@given(st.dictionaries(keys, st.text(st.characters(codec="utf-8"), min_size=1)))
def test_any_values_survive_being_written_and_read(options: dict[str, str]):
    spec = split_spec(join_spec("name", options))
    assert (spec.head, dict(spec.options)) == ("name", options)


@given(st.dictionaries(keys, st.text(st.characters(codec="utf-8"), min_size=1)))
def test_nothing_means_anything_to_a_shell(options: dict[str, str]):
    assert not set(join_spec("name", options)) & set(" \t\n\"'`$&|;<>()[]{}*?!#~^\\")


def test_spaces_around_parts_do_not_matter():
    assert dict(split_spec(" rougeL , tok=legacy ,stem=true ").options) == {"tok": "legacy", "stem": "true"}
