"""Headers, list markers, paragraphs and what remains of them when sentences go."""

from gameproof.text import sentences, split_layout

REVIEW = """Summary Of The Paper:

The paper is short. It is clear. It is fun.

# Strengths
- It is new. It is sound.
- It is cheap.

WEAKNESSES
1. One flaw.
2) Two flaws. And a third.

**Verdict**
Accept it.
"""


def headers(text):
    return [line.sentences[0] for line in split_layout(text).lines if line.is_header]


def test_headers_are_found_in_all_their_forms():
    assert headers(REVIEW) == ["Summary Of The Paper:", "# Strengths", "WEAKNESSES", "**Verdict**"]


def test_a_bare_title_over_a_list_or_a_long_paragraph_is_a_header():
    text = "Strengths\n- New.\nMain weakness\nThe experiments are too few to carry the claims made."
    assert headers(text) == ["Strengths", "Main weakness"]


def test_an_underlined_title_is_a_header_with_its_line():
    assert headers("Pros\n=====\nIt is new.") == ["Pros", "====="]


def test_a_line_that_begins_a_sentence_is_no_header():
    for text in (
        "The strategies are:\n- One.",
        "Results show that\n- it works.",
        "Milk\nEggs\nBread",
        "STOP NOW!",
    ):
        assert headers(text) == []


def test_a_text_written_in_capitals_has_no_headers_for_that():
    assert headers("THE CAT SAT\nTHE DOG RAN") == []


def test_list_markers_are_no_part_of_the_sentences():
    assert split_layout("- One.\n* Two.\n• Three.\n(a) Four.\n10. Five.\n> Six.").sentences == (
        "One.",
        "Two.",
        "Three.",
        "Four.",
        "Five.",
        "Six.",
    )


def test_sentences_carry_their_list_markers_and_headers_count():
    assert sentences("Pros:\n  - One. Two.\n3. Three.") == ["Pros:", "- One.", "Two.", "3. Three."]


def test_sections_are_what_stands_under_one_header():
    assert split_layout(REVIEW).sections == ((0, 1, 2), (3, 4, 5), (6, 7, 8), (9,))


def test_a_line_that_begins_with_a_label_begins_a_section():
    text = "Clarity: It is easy. It flows.\n**Main flaw:** It is old. It is long.\nIt has more.\n- Note: a point."
    assert split_layout(text).sections == ((0, 1), (2, 3, 4, 5))


def test_the_whole_text_comes_back_when_all_sentences_are_kept():
    layout = split_layout(REVIEW)
    assert layout.keep(range(len(layout.sentences))) == REVIEW


def test_headers_order_markers_and_paragraphs_stay_when_sentences_go():
    assert (
        split_layout(REVIEW).keep({0, 2, 3, 5, 6, 8, 9})
        == """Summary Of The Paper:

The paper is short. It is fun.

# Strengths
- It is new.
- It is cheap.

WEAKNESSES
1. One flaw.
2) And a third.

**Verdict**
Accept it.
"""
    )


def test_an_emptied_list_item_goes_with_its_marker_and_the_paragraph_still_ends():
    assert split_layout("- One.\n- Two.\n\nThree.").keep({0, 2}) == "- One.\n\nThree."


def test_spacing_stays_natural_in_tokenised_lower_case_text():
    text = "one came . two came . three came ."
    assert split_layout(text).keep({0, 2}) == "one came . three came ."


def test_the_first_sentences_come_with_the_headers_above_them_only():
    layout = split_layout(REVIEW)
    assert layout.first(0) == ""
    assert layout.first(2) == "Summary Of The Paper:\n\nThe paper is short. It is clear."
    assert layout.first(3) == "Summary Of The Paper:\n\nThe paper is short. It is clear. It is fun."
    assert layout.first(4).endswith("# Strengths\n- It is new.")


def test_lines_wrapped_to_a_width_are_one_paragraph():
    text = (
        "We study how sentences that were wrapped to a fixed width by an\n"
        "editor are read. Nobody wants the end of a line to count as the\n"
        "end of a sentence when Mr. Smith and\nothers only pressed a key."
    )
    assert len(split_layout(text).lines) < 4
    assert sentences(text)[0].replace("\n", " ") == (
        "We study how sentences that were wrapped to a fixed width by an editor are read."
    )


def test_a_long_line_without_a_stop_goes_on_in_lower_case():
    text = "The poor result comes from the fact that in most patients\nit is found late. It is rare."
    assert sentences(text) == [
        "The poor result comes from the fact that in most patients\nit is found late.",
        "It is rare.",
    ]


def test_lines_that_are_no_paragraph_are_sentences_of_their_own():
    assert sentences("Rain fell\nThe bridge closed\nNobody came") == [
        "Rain fell",
        "The bridge closed",
        "Nobody came",
    ]


def test_windows_line_ends_and_empty_lines_at_both_ends_are_kept():
    text = "\r\n\r\n- One. Two.\r\n- Three.\r\n"
    layout = split_layout(text)
    assert layout.sentences == ("One.", "Two.", "Three.")
    assert layout.keep({0, 1, 2}) == text
    assert layout.keep({0, 2}) == "\r\n\r\n- One.\r\n- Three.\r\n"
