# ruff: noqa: RUF001 - texts in other scripts are what is tested
"""Where sentences end."""

import pytest

from gameproof.text import SPLITTER, is_splittable, sentences


def test_the_name_of_the_rules_is_part_of_signatures_and_must_not_change_quietly():
    assert SPLITTER == "rules.v1"


def test_case_37_sentences_are_found_in_a_text_without_line_breaks():
    assert sentences("Rain fell all night. The bridge closed at dawn.") == [
        "Rain fell all night.",
        "The bridge closed at dawn.",
    ]


def test_case_42_the_built_in_splitter_knows_titles_decimals_and_units():
    assert sentences("Dr. Lee paid $3.5 m. Then left.") == ["Dr. Lee paid $3.5 m.", "Then left."]


def test_case_42_chinese_is_split_at_its_own_full_stops():
    assert sentences("今天下雨了。桥关了！为什么？不知道") == [
        "今天下雨了。",
        "桥关了！",
        "为什么？",
        "不知道",
    ]


def test_case_42_thai_is_named_as_unsplittable():
    assert not is_splittable("สวัสดีครับ ผมชื่อเล็ก ผมชอบฝน")


@pytest.mark.parametrize(
    "text", ["", "Rain fell.", "今天下雨了。", "Rain fell on กรุงเทพ again and again today."]
)
def test_other_texts_are_splittable(text):
    assert is_splittable(text)


@pytest.mark.parametrize("script", ["ສະບາຍດີ ຂ້ອຍມັກຝົນ", "សួស្តី ខ្ញុំចូលចិត្តភ្លៀង", "မင်္ဂလာပါ မိုးရွာတယ်"])
def test_lao_khmer_and_burmese_are_unsplittable(script):
    assert not is_splittable(script)


@pytest.mark.parametrize(
    "sentence",
    [
        "See e.g. the work of Smith et al. (2020) and cf. Figure 2.",
        "Use fruit, i.e. Apples and pears, as in Fig. 3 and Eqs. (2) and (3).",
        "Mr. and Mrs. Smith met Prof. J. K. Rowling in St. Louis.",
        "It costs $3.5 in No. 5 of pp. 3-4, vol. 2.",
        "The U.S. Army went to Washington D.C. Mayor Bowser stayed.",
        "Acme Inc. Chairman Lee spoke at 5 p.m. Eastern on Jan. 12.",
        "Roe v. Wade and Brown vs. Board were cited.",
        "She waited ... and then left.",
        "She waited... and then left.",
        'The "what?" and the (how?) and the "why not!" were asked.',
        "Version 2.0.1 of www.example.com costs 1,000.50 per year.",
        "It weighed approx. two kilos, etc. and more.",
        "no period at the end",
        "Bonjour M. Dupont.",
    ],
)
def test_a_stop_inside_a_sentence_does_not_end_it(sentence):
    assert sentences(sentence) == [sentence]


@pytest.mark.parametrize(
    "parts",
    [
        ["He moved to the U.S.", "The army stayed."],
        ["We left at 5 p.m.", "It rained."],
        ["It was Smith et al.", "However, nobody read it."],
        ["Was it plan B.", "They said so."],
        ["He said no.", "That was that."],
        ["Really?!", "Yes!", "Good."],
        ['"I am done."', "She left.", '"Stop!"', "John ran."],
        ["It ended (badly.)", "We cried."],
        ["She cried...", "Nothing helped."],
        ["She cried…", "Nothing helped."],
        ["It rained in 2020.", "5 people came."],
        ["The effect is large.[3]", "It holds."],
        ["Great hotel.", "would recommend.", "Nice staff."],
        ["The **end.**", "It came."],
        ["¿Qué pasa?", "¡Nada!", "Vale."],
        ["Quoi ?", "Rien !", "Bon."],
        ["THE CAT SAT.", "THE DOG RAN."],
        ["Wait 5 ms.", "The loop ends."],
        ["एक दिन बारिश हुई।", "पुल बंद था।"],
        ["هل أنت بخير؟", "نعم أنا بخير."],
        ["Он ушёл.", "Дождь шёл."],
        ["hello there.", "this is lower case.", "the j. smith of it."],
    ],
)
def test_sentences_end_where_a_reader_ends_them(parts):
    assert sentences(" ".join(parts)) == parts


def test_lower_case_text_with_spaces_before_its_stops_is_split():
    text = (
        "paul merson has restarted his row with andros townsend . the u.s. pundit mr. smith said "
        "` it is fine ' . '' townsend hit back ! why ?"
    )
    assert sentences(text) == [
        "paul merson has restarted his row with andros townsend .",
        "the u.s. pundit mr. smith said ` it is fine ' . ''",
        "townsend hit back !",
        "why ?",
    ]


def test_a_closing_quote_that_stands_alone_ends_its_sentence_and_an_opening_one_begins_the_next():
    assert sentences('he said " yes . " then he left . " no , " she said .') == [
        'he said " yes . "',
        "then he left .",
        '" no , " she said .',
    ]


def test_a_forgotten_space_ends_a_sentence_only_before_a_word_that_begins_sentences():
    assert sentences("A nice hotel.The staff was kind.") == ["A nice hotel.", "The staff was kind."]
    assert sentences("Call torch.Tensor and os.Path here.") == ["Call torch.Tensor and os.Path here."]


@pytest.mark.parametrize("text", ["", "   ", "\n\n\t\n"])
def test_a_text_without_visible_characters_has_no_sentence(text):
    assert sentences(text) == []


@pytest.mark.parametrize("text", [":", "...", "?!", "👍"])
def test_a_text_of_symbols_is_one_sentence(text):
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    "unit",
    ["Rain fell. ", ". ", " . ", "1. ", "a\n", "\n", '." ', "Dr. ", "[1]", "。", "word ", "- x\n", "A. "],
)
def test_a_text_of_200000_characters_is_split_with_nothing_lost(unit):
    text = (unit * 200_000)[:200_000]
    found = sentences(text)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_stops_that_a_tokeniser_cut_off_abbreviations_and_numbers_end_nothing():
    assert sentences(
        "It grew , e . g . in E . coli ( p < 0 . 05 ) , as in Lee et al . , 2014 . It held in Fig . 3 ."
    ) == [
        "It grew , e . g . in E . coli ( p < 0 . 05 ) , as in Lee et al . , 2014 .",
        "It held in Fig . 3 .",
    ]


def test_a_stop_alone_after_a_letter_or_a_number_ends_a_sentence_where_abbreviations_are_whole():
    assert sentences("roma won in serie a . pjanic scored 2.5 goals in 2010 . 5 fans left .") == [
        "roma won in serie a .",
        "pjanic scored 2.5 goals in 2010 .",
        "5 fans left .",
    ]


def test_a_forgotten_space_in_tokenised_lower_case_text_is_found():
    assert sentences("the tests failed .they found no cause.the end came .") == [
        "the tests failed .",
        "they found no cause.",
        "the end came .",
    ]
