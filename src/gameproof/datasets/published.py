"""The values that the two papers print, one by one, with their sources."""

import csv
import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from gameproof.errors import InputError, SpecError
from gameproof.fmi.cells import Cell
from gameproof.fmi.spec import Spec, is_spec, parse

__all__ = ["TABLES", "PublishedTable", "PublishedValue", "find_values", "names_of_metric", "values"]

SCORING_RULES = "Scoring Rules! (arXiv:2608.01423v1)"
SATISFACTION = "Information Satisfaction (arXiv:2608.14457v1)"
FOUR_CORPORA = "arXiv, PubMed, SciTLDR and eLife, 50 documents each"
STUDY = "140 sessions of 20 readers"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTable:
    """One transcribed table: which columns say what a value is, and which are values."""

    name: str  # of the file, without its ending
    title: str
    paper: str
    number: str  # of the table in the paper
    values: tuple[str, ...]  # columns that hold values, or texts where a value is a mark
    metric: tuple[str, ...] = ("metric",)  # columns that together name the metric
    dataset: str | None = "dataset"  # a column, or what all values are of
    check: str | None = None  # a column
    margin: str | None = None  # the column with the half-width of the 95% interval


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedValue:
    """One printed value."""

    table: str
    paper: str
    number: str
    dataset: str
    metric: str
    check: str | None
    quantity: str  # the column it stands in
    printed: str  # as the paper prints it; "" where it prints a dash
    value: float | None  # None of a dash and of what is no number
    half_width: float | None = None  # of the 95% interval

    @property
    def source(self) -> str:
        """Name paper and table."""
        return f"{self.paper}, table {self.number}"


P1_SETS = ("PG-WH", "PG-XLSK", "ICLR26", "SummEval", "SPACE", "LFQA-E", "MedAESQA")
CELL_COLUMNS = ("metric", "information_measure", "estimator", "representation", "predictor")

TABLES: Mapping[str, PublishedTable] = {
    table.name: table
    for table in (
        PublishedTable(
            name="p1_table06_human_correlation",
            title="Spearman correlation with human ratings; SummEval is the mean over its dimensions",
            paper=SCORING_RULES,
            number="6",
            metric=CELL_COLUMNS,
            values=("spearman_rho",),
        ),
        PublishedTable(
            name="p1_table07_degradation_failures",
            title="degradations that a metric misses: orange without a significant change, red with an increase",
            paper=SCORING_RULES,
            number="7",
            check="strategy",
            values=("colour",),
        ),
        PublishedTable(
            name="p1_table07_degradation_failure_counts",
            title="how many degradations a metric misses",
            paper=SCORING_RULES,
            number="7",
            dataset=None,
            values=(*P1_SETS, "total_printed"),
        ),
        PublishedTable(
            name="p1_table08_manipulation_failures",
            title="manipulations that raise a metric significantly",
            paper=SCORING_RULES,
            number="8",
            check="strategy",
            values=("colour",),
        ),
        PublishedTable(
            name="p1_table08_manipulation_failure_counts",
            title="how many manipulations raise a metric significantly",
            paper=SCORING_RULES,
            number="8",
            dataset=None,
            values=(*P1_SETS, "total_printed"),
        ),
        PublishedTable(
            name="p1_table10_degradation_smd",
            title="standardised mean difference under degradations, with its 95% interval",
            paper=SCORING_RULES,
            number="10",
            check="strategy",
            values=("smd",),
            margin="ci95_half_width",
        ),
        PublishedTable(
            name="p1_table11_manipulation_smd",
            title="standardised mean difference under manipulations, with its 95% interval",
            paper=SCORING_RULES,
            number="11",
            check="strategy",
            values=("smd",),
            margin="ci95_half_width",
        ),
        PublishedTable(
            name="p2_table02_rho_and_M",
            title="reader tests: Spearman rho of level and mean score, and M",
            paper=SATISFACTION,
            number="2",
            metric=("metric", "judge"),
            dataset=f"={FOUR_CORPORA}",
            check="test",
            values=("spearman_rho", "monotonicity_M", "rho_pass", "M_pass"),
        ),
        PublishedTable(
            name="p2_table03_krippendorff_alpha",
            title="Krippendorff's alpha between a metric's choices and the readers'",
            paper=SATISFACTION,
            number="3",
            metric=("metric", "judge"),
            dataset=f"={STUDY}",
            values=("alpha",),
        ),
        PublishedTable(
            name="p2_table04a_variant_win_rates",
            title="wins of each kind of summary, by round",
            paper=SATISFACTION,
            number="4 (a)",
            metric=("variant",),
            dataset=f"={STUDY}",
            values=(
                "round1_wins", "round1_n", "round1_pct", "round1_p", "final_wins", "final_n", "final_pct", "final_p",
            ),
        ),
        PublishedTable(
            name="p2_table04b_personalised_vs_generic",
            title="personalised against generic summaries, by round",
            paper=SATISFACTION,
            number="4 (b)",
            metric=("comparison",),
            dataset=f"={STUDY}",
            values=("personalised_wins", "personalised_pct", "generic_wins", "generic_pct", "ties", "p"),
        ),
        PublishedTable(
            name="p2_table04c_logistic_regression",
            title="logistic regression of a personalised summary's win, errors clustered by reader",
            paper=SATISFACTION,
            number="4 (c)",
            metric=("term",),
            dataset=f"={STUDY}",
            values=("coef", "se_cluster", "z", "p", "odds_ratio", "or_ci_low", "or_ci_high"),
        ),
        PublishedTable(
            name="p2_table05_neither_thresholds",
            title="score differences below which a metric chooses neither",
            paper=SATISFACTION,
            number="5",
            dataset=f"={STUDY}",
            values=("threshold", "range"),
        ),
    )
}  # fmt: skip

# Our metrics without options -> the papers' names for the same metric, in either table.
BASELINES: Mapping[str, tuple[str, ...]] = {
    "rougeL": ("ROUGE-L",),
    "bleu": ("BLEU",),
    "bertscore": ("BERTScore",),
}
ESTIMATORS = {"direct": "direct", "fvar": "f_variational"}
PREDICTORS = {"autoreg": "autoregression", "oracle": "llm_oracle"}
# Cells that tables 7, 8, 10 and 11 name in words.
CELLS_IN_WORDS: Mapping[tuple[str, str, str, str], str] = {
    ("KL", "direct", "token", "autoregression"): "KL-Direct-Autoreg.",
    ("TV", "f_variational", "report", "llm_oracle"): "TVD-FVar-Report",
    ("TV", "f_variational", "statement", "llm_oracle"): "TVD-FVar-Statement",
}
JUDGES = ("Claude-Haiku-4.5", "Claude-Sonnet-4.5", "GPT-5-mini", "GPT-4o-mini")


@cache
def values() -> tuple[PublishedValue, ...]:
    """Return every printed value of both papers.

    Example:
        >>> [v.printed for v in values() if v.table == "p2_table03_krippendorff_alpha"][:2]
        ['0.077', '0.117']
    """
    return tuple(value for table in TABLES.values() for value in _read(table))


def find_values(
    *, table: str | None = None, metric: str | None = None, dataset: str | None = None
) -> tuple[PublishedValue, ...]:
    """Return the values that fit; a part of a name is enough, whatever its case.

    Raises:
        SpecError: Nothing fits one of the names.
    """
    found = values()
    for asked, field in ((table, "table"), (metric, "metric"), (dataset, "dataset")):
        if asked is None:
            continue
        kept = tuple(value for value in found if _plain(asked) in _plain(str(getattr(value, field))))
        if not kept:
            known = list(dict.fromkeys(str(getattr(value, field)) for value in found))
            near = difflib.get_close_matches(asked, known, n=3, cutoff=0.3) or known[:5]
            raise SpecError(
                f"no published value has the {field} {asked!r}: did you mean {' or '.join(near)}?",
                hint="`gameproof list published` shows the tables.",
            )
        found = kept
    return found


def names_of_metric(metric: str, signature: str = "") -> tuple[str, ...]:
    """Return what the papers call one of our metrics; nothing where they have no such metric.

    Options that the papers do not tell do not count. A judge is the same only with the same model.

    Example:
        >>> names_of_metric("rougeL,stem=true"), names_of_metric("TV+fvar+statement+oracle,neg=4")
        (('ROUGE-L',), ('TV f_variational statement llm_oracle', 'TVD-FVar-Statement'))
    """
    head = metric.split(",", 1)[0]
    if head in BASELINES:
        return BASELINES[head]
    if head == "judge":
        told = _plain(f"{metric} {signature}")
        names = [name for name in JUDGES if _plain(name) in told]
        return tuple(f"{prefix} / {name}" for name in names for prefix in ("LLM-as-Judge", "LLM-J"))
    if not is_spec(metric):
        return ()
    try:
        spec = parse(metric)
    except InputError:
        return ()
    return _names_of_cell(spec.cell) if _is_as_published(spec) else ()


def _is_as_published(spec: Spec) -> bool:
    """Say whether a cell is one of the paper's: direct scores in the joint form, an answer in bins or yes and no."""
    if spec.cell.predictor not in PREDICTORS or spec.get("given") not in {None, "none"}:
        return False
    direct = spec.cell.estimator == "direct"
    if direct and spec.cell.divergence == "TV" and spec.get("form") != "joint":
        return False
    return spec.cell.predictor != "oracle" or spec.get("critic") == ("bins" if direct else "binary")


def _names_of_cell(cell: Cell) -> tuple[str, ...]:
    key = (
        cell.divergence,
        ESTIMATORS[cell.estimator],
        cell.representation,
        PREDICTORS[cell.predictor],
    )
    words = CELLS_IN_WORDS.get(key)
    return (" ".join(key), *((words,) if words else ()))


def _read(table: PublishedTable) -> Iterator[PublishedValue]:
    content = (
        files("gameproof.datasets").joinpath("published", f"{table.name}.csv").read_text(encoding="utf-8")
    )
    for row in csv.DictReader(content.splitlines()):
        for column in table.values:
            printed = row[column].strip()
            yield PublishedValue(
                table=table.name,
                paper=table.paper,
                number=table.number,
                dataset=_dataset(table, row, column),
                metric=_metric(table, row),
                check=row[table.check] if table.check else None,
                quantity="failures" if table.dataset is None else column,
                printed=printed,
                value=_number(printed),
                half_width=_number(row[table.margin]) if table.margin else None,
            )


def _dataset(table: PublishedTable, row: Mapping[str, str], column: str) -> str:
    if table.dataset is None:
        return "all seven" if column.startswith("total") else column
    return table.dataset[1:] if table.dataset.startswith("=") else row[table.dataset]


def _metric(table: PublishedTable, row: Mapping[str, str]) -> str:
    parts = [row[column] for column in table.metric]
    if (
        table.metric == CELL_COLUMNS
    ):  # a cell is told by its four parts, a preset's name besides is no part of it
        return " ".join(part for part in parts[1:] if part) or parts[0]
    return " / ".join(part for part in parts if part)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _plain(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())
