"""Analyse the choices of a study (paper 2, section 6; what is done otherwise and why: methods 4.5).

- A final that a "neither" cancelled is no comparison: it is counted apart, never as a tie.
- The headline is the head-to-head share: personalised against generic, each side's model whatever it was. The paper's
  "personalised wins 63% of finals" is the *winner's* condition, finals between two of a kind included; it stands beside
  as parity.
- Readers are the sampling unit everywhere: percentile bootstrap (the paper's), bootstrap-t, exact sign flips.
- The regression prints the paper's normal p-values, t(G-1), and CR2 with Satterthwaite's degrees of freedom: read the last.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gameproof.errors import InputError
from gameproof.stats.logit import LogitFit, fit_logit
from gameproof.stats.preference import Contest, ShareTest, VariantRecord, hold_against_half, win_records
from gameproof.study.duels import Duel, as_contests, duels_of
from gameproof.study.record import NEITHER, ComparisonRecord, SessionRecord, StudyRecord
from gameproof.study.strengths import Strengths, fit_strengths

__all__ = ["Counts", "Failures", "Parity", "Regression", "Share", "StudyAnalysis", "Times", "analyse_record"]

WonBy = Callable[[Duel], bool | None]
FINAL = "final"
ALL = "all"
PAUSE_S = 1800.0  # a page that took longer was left in between


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What took place."""

    readers: int
    readers_who_chose: int
    readers_with_all: (
        int | None
    )  # who answered every query; None where the data do not say how many there were
    sessions: int  # queries with at least one comparison
    lost: int  # queries that led to none
    open: int  # queries that were left before they were through
    comparisons: int
    decided: int
    neither: int
    cancelled: Mapping[str, int]  # "round: reason" -> matches


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share of decided comparisons, held against one half."""

    name: str
    round: str
    test: ShareTest


@dataclass(frozen=True, slots=True, kw_only=True)
class Parity:
    """One row as the paper counts (table 4b): by the winner's condition; ties are "neither" and cancelled matches."""

    name: str
    personalised: int
    generic: int
    ties: int
    pvalue: float | None  # bootstrap over readers


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """Logistic regression of "the personalised side won", or the reason why there is none."""

    fit: LogitFit | None
    reference_model: str | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """How long a page takes, in seconds, pauses included; the quarter points do not mind a few long ones."""

    page: str
    n: int
    quarter: float
    median: float
    three_quarters: float
    n_paused: int  # longer than half an hour


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """How a condition's summaries came to be."""

    condition: str
    n: int
    n_failed: int
    reasons: Mapping[str, int]
    median_seconds: float | None
    median_words: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyAnalysis:
    """All that is said about a study's choices."""

    name: str
    counts: Counts
    variants: tuple[VariantRecord, ...]  # head to head, by round and over all
    personalised: tuple[Share, ...]  # one side told about the reader, the other not
    models: tuple[Share, ...]  # two different models
    sides: tuple[Share, ...]  # the left one chosen
    parity: tuple[Parity, ...]
    parity_variants: tuple[
        VariantRecord, ...
    ]  # the paper's table 4a: finals counted against all first-round winners
    regression: Regression
    strengths: Strengths
    times: tuple[Times, ...]
    failures: tuple[Failures, ...]
    notes: tuple[str, ...]


def analyse_record(record: StudyRecord, *, seed: int = 0) -> StudyAnalysis:
    """Analyse a study.

    Args:
        record: Its data.
        seed: Of all resamples.

    Raises:
        InputError: Nobody compared anything.
    """
    duels = duels_of(record)
    if not duels:
        raise InputError(
            "nobody has compared anything yet: there is nothing to analyse.",
            hint="`gameproof study export` shows what there is.",
        )
    rounds = list(dict.fromkeys(duel.round for duel in duels))
    contests = as_contests(duels)
    overall = [_in_round(contest, ALL) for contest in contests] if len(rounds) > 1 else []
    return StudyAnalysis(
        name=record.name,
        counts=_counts(record, duels),
        variants=tuple(
            sorted(
                (*win_records(contests, seed=seed), *win_records(overall, seed=seed)),
                key=lambda row: ([*rounds, ALL].index(row.round), row.variant),
            )
        ),
        personalised=_by_round(
            "personalised", [duel for duel in duels if duel.is_mixed], _personalised_won, rounds, seed
        ),
        models=_model_shares(duels, rounds, seed),
        sides=_by_round("left", [duel for duel in duels if duel.sides_known], _left_won, rounds, seed),
        parity=_parity(record, seed),
        parity_variants=_parity_variants(record, seed) if FINAL in rounds else (),
        regression=_regress(duels),
        strengths=fit_strengths(duels, record.conditions, seed=seed),
        times=_times(record),
        failures=_failures(record),
        notes=(*record.notes, *_notes(record, duels)),
    )


def _counts(record: StudyRecord, duels: Sequence[Duel]) -> Counts:
    answered = [session for session in record.sessions if any(match.is_made for match in session.comparisons)]
    per_reader = Counter(session.reader for session in answered)
    cancelled = Counter(
        f"{match.round}: {match.cancelled}"
        for session in record.sessions
        for match in session.comparisons
        if match.cancelled is not None
    )
    neither = sum(duel.winner is None for duel in duels)
    n_queries = record.n_queries
    return Counts(
        readers=len(record.readers),
        readers_who_chose=len(per_reader),
        readers_with_all=None if n_queries is None else sum(n >= n_queries for n in per_reader.values()),
        sessions=len(answered),
        lost=sum(session.lost is not None for session in record.sessions),
        open=sum(_is_open(session) for session in record.sessions),
        comparisons=len(duels),
        decided=len(duels) - neither,
        neither=neither,
        cancelled=dict(sorted(cancelled.items())),
    )


def _is_open(session: SessionRecord) -> bool:
    return session.lost is None and (
        not session.comparisons
        or any(match.choice is None and match.cancelled is None for match in session.comparisons)
    )


def _in_round(contest: Contest, stage: str) -> Contest:
    return replace(contest, round=stage)


def _by_round(
    name: str, duels: Sequence[Duel], won: WonBy, rounds: Sequence[str], seed: int
) -> tuple[Share, ...]:
    found: list[Share] = []
    for stage in [*rounds, *([ALL] if len(rounds) > 1 else [])]:
        rows = [duel for duel in duels if stage in (duel.round, ALL)]
        if rows:
            test = hold_against_half([won(duel) for duel in rows], [duel.reader for duel in rows], seed=seed)
            found.append(Share(name=name, round=stage, test=test))
    return tuple(found)


def _personalised_won(duel: Duel) -> bool | None:
    return None if duel.winner is None else duel.winner.persona


def _left_won(duel: Duel) -> bool | None:
    return None if duel.winner is None else duel.winner == duel.left


def _model_shares(duels: Sequence[Duel], rounds: Sequence[str], seed: int) -> tuple[Share, ...]:
    models = sorted({side.model for duel in duels for side in (duel.left, duel.right)})
    found: list[Share] = []
    for place, one in enumerate(models):
        for other in models[place + 1 :]:
            rows = [duel for duel in duels if {duel.left.model, duel.right.model} == {one, other}]

            def won(duel: Duel, one: str = one) -> bool | None:
                return None if duel.winner is None else duel.winner.model == one

            found += _by_round(f"{one} against {other}", rows, won, rounds, seed)
    return tuple(found)


def _parity(record: StudyRecord, seed: int) -> tuple[Parity, ...]:
    """Count winners by their condition, as the paper's table 4b, each match of a round on its own."""
    conditions = {condition.id: condition for condition in record.conditions}
    found: list[Parity] = []
    rows: dict[str, list[tuple[SessionRecord, ComparisonRecord]]] = {}
    for session in record.sessions:
        for match in session.comparisons:
            name = f"{match.round}, match {match.number}" if match.round.startswith("round") else match.round
            if match.is_made or match.cancelled is not None:
                rows.setdefault(name, []).append((session, match))
    for name, matches in rows.items():
        won: list[bool | None] = []
        for session, match in matches:
            decided = match.choice is not None and match.choice != NEITHER
            won.append(conditions[session.summary(match.choice or "").condition].persona if decided else None)
        test = hold_against_half(won, [session.reader for session, _ in matches], seed=seed)
        found.append(
            Parity(
                name=name,
                personalised=test.wins,
                generic=test.n - test.wins,
                ties=test.n_neither,
                pvalue=test.pvalue_bootstrap,
            )
        )
    return tuple(sorted(found, key=lambda row: (row.name == FINAL, row.name)))


def _parity_variants(record: StudyRecord, seed: int) -> tuple[VariantRecord, ...]:
    """Return the paper's table 4a: wins of a round among all sessions, wins of the final among first-round winners.

    There every summary counts in round 1 even where "neither" was chosen, and every first-round winner counts in the
    final even where it was cancelled.
    """
    rows: dict[tuple[str, str], list[tuple[bool, str]]] = {}
    for session in record.sessions:
        condition_of = {summary.label: summary.condition for summary in session.summaries}
        winners = {match.choice for match in session.comparisons if match.round == "round1"} - {None, NEITHER}
        champion = {match.choice for match in session.comparisons if match.round == FINAL} - {None, NEITHER}
        for match in session.comparisons:
            if match.round != "round1" or not match.is_made:
                continue
            for label in (match.left, match.right):
                condition = condition_of[label or ""]
                rows.setdefault(("round1", condition), []).append((label in winners, session.reader))
                if label in winners:
                    rows.setdefault((FINAL, condition), []).append((label in champion, session.reader))
    return tuple(
        VariantRecord(
            variant=variant,
            round=stage,
            test=hold_against_half([won for won, _ in found], [who for _, who in found], seed=seed),
        )
        for (stage, variant), found in sorted(rows.items(), key=lambda row: (row[0][0] == FINAL, row[0][1]))
    )


def _regress(duels: Sequence[Duel]) -> Regression:
    """Fit personalised_won ~ model_pq + model_generic + round_stage (paper 2, table 4c)."""
    rows = [duel for duel in duels if duel.is_mixed and duel.winner is not None]
    models = sorted({side.model for duel in rows for side in (duel.left, duel.right)})
    if not rows:
        return Regression(
            fit=None, reference_model=None, reason="no decided comparison has one personalised side"
        )
    reference = models[0]
    rounds = sorted({duel.round for duel in rows} - {FINAL})
    has_final = any(duel.round == FINAL for duel in rows)
    columns: dict[str, list[bool]] = {
        "Intercept": [True] * len(rows),
        **{
            f"model_pq = {model}": [duel.personalised.model == model for duel in rows] for model in models[1:]
        },
        **{
            f"model_generic = {model}": [duel.generic.model == model for duel in rows] for model in models[1:]
        },
        **{f"round_stage = {stage}": [duel.round == stage for duel in rows] for stage in rounds if has_final},
    }
    try:
        fit = fit_logit(
            [_personalised_won(duel) is True for duel in rows],
            np.column_stack(list(columns.values())).astype(np.float64),
            list(columns),
            [duel.reader for duel in rows],
        )
    except InputError as error:
        return Regression(fit=None, reference_model=reference, reason=error.message)
    return Regression(fit=fit, reference_model=reference, reason=fit.detail if not fit.coefficients else None)


def _times(record: StudyRecord) -> tuple[Times, ...]:
    seconds: dict[str, list[float]] = {}
    for time in record.page_times:
        seconds.setdefault(time.page, []).append(time.seconds)
    for session in record.sessions:
        if session.wait_seconds is not None:
            seconds.setdefault("wait for summaries", []).append(session.wait_seconds)
    found: list[Times] = []
    for page, values in seconds.items():
        quarter, median, three = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
        found.append(
            Times(
                page=page,
                n=len(values),
                quarter=quarter,
                median=median,
                three_quarters=three,
                n_paused=sum(value > PAUSE_S for value in values),
            )
        )
    return tuple(found)


def _failures(record: StudyRecord) -> tuple[Failures, ...]:
    found: list[Failures] = []
    for condition in record.conditions:
        summaries = [
            summary
            for session in record.sessions
            for summary in session.summaries
            if summary.condition == condition.id
        ]
        seconds = [
            each.details["seconds"]
            for each in summaries
            if each.details and each.details.get("seconds") is not None
        ]
        lengths = [len(each.text.split()) for each in summaries if each.text is not None]
        found.append(
            Failures(
                condition=condition.id,
                n=len(summaries),
                n_failed=sum(summary.text is None for summary in summaries),
                reasons=dict(Counter(summary.reason for summary in summaries if summary.reason is not None)),
                median_seconds=float(np.median(seconds)) if seconds else None,
                median_words=float(np.median(lengths)) if lengths else None,
            )
        )
    return tuple(found)


def _notes(record: StudyRecord, duels: Sequence[Duel]) -> list[str]:
    notes: list[str] = []
    if any(condition.model.startswith("extractive:") for condition in record.conditions):
        notes.append("summaries of extractive:... are picked sentences: no language model wrote them")
    finals = [duel for duel in duels if duel.round == FINAL]
    if finals and len(finals) < len(duels):
        notes.append(
            "finals are held between winners: shares of finals are amplified by selection, and the first round is the"
            " one to read for a condition's own worth"
        )
    n_readers = len({duel.reader for duel in duels})
    if n_readers < 10:
        notes.append(f"intervals are over few readers ({n_readers}) and not to be relied on")
    return notes
