"""What each rule does to a text."""

import itertools

import pytest

from gameproof.perturbations.apply import make_variants
from gameproof.perturbations.catalogue import select
from gameproof.perturbations.mechanical import FILLER, PADDING
from gameproof.perturbations.replacement import NULL_ANSWERS
from gameproof.records import Item

OTHERS = tuple(
    Item(id=f"other-{n}", task_id=f"other-{n}", candidate=f"Candidate {n} has words.", source=source)
    for n, source in enumerate(
        ["Snow lay on the hills. Nobody went up there.", "A ship came in at night. Its crew slept on board."]
    )
)


def make(text, name, *, others=OTHERS, source=None, references=()):
    """Return level -> variant of one text."""
    item = Item(id="mine", task_id="mine", candidate=text, source=source, references=references)
    variants = make_variants([item, *others], select(names=[name]), seed=7)
    return {variant.level: variant for variant in variants if variant.item_id == "mine"}


def only(text, name, **options):
    return make(text, name, **options)[None]


def test_sentence_deletion_keeps_every_other_sentence_of_each_section():
    text = "Summary:\nOne. Two. Three.\n\nPros:\n- Four.\n- Five.\n- Six. Seven."
    assert only(text, "sentence_deletion").text == "Summary:\nOne. Three.\n\nPros:\n- Four.\n- Six."


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Only one sentence here.", "fewer than two sentences"),
        ("Thought process:", "fewer than two sentences"),
        ("Pros:\nNew.\nCons:\nDull.", "no section has two sentences"),
        ("สวัสดีครับ ผมชื่อเล็ก", "no sentence rules for this script"),
    ],
)
def test_sentence_deletion_says_why_it_cannot_shorten_a_text(text, reason):
    variant = only(text, "sentence_deletion")
    assert (variant.text, variant.reason) == (None, reason)


def test_one_sentence_deletion_takes_out_any_one_sentence():
    found = {
        variant.text
        for seed in range(40)
        for variant in make_variants(
            [Item(id="i", task_id="t", candidate="One. Two. Three.")],
            select(names=["one_sentence_deletion"]),
            seed=seed,
        )
    }
    assert found == {"One. Two.", "One. Three.", "Two. Three."}


def test_random_replacement_takes_a_candidate_of_another_task():
    others = (
        *OTHERS,
        Item(id="same-task", task_id="mine", candidate="Same task."),
        Item(id="empty", task_id="x", candidate=" "),
    )
    found = {
        variant.text
        for seed in range(40)
        for variant in make_variants(
            [Item(id="mine", task_id="mine", candidate="Mine."), *others],
            select(names=["random_replacement"]),
            seed=seed,
        )
        if variant.item_id == "mine"
    }
    assert found == {other.candidate for other in OTHERS}


def test_random_replacement_needs_another_task_with_another_text():
    assert only("Mine.", "random_replacement", others=()).reason == "no other task"
    copies = [Item(id="copy", task_id="copy", candidate="Mine.")]
    assert only("Mine.", "random_replacement", others=copies).reason == "no other task has another text"


def test_the_filler_is_the_same_for_every_text():
    for text in ("One.", "No stop", "- a\n- b", "Two lines.\nHere."):
        made = only(text, "meaningless_elongation").text
        assert made.startswith(text)
        assert made[len(text) :].strip() == FILLER
        assert len(made) == len(text) + 1 + len(FILLER)


def test_an_addition_goes_on_in_the_line_only_after_a_full_stop():
    assert only("One.", "pad_constant").text == f"One. {PADDING}"
    assert only("One", "pad_constant").text == f"One\n{PADDING}"
    assert only("- One.", "pad_constant").text == f"- One.\n{PADDING}"


def test_white_space_at_the_end_stays_at_the_end():
    assert only("One.\n", "pad_constant").text == f"One. {PADDING}\n"


def test_null_answers_are_the_three_known_ones():
    found = {
        variant.text
        for seed in range(40)
        for variant in make_variants([OTHERS[0]], select(names=["null_answer"]), seed=seed)
    }
    assert found == set(NULL_ANSWERS)


def test_repeat_text_says_it_twice():
    assert only("One. Two.", "repeat_text").text == "One. Two. One. Two."


def test_flip_case_swaps_capital_and_small_letters():
    assert only("Rain Fell.", "flip_case").text == "rAIN fELL."


def test_a_tag_depends_on_the_words_and_on_nothing_else():
    made = only("Rain fell.", "tag_text").text
    tag = made.split()[0]
    assert made == f"{tag} Rain fell. {tag}"
    assert only("RAIN, fell!", "tag_text").text.split()[0] == tag
    assert only("Snow fell.", "tag_text").text.split()[0] != tag


def test_copied_source_is_the_source():
    assert only("Mine.", "copied_source", source="The source. All of it.").text == "The source. All of it."


def test_distractors_come_from_the_sources_of_other_tasks_and_each_level_goes_on_from_the_last():
    made = make("Mine is this.", "distractor_sentences", source="Snow lay on the hills.")
    foreign = {"Nobody went up there.", "A ship came in at night.", "Its crew slept on board."}
    assert [made[level].text is not None for level in (1, 2, 3, 4, 5)] == [True, True, True, False, False]
    assert made[4].reason == "too few sentences in other tasks"
    texts = ["Mine is this.", *(made[level].text for level in (1, 2, 3))]
    for shorter, longer in itertools.pairwise(texts):
        assert longer.startswith(shorter)
        assert longer[len(shorter) :].strip() in foreign


def test_distractors_fall_back_to_references_and_then_to_candidates():
    with_reference = Item(
        id="r", task_id="r", candidate="Its candidate is not used.", references=("Its reference has words",)
    )
    assert (
        make("Mine.", "distractor_sentences", others=[with_reference])[1].text
        == "Mine. Its reference has words."
    )
    bare = Item(id="c", task_id="c", candidate="Its candidate is used here.")
    assert make("Mine.", "distractor_sentences", others=[bare])[1].text == "Mine. Its candidate is used here."


def test_incremental_addition_rounds_the_number_of_sentences_up_and_ends_in_the_text_itself():
    text = "# Head\nOne. Two.\nThree. Four. Five.\n"
    made = make(text, "incremental_addition")
    assert {level: variant.text for level, variant in made.items()} == {
        25: "# Head\nOne. Two.",
        50: "# Head\nOne. Two.\nThree.",
        75: "# Head\nOne. Two.\nThree. Four.",
        100: text,
    }


def test_incremental_addition_of_one_sentence_has_only_its_last_level():
    made = make("Only one.", "incremental_addition")
    assert [made[level].reason for level in (25, 50, 75)] == ["fewer than two sentences"] * 3
    assert made[100].text == "Only one."


def test_incremental_sentences_go_from_nothing_to_the_whole_text():
    made = make("One. Two. Three.", "incremental_sentences")
    assert {level: variant.text for level, variant in made.items()} == {
        0: "",
        1: "One.",
        2: "One. Two.",
        3: "One. Two. Three.",
    }


def test_incremental_sentences_stop_at_fifteen():
    made = make(" ".join(["It rained."] * 20), "incremental_sentences")
    assert max(made) == 15
    assert made[15].text == " ".join(["It rained."] * 15)


def test_a_text_of_200000_characters_can_be_perturbed_in_every_way():
    text = ("It rained on the town all night. " * 6100)[:200_000]
    item = Item(id="long", task_id="long", candidate=text, source=text)
    made = [v for v in make_variants([item, *OTHERS], select(), seed=0) if v.item_id == "long"]
    failed = {(variant.name, variant.level) for variant in made if variant.text is None}
    # four foreign sentences, and so no control for a fifth; a copy
    assert failed == {("distractor_sentences", 5), ("own_sentences_again", 5), ("copied_source", None)}


def test_ending_deletion_leaves_out_the_last_quarter_of_the_sentences():
    assert only("One. Two. Three. Four. Five. Six. Seven. Eight.", "ending_deletion").text == (
        "One. Two. Three. Four. Five. Six."
    )
    # At least one sentence, and a quarter or more: of five sentences two.
    assert only("One. Two.", "ending_deletion").text == "One."
    assert only("One. Two. Three. Four. Five.", "ending_deletion").text == "One. Two. Three."


def test_ending_deletion_leaves_no_header_without_a_text():
    text = "Pros:\n- One. Two. Three.\n\nCons:\n- Four."
    assert only(text, "ending_deletion").text == "Pros:\n- One. Two. Three."
    assert only("Only one sentence here.", "ending_deletion").reason == "fewer than two sentences"


def test_shuffled_words_keep_their_sentence_and_its_closing_mark():
    text = "Pros:\n- The harbour was flooded at dawn! Guards (two) closed it by noon."
    found = only(text, "shuffled_words").text
    header, line = found.split("\n")
    one, two = line.removeprefix("- ").split("! ")
    assert header == "Pros:"
    assert sorted(one.split()) == sorted(["The", "harbour", "was", "flooded", "at", "dawn"])
    assert sorted(two.removesuffix(".").split()) == sorted(["Guards", "(two)", "closed", "it", "by", "noon"])
    assert two.endswith(".")
    assert found != text


def test_words_that_are_too_few_or_not_apart_are_not_shuffled():
    for text in ("Yes. No. Rain fell.", "今天下雨了。桥关了。"):
        assert only(text, "shuffled_words").reason == "no sentence has 3 words with spaces between them"


def test_a_chance_order_that_is_the_old_one_is_turned():
    found = {
        variant.text
        for seed in range(60)
        for variant in make_variants(
            [Item(id="i", task_id="t", candidate="a b c.")], select(names=["shuffled_words"]), seed=seed
        )
    }
    assert found == {"a c b.", "b a c.", "b c a.", "c a b.", "c b a."}  # all orders of three but the first
