"""What changed between two runs, in words: shared by the page, the terminal and Markdown."""

from collections.abc import Sequence

from gameproof.audits.result import CardMark
from gameproof.audits.run_difference_result import Change, CheckChange, MetricChange, RunDifference
from gameproof.reports.explain import join_words
from gameproof.reports.words import MARKS, NOTHING, PROPERTIES, STATES, VERDICTS, Word, check_title

__all__ = [
    "CHANGES",
    "changes_of",
    "difference_headline",
    "exit_sentence",
    "metric_line",
    "pairing_lines",
    "verdict_after",
    "verdict_before",
]

NAMED = 4  # in one sentence

CHANGES: dict[Change, Word] = {
    "same": Word(mark="", word="as before", tone="none", meaning="the verdict is as good or bad as before"),
    "better": Word(mark="▲", word="better", tone="good", meaning="the verdict is better than before"),
    "worse": Word(mark="▼", word="worse", tone="bad", meaning="the verdict is worse than before"),
    "unclear": Word(mark="?", word="unclear", tone="open", meaning="one of the runs has no verdict"),
}


def difference_headline(difference: RunDifference) -> str:
    """Say in one sentence what to conclude."""
    lost = [
        metric for metric, item in difference.worse if item.name == "trusted" and item.before is CardMark.YES
    ]
    if lost:
        return f"No longer trusted: {_some(lost)}"
    if difference.worse:
        failures = {item.name: item.failure for item in PROPERTIES}
        told = [
            f"{metric} {failures[item.name]}" for metric, item in difference.worse if item.name != "trusted"
        ]
        return f"Worse than before: {_some(told or [metric for metric, _ in difference.worse])}"
    if difference.unclear:
        return f"No longer shown: {_some([f'that {metric} is {item.name}' for metric, item in difference.unclear])}"
    if difference.only_before:
        return f"Nothing got worse, but the second run lacks {_some(difference.only_before)}"
    return _nothing_worse(difference)


def _nothing_worse(difference: RunDifference) -> str:
    better = [
        f"{metric.metric} is {item.name} now"
        for metric in difference.metrics
        for item in metric.properties
        if item.change == "better" and item.after is CardMark.YES
    ]
    if better:
        return f"Nothing got worse; {_some(better)}"
    n_changed = sum(len(metric.changed_checks) for metric in difference.metrics)
    if not n_changed:
        return "No verdict changed"
    checks = "one check has" if n_changed == 1 else f"{n_changed} checks have"
    return f"No property of any metric got worse; {checks} another verdict"


def _some(names: Sequence[str]) -> str:
    return join_words([*names[:NAMED], f"{len(names) - NAMED} more"] if len(names) > NAMED + 1 else names)


def exit_sentence(difference: RunDifference) -> str:
    """Say what the exit code stands for."""
    return {
        0: "Exit code 0: nothing that was shown before is lost.",
        3: "Exit code 3: a property that did not fail before fails now, or a trusted metric no longer is.",
        4: "Exit code 4: something that was shown before can no longer be shown, or is not in the second run.",
    }[difference.exit_code]


def pairing_lines(difference: RunDifference) -> list[tuple[str, str]]:
    """Say which metrics are held against each other, and which have no counterpart."""
    same = [metric.metric for metric in difference.metrics if metric.metric == metric.metric_after]
    other = [
        f"{metric.metric} with {metric.metric_after}"
        for metric in difference.metrics
        if metric.metric != metric.metric_after
    ]
    unpaired = (
        "; --pair OLD::NEW takes two for one" if difference.only_before and difference.only_after else ""
    )
    lines = [
        ("in both runs", ", ".join(same)),
        ("taken for one, before with after", ", ".join(other)),
        ("only in the first run, not compared", ", ".join(difference.only_before)),
        ("only in the second run, not compared", ", ".join(difference.only_after)),
    ]
    found = [(what, names) for what, names in lines if names]
    return [*found[:-1], (found[-1][0], f"{found[-1][1]}{unpaired}")] if found else []


def metric_line(metric: MetricChange) -> str:
    """Say how much the scores themselves changed."""
    name = (
        metric.metric if metric.metric == metric.metric_after else f"{metric.metric} → {metric.metric_after}"
    )
    if not metric.n:
        return f"{name}: no text has a score in both runs"
    if not metric.n_changed:
        return f"{name}: all {metric.n:,} scores of the originals are as before"
    order = "" if metric.spearman is None else f"; their order agrees by {metric.spearman:.3f} (Spearman)"
    return f"{name}: {metric.n_changed:,} of {metric.n:,} scores of the originals changed{order}"


def changes_of(metric: MetricChange) -> Sequence[tuple[str, Word, Word, Word]]:
    """Return every property: its name, before, after, and the change."""
    return [
        (item.name, MARKS[item.before], MARKS[item.after], CHANGES[item.change])
        for item in metric.properties
        if item.name in {one.name for one in PROPERTIES}
    ]


def verdict_before(check: CheckChange) -> Word:
    """Return how a check's first verdict is shown."""
    return _word(check, first=True)


def verdict_after(check: CheckChange) -> Word:
    """Return how a check's second verdict is shown."""
    return _word(check, first=False)


def _word(check: CheckChange, *, first: bool) -> Word:
    verdict = check.verdict_before if first else check.verdict_after
    state = check.state_before if first else check.state_after
    if verdict is not None:
        return VERDICTS[verdict]
    if state is not None:
        return STATES[state]
    return Word(mark="", word=NOTHING, tone="none", meaning=f"{check_title(check.check)} has no verdict")
