"""Packing is checked by brute force: what each token may see, where it stands, and how many tokens there are."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameproof.llm.local.packing import (
    MAX_WASTE,
    Branch,
    Job,
    Row,
    fewest_tokens,
    lay_beginnings,
    lay_rows,
    plan_families,
)

tokens = st.lists(st.integers(0, 3), min_size=1, max_size=9).map(tuple)
jobs_of = st.lists(
    st.builds(
        Job,
        beginning=tokens,
        branches=st.lists(tokens, max_size=4).map(tuple),
        family=st.sampled_from(["", "a"]),
    ),
    min_size=1,
    max_size=8,
)


def tokens_put_in(jobs, families):
    total = 0
    for family in families:
        total += len(family.header)
        for batch in family.batches:
            chosen = [jobs[number] for number in batch.jobs]
            total += lay_beginnings(chosen, len(family.header)).n_tokens
            total += sum(len(group) * max(row.length for row in group) for group in batch.groups)
    return total


@given(jobs=jobs_of, batch=st.integers(1, 4), max_tokens=st.integers(4, 40))
def test_every_text_is_laid_once_and_little_is_wasted(jobs, batch, max_tokens):
    families = plan_families(jobs, batch=batch, max_tokens=max_tokens)

    laid = [
        (members.jobs[branch.place], branch.number, branch.tokens)
        for family in families
        for members in family.batches
        for group in members.groups
        for row in group
        for branch in row.branches
    ]
    wanted = [
        (number, place, branch)
        for number, job in enumerate(jobs)
        for place, branch in enumerate(job.branches)
        if len(branch) > 1  # the beginning predicts a text of one token
    ]
    assert sorted(laid) == wanted
    assert tokens_put_in(jobs, families) <= MAX_WASTE * fewest_tokens(jobs)


@given(jobs=jobs_of, batch=st.integers(1, 4))
def test_a_header_is_what_all_beginnings_of_its_family_start_with(jobs, batch):
    for family in plan_families(jobs, batch=batch, max_tokens=64):
        members = [jobs[number] for members in family.batches for number in members.jobs]
        assert all(job.beginning[: len(family.header)] == family.header for job in members)
        assert all(len(job.beginning) > len(family.header) for job in members)
        assert len({job.family for job in members}) == 1


def test_candidates_of_one_frame_share_its_beginning():
    jobs = [Job(beginning=(1, 2, 3, last), branches=((5, 6),)) for last in (7, 8, 9)]
    (family,) = plan_families(jobs, batch=8, max_tokens=64)
    assert family.header == (1, 2, 3)
    # 3 tokens of the header, then one for each candidate and one for each text, whose last token is not put in
    assert tokens_put_in(jobs, [family]) == 3 + 3 + 3


def test_a_branch_sees_its_beginning_and_itself_and_goes_on_counting_from_there():
    branches = (Branch(0, 0, (10, 11, 12)), Branch(0, 1, (20, 21)))
    layout = lay_rows([Row(0, branches)], [3], 5, [100])  # a beginning of 3 tokens, padded to 5

    assert layout.ids.tolist() == [[10, 11, 20]]
    assert layout.positions.tolist() == [[3, 4, 3]]  # as if the other branch were not there
    assert layout.visible is not None
    assert layout.visible[0].astype(int).tolist() == [
        [1, 1, 1, 0, 0, 1, 0, 0],
        [1, 1, 1, 0, 0, 1, 1, 0],
        [1, 1, 1, 0, 0, 0, 0, 1],
    ]
    # 11 and 12 are predicted from the two columns before them, 21 from the third
    assert list(
        zip(layout.columns.tolist(), layout.targets.tolist(), layout.owners.tolist(), strict=True)
    ) == [
        (0, 11, 100),
        (1, 12, 100),
        (2, 21, 101),
    ]


@given(jobs=jobs_of)
def test_no_token_sees_another_branch_or_padding(jobs):
    for family in plan_families(jobs, batch=3, max_tokens=40):
        for members in family.batches:
            for group in members.groups:
                lengths = [len(jobs[members.jobs[row.place]].beginning) for row in group]
                layout = lay_rows(group, lengths, max(lengths), [0] * len(group))
                assert layout.visible is not None
                for number, row in enumerate(group):
                    ends = np.cumsum([0, *(len(branch.tokens) - 1 for branch in row.branches)]).tolist()
                    for begin, end in pairwise(ends):
                        for column in range(begin, end):
                            seen = np.flatnonzero(layout.visible[number, column]).tolist()
                            own = [max(lengths) + place for place in range(begin, column + 1)]
                            assert seen == [*range(lengths[number]), *own]


def test_padded_beginnings_see_the_header_and_themselves():
    jobs = [Job(beginning=(1, 2), branches=((9,),)), Job(beginning=(1, 2, 3), branches=((9,),))]
    layout = lay_beginnings(jobs, 1)

    assert layout.ids.tolist() == [[2, 0], [2, 3]]
    assert layout.columns.tolist() == [0, 1]  # where each of them ends
    assert layout.visible is not None
    assert layout.visible[:, 0].astype(int).tolist() == [[1, 1, 0], [1, 1, 0]]
    assert layout.visible[1, 1].astype(int).tolist() == [1, 1, 1]


@pytest.mark.parametrize("jobs", [[], [Job(beginning=(1,), branches=())]])
def test_nothing_to_score_is_nothing_to_do(jobs):
    assert plan_families(jobs, batch=8, max_tokens=64) == []
    assert fewest_tokens(jobs) == 0
