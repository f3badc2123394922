"""Options that several commands share, with their help."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from gameproof.cli.samples import Sample, SampleOrDefault
from gameproof.errors import PlanError

__all__ = [
    "Cache",
    "Data",
    "Domain",
    "DomainChoice",
    "DryRun",
    "Engine",
    "EngineChoice",
    "Force",
    "GroupBy",
    "Json",
    "Limit",
    "Llm",
    "Map",
    "Margin",
    "Metrics",
    "Out",
    "Overwrite",
    "Parts",
    "Perturbations",
    "Quiet",
    "Reference",
    "References",
    "Sample",
    "SampleOrDefault",
    "Seed",
    "Skip",
    "SomeData",
    "Suite",
    "SuiteChoice",
    "Variants",
    "Verbose",
    "Workers",
    "one_reference",
    "parse_map",
]

DATA_PANEL = "Data"
TEST_PANEL = "What is tested"
RUN_PANEL = "Run and output"
MODEL_PANEL = "Language model"

DATA_HELP = (
    "A JSONL, CSV or Parquet file (also gzipped), a folder of Parquet files, '-' for standard input, the embedded data set 'planted' "
    "(planted,tasks=8: 8 tasks of each of its 3 domains), or a public one as summeval:FILE (`gameproof data list`)."
)


LLM_HELP = (
    "NAME, an address such as http://localhost:8000/v1, or NAME@ADDRESS; anthropic:NAME, replay:FILE; on this "
    "machine transformers:FOLDER (or a GGUF file) and llamacpp:FILE; without any model planted:judge, planted:oracle "
    "and planted:rewriter, which understand the data set 'planted'. "
    "OPENAI_BASE_URL, OPENAI_API_KEY and their ANTHROPIC_ twins are read."
)
SUITE_HELP = "strategic (degradations and manipulations), satisfaction (reader tests), or all."


class SuiteChoice(StrEnum):
    """Which checks to run."""

    STRATEGIC = "strategic"
    SATISFACTION = "satisfaction"
    ALL = "all"


class EngineChoice(StrEnum):
    """What runs a verb."""

    LOCAL = "local"
    RAY = "ray"


class DomainChoice(StrEnum):
    """What kind of texts the candidates are."""

    REVIEWS = "reviews"
    SUMMARIES = "summaries"
    ANSWERS = "answers"


Data = Annotated[str, typer.Argument(metavar="DATA", help=DATA_HELP, show_default=False)]
SomeData = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="DATA...",
        help=f"{DATA_HELP} Several are put side by side. A plan can name them too.",
        show_default=False,
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        metavar="METRIC",
        help="A metric, for example rougeL, chrf, TV+fvar+statement+overlap,neg=8 or module:function. "
        "Repeat it for more. `gameproof list metrics` shows them all.",
        show_default=False,
        rich_help_panel=TEST_PANEL,
    ),
]
Suite = Annotated[
    SuiteChoice | None,
    typer.Option(
        "--suite",
        metavar="SUITE",
        help=SUITE_HELP,
        show_default="all",
        rich_help_panel=TEST_PANEL,
    ),
]
Perturbations = Annotated[
    list[str] | None,
    typer.Option(
        "--perturbation",
        metavar="NAME",
        help="Only this perturbation, instead of a suite; [bold]all[/bold] stands for the suite. Repeat it for more.",
        show_default=False,
        rich_help_panel=TEST_PANEL,
    ),
]
Skip = Annotated[
    list[str] | None,
    typer.Option(
        "--skip",
        metavar="NAME",
        help="Leave out this perturbation, which makes no sense for the data. Repeat it for more.",
        show_default=False,
        rich_help_panel=TEST_PANEL,
    ),
]
Margin = Annotated[
    str | None,
    typer.Option(
        "--margin",
        metavar="SIZE",
        help="The largest harmless gain: in standard deviations (.10), or as a share of what losing one "
        "sentence costs (.5sent).",
        show_default=".10",
        rich_help_panel=TEST_PANEL,
    ),
]
Domain = Annotated[
    DomainChoice | None,
    typer.Option(
        "--domain",
        metavar="KIND",
        help="reviews, summaries or answers, where the data does not say: it decides which checks make sense.",
        show_default=False,
        rich_help_panel=DATA_PANEL,
    ),
]
Variants = Annotated[
    str | None,
    typer.Option(
        "--variants",
        metavar="FILE",
        help="Variants made before, for example by a language model; they are used where they exist.",
        show_default=False,
        rich_help_panel=DATA_PANEL,
    ),
]
Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="NEW=OLD",
        help="Read the field NEW from the column OLD: --map candidate=output. Repeat it for more.",
        show_default=False,
        rich_help_panel=DATA_PANEL,
    ),
]
REFERENCE_HELP = "Which text serves as the reference: summary (the references of the row), title, source, or the name of a COLUMN."
Reference = Annotated[
    str | None,
    typer.Option(
        "--reference",
        metavar="TEXT",
        help=REFERENCE_HELP,
        show_default="summary",
        rich_help_panel=DATA_PANEL,
    ),
]
References = Annotated[
    list[str] | None,
    typer.Option(
        "--reference",
        metavar="TEXT",
        help=f"{REFERENCE_HELP} Repeat it, or write all, to have every metric once against each.",
        show_default="summary",
        rich_help_panel=DATA_PANEL,
    ),
]
GroupBy = Annotated[
    str | None,
    typer.Option(
        "--group-by",
        metavar="COLUMN",
        help="Mismatched references are drawn inside the groups of this column; 'all' makes one group.",
        show_default=False,
        rich_help_panel=DATA_PANEL,
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        min=1,
        metavar="N",
        help="Read only the first N rows; all by default.",
        show_default=False,
        rich_help_panel=DATA_PANEL,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        metavar="N",
        help="The same seed gives the same numbers, on every machine.",
        show_default="0",
        rich_help_panel=RUN_PANEL,
    ),
]
Out = Annotated[
    str | None,
    typer.Option(
        "--out",
        "-o",
        metavar="RUN",
        help="The run folder. Running again continues it: a stage whose input is unchanged is skipped.",
        show_default="gameproof-runs/<name of the data>",
        rich_help_panel=RUN_PANEL,
    ),
]
Llm = Annotated[
    str | None,
    typer.Option(
        "--llm",
        metavar="MODEL",
        help=LLM_HELP,
        show_default=False,
        rich_help_panel=MODEL_PANEL,
    ),
]
Cache = Annotated[
    str | None,
    typer.Option(
        "--cache",
        metavar="FILE",
        help="Where finished model calls are kept, for every run; 'off' keeps none.",
        show_default="GAMEPROOF_CACHE, or the user's cache folder",
        rich_help_panel=MODEL_PANEL,
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json",
        metavar="",
        help="Print JSON on standard output, and nothing else.",
        rich_help_panel=RUN_PANEL,
    ),
]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        metavar="",
        help="Print every check, reader test and correlation as well; the report has them in any case.",
        rich_help_panel=RUN_PANEL,
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", metavar="", help="No progress bars.", rich_help_panel=RUN_PANEL)
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        metavar="",
        help="Count texts, scores and model calls, and stop before anything is scored or spent.",
        rich_help_panel=RUN_PANEL,
    ),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force",
        metavar="",
        help="Do every stage again, also where nothing has changed.",
        rich_help_panel=RUN_PANEL,
    ),
]

Overwrite = Annotated[
    bool,
    typer.Option(
        "--overwrite",
        metavar="",
        help="Replace the run of other data that lies in the run folder; without it, that is refused.",
        rich_help_panel=RUN_PANEL,
    ),
]

Engine = Annotated[
    EngineChoice,
    typer.Option(
        "--engine",
        help="local: this process. ray: worker processes, on this machine or on the cluster that RAY_ADDRESS names; the "
        "same seed gives the same bytes.",
        rich_help_panel=RUN_PANEL,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        metavar="N",
        help="With --engine ray: so many worker processes.",
        show_default="one for each processor",
        rich_help_panel=RUN_PANEL,
    ),
]
Parts = Annotated[
    str | None,
    typer.Option(
        "--parts",
        metavar="FOLDER",
        help="With --engine ray: keep finished parts here, and skip those that are there. Without it they lie beside the "
        "result until it is complete. All machines of a cluster must see the folder.",
        show_default=False,
        rich_help_panel=RUN_PANEL,
    ),
]


def one_reference(choice: str | None) -> str | None:
    """Return the text that serves as the reference, for a command that takes one.

    Raises:
        PlanError: All of them are asked for.
    """
    if choice == "all":
        raise PlanError(
            "--reference all: this command takes one text: summary, title, source, or a COLUMN.",
            hint="`gameproof audit` and `gameproof score` take several.",
        )
    return choice


def parse_map(pairs: Sequence[str] | None) -> dict[str, str] | None:
    """Read ``new=old`` pairs as field -> column; None where there are none.

    Raises:
        PlanError: A pair has no ``=``, an empty side, or a field that was given before.

    Example:
        >>> parse_map(["candidate=output", "task_id=doc"])
        {'candidate': 'output', 'task_id': 'doc'}
    """
    if not pairs:
        return None
    found: dict[str, str] = {}
    for pair in pairs:
        new, equals, old = (part.strip() for part in pair.partition("="))
        if not (equals and new and old):
            raise PlanError(
                f"--map {pair!r} is not a pair: expected NEW=OLD, for example candidate=output.",
            )
        if new in found:
            raise PlanError(f"--map gives the field {new!r} two columns: {found[new]!r} and {old!r}.")
        found[new] = old
    return found
