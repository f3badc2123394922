"""``gameproof study serve``: the page of a study."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from gameproof.cli import models, options
from gameproof.cli.printing import say
from gameproof.cli.study import shared

if TYPE_CHECKING:
    from gameproof.study.model import Study
    from gameproof.web.serving import Ready

__all__ = ["SECRET_VARIABLE", "Host", "Port", "serve", "serve_study_page"]

SECRET_VARIABLE = "GAMEPROOF_STUDY_SECRET"  # noqa: S105 - the name of a variable

Host = Annotated[
    str,
    typer.Option(
        "--host",
        metavar="HOST",
        help="Where to listen; this machine alone by default.",
        rich_help_panel=options.RUN_PANEL,
    ),
]
Port = Annotated[
    int,
    typer.Option(
        "--port",
        metavar="PORT",
        min=0,
        max=65535,
        help="Where to listen; 0 takes any port that is free.",
        rich_help_panel=options.RUN_PANEL,
    ),
]


def serve(
    study: shared.StudyFile,
    *,
    db: shared.Database = None,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    address: Annotated[
        str | None,
        typer.Option(
            "--address",
            metavar="URL",
            help="What readers type, where a proxy stands before the page: https://study.example.org. Cookies are Secure "
            "where it begins with https.",
            show_default="http://HOST:PORT",
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = None,
    trusted_proxies: Annotated[
        str,
        typer.Option(
            "--trusted-proxies",
            metavar="HOSTS",
            help="Proxies whose word on a reader's address is believed, by commas.",
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = "127.0.0.1",
    max_calls: models.MaxCalls = None,
    max_requests_per_minute: models.MaxRequests = None,
    max_tokens_per_minute: models.MaxTokens = None,
    max_concurrency: models.MaxConcurrency = None,
) -> None:
    """Serve the page of a study until Ctrl-C.

    Every click is on disk before it is answered: the server may be stopped and
    started again at any moment, and readers go on where they were.

    The admin page is at /admin if GAMEPROOF_STUDY_SECRET is set (16 characters or
    more). Keys of models come from the environment.
    """
    from gameproof.study.study_file import read_study  # noqa: PLC0415 - `--help` does not need it

    limits: dict[str, object] = {
        "max_calls": max_calls,
        "max_requests_per_minute": max_requests_per_minute,
        "max_tokens_per_minute": max_tokens_per_minute,
        "max_concurrency": max_concurrency,
    }
    found = read_study(study)
    serve_study_page(
        found,
        shared.database_of(study, db),
        host=host,
        port=port,
        address=address,
        trusted_proxies=trusted_proxies,
        limits=limits,
        invite_with=study,
    )


def serve_study_page(
    study: "Study",
    database: str,
    *,
    host: str,
    port: int,
    address: str | None = None,
    trusted_proxies: str = "127.0.0.1",
    limits: dict[str, object] | None = None,
    invite_with: str | None = None,
    secret: str | None = None,
) -> None:
    """Serve a study until Ctrl-C; say where it is.

    A `secret` given here, and not by the environment, was drawn for this run: it is shown, and so is a first link.
    """
    from gameproof import _bridge  # noqa: PLC0415 - `--help` does not need them
    from gameproof.llm.limits import Limits  # noqa: PLC0415
    from gameproof.web.serving import bind, serve_study  # noqa: PLC0415
    from gameproof.web.settings import Settings  # noqa: PLC0415

    listening = bind(host, port)
    own = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
    settings = Settings(address=address or own, admin_secret=os.environ.get(SECRET_VARIABLE) or secret)

    def tell(ready: "Ready") -> None:
        for note in ready.notes:
            say(f"note: {note}")
        say(
            f"{study.title.say()}\nThe page is at {settings.address} (listening on {own}). Answers are kept in {_shown(database)}."
        )
        if settings.admin_secret is not None:
            drawn = f" Its secret, for this run: {secret}" if settings.admin_secret == secret else ""
            say(f"The admin page is at {settings.address.rstrip('/')}/admin.{drawn}")
        else:
            say(f"No admin page: set {SECRET_VARIABLE} to have one.")
        if not study.invitations.open and invite_with is not None:
            say(f"Readers need a link: gameproof study invite {invite_with} --address {settings.address}")
        if secret is not None:
            invited = ready.desk.store.invite(valid_days=study.invitations.valid_days)
            say(f"\nYour link, as readers get one:\n\n    {settings.link(invited.token)}\n")
        say("Ctrl-C stops the server.")

    with listening:
        _bridge.run(
            serve_study(
                study,
                database,
                listening,
                settings,
                on_ready=tell,
                limits=Limits.from_options(limits or {}),
                trusted_proxies=trusted_proxies,
            )
        )


def _shown(database: str) -> str:
    """Name a database without the password that its address may hold."""
    scheme, separator, rest = database.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}" if separator else database
