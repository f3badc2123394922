"""Promises of the perturbation rules that hold for any text."""

import itertools

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gameproof.perturbations.apply import make_variants
from gameproof.perturbations.catalogue import PERTURBATIONS, select
from gameproof.records import Item
from gameproof.text import split_layout, words

RULES = tuple(row for row in PERTURBATIONS.values() if row.make is not None)
NOUNS = st.sampled_from(["rain", "bridge", "town", "ship", "crew", "hill", "snow", "night"])
SENTENCES = st.lists(NOUNS, min_size=1, max_size=6).map(lambda nouns: f"The {' '.join(nouns)} came.")
SECTIONS = st.tuples(
    st.sampled_from(["", "# Main part\n", "Summary:\n", "STRONG POINTS\n"]),
    st.lists(
        st.tuples(st.sampled_from(["", "- ", "1. "]), st.lists(SENTENCES, min_size=1, max_size=4)), min_size=1
    ),
).map(lambda part: part[0] + "\n".join(marker + " ".join(body) for marker, body in part[1]))
DOCUMENTS = st.lists(SECTIONS, min_size=1, max_size=3).map("\n\n".join)
TEXTS = st.one_of(DOCUMENTS, st.text(max_size=120))

OTHERS = tuple(
    Item(id=f"o{n}", task_id=f"o{n}", candidate=f"Another candidate, number {n}.", source=f"{first} {second}")
    for n, (first, second) in enumerate(
        [
            ("The king sent a letter by sea.", "It was lost in a storm."),
            ("Wheat grows well in the valley.", "Farmers sell most of it abroad."),
            ("The library opens at nine.", "Its oldest map shows a coast that is gone."),
        ]
    )
)


def make(text, rows=RULES, *, seed=0, others=OTHERS):
    item = Item(id="mine", task_id="mine", candidate=text, source="A source of its own. It is not long.")
    return [
        variant for variant in make_variants([item, *others], rows, seed=seed) if variant.item_id == "mine"
    ]


def made(text, name):
    return {
        variant.level: variant.text
        for variant in make(text, select(names=[name]))
        if variant.text is not None
    }


@settings(max_examples=30)  # each example makes every variant
@given(TEXTS)
def test_each_variant_has_either_a_text_or_a_reason(text):
    for variant in make(text):
        assert (variant.text is None) != (variant.reason is None)


@settings(max_examples=30)  # each example makes every variant
@given(TEXTS, st.integers(0, 5))
def test_the_same_seed_gives_the_same_texts(text, seed):
    assert make(text, seed=seed) == make(text, seed=seed)


@settings(max_examples=30)  # each example makes every variant
@given(TEXTS)
def test_nothing_comes_back_unchanged_unless_the_text_is_built_up(text):
    for variant in make(text):
        if PERTURBATIONS[variant.name].expect != "increase":
            assert variant.text is None or variant.text.strip() != text.strip()


@settings(max_examples=30)  # each example makes every variant
@given(TEXTS)
def test_one_perturbation_alone_gives_what_it_gives_among_all(text):
    everything = make(text)
    for row in RULES:
        assert make(text, [row]) == [variant for variant in everything if variant.name == row.name]


@settings(max_examples=30)  # each example makes every variant
@given(TEXTS)
def test_an_item_of_another_group_changes_no_text(text):
    newcomer = Item(
        id="n", task_id="n", group="far", candidate="Something else.", source="From far away it came."
    )
    same_group = [row for row in RULES if row.name != "off_domain_sentences"]  # which draws from other groups
    assert make(text, same_group, others=[*OTHERS, newcomer]) == make(text, same_group)


@given(DOCUMENTS)
def test_sentence_deletion_keeps_headers_and_the_order_of_sentences_and_shortens(text):
    assume(made(text, "sentence_deletion"))
    before, after = split_layout(text), split_layout(made(text, "sentence_deletion")[None])
    assert [line.sentences for line in after.lines if line.is_header] == [
        line.sentences for line in before.lines if line.is_header
    ]
    wanted = [before.sentences[place] for section in before.sections for place in section[::2]]
    assert list(after.sentences) == wanted
    assert len(after.sentences) < len(before.sentences)


@given(TEXTS)
def test_sentence_deletion_never_makes_a_text_longer_or_adds_a_word(text):
    for shortened in made(text, "sentence_deletion").values():
        assert len(shortened) < len(text)
        assert len(words(shortened)) <= len(words(text))


@given(TEXTS)
def test_each_level_of_distractors_goes_on_from_the_level_below(text):
    levels = made(text, "distractor_sentences")
    ordered = [levels[level].rstrip() for level in sorted(levels)]
    assert all(longer.startswith(shorter) for shorter, longer in itertools.pairwise(ordered))
    assert all(level.startswith(text.rstrip()) for level in ordered)


@given(TEXTS)
def test_each_level_of_a_text_that_is_built_up_begins_with_the_level_below(text):
    for name in ("incremental_addition", "incremental_sentences"):
        levels = made(text, name)
        ordered = [levels[level] for level in sorted(levels)]
        assert all(longer.startswith(shorter) for shorter, longer in itertools.pairwise(ordered))
        assert all(text.startswith(level) for level in ordered)


@given(TEXTS)
def test_additions_are_the_same_length_for_every_text(text):
    for name in ("meaningless_elongation", "pad_constant"):
        for longer in made(text, name).values():
            assert len(longer) - len(text) == len(made("One.", name)[None]) - len("One.")


@given(TEXTS)
def test_shuffled_words_are_the_same_words_in_other_places(text):
    for shuffled in made(text, "shuffled_words").values():
        assert sorted("".join(shuffled.split())) == sorted("".join(text.split()))
        assert len(split_layout(shuffled).lines) == len(split_layout(text).lines)


@given(DOCUMENTS)
def test_a_text_without_its_ending_is_its_own_beginning(text):
    for shortened in made(text, "ending_deletion").values():
        assert text.startswith(shortened)
        before, after = split_layout(text).sentences, split_layout(shortened).sentences
        assert before[: len(after)] == after
        assert 4 * (len(before) - len(after)) >= len(before) > len(after)
