"""The option ``--sample``."""

from typing import Annotated

import typer

__all__ = ["Sample", "SampleOrDefault"]


def _check_sample(value: str | None) -> str | None:
    if value is not None:
        from gameproof.files.sampling import read_sample  # noqa: PLC0415 - `--help` does not need it

        read_sample(value)
    return value


Sample = Annotated[
    str | None,
    typer.Option(
        "--sample",
        metavar="N",
        callback=_check_sample,
        help="Draw N texts at random, two to four of a task where there are more; all by default.",
        show_default=False,
        rich_help_panel="Data",
    ),
]
SampleOrDefault = Annotated[
    str | None,
    typer.Option(
        "--sample",
        metavar="N",
        callback=_check_sample,
        help="Draw N texts at random, two to four of a task where there are more, or all. By default 200 where "
        "a language model is asked, all otherwise.",
        show_default=False,
        rich_help_panel="Data",
    ),
]
