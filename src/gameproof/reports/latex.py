r"""Write the papers' tables as LaTeX: correlation, failures as letters, standardised mean differences.

Everything compiles with a stock TeX (booktabs, longtable, xcolor). What colour says, shape says as well: a score
that rises is a bold letter, one that does not move a letter in italics, an undecided one stands in brackets.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from gameproof.audits.result import CheckRow, CorrelationRow, MetricResult
from gameproof.reports.html.overview import run_names
from gameproof.reports.html.run import ReportedRun
from gameproof.reports.latex_text import PREAMBLE, safe_latex
from gameproof.reports.letters import LetterCell, Mark, letters_of, metric_groups, our_cell, papers_cell
from gameproof.reports.words import LEVEL_TITLES, check_title

__all__ = ["latex_tables", "render_latex"]

WIDE = 5  # so many columns of data are made smaller
MISSING = "--"
STYLES = {
    "wrong": r"\textbf{\textcolor[HTML]{B3261E}{%s}}",
    "unmoved": r"\textit{\textcolor[HTML]{B25000}{%s}}",
    "open": "(%s)",
}
FAMILY_WORDS = {
    "degradation": (
        "Sensitivity to degradation: a letter marks a check in which the score is not shown to drop",
        "bold, red: the score rises; italics, orange: it is not shown to drop",
    ),
    "manipulation": (
        "Resistance to manipulation: a letter marks a check in which the score rises",
        "bold, red: the score rises",
    ),
}
RULES: Mapping[str, tuple[str, Callable[[MetricResult, str], LetterCell]]] = {
    "": ("verdicts of gameproof, brackets: undecided", our_cell),
    "_papers": (
        "the papers' rule, a two-sided paired t-test with the sign; brackets: undefined",
        papers_cell,
    ),
}

Runs = Sequence[tuple[str, Mapping[str, MetricResult]]]  # data set -> its metrics


def render_latex(runs: Sequence[ReportedRun]) -> str:
    """Return one document with all tables, ready to compile."""
    body = "\n\n".join(latex_tables(runs).values())
    return "\n".join(
        [
            r"\documentclass{article}",
            r"\usepackage[margin=15mm,landscape]{geometry}",
            r"\usepackage{graphicx}",
            r"\usepackage{longtable}",
            PREAMBLE,
            r"\begin{document}",
            body or "No metric was audited.",
            r"\end{document}",
            "",
        ]
    )


def latex_tables(runs: Sequence[ReportedRun]) -> dict[str, str]:
    r"""Return the tables by name, each to be read in with ``\input`` below the packages of `render_latex`."""
    found: Runs = [
        (name, {metric.metric: metric for metric in run.result.metrics})
        for name, run in zip(run_names(runs), runs, strict=True)
    ]
    if not any(metrics for _, metrics in found):
        return {}
    tables: dict[str, str] = {}
    if any(metric.correlation for _, metrics in found for metric in metrics.values()):
        tables["correlation"] = _correlation_table(found)
    for family in FAMILY_WORDS:
        measured = _measured(found, family)
        if measured:
            for ending, (rule, cell) in RULES.items():
                tables[f"{family}{ending}"] = _letter_table(found, family, rule, cell)
            tables[f"{family}_smd"] = _smd_table(found, family, measured)
    return tables


def _correlation_table(runs: Runs) -> str:
    levels = list(LEVEL_TITLES) if len(runs) == 1 else ["within_task", "pooled"]
    heads = [rf"\multicolumn{{{len(levels)}}}{{c}}{{{safe_latex(name)}}}" for name, _ in runs]
    under = [safe_latex(LEVEL_TITLES[level]) for _ in runs for level in levels]

    def cells(name: str) -> list[str]:
        return [_correlation(metrics.get(name), level) for _, metrics in runs for level in levels]

    return _table(
        caption="Spearman correlation with ratings, mean over dimensions; in brackets the 95\\% interval over tasks.",
        head=[_row(["Metric", *heads]), _row(["", *under])],
        body=_grouped(runs, cells, len(under) + 1),
        columns="l" + "c" * len(under),
    )


def _correlation(metric: MetricResult | None, level: str) -> str:
    rows: Sequence[CorrelationRow] = () if metric is None else metric.correlation
    row = next((row for row in rows if row.dimension == "mean" and row.level == level), None)
    if row is None or row.rho is None:
        return MISSING
    interval = (
        "" if row.low is None or row.high is None else rf" {{\scriptsize [{row.low:.2f}, {row.high:.2f}]}}"
    )
    return f"${row.rho:.3f}${interval}"


def _letter_table(runs: Runs, family: str, rule: str, cell: Callable[[MetricResult, str], LetterCell]) -> str:
    caption, key = FAMILY_WORDS[family]
    sizes = [max((cell(metric, family).n for metric in metrics.values()), default=0) for _, metrics in runs]
    letters = letters_of(family)
    shown = [
        f"{letters[check]}: {safe_latex(check_title(check))}"
        for check in _measured(runs, family)
        if check in letters
    ]

    def cells(name: str) -> list[str]:
        found = [cell(metrics[name], family) if name in metrics else None for _, metrics in runs]
        total = sum(one.n_failed for one in found if one is not None)
        return [*(_letters(one) for one in found), str(total)]

    return _table(
        caption=f"{caption} ({safe_latex(rule)}; {key}). {'; '.join(shown)}.",
        head=[
            _row(["Metric", *(safe_latex(name) for name, _ in runs), "failed"]),
            _row(["", *(f"$m={size}$" for size in sizes), f"$m={sum(sizes)}$"]),
        ],
        body=_grouped(runs, cells, len(runs) + 2),
        columns="l" + "c" * (len(runs) + 1),
    )


def _letters(cell: LetterCell | None) -> str:
    if cell is None or not cell.n:
        return MISSING
    return r"\,".join(_letter(mark) for mark in cell.marks) or r"\ensuremath{\surd}"


def _letter(mark: Mark) -> str:
    return STYLES[mark.fault] % safe_latex(mark.letter)


def _smd_table(runs: Runs, family: str, checks: Sequence[str]) -> str:
    """Return d with the half-width of the papers' interval, check by check, over as many pages as it takes."""
    heads = _row(["Metric", *(safe_latex(name) for name, _ in runs)])
    width = len(runs) + 1
    caption = (
        rf"Standardised mean difference under {family}, with the 95\% interval of the paired t-test."
        f" {FAMILY_WORDS[family][1].capitalize()}."
    )
    lines = [
        r"{\footnotesize",
        rf"\begin{{longtable}}{{l{'c' * len(runs)}}}",
        rf"\caption{{{caption}}}\\",
        r"\toprule",
        heads,
        r"\midrule\endhead",
        r"\bottomrule\endfoot",
    ]
    for number, check in enumerate(checks):

        def cells(name: str, check: str = check) -> list[str]:
            return [_difference(metrics.get(name), check, family) for _, metrics in runs]

        if number:
            lines.append(r"\midrule")
        lines.append(rf"\multicolumn{{{width}}}{{l}}{{\textbf{{{safe_latex(check_title(check))}}}}}\\*")
        lines.extend(_grouped(runs, cells, width))
    return "\n".join([*lines, r"\end{longtable}", "}"])


def _difference(metric: MetricResult | None, check: str, family: str) -> str:
    rows: Sequence[CheckRow] = () if metric is None else metric.checks
    row = next((row for row in rows if row.check == check), None)
    if row is None or row.effect is None:
        return MISSING
    if row.parity_low is None or row.parity_high is None:
        return f"${row.effect:+.2f}$"
    middle, half = (row.parity_low + row.parity_high) / 2, (row.parity_high - row.parity_low) / 2
    text = (
        rf"$\mathbf{{{middle:+.2f}}}\pm{half:.2f}$"
        if row.parity_low > 0
        else rf"${middle:+.2f}\pm{half:.2f}$"
    )
    if row.parity_low > 0:
        return rf"\textcolor[HTML]{{B3261E}}{{{text}}}"
    if family == "degradation" and row.parity_high >= 0:
        return rf"\textcolor[HTML]{{B25000}}{{\textit{{{text}}}}}"
    return text


def _measured(runs: Runs, family: str) -> list[str]:
    rows: list[CheckRow] = [
        row for _, metrics in runs for metric in metrics.values() for row in metric.checks
    ]
    return list(dict.fromkeys(row.check for row in rows if row.family == family and row.verdict is not None))


def _grouped(runs: Runs, cells: Callable[[str], list[str]], width: int) -> Iterator[str]:
    """Yield the rows of all metrics, the papers' two groups apart."""
    groups = metric_groups([name for _, metrics in runs for name in metrics])
    for title, names in groups:
        if len(groups) > 1:
            yield rf"\multicolumn{{{width}}}{{l}}{{\emph{{{safe_latex(title)}}}}}\\*"
        for name in names:
            yield _row([rf"\texttt{{{safe_latex(name)}}}", *cells(name)])


def _row(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _table(*, caption: str, head: Sequence[str], body: Iterator[str], columns: str) -> str:
    tabular = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *head,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if len(columns) > WIDE:
        tabular = [r"\resizebox{\textwidth}{!}{%", *tabular, "}"]
    return "\n".join(
        [r"\begin{table}[htbp]", r"\centering", rf"\caption{{{caption}}}", *tabular, r"\end{table}"]
    )
