"""A file of another kind is refused in a few lines, not once for every row."""

import pytest

from gameproof.errors import DataError, PlanError
from gameproof.files.comparisons import load_comparisons

RATED = {"task_id": "a", "candidate": "Rain fell.", "ratings": 3}
PAIR = {"task_id": "a", "candidate_a": "Rain fell.", "candidate_b": "Snow fell.", "preference": "a"}


def test_columns_that_no_row_has_are_named_once() -> None:
    with pytest.raises(DataError) as caught:
        load_comparisons([RATED] * 50)
    assert [problem.field for problem in caught.value.problems] == [
        "candidate_a",
        "candidate_b",
        "preference",
    ]


def test_rows_that_lack_a_column_others_have_are_all_named() -> None:
    with pytest.raises(DataError) as caught:
        load_comparisons([PAIR, RATED, RATED])
    assert len({problem.where for problem in caught.value.problems}) == 2


def test_rows_beyond_the_limit_are_not_counted() -> None:
    with pytest.raises(PlanError, match=r"all 2 rows have no title"):
        load_comparisons([PAIR] * 5, limit=2, reference="title")
