"""Which printed values can be recomputed on this machine, and why the others cannot."""

from collections.abc import Iterator, Mapping

from gameproof.datasets.loaders.table import PUBLIC
from gameproof.datasets.published import PublishedValue, values
from gameproof.perturbations.catalogue import PERTURBATIONS
from gameproof.reports.published import EFFECTS

__all__ = [
    "CORPORA",
    "LEVELS",
    "LEVEL_METRICS",
    "LEVEL_TESTS",
    "LEXICAL",
    "RULE_MADE",
    "printed_results",
    "why_missing",
]

# "Scoring Rules!": lexical metrics of tables 6, 10 and 11, in the forms that people use.
LEXICAL = ("rougeL", "rougeL,stem=true,tok=legacy", "bleu")
LEXICAL_NAMES = frozenset({"ROUGE-L", "BLEU"})
RULE_MADE = tuple(
    name
    for name in dict.fromkeys(value.check for value in values() if value.table in EFFECTS)
    if name is not None and PERTURBATIONS[name].make is not None
)
# "Information Satisfaction", table 2: the rows that need no model.
CORPORA = ("arxiv", "pubmed", "scitldr", "elife")
LEVELS = "p2_table02_rho_and_M"
LEVEL_TESTS: Mapping[str, str] = {
    "distractor_sentences": "distractor",
    "incremental_sentences": "incremental",
}
LEVEL_METRICS: Mapping[str, str] = {
    "rouge1": "ROUGE-1 (F1)",
    "rouge2": "ROUGE-2 (F1)",
    "rougeL": "ROUGE-L (F1)",
    "bleu": "BLEU",
    "chrf": "chrF",
    "coverage": "Extr. Coverage",
    "density": "Extr. Density",
    "compression": "Compression Ratio",
    "novel": "Novel 1-grams (%)",
    "novel,n=2": "Novel 2-grams (%)",
    "novel,n=3": "Novel 3-grams (%)",
    "length": "Summary Length",
}

# Columns that others are computed from, or that are no result, or were added when the tables were copied.
GIVEN = frozenset(
    {
        "coef", "se_cluster", "round1_wins", "round1_n", "final_wins", "final_n", "personalised_wins", "generic_wins",
        "rho_pass", "M_pass", "threshold", "range",
    }
)  # fmt: skip
PRIVATE = frozenset({"PG-WH", "PG-XLSK"})  # peer grading

MODELS = "the metric takes the paper's models"
ENCODER = "needs an encoder: gameproof audit NAME:FILE -m bertscore,model=FOLDER, then report --published"
REWRITES = "a language model wrote the changed texts, which are not published"
STUDY = "needs the choices of the study: gameproof study analyse FILE"
NO_RATINGS = "the data set comes without ratings, or with others"


def printed_results() -> Iterator[PublishedValue]:
    """Yield every printed number that is a result, and not what others are computed from."""
    return (value for value in values() if value.value is not None and value.quantity not in GIVEN)


def why_missing(value: PublishedValue) -> str:
    """Say what it would take to put a value of ours beside a printed one."""
    if value.table.startswith("p1_"):
        return _why_paper_one(value)
    if value.table != LEVELS:
        return STUDY
    if value.check not in LEVEL_TESTS.values():
        return REWRITES
    if value.metric not in LEVEL_METRICS.values():
        return "the metric needs a model, or WordNet's files"
    return f"needs files: {' '.join(f'{name}:FILE' for name in CORPORA)}"


def _why_paper_one(value: PublishedValue) -> str:
    if value.metric == "BERTScore":
        return ENCODER
    if value.metric not in LEXICAL_NAMES:
        return MODELS
    if value.dataset in PRIVATE:
        return "the data are private"
    if value.check is not None and value.check not in RULE_MADE:
        return REWRITES
    name = next(row.name for row in PUBLIC.values() if row.paper == value.dataset)
    return f"needs a file: {name}:FILE"
