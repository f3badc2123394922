"""``gameproof study``: the reader study, one file a command."""

import typer

from gameproof.cli.study.analyse import EXAMPLES, analyse
from gameproof.cli.study.check import check
from gameproof.cli.study.delete import delete
from gameproof.cli.study.demo import demo
from gameproof.cli.study.export import export
from gameproof.cli.study.invite import invite
from gameproof.cli.study.new import new
from gameproof.cli.study.serve import serve

__all__ = ["register"]

study = typer.Typer(
    name="study",
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Ask readers which summaries serve them: a web page with a blind tournament, and its analysis.",
)
study.command("demo")(demo)
study.command("new")(new)
study.command("check")(check)
study.command("invite")(invite)
study.command("serve")(serve)
study.command("export")(export)
study.command("analyse", epilog=EXAMPLES)(analyse)
study.command("delete")(delete)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(study)
