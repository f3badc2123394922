"""The words in which people read an attack, and what its exit code means."""

from collections.abc import Iterable, Mapping

from gameproof.attacks.result import Attacks
from gameproof.audits.checks import MIN_TASKS
from gameproof.reports.words import Word

__all__ = ["ATTACK_VERDICTS", "TERMS", "explain_attack_exit", "terms_of"]

ATTACK_VERDICTS: Mapping[str, Word] = {
    "gamed": Word(mark="✗", word="gamed", tone="bad", meaning="gain and gap are both shown to be above 0"),
    "held": Word(mark="✓", word="held", tone="good", meaning="the gap is shown to be below the margin"),
    "inconclusive": Word(
        mark="", word="not decided", tone="open", meaning="neither gaming nor a gap below the margin is shown"
    ),
}

# Column of a table -> what it means.
TERMS: Mapping[str, str] = {
    "budget": "scored proposals for each text; the best one counts",
    "metric gain": "of the attacked texts, scored with references that took no part in the search, in standard"
    " deviations of the texts nobody attacked",
    "quality gain": "the same for an independent quality",
    "slope": "what the metric gains honestly with one standard deviation of quality, among texts nobody attacked",
    "gap": "what the metric gained beyond slope × quality gain: gaming, where it is shown to be above 0",  # noqa: RUF001 - the sign of multiplication
    "95%": "interval over resampled tasks, two-sided",
    "gamed": "whether gain and gap are both shown to be above 0 (one-sided, 5%); in brackets where a larger budget did not show it,"
    " so that this row is no test",
    "share of winners": "texts that won, made with this move among others",
    "put": "in the place of the text, or behind it",
    "success": "share of texts that score no worse (instead) or better (behind) with the fixed text",
    "n": "texts of a task, as they came with the data, of which the metric chooses the best",
    "honest line": "what quality would gain if it followed the metric along the regression line",
    "share of ideal": "quality gained by the best of n by the metric, as a share of what the best of n by quality gains",
}


def terms_of(columns: Iterable[str]) -> list[tuple[str, str]]:
    """Return what the columns mean that need words, in the order of the tables."""
    shown = set(columns)
    return [(term, meaning) for term, meaning in TERMS.items() if term in shown]


def explain_attack_exit(found: Attacks) -> str:
    """Say in one sentence what the exit code of an attack stands for, and why it is that one."""
    names: dict[str, list[str]] = {}
    for result in found.results:
        names.setdefault(result.verdict, []).append(result.metric)
    code = found.exit_code
    if code == 0:
        return f"Exit code 0: no metric was gamed, and each is shown to hold ({', '.join(names['held'])})."
    if "gamed" in names:
        return (
            f"Exit code {code}: gaming is shown ({', '.join(names['gamed'])}): scores can be raised beyond what the texts"
            " are worth."
        )
    few = any(
        result.verdict == "inconclusive" and result.largest.result.n_tasks < MIN_TASKS
        for result in found.results
    )
    why = f"; fewer than {MIN_TASKS} tasks cannot show that a metric holds" if few else ""
    return f"Exit code {code}: the data cannot decide ({', '.join(names['inconclusive'])}){why}."
