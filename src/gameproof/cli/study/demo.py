"""``gameproof study demo``: a study that works at once."""

from pathlib import Path
from typing import Annotated

import typer

from gameproof.cli import options
from gameproof.cli.printing import say
from gameproof.cli.study.serve import Host, Port, serve_study_page

__all__ = ["demo"]

DATABASE = "study-demo.db"
INTRODUCTION = """\
A reader study on this machine: no network, no key, no language model. Documents are abstracts that were invented for it,
and "summaries" are sentences picked from them by four rules. Ask something, choose, and then:

    gameproof study analyse {database}
"""


def demo(
    *,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    db: Annotated[
        str,
        typer.Option(
            "--db", metavar="FILE", help="Where answers are kept.", rich_help_panel=options.RUN_PANEL
        ),
    ] = DATABASE,
) -> None:
    """Serve a working study on an embedded corpus, until Ctrl-C."""
    from gameproof.study.study_file import new_study_text, parse_study  # noqa: PLC0415 - `--help` does not need it
    from gameproof.study.tokens import draw_token  # noqa: PLC0415

    say(INTRODUCTION.format(database=db))
    study = parse_study(new_study_text("demo"), folder=Path.cwd())
    serve_study_page(study, db, host=host, port=port, secret=draw_token())
