from dataclasses import replace

from tests.support.fake_results import fake_result

from gameproof.reports.notebook import html_rows, html_table


def test_a_result_shows_as_a_table_with_reasons():
    text = html_table(fake_result())

    assert text.count("<tr>") == 6  # a head and five metrics
    assert "✗ no" in text
    assert "<b>not resistant</b>: the score rises under meaningless elongation" in text


def test_a_strangers_text_stays_text_in_a_notebook():
    metric = replace(fake_result().metrics[0], metric="<script>", alarms=("<img>",))

    text = html_table(replace(fake_result(), metrics=(metric,)))

    assert "<script>" not in text
    assert "<img>" not in text


def test_rows_show_as_a_table_of_at_most_twenty():
    text = html_rows({"item": f"<{n}>", "rougeL": 1 / 3} for n in range(30))

    assert text.count("<tr>") == 21
    assert "&lt;0&gt;" in text
    assert "0.3333" in text
    assert "20 of 30 rows" in text


def test_rows_may_be_the_beginning_of_many():
    assert "1 of 5,000 rows" in html_rows([{"a": None}], total=5000)


def test_no_rows_are_an_empty_table():
    assert "<tbody></tbody>" in html_rows([])
