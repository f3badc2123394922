import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gameproof
from gameproof.errors import SpecError
from gameproof.metrics.base import as_metric
from gameproof.metrics.catalogue import METRICS, build_metrics, metric
from gameproof.records import Item

WITHOUT_MODEL = [entry for entry in METRICS.values() if entry.cost == "no model"]


def count_words(item: Item) -> float:
    return len(item.candidate.split())


def refusal(*wanted: object) -> str:
    with pytest.raises(SpecError) as caught:
        build_metrics(wanted)  # pyright: ignore[reportArgumentType] - what is refused may be anything
    return str(caught.value)


@st.composite
def wishes(draw: st.DrawFn) -> str:
    """Write a legal metric that needs no model, with some options, in any order."""
    entry = draw(st.sampled_from(WITHOUT_MODEL))
    name = draw(st.sampled_from([entry.name, *entry.aliases]))
    listed = [key for key, option in entry.options.items() if any(option.values)]  # others take any text
    keys = draw(st.permutations(sorted(listed)))
    chosen = keys[: draw(st.integers(0, len(keys)))]
    pairs = [f"{key}={draw(st.sampled_from(entry.options[key].values))}" for key in chosen]
    return ",".join([name, *pairs])


@given(wishes())
def test_name_and_signature_of_any_legal_wish_parse_back_to_it(text: str):
    built = metric(text)
    for again in (metric(built.name), metric(built.signature())):
        assert (again.name, again.signature()) == (built.name, built.signature())


@given(wishes())
def test_a_name_has_sorted_keys_and_no_defaults(text: str):
    head, *pairs = metric(text).name.split(",")
    keys = [pair.partition("=")[0] for pair in pairs]
    assert keys == sorted(keys)
    for pair in pairs:
        assert metric(f"{head},{pair}").name.startswith(head)
        assert set(pairs) <= set(text.split(","))


def test_a_default_that_depends_on_another_option_is_left_out_of_the_name():
    assert metric("rougeLsum,split=newline,tok=legacy").name == "rougeLsum,tok=legacy"
    assert metric("rougeLsum,split=rules.v1").name == "rougeLsum"
    assert metric("rougeLsum,split=rules.v1,tok=legacy").name == "rougeLsum,split=rules.v1,tok=legacy"


def test_chrfpp_is_another_way_to_write_chrf_plus_plus():
    assert metric("chrfpp").name == "chrf++"


def test_bleu_and_chrf_record_the_version_of_sacrebleu():
    assert re.search(r",sacrebleu=\d+\.\d+\.\d+,", metric("bleu").signature())
    assert re.search(r",sacrebleu=\d+\.\d+\.\d+,", metric("chrf++").signature())


def test_an_unknown_name_is_refused_with_what_was_probably_meant():
    assert "rogueL: there is no such metric; did you mean rougeL" in refusal("rogueL")
    assert "did you mean rougeLsum" in refusal("ROUGE-LSUM")
    assert "gameproof list metrics" in refusal("perplexity")


def test_an_illegal_value_is_refused_with_the_legal_ones():
    message = refusal("rougeL,tok=wordpiece,stem=maybe")
    assert "tok: found 'wordpiece'; allowed: unicode, legacy" in message
    assert "stem: found 'maybe'; allowed: false, true" in message


def test_an_option_of_another_metric_is_refused_with_those_it_has():
    assert "split: found an option rougeL does not have; allowed: refs, score, stem, tok" in refusal(
        "rougeL,split=newline"
    )


@pytest.mark.parametrize("text", ["rougeL,tok", "rougeL,=x", "rougeL,tok=", "rougeL,"])
def test_an_option_without_key_or_value_is_refused(text: str):
    assert "allowed: key=value" in refusal(text)


def test_an_option_given_twice_is_refused():
    assert "tok: found twice" in refusal("rougeL,tok=legacy,tok=unicode")


def test_another_version_is_refused_because_its_numbers_could_differ():
    assert f"v: found '0.0.1'; allowed: {gameproof.__version__}" in refusal("rougeL,v=0.0.1")


def test_all_that_is_wrong_is_reported_together():
    message = refusal("rogueL", "rouge1", "bleu,tok=14a", 3)
    assert message.startswith("3 metrics cannot be used:")
    assert "rogueL" in message
    assert "14a" in message
    assert "3: found int" in message


def test_no_metric_is_refused():
    assert refusal().startswith("no metric is named")


def test_a_single_text_is_one_metric_and_not_its_letters():
    assert [built.name for built in build_metrics("rougeL")] == ["rougeL"]


def test_what_is_asked_for_twice_is_made_once():
    names = [built.name for built in build_metrics(["rougeL", "bleu", "rougeL,tok=unicode"])]
    assert names == ["rougeL", "bleu"]


def test_different_metrics_of_one_name_are_refused():
    one, other = (as_metric(count_words, name="mine", version=version) for version in "12")
    assert "2 different metrics are called 'mine'" in refusal(one, other)


def test_functions_and_metrics_are_taken_as_they_are():
    ready = as_metric(count_words, name="ready", version="1")
    built = build_metrics([count_words, ready])
    assert built[0].name == "count_words"
    assert built[1] is ready


def test_a_cell_of_the_design_space_takes_the_seed_of_the_run():
    assert "seed=7" in metric("TV+fvar+statement+overlap", seed=7).signature()
    assert "seed=3" in metric("TV+fvar+statement+overlap,seed=3", seed=7).signature()


def test_every_entry_says_what_it_is_and_where_it_comes_from():
    for entry in METRICS.values():
        assert entry.summary
        assert entry.citation
        assert all(option.summary for option in entry.options.values())
    for entry in WITHOUT_MODEL:
        assert all(option.default in option.values for option in entry.options.values())


@pytest.mark.parametrize(
    "wanted", ["meteor,data={}", "bertscore,model={}", "syntax,model={}", "TV+fvar+statement+nli,llm={}"]
)
def test_a_folder_name_that_the_system_refuses_is_a_refusal_of_the_metric(wanted):
    assert "File name too long" in refusal(wanted.format("9" * 400))


def test_a_model_name_with_control_characters_is_refused():
    assert "model" in refusal("syntax,model=%00")
