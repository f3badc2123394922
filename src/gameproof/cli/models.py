"""The options of commands that may ask a language model, and what they asked."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, cast

import typer

from gameproof.cli import options
from gameproof.cli.printing import say

if TYPE_CHECKING:
    from gameproof.llm.pool import ModelPool

__all__ = [
    "MaxCalls",
    "MaxConcurrency",
    "MaxCost",
    "MaxRequests",
    "MaxTokens",
    "PriceIn",
    "PriceOut",
    "Rewriter",
    "Verify",
    "model_pool",
]

Rewriter = Annotated[
    str | None,
    typer.Option(
        "--rewriter",
        metavar="MODEL",
        help="Let a language model write the variants that no rule can make, such as rephrasings. Named as in --llm; "
        "best of another family than the judge.",
        show_default=False,
        rich_help_panel=options.MODEL_PANEL,
    ),
]
Verify = Annotated[
    str | None,
    typer.Option(
        "--verify",
        metavar="MODEL",
        help="Who says whether each rewrite does what its name says: counted words (overlap), or a language model.",
        show_default="overlap",
        rich_help_panel=options.MODEL_PANEL,
    ),
]
MaxCalls = Annotated[
    int | None,
    typer.Option(
        "--max-calls",
        metavar="N",
        min=0,
        help="Stop before the model answers more than N questions; answers so far are kept.",
        show_default=False,
        rich_help_panel=options.MODEL_PANEL,
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        metavar="USD",
        min=0,
        help="Stop before more is spent; needs both prices.",
        show_default=False,
        rich_help_panel=options.MODEL_PANEL,
    ),
]
PriceIn = Annotated[
    float | None,
    typer.Option(
        "--price-in",
        metavar="USD",
        min=0,
        help="What a million tokens of prompts cost.",
        show_default=False,
        rich_help_panel=options.MODEL_PANEL,
    ),
]
PriceOut = Annotated[
    float | None,
    typer.Option(
        "--price-out",
        metavar="USD",
        min=0,
        help="What a million tokens of answers cost.",
        show_default=False,
        rich_help_panel=options.MODEL_PANEL,
    ),
]
MaxRequests = Annotated[
    int | None,
    typer.Option(
        "--max-requests-per-minute",
        metavar="N",
        min=1,
        help="Send at most N requests in any minute.",
        show_default=False,
        rich_help_panel=options.MODEL_PANEL,
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        "--max-tokens-per-minute",
        metavar="N",
        min=1,
        help="Use about N tokens in any minute, prompts and answers together.",
        show_default=False,
        rich_help_panel=options.MODEL_PANEL,
    ),
]
MaxConcurrency = Annotated[
    int | None,
    typer.Option(
        "--max-concurrency",
        metavar="N",
        min=1,
        help="Have at most N requests under way; fewer after each 429 or timeout.",
        show_default="32",
        rich_help_panel=options.MODEL_PANEL,
    ),
]


@contextmanager
def model_pool(given: Mapping[str, object]) -> Generator["ModelPool"]:
    """Make the models that options describe; say at the end what was asked, also after Ctrl-C.

    Args:
        given: llm, cache, max_calls, max_cost, price_in, price_out, max_requests_per_minute,
            max_tokens_per_minute, max_concurrency; None or left out where nothing was said.
    """
    from gameproof.llm.limits import Limits  # noqa: PLC0415 - `--help` does not need them
    from gameproof.llm.pool import ModelPool  # noqa: PLC0415

    limits = Limits.from_options(given)
    llm, cache = (cast("str | None", given.get(name)) for name in ("llm", "cache"))  # texts in the options
    pool = ModelPool(llm, cache=cache, limits=limits)
    try:
        yield pool
    finally:
        for usage in pool.usages():
            say(usage.describe())
