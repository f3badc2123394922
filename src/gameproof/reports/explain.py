"""Say in plain sentences why a metric got its marks, what is missing, and what an exit code means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from gameproof.audits.card import count_coverage, has_no_score
from gameproof.audits.checks import DEFAULT_MARGIN, GATE, MIN_RHO, MIN_TASKS
from gameproof.audits.result import AuditResult, Card, CardMark, CheckRow, CorrelationRow, MetricResult
from gameproof.errors import InputError
from gameproof.reports.words import (
    EFFECT_MEANING,
    MARKS,
    NOTES,
    PARITY_MEANING,
    PROPERTIES,
    STATES,
    VERDICTS,
    LegendEntry,
    check_title,
    format_effect,
    format_interval,
)
from gameproof.stats.results import Note, State, Verdict

__all__ = [
    "Reason",
    "Unmeasured",
    "decided_by",
    "explain_card",
    "explain_exit",
    "find_unmeasured",
    "headline",
    "join_words",
    "legend",
    "run_notes",
    "run_sentence",
]

MORE_TASKS = "More tasks may decide it: `gameproof power` says how many a verdict takes."
SENTENCES = "sent"  # ends a margin that counts in sentences
WIDE_MARGIN = 1.0  # standard deviations of the scores; few manipulations gain as much
FAILED = {Verdict.FAIL, Verdict.WRONG_WAY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why one property of one metric got its mark."""

    name: str  # the property
    mark: CardMark
    sentence: str

    @property
    def verdict(self) -> str:
        """The property with its mark in words: ``not resistant``, ``resistant (inconclusive)``."""
        return f"not {self.name}" if self.mark is CardMark.NO else f"{self.name} ({MARKS[self.mark].word})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmeasured:
    """Something that could not be measured, the reason, and the metrics it concerns."""

    what: tuple[str, ...]
    why: str
    metrics: tuple[str, ...]  # empty: all of them


def headline(metric: MetricResult) -> str:
    """Sum a metric's card up in one line."""
    if has_no_score(metric):
        return "could not be judged: no text has a score"
    failed = [item.failure for item in PROPERTIES[:-1] if getattr(metric.card, item.name) is CardMark.NO]
    if metric.card.trusted is CardMark.YES:
        coverage = count_coverage(metric.checks)
        ran, wanted = coverage.n_ran, coverage.n_applicable
        scope = f", as far as {ran} of {wanted} checks show" if ran < wanted else ""
        return f"can be trusted as a target on this data{scope}"
    if failed:
        return f"cannot be trusted as a target: it {join_words(failed)}"
    return "nothing failed, but this data cannot show that it can be trusted"


def decided_by(metric: MetricResult, name: str) -> list[CheckRow]:
    """Return the checks that decide one property of the card."""
    if name == "satisfied":
        return [row for row in metric.checks if row.suite == "satisfaction"]
    family = {"sensitive": "degradation", "resistant": "manipulation"}.get(name)
    return [row for row in metric.checks if row.family == family and row.suite != "satisfaction"]


def explain_card(metric: MetricResult) -> list[Reason]:
    """Give the reason for every mark that is not a yes, except for the sum of them.

    A metric without a single score has no reasons of its own: its alarm says why the scores are missing.
    """
    if has_no_score(metric):
        return []
    reasons: list[Reason] = []
    for item in PROPERTIES[:-1]:
        mark = getattr(metric.card, item.name)
        if mark is CardMark.YES:
            continue
        if item.name == "statistical":
            sentence = _why_not_statistical(metric, mark)
        else:
            gate_ran = any(row.check == GATE and row.verdict is not None for row in metric.checks)
            rows = decided_by(metric, item.name)
            sentence = _why_not_checks(rows, mark, item.name, gate_ran=gate_ran)
        reasons.append(Reason(name=item.name, mark=mark, sentence=sentence))
    if not reasons or all(reason.mark is CardMark.NOT_MEASURED for reason in reasons):
        reasons.extend(_why_not_trusted(metric))
    return reasons


def _why_not_trusted(metric: MetricResult) -> list[Reason]:
    """Explain a card on which everything that was measured is a yes, but too little was measured."""
    if metric.card.trusted is CardMark.YES:
        return []
    coverage = count_coverage(metric.checks)
    sentence = "nothing could be measured"
    if coverage.n_applicable:
        extras = [check_title(row.check) for row in metric.checks if row.extra and row.verdict is not None]
        uncounted = f" ({_list_some(extras)} not counted: no rewrites)" if extras else ""
        sentence = (
            f"only {coverage.n_ran} of {coverage.n_applicable} checks could run{uncounted}: have the missing "
            "variants written (--rewriter) or give them (--variants), or choose checks (--perturbation)"
        )
    return [Reason(name="trusted", mark=metric.card.trusted, sentence=sentence)]


def _why_not_statistical(metric: MetricResult, mark: CardMark) -> str:
    rows = [row for row in metric.correlation if row.dimension == "mean" and row.level == "within_task"]
    if not rows:
        return "the data has no ratings"
    row: CorrelationRow = rows[0]
    if row.rho is None:
        return f"the correlation with ratings is undefined: {row.state_detail or 'no reason was recorded'}"
    number = f"within-task correlation {format_effect(row.rho)} {format_interval(row.low, row.high)}"
    n_dimensions = len({other.dimension for other in metric.correlation} - {"mean"})
    of_what = f", mean over {n_dimensions} dimensions" if n_dimensions > 1 else ""
    more = " or more" if n_dimensions > 1 else ""  # `n` of the mean is that of the dimension with the fewest
    tasks = f"{row.n}{more} {'task' if row.n == 1 and not more else 'tasks'}"
    if mark is CardMark.NO:
        return (
            f"it does not follow the ratings ({number}{of_what}; on {tasks} shown to be below {MIN_RHO:.2f})"
        )
    needed = f"a yes takes {MIN_RHO:.2f} or more, shown to be above 0"
    return f"the correlation with ratings is too uncertain ({number}{of_what}; {tasks}; {needed})"


def _why_not_checks(rows: Sequence[CheckRow], mark: CardMark, name: str, *, gate_ran: bool) -> str:
    if mark is CardMark.NOT_MEASURED:
        details = sorted({row.detail for row in rows if row.detail})
        return "; ".join(details) if details else "no check of this kind was run on this data"
    failed = [row for row in rows if row.verdict in FAILED]
    if failed:
        return f"the score {_what_happened(failed)}"
    parts: list[str] = []
    unsure = [row for row in rows if row.verdict is Verdict.INCONCLUSIVE]
    if unsure:
        names = _list_some([check_title(row.check) for row in unsure])
        parts.append(f"the data cannot decide {names}{_too_few_tasks(unsure)}")
    calm = [row for row in rows if row.verdict is Verdict.INSENSITIVE]
    if calm:
        names = _list_some([check_title(row.check) for row in calm])
        but = "deleting sentences is not shown to cost more than the margin either"
        parts.append(
            f"no gain from {names}, but {but if gate_ran else f'{GATE} did not run'}, so that proves nothing"
        )
    return "; ".join(parts) or f"no single check failed, but together they do not show that it is {name}"


def _too_few_tasks(rows: Sequence[CheckRow]) -> str:
    """Say so where no check could have passed, whatever the scores."""
    n_tasks = max(row.n_tasks for row in rows)
    if not 0 < n_tasks < MIN_TASKS:
        return ""
    return f" ({n_tasks} {'task' if n_tasks == 1 else 'tasks'}; a pass takes {MIN_TASKS})"


def _what_happened(rows: Sequence[CheckRow]) -> str:
    """Say what the score did in failed checks: equal movements together, the largest first."""
    movements: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: -abs(row.effect or 0.0)):
        alike = ", the same for every text: deterministic" if row.state is State.DETERMINISTIC else ""
        effect = f" ({format_effect(row.effect)}{alike})" if row.effect is not None else ""
        movements.setdefault(_movement(row), []).append(f"{check_title(row.check)}{effect}")
    return "; ".join(movement.format(_list_some(checks)) for movement, checks in movements.items())


def _movement(row: CheckRow) -> str:
    if row.state is State.NO_CHANGE or row.note is Note.BLIND:
        return "does not move under {}"
    if row.note is Note.NEGLIGIBLE:
        return "hardly drops under {}"
    if row.effect is None:
        return "goes wrong under {}"
    verb = "rises" if row.effect > 0 else "drops"
    return (
        f"{verb} under {{}}, where it should stay level" if row.expect == "stable" else f"{verb} under {{}}"
    )


def join_words(words: Sequence[str]) -> str:
    """Join phrases as a sentence does.

    Example:
        >>> join_words(["a", "b", "c"])
        'a, b and c'
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _list_some(names: Sequence[str], shown: int = 4) -> str:
    if len(names) > shown + 1:
        return join_words([*names[:shown], f"{len(names) - shown} more checks"])
    return join_words(names)


def find_unmeasured(result: AuditResult, *, texts: bool = True) -> list[Unmeasured]:
    """Collect what could not be measured; equal reasons are told once for all checks and metrics.

    Args:
        result: What the audit found.
        texts: Whether single texts that a check lacks are told as well.
    """
    entries: dict[tuple[str, str], list[str]] = {}  # (what, why) -> metrics
    for metric in result.metrics:
        for what, why in (*_unmeasured_in(metric), *(_missing_texts(metric) if texts else ())):
            entries.setdefault((what, why), []).append(metric.metric)
    grouped: dict[tuple[str, tuple[str, ...]], list[str]] = {}  # (why, metrics) -> what
    for (what, why), metrics in entries.items():
        grouped.setdefault((why, tuple(metrics)), []).append(what)
    everyone = tuple(metric.metric for metric in result.metrics)
    return [
        Unmeasured(what=tuple(what), why=why, metrics=() if metrics == everyone else metrics)
        for (why, metrics), what in grouped.items()
    ]


def _unmeasured_in(metric: MetricResult) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if metric.card.statistical is CardMark.NOT_MEASURED and not metric.correlation:
        found.append(("agreement with ratings", "the data has no ratings"))
    found.extend(_undefined_correlations(metric.correlation))
    found.extend(
        (check_title(row.check), row.detail or _state_text(row.state))
        for row in metric.checks
        if row.verdict is None and row.state in {State.NOT_APPLICABLE, State.NOT_MEASURED, State.UNDEFINED}
    )
    return found


def _missing_texts(metric: MetricResult) -> list[tuple[str, str]]:
    return [
        (f"{count:,} {'text' if count == 1 else 'texts'} of {check_title(row.check)}", reason)
        for row in metric.checks
        for reason, count in row.missing.items()
        if row.verdict is not None or row.effect is not None or reason != row.detail
    ]


def _undefined_correlations(rows: Sequence[CorrelationRow]) -> list[tuple[str, str]]:
    """Name the dimensions only where others of the same level are defined."""
    defined = {row.level for row in rows if row.rho is not None}
    found: dict[tuple[str, str], None] = {}
    for row in rows:
        if row.rho is None:
            what = f"{row.level.replace('_', '-')} correlation"
            named = f"{what} with {row.dimension}" if row.level in defined else what
            found[named, row.state_detail or _state_text(row.state)] = None
    return list(found)


def _state_text(state: State | None) -> str:
    return check_title(state.value) if state is not None else "no reason was recorded"


def explain_exit(result: AuditResult, code: int, gate: str | None = None) -> str:
    """Say in one sentence what an audit's exit code stands for."""
    judged = [metric for metric in result.metrics if gate is None or metric.metric == gate]
    trusted = {metric.metric: metric.card.trusted for metric in judged}
    scope = "of all metrics" if gate is None else f"of the gate {gate}"
    if code == 0:
        names = ", ".join(trusted) or "nothing"
        return f"Exit code 0: every measured property holds ({names})."
    if code == InputError.exit_code:
        unscored = ", ".join(metric.metric for metric in judged if has_no_score(metric))
        return f"Exit code 2: {unscored} gave no score for any text; the reasons stand beside the verdict."
    if code == 3:
        failed = ", ".join(name for name, mark in trusted.items() if mark is CardMark.NO)
        return f"Exit code 3: at least one property was measured and failed ({failed or scope})."
    if code == 4:
        unclear = ", ".join(name for name, mark in trusted.items() if mark is not CardMark.YES)
        told = f"Exit code 4: nothing failed, but not everything could be shown ({unclear or scope})."
        undecided = any(_is_undecided(metric.card) for metric in judged)
        return f"{told} {MORE_TASKS}" if undecided else told
    return f"Exit code {code}."


def _is_undecided(card: Card) -> bool:
    """Say whether a question was measured and left open; trust may also lack because too little was measured."""
    return CardMark.INCONCLUSIVE in (card.statistical, card.sensitive, card.resistant, card.satisfied)


def legend(result: AuditResult) -> list[LegendEntry]:
    """Return the terms of the check tables that occur in this result, with their meanings."""
    rows = [row for metric in result.metrics for row in metric.checks]
    verdicts = {row.verdict for row in rows}
    notes = {row.note for row in rows}
    # A state beside a verdict is shown only where it is a mark that needs words.
    states = {row.state for row in rows if row.verdict is None or row.state is State.DETERMINISTIC}
    margin = result.run.get("margin")
    entries = [
        LegendEntry(term="effect", meaning=EFFECT_MEANING),
        LegendEntry(
            term="margin" if margin is None else f"margin {margin}",
            meaning=_margin_meaning(margin),
        ),
    ]
    entries.extend(
        LegendEntry(term=str(word), meaning=word.meaning)
        for verdict, word in VERDICTS.items()
        if verdict in verdicts
    )
    entries.extend(
        LegendEntry(term=word.word, meaning=word.meaning) for note, word in NOTES.items() if note in notes
    )
    entries.extend(
        LegendEntry(term=str(word), meaning=word.meaning) for state, word in STATES.items() if state in states
    )
    if any(row.parity_verdict for row in rows):
        entries.append(LegendEntry(term="[P] [F] [U]", meaning=PARITY_MEANING))
    return entries


def _margin_meaning(margin: object) -> str:
    if not str(margin).endswith(SENTENCES):
        return "a gain has to be shown smaller, and a drop larger, than this to pass"
    return (
        "to pass, a gain has to be shown smaller than so many times what losing one sentence costs, "
        f"and a drop larger than {DEFAULT_MARGIN}"
    )


def run_sentence(run: Mapping[str, object]) -> str:
    """Say in one line what was audited."""
    parts = [str(run.get("data") or "data")]
    for key, one, many in (
        ("n_items", "text", "texts"),
        ("n_tasks", "task", "tasks"),
        ("n_groups", "group", "groups"),
    ):
        count = run.get(key)
        if isinstance(count, int):
            parts.append(f"{count:,} {one if count == 1 else many}")
    parts.extend(
        f"{key} {run[key]}"
        for key in ("suite", "reference", "margin", "seed", "gate")
        if run.get(key) is not None
    )
    return " · ".join(parts)


def run_notes(run: Mapping[str, object]) -> list[str]:
    """Return what a reader of the numbers must know about the data and the margin."""
    notes = run.get("notes")
    told = [notes] if isinstance(notes, str) else []
    if isinstance(notes, list | tuple):
        told = [str(note) for note in cast("Sequence[object]", notes)]
    return [*_wide_margin(run.get("margin")), *told]


def _wide_margin(margin: object) -> list[str]:
    """Warn of a margin that was perhaps meant in percent: 10 instead of .10."""
    text = str(margin or DEFAULT_MARGIN)
    if text.endswith(SENTENCES) or float(text) < WIDE_MARGIN:
        return []
    size = f"{float(text):g} standard deviations of the scores"
    return [
        f"margin {text}: gains of up to {size} count as harmless, smaller drops as none; the default is .10 of one"
    ]
