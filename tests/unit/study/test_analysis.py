"""The analysis counts what was chosen, and finds what was planted."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.support.folders import folder_in_memory
from tests.support.study_played import CONDITIONS, PLANTED, PLANTED_CONTRASTS, played, session
from tests.support.study_simulation import (
    DEEPSEEK,
    LLAMA,
    SESSIONS,
    STRENGTHS,
    simulate,
)

from gameproof.errors import InputError
from gameproof.seeds import rng_for
from gameproof.study.analysis import StudyAnalysis, _regress, analyse_record
from gameproof.study.duels import duels_of
from gameproof.study.export import write_export
from gameproof.study.layout import read_layout
from gameproof.study.opening import record_store
from gameproof.study.record import NEITHER, ConditionRecord, ReaderRecord, StudyRecord
from gameproof.study.store import open_store
from gameproof.study.strengths import fit_strengths
from gameproof.study.tournament import NEITHER as CANCELLED


def test_counts_by_hand() -> None:
    dp, dg, lp, lg = (condition.id for condition in CONDITIONS)
    record = StudyRecord(
        name="x",
        conditions=CONDITIONS,
        readers=tuple(ReaderRecord(id=name, answers={}) for name in ("a", "b", "c")),
        sessions=(
            session("a", 1, (dp, dg, lp, lg), "A", "C", "A"),  # two personalised ones in the final
            session("a", 2, (dp, lg, dg, lp), "A", NEITHER, None),
            session("b", 1, (lg, lp, dp, dg), "B", "D", "D"),  # lp against dg: generic wins
            session("b", 2, (dp, dg, lp, lg), NEITHER, NEITHER, None),
        ),
        n_queries=2,
    )
    found = analyse_record(record)
    counts = found.counts
    assert (counts.readers, counts.readers_who_chose, counts.readers_with_all) == (3, 2, 2)
    assert (counts.sessions, counts.comparisons, counts.decided, counts.neither) == (4, 10, 7, 3)
    assert counts.cancelled == {f"final: {CANCELLED}": 2}
    # Head to head, one personalised side: round 1 has dp>dg, lp>lg, dp>lg, (dg, lp) neither, lp>lg, dg>dp and twice
    # neither in the last session: 4 of 5 decided. The final of session 1 has two personalised sides and does not count.
    shares = {row.round: (row.test.wins, row.test.n, row.test.n_neither) for row in found.personalised}
    assert shares == {"round1": (4, 5, 3), "final": (0, 1, 0), "all": (4, 6, 3)}
    parity = {row.name: (row.personalised, row.generic, row.ties) for row in found.parity}
    assert parity == {"round1, match 1": (3, 0, 1), "round1, match 2": (1, 1, 2), "final": (1, 1, 2)}
    # The paper's table 4a: winners of round 1 are the denominators of finals, cancelled ones included.
    finals = {
        row.variant: (row.test.wins, row.test.n) for row in found.parity_variants if row.round == "final"
    }
    assert finals == {dp: (1, 2), lp: (0, 2), dg: (1, 1)}
    first = {
        row.variant: (row.test.wins, row.test.n) for row in found.parity_variants if row.round == "round1"
    }
    assert first == {dp: (2, 4), dg: (1, 4), lp: (2, 4), lg: (0, 4)}


def test_the_paper_s_totals_follow_from_its_own_reconstruction() -> None:
    """256 decided and 24 neither in the first round, 125 finals: 405 comparisons, not 420 (methods 4.5)."""
    sessions = [(True, True)] * 125 + [(True, False)] * 6 + [(False, False)] * 9
    ids = [condition.id for condition in CONDITIONS]
    record = StudyRecord(
        name="x",
        conditions=CONDITIONS,
        readers=tuple(ReaderRecord(id=f"r{place}", answers={}) for place in range(20)),
        sessions=tuple(
            session(
                f"r{place % 20}", place // 20 + 1, ids, "A" if one else NEITHER, "C" if two else NEITHER, "A"
            )
            for place, (one, two) in enumerate(sessions)
        ),
    )
    counts = analyse_record(record).counts
    assert (counts.comparisons, counts.decided, counts.neither) == (405, 381, 24)
    assert counts.cancelled == {f"final: {CANCELLED}": 15}


@pytest.fixture(scope="module")
def through_the_core() -> Iterator[tuple[StudyRecord, StudyAnalysis]]:
    with folder_in_memory() as folder:
        store = open_store(folder / "study.db")
        simulate(store, seed=11)
        record = record_store(store)
        store.close()
        yield record, analyse_record(record)


def test_a_study_of_the_paper_s_size_goes_through_core_export_and_analysis(
    through_the_core: tuple[StudyRecord, StudyAnalysis], tmp_path: Path
) -> None:
    record, found = through_the_core
    assert (len(record.sessions), len(record.readers)) == (140, 20)
    assert (found.counts.sessions, found.counts.readers_with_all) == (140, 16)
    write_export(record, tmp_path / "out")
    again = analyse_record(read_layout(tmp_path / "out"))
    assert again.counts == found.counts
    assert again.personalised == found.personalised
    assert again.regression == found.regression
    for one, other in zip(again.strengths.contrasts, found.strengths.contrasts, strict=True):
        assert (one.name, one.value) == (other.name, pytest.approx(other.value, rel=1e-9))


def test_one_study_finds_the_planted_effects_within_its_errors(
    through_the_core: tuple[StudyRecord, StudyAnalysis],
) -> None:
    """The planted numbers are those of the paper's table 4c (see `study_simulation`). Four errors: 1 in 16,000 each.

    How often 95% intervals hold them: tests/calibration/test_study_coverage.py.
    """
    found = through_the_core[1]
    fit = found.regression.fit
    assert fit is not None
    assert [each.name for each in fit.coefficients] == list(PLANTED)
    for each in fit.coefficients:
        assert abs(each.estimate - PLANTED[each.name]) < 4 * each.error_cr2
    contrasts = {
        each.name: each for each in (*found.strengths.contrasts, found.strengths.side) if each is not None
    }
    for name, planted in PLANTED_CONTRASTS.items():
        each = contrasts[name]
        assert each.interval is not None
        error = (each.interval.high - each.interval.low) / (2 * 1.96)
        assert abs(each.value - planted) < 4 * error


def test_over_many_studies_the_estimates_are_centred_on_what_was_planted() -> None:
    """40 studies of 20 readers; within four standard errors of their mean. No taste of readers: it flattens log odds."""
    rows = []
    for seed in range(40):
        duels = duels_of(played(seed, SESSIONS, spread=0.0))
        fit = _regress(duels).fit
        assert fit is not None
        rows.append([each.estimate for each in fit.coefficients])
    estimates = np.array(rows)
    errors = estimates.std(axis=0, ddof=1) / np.sqrt(len(estimates))
    assert np.all(np.abs(estimates.mean(axis=0) - [0.619, -0.833, 0.523, 0.0]) < 4 * errors)


def test_strengths_are_centred_on_what_was_planted() -> None:
    """One large study: 200 readers of 8 queries; the sampling error of a strength is then about .05."""
    duels = duels_of(played(5, (8,) * 200, spread=0.0))
    found = fit_strengths(duels, CONDITIONS, seed=0)
    planted = np.array(list(STRENGTHS.values())) - np.mean(list(STRENGTHS.values()))
    assert np.allclose([each.value for each in found.conditions], planted, atol=0.2)
    assert {each.name for each in found.contrasts} >= {
        "told about the reader",
        f"{DEEPSEEK} rather than {LLAMA}",
    }


def test_no_effect_is_not_found_in_the_parity_share_either() -> None:
    """Under no effect the winner's condition is personalised half of the time (methods 4.5: simulated .495)."""
    rng = rng_for(0, "null")
    rows = []
    for place, order in enumerate(itertools.islice(itertools.cycle(itertools.permutations(range(4))), 240)):
        ids = [CONDITIONS[each].id for each in order]
        one, two = "AB"[rng.integers(2)], "CD"[rng.integers(2)]
        rows.append(session(f"r{place % 20}", place, ids, one, two, [one, two][rng.integers(2)]))
    readers = tuple(ReaderRecord(id=f"r{place}", answers={}) for place in range(20))
    found = analyse_record(
        StudyRecord(name="x", conditions=CONDITIONS, readers=readers, sessions=tuple(rows))
    )
    for share in found.personalised:
        assert share.test.interval_t is not None
        assert share.test.interval_t.low < 0.5 < share.test.interval_t.high


def test_nothing_to_analyse_is_told() -> None:
    with pytest.raises(InputError, match="nobody has compared anything yet"):
        analyse_record(StudyRecord(name="x", conditions=CONDITIONS, readers=(), sessions=()))


def test_a_study_without_a_generic_side_has_no_regression_and_says_why() -> None:
    conditions = tuple(ConditionRecord(id=name, model=name, persona=True) for name in "pqrs")
    rows = tuple(session(f"r{n}", 1, "pqrs", "A", "C", "A") for n in range(3))
    found = analyse_record(StudyRecord(name="x", conditions=conditions, readers=(), sessions=rows))
    assert found.regression.fit is None
    assert found.regression.reason == "no decided comparison has one personalised side"
    assert found.personalised == ()
    assert found.strengths.note is not None  # p won everything: a weak prior keeps it finite
