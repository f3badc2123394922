import re

import pytest

from gameproof.datasets.planted.banks import Group, load_groups, load_wording, parse_template

# Words that carry grammar rather than content: a paraphrase may share these with the reference.
FUNCTION_WORDS = frozenset(
    """
    a an the it its this that these those is are was were be been being am not never no none nothing nobody do
    does did done doing have has had having may might could can cannot will would shall should must ought
    of to in on at by for from with without within into onto over under up down out off as than and or nor but if
    when while once until after before between through across around along about against among during per so
    i you we they one our my me us your their them he she his her who whom which what whose where there here
    too very all any some each every both either other others another more most less least same own such only
    just also then now again back
    """.split()  # noqa: SIM905 - a list of 140 quoted words cannot be read
)


def stem(word: str) -> str:
    for ending in ("ings", "ing", "edly", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def content_words(text: str) -> set[str]:
    """Words that a template brings itself: the values and the subject, which any wording needs, are left out."""
    bare = re.sub(r"\{[^}]*\}", " ", text.lower())
    return {stem(word) for word in re.findall(r"[a-z]+", bare) if word not in FUNCTION_WORDS}


def bank_words(group: Group, *banks: str) -> set[str]:
    types = [*group.fact_types, *([group.verdict] if group.verdict else [])]
    templates = [template for kind in types for bank in banks for template in kind.wording[bank]]
    forms = [form for template in templates for form in (template.stated, template.denied, template.hedged)]
    return set().union(*(content_words(form) for form in forms))


@pytest.mark.parametrize("group", load_groups(), ids=lambda group: group.name)
def test_paraphrases_share_no_content_word_with_any_reference_template_of_their_group(group: Group):
    references = bank_words(group, "reference")
    references |= set().union(*(content_words(generic.reference) for generic in group.generics))
    references |= content_words(group.reference_intro)
    paraphrases = bank_words(group, "paraphrase", "held_out")
    paraphrases |= set().union(*(content_words(generic.paraphrase) for generic in group.generics))

    assert references & paraphrases == set()


@pytest.mark.parametrize("group", load_groups(), ids=lambda group: group.name)
def test_held_out_templates_are_none_of_the_others(group: Group):
    for kind in group.fact_types:
        assert not set(kind.wording["held_out"]) & {*kind.wording["paraphrase"], *kind.wording["reference"]}


@pytest.mark.parametrize("group", load_groups(), ids=lambda group: group.name)
def test_every_template_can_state_deny_and_hedge(group: Group):
    for kind in [*group.fact_types, *([group.verdict] if group.verdict else [])]:
        for templates in kind.wording.values():
            for template in templates:
                assert len({template.stated, template.denied, template.hedged}) == 3
                assert all("{value}" in form for form in (template.stated, template.denied, template.hedged))
                assert ("{second}" in template.stated) == (kind.second is not None)


def test_there_are_three_groups_in_each_domain():
    groups = load_groups()

    assert len({group.name for group in groups}) == 9
    for domain in ("reviews", "summaries", "answers"):
        assert sum(group.domain == domain for group in groups) == 3


def test_only_reviews_have_a_verdict_and_only_answers_a_query():
    for group in load_groups():
        assert (group.verdict is not None) == (group.domain == "reviews")
        assert (group.query is not None) == (group.domain == "answers")


def test_there_are_enough_empty_phrases_to_pad_a_text_without_repeating_one():
    for phrases in load_wording().fillers.values():
        assert len(set(phrases)) == len(phrases) >= 18


def test_a_template_without_its_mark_is_refused():
    with pytest.raises(ValueError, match="exactly one mark"):
        parse_template("the lamp weighs {value}")


def test_a_mark_gives_the_three_forms():
    template = parse_template("it [weighs|does not weigh|may weigh] {value}")

    assert template.stated == "it weighs {value}"
    assert template.denied == "it does not weigh {value}"
    assert template.hedged == "it may weigh {value}"
