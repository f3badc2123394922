"""Which comparison comes next."""

import pytest

from gameproof.study.assign import draw_assignment, pairs_in_rounds, read_schedule
from gameproof.study.study_file import new_study_text, parse_study
from gameproof.study.tournament import FAILED, NEITHER, Match, WinnerOf, play

FOUR = (
    Match(number=1, round="round1", left=0, right=1),
    Match(number=2, round="round1", left=2, right=3),
    Match(number=3, round="final", left=WinnerOf(match=1), right=WinnerOf(match=2)),
)


def test_winners_of_the_first_round_meet_in_the_final() -> None:
    bracket = play(FOUR, {1: "right", 2: "left"})
    assert bracket.next is not None
    assert (bracket.next.match.round, bracket.next.left, bracket.next.right) == ("final", 1, 2)


def test_the_final_is_open_to_neither() -> None:
    bracket = play(FOUR, {1: "left", 2: "left", 3: "neither"})
    assert bracket.is_over
    assert bracket.matches[2].choice == "neither"
    assert bracket.matches[2].cancelled is None


@pytest.mark.parametrize(
    "choices", [{1: "neither", 2: "left"}, {1: "left", 2: "neither"}, {1: "neither", 2: "neither"}]
)
def test_neither_in_the_first_round_cancels_the_final(choices: dict) -> None:
    """The paper (arXiv:2608.14457), section 4: the final is skipped for one or both of the first round pairs."""
    bracket = play(FOUR, choices)
    assert bracket.is_over
    assert bracket.matches[2].cancelled == NEITHER


def test_the_other_first_round_pair_is_shown_after_a_neither() -> None:
    assert play(FOUR, {1: "neither"}).next == play(FOUR, {1: "left"}).next


def test_a_failed_summary_cancels_its_match_and_the_final_and_nothing_else() -> None:
    bracket = play(FOUR, {2: "left"}, failed=[1])
    assert [state.cancelled for state in bracket.matches] == [FAILED, None, FAILED]
    assert bracket.matches[1].winner == 2


def test_a_choice_for_a_match_that_is_not_held_is_ignored() -> None:
    assert play(FOUR, {1: "neither", 2: "left", 3: "left"}).matches[2].choice is None


@pytest.mark.parametrize(
    ("choices", "failed", "n_over"),
    [
        ({}, (), 0),
        ({1: "left"}, (), 1),
        ({1: "neither"}, (), 2),  # the pair and the final that it cancels
        ({1: "neither", 2: "left"}, (), 3),
        ({1: "left", 2: "right", 3: "right"}, (), 3),
        ({}, (1,), 2),  # its pair and the final; the other pair is still to come
        ({}, (0, 2), 3),
    ],
)
def test_matches_that_are_decided_or_cancelled_are_over(choices: dict, failed: tuple, n_over: int) -> None:
    bracket = play(FOUR, choices, failed=failed)
    assert bracket.n_over == n_over
    assert bracket.is_over == (n_over == 3)


def test_a_failed_summary_is_the_reason_even_where_the_other_pair_was_decided_by_neither() -> None:
    assert play(FOUR, {2: "neither"}, failed=[1]).matches[2].cancelled == FAILED


def test_what_cancels_a_match_cancels_all_that_wait_for_it() -> None:
    schedule = (
        *FOUR[:2],
        Match(number=3, round="round2", left=WinnerOf(match=1), right=4),
        Match(number=4, round="final", left=WinnerOf(match=3), right=WinnerOf(match=2)),
    )
    states = play(schedule, {1: "neither", 2: "left"}).matches
    assert [state.cancelled for state in states] == [None, None, NEITHER, NEITHER]
    # a failed one who meets a winner later cancels that match alone: the first round is held
    assert [state.cancelled for state in play(schedule, {1: "left"}, failed=[4]).matches] == [
        None,
        None,
        FAILED,
        FAILED,
    ]


def test_the_final_is_not_open_before_both_winners_are_known() -> None:
    bracket = play(FOUR, {2: "right"})
    final = bracket.matches[2]
    assert (final.left, final.right, final.is_open, final.winner) == (None, 3, False, None)
    assert bracket.next is not None
    assert bracket.next.match.number == 1


def test_eight_summaries_take_seven_matches() -> None:
    study = parse_study(_with_conditions(8))
    schedule = read_schedule(draw_assignment(study, "reader-a", 0, 1)["schedule"])
    assert [match.round for match in schedule] == ["round1"] * 4 + ["round2"] * 2 + ["final"]


def test_pairs_in_rounds_are_all_pairs_and_neighbours_share_nobody() -> None:
    for n in (4, 6, 8):
        pairs = pairs_in_rounds(n)
        assert len({frozenset(pair) for pair in pairs}) == n * (n - 1) // 2 == len(pairs)
        for start in range(0, len(pairs), n // 2):
            assert sorted(player for pair in pairs[start : start + n // 2] for player in pair) == list(
                range(n)
            )


def test_a_balanced_design_shows_every_pair_equally_often() -> None:
    text = _with_conditions(4).replace('kind = "tournament"', 'kind = "balanced"\ncomparisons = 2')
    study = parse_study(text)
    seen: dict[frozenset[str], int] = {}
    for number in range(3):
        for query in range(1, 9):
            drawn = draw_assignment(study, f"reader-{number}", number, query)
            pairs = [
                frozenset((drawn["positions"][match.left], drawn["positions"][match.right]))
                for match in read_schedule(drawn["schedule"])
            ]
            assert not pairs[0] & pairs[1]  # each condition once a query
            for pair in pairs:
                seen[pair] = seen.get(pair, 0) + 1
    assert set(seen.values()) == {3 * 8 * 2 // 6}
    assert len(seen) == 6


def test_positions_are_the_same_for_the_same_seed_and_spread_evenly() -> None:
    study = parse_study(_with_conditions(4))
    assert draw_assignment(study, "reader-a", 0, 1) == draw_assignment(study, "reader-a", 0, 1)
    drawn = [draw_assignment(study, f"reader-{n}", n, 1)["positions"] for n in range(2000)]
    for place in range(4):
        share = sum(positions[place] == "c0" for positions in drawn) / len(drawn)
        assert abs(share - 1 / 4) < 0.04  # four standard errors: sqrt(.25 * .75 / 2000) = .0097


def _with_conditions(n: int) -> str:
    text = new_study_text().split("[[conditions]]")[0] + "\n".join(
        f'[[conditions]]\nid = "c{place}"\nmodel = "extractive:lead"\npersona = {str(place % 2 == 0).lower()}'
        for place in range(n)
    )
    return f'{text}\n[design]\nkind = "tournament"\n'
