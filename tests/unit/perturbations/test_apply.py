"""From items and catalogue rows to variants."""

from gameproof.perturbations.apply import EMPTY, UNCHANGED, applies, make_variants
from gameproof.perturbations.catalogue import PERTURBATIONS, select
from gameproof.records import Item, Variant

ITEMS = tuple(
    Item(
        id=f"t{task}/{system}",
        task_id=f"t{task}",
        group="g1" if task < 4 else "g2",
        candidate=f"Text {system} of task {task} begins. It goes on. It ends in number {task}.",
        source=f"The source of task {task} is long. It has two sentences, and this is number {task}.",
        references=(f"A reference for task {task}.",),
    )
    for task in range(8)
    for system in ("a", "b")
)


def make(items=ITEMS, names=None, *, seed=0, given=()):
    return list(make_variants(items, select(names=names), seed=seed, given=given))


def test_variants_come_item_by_item_in_the_order_of_the_catalogue():
    made = make(ITEMS[:2], ["tag_text", "sentence_deletion"])
    assert [(variant.item_id, variant.name) for variant in made] == [
        ("t0/a", "sentence_deletion"),
        ("t0/a", "tag_text"),
        ("t0/b", "sentence_deletion"),
        ("t0/b", "tag_text"),
    ]


def test_the_same_seed_gives_the_same_variants_and_another_seed_others():
    assert make() == make()
    assert make() != make(seed=1)


def test_the_order_of_the_items_changes_no_draw():
    assert sorted(make(), key=repr) == sorted(make(ITEMS[::-1]), key=repr)


def test_another_perturbation_changes_no_draw():
    alone = make(names=["distractor_sentences"])
    assert [variant for variant in make() if variant.name == "distractor_sentences"] == alone


def test_an_item_in_another_group_changes_no_draw():
    newcomer = Item(
        id="new", task_id="new", group="g2", candidate="A new text. It is here.", source="New one."
    )
    first_group = {item.id for item in ITEMS if item.group == "g1"}
    same_group = [
        row.name
        for row in PERTURBATIONS.values()
        if row.make is not None and row.name != "off_domain_sentences"
    ]  # which draws from other groups
    before = [variant for variant in make(names=same_group) if variant.item_id in first_group]
    after = make([*ITEMS, newcomer], same_group)
    assert [variant for variant in after if variant.item_id in first_group] == before


def test_other_texts_come_from_the_same_group_only():
    for variant in make(names=["random_replacement"]):
        task = int(variant.item_id[1])
        drawn = int(variant.text.rstrip(".")[-1])
        assert drawn != task
        assert (drawn < 4) == (task < 4)


def test_a_group_of_one_task_draws_from_the_whole_data_set():
    loner = Item(id="loner", task_id="loner", group="its own", candidate="All alone. And so on.")
    made = {variant.item_id: variant for variant in make([*ITEMS, loner], ["random_replacement"])}
    assert made["loner"].text in {item.candidate for item in ITEMS}


def test_an_empty_candidate_gives_a_reason_at_every_level():
    item = Item(id="e", task_id="e", candidate="  ", source="A source.")
    made = make([item])
    assert {variant.reason for variant in made} == {EMPTY}
    assert [variant.level for variant in made if variant.name == "distractor_sentences"] == [1, 2, 3, 4, 5]


def test_a_text_that_comes_back_as_it_was_is_a_failure():
    item = Item(id="n", task_id="n", candidate="12 + 30 = 42.")
    assert make([item], ["flip_case"])[0].reason == UNCHANGED


def test_rows_that_no_rule_can_make_give_nothing():
    assert make(names=["rephrase", "deletion_and_completion", "lengthen"]) == []


def test_a_perturbation_gives_nothing_for_items_outside_its_domain_or_without_what_it_needs():
    flip, copied = PERTURBATIONS["opinion_flip"], PERTURBATIONS["copied_source"]
    review = Item(id="r", task_id="r", candidate="Good.", domain="reviews")
    unknown = Item(id="u", task_id="u", candidate="Good.")
    assert applies(flip, review)
    assert not applies(flip, unknown)
    assert not applies(copied, review)
    assert make([review], ["copied_source"]) == []


def test_rules_apply_to_items_of_an_unknown_domain():
    unknown = Item(id="u", task_id="u", candidate="Good.", domain="poems")
    assert applies(PERTURBATIONS["sentence_deletion"], unknown)


def test_given_variants_take_the_place_of_made_ones():
    given = [Variant(item_id="t1/a", name="sentence_deletion", text="Made by somebody else.")]
    assert make(ITEMS, ["sentence_deletion"], given=given) == given


def test_given_variants_of_items_or_perturbations_that_are_not_asked_for_are_left_out():
    given = [
        Variant(item_id="unknown", name="rephrase", text="A text."),
        Variant(item_id="t1/a", name="opinion_flip", text="A text."),
    ]
    assert make(ITEMS, ["rephrase"], given=given) == []


def test_a_given_variant_that_is_the_original_again_is_a_failure():
    # the no-op that the first paper falls back to when a rewrite fails
    given = [
        Variant(item_id="t1/a", name="rephrase", text=ITEMS[2].candidate + " "),
        Variant(item_id="t1/b", name="rephrase", text=" "),
        Variant(item_id="t2/a", name="rephrase", reason="the model refused"),
    ]
    made = make(ITEMS, ["rephrase"], given=given)
    assert [(variant.item_id, variant.text, variant.reason) for variant in made] == [
        ("t1/a", None, UNCHANGED),
        ("t1/b", None, EMPTY),
        ("t2/a", None, "the model refused"),
    ]


def test_given_levels_are_kept():
    given = [
        Variant(item_id="t1/a", name="shorten", level=level, text=f"Short {level}.") for level in (25, 50)
    ]
    assert make(ITEMS, ["shorten"], given=given) == given
