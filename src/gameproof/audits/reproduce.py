"""Recompute what the papers print from other values that they print: flags from effects, ratios from coefficients."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

from gameproof.audits.checks import ALPHA, GATE, parity_rule
from gameproof.audits.verdicts import Evidence, judge_manipulation
from gameproof.datasets.published import PublishedValue, find_values
from gameproof.stats.multiple import holm
from gameproof.stats.parity import PairedT
from gameproof.stats.results import Verdict

__all__ = ["Closeness", "OurReading", "Reproduced", "read_by_our_rule", "recompute"]

NORMAL = NormalDist()
WIDE = 1.96  # standard errors in a printed half-width: with more digits two verdicts that lie on the level would turn
NARROWEST = 0.0025  # a half-width printed as .00 is below .005
MARGIN = 0.10  # the default of an audit, in standard deviations
N_PRINTED = (
    200  # texts of each data set, about; the rule reads nothing from it but that there are more than two
)
ALL_SETS = "all seven"
FLAGGED_TABLES = (
    (
        "p1_table10_degradation_smd",
        "p1_table07_degradation_failures",
        "p1_table07_degradation_failure_counts",
        True,
    ),
    (
        "p1_table11_manipulation_smd",
        "p1_table08_manipulation_failures",
        "p1_table08_manipulation_failure_counts",
        False,
    ),
)
NOT_FLAGGED = "no flag"


class Closeness(StrEnum):
    """How close a value of ours is to the printed one."""

    EQUAL = "equal"
    ROUNDING = "within rounding"  # the printed digits of what it was computed from allow both
    OVERLAP = "intervals overlap"
    SAME_SIGN = "same sign"
    DIFFERS = "differs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduced:
    """One printed value, and ours."""

    table: str  # as `gameproof list published` has it
    what: str
    published: str  # as printed
    ours: str
    closeness: Closeness
    difference: float | None = None  # ours minus published, of numbers
    detail: str = ""
    against: str = ""  # which text served as the reference, where the paper does not say
    of: PublishedValue | None = None  # None: the paper prints nothing there, as where it flags nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class OurReading:
    """The printed manipulations of one metric over all data sets, by the paper's rule and by ours."""

    metric: str
    n: int
    passes_by_the_papers_rule: int
    verdicts: Mapping[Verdict, int]


def recompute() -> tuple[Reproduced, ...]:
    """Return every printed value that follows from other printed ones, with ours beside it.

    - Tables 7 and 8 of "Scoring Rules!" from the effects of tables 10 and 11: flags, and their counts.
    - Tables 4a to 4c of "Information Satisfaction" from their own counts, coefficients and errors.

    Example:
        >>> from collections import Counter
        >>> Counter(str(row.closeness) for row in recompute() if "table07_degradation_failures" in row.table)
        Counter({'equal': 258, 'within rounding': 1})
    """
    flags = (row for tables in FLAGGED_TABLES for row in _flags(*tables))
    return (*flags, *_shares(), *_regression())


def read_by_our_rule() -> tuple[OurReading, ...]:
    """Judge the printed manipulations by our rule: a gain must be shown to be below .10, a loss must be seen.

    p-values are rebuilt from the printed effects and half-widths as normal ones; Holm's correction runs over the
    manipulations of a metric on a data set, and the gate is its deletion of sentences there, as in an audit.

    Example:
        >>> [row.verdicts[Verdict.PASS] for row in read_by_our_rule() if row.metric == "ROUGE-L"]
        [10]
    """
    degradations = _by_cell("p1_table10_degradation_smd")
    manipulations = _by_cell("p1_table11_manipulation_smd")
    found: list[OurReading] = []
    for metric in dict.fromkeys(metric for metric, _, _ in manipulations):
        cells = {key: value for key, value in manipulations.items() if key[0] == metric}
        verdicts: Counter[Verdict] = Counter()
        for dataset in dict.fromkeys(dataset for _, dataset, _ in cells):
            effects = [value for key, value in cells.items() if key[1] == dataset]
            verdicts.update(_judge(effects, gate=degradations[metric, dataset, GATE]))
        passes = sum(_rule(value, decrease=False) == NOT_FLAGGED for value in cells.values())
        found.append(
            OurReading(metric=metric, n=len(cells), passes_by_the_papers_rule=passes, verdicts=verdicts)
        )
    return tuple(found)


def _judge(effects: Sequence[PublishedValue], *, gate: PublishedValue) -> Iterator[Verdict]:
    gate_met = _pvalue_below(gate, -MARGIN) <= ALPHA
    below = holm([_pvalue_below(effect, MARGIN) for effect in effects])
    above = holm([1 - _pvalue_below(effect, 0.0) for effect in effects])
    for gain, zero in zip(below, above, strict=True):
        evidence = Evidence(pvalues={"below_gain": gain, "above_zero": zero}, alpha=ALPHA, can_pass=True)
        yield judge_manipulation(evidence, margin=MARGIN, gate_met=gate_met).verdict


def _pvalue_below(effect: PublishedValue, bound: float) -> float:
    """Return the p-value of the claim that an effect lies below a bound."""
    return NORMAL.cdf((_known(effect.value) - bound) / (max(_known(effect.half_width), NARROWEST) / WIDE))


def _flags(effects: str, flags: str, counts: str, decrease: bool) -> Iterator[Reproduced]:
    printed = {(row.metric, row.dataset, row.check): row.printed for row in find_values(table=flags)}
    totals = find_values(table=counts)
    covered = {row.metric for row in totals}
    n_found: Counter[tuple[str, str]] = Counter()
    for key, effect in _by_cell(effects).items():
        metric, dataset, check = key
        if metric not in covered:  # tables 7 and 8 leave the lexical metrics out
            continue
        ours, published = _rule(effect, decrease=decrease), printed.get(key, NOT_FLAGGED)
        n_found.update([(metric, dataset), (metric, ALL_SETS)] if ours != NOT_FLAGGED else [])
        at_boundary = abs(_known(effect.value)) == effect.half_width
        yield Reproduced(
            table=flags,
            what=f"{metric} · {dataset} · {check}",
            published=published,
            ours=ours,
            closeness=Closeness.EQUAL
            if ours == published
            else Closeness.ROUNDING
            if at_boundary
            else Closeness.DIFFERS,
            detail=f"effect {effect.printed}, half-width {effect.half_width:.2f}: the printed digits do not decide"
            if at_boundary
            else "",
        )
    for total in totals:
        ours = n_found[total.metric, total.dataset]
        difference = ours - _known(total.value)
        yield Reproduced(
            table=counts,
            of=total,
            what=f"{total.metric} · {total.dataset}",
            published=total.printed,
            ours=str(ours),
            difference=difference,
            closeness=Closeness.EQUAL
            if not difference
            else Closeness.ROUNDING
            if abs(difference) == 1
            else Closeness.DIFFERS,
            detail="the flag that the printed digits do not decide" if abs(difference) == 1 else "",
        )


def _rule(effect: PublishedValue, *, decrease: bool) -> str:
    """Return the colour that the paper's rule gives an effect, from its printed interval."""
    value = _known(effect.value)
    test = PairedT(
        n=N_PRINTED,
        mean_change=value,
        effect=value,
        effect_original=None,
        effect_change=None,
        half_width=effect.half_width,
        statistic=None,
        pvalue=0.0 if abs(value) > _known(effect.half_width) else 1.0,
        pvalue_less=None,
        pvalue_greater=None,
    )
    if parity_rule(test, decrease=decrease):
        return NOT_FLAGGED
    return "red" if test.pvalue == 0.0 and value > 0 else "orange"


def _by_cell(table: str) -> dict[tuple[str, str, str | None], PublishedValue]:
    return {(row.metric, row.dataset, row.check): row for row in find_values(table=table)}


def _shares() -> Iterator[Reproduced]:
    for row in _rows("p2_table04a_variant_win_rates").values():
        for stage in ("round1", "final"):
            yield _derived(
                row[f"{stage}_pct"], lambda wins, n: 100 * wins / n, row[f"{stage}_wins"], row[f"{stage}_n"]
            )
    for row in _rows("p2_table04b_personalised_vs_generic").values():
        wins, losses = row["personalised_wins"], row["generic_wins"]
        yield _derived(row["personalised_pct"], lambda won, lost: 100 * won / (won + lost), wins, losses)
        yield _derived(row["generic_pct"], lambda won, lost: 100 * lost / (won + lost), wins, losses)


def _regression() -> Iterator[Reproduced]:
    quantities: Mapping[str, Callable[[float, float], float]] = {
        "z": lambda estimate, error: estimate / error,
        "p": lambda estimate, error: 2 * NORMAL.cdf(-abs(estimate / error)),
        "odds_ratio": lambda estimate, _: math.exp(estimate),
        "or_ci_low": lambda estimate, error: math.exp(estimate - WIDE * error),
        "or_ci_high": lambda estimate, error: math.exp(estimate + WIDE * error),
    }
    for row in _rows("p2_table04c_logistic_regression").values():
        for quantity, formula in quantities.items():
            yield _derived(row[quantity], formula, row["coef"], row["se_cluster"])


def _derived(
    target: PublishedValue, formula: Callable[[float, float], float], *given: PublishedValue
) -> Reproduced:
    """Compute a value from two others, and say whether their rounding explains a difference."""
    first, second = (_known(each.value) for each in given)
    ours = formula(first, second)
    ends = [formula(one, other) for one, other in itertools.product(*(_rounded_from(each) for each in given))]
    low, high = _rounded_from(target)
    digits = _decimals(target.printed)
    published = _known(target.value)
    if f"{ours:.{digits}f}" == f"{published:.{digits}f}":
        closeness = Closeness.EQUAL
    else:
        overlap = min(ends) <= high and low <= max(ends)
        closeness = Closeness.ROUNDING if overlap else Closeness.DIFFERS
    return Reproduced(
        table=target.table,
        of=target,
        what=f"{target.metric} · {target.quantity}",
        published=target.printed,
        ours=f"{ours:.{digits}f}",
        difference=ours - published,
        closeness=closeness,
        detail=f"between {min(ends):.{digits + 1}f} and {max(ends):.{digits + 1}f}, as far as the printed digits say"
        if closeness is not Closeness.EQUAL
        else "",
    )


def _rounded_from(value: PublishedValue) -> tuple[float, float]:
    """Return the ends of what is printed as this value; a count is exact."""
    digits = _decimals(value.printed)
    half = 0.5 * 10.0**-digits if digits else 0.0
    return _known(value.value) - half, _known(value.value) + half


def _decimals(printed: str) -> int:
    return len(printed.partition(".")[2])


def _rows(table: str) -> dict[str, dict[str, PublishedValue]]:
    found: dict[str, dict[str, PublishedValue]] = {}
    for value in find_values(table=table):
        found.setdefault(value.metric, {})[value.quantity] = value
    return found


def _known(value: float | None) -> float:
    """Return a printed number; the tables that are read here have no dash where one is asked for."""
    if value is None:
        raise ValueError("the published table has no number here")
    return value
