"""``gameproof study invite``: links for readers."""

from typing import TYPE_CHECKING, Annotated

import typer

from gameproof.cli import options
from gameproof.cli.printing import print_json, print_rows, say
from gameproof.cli.study import shared
from gameproof.errors import InputError, PlanError

if TYPE_CHECKING:
    from gameproof.study.desk import Desk

__all__ = ["DEFAULT_ADDRESS", "invite"]

DEFAULT_ADDRESS = "http://127.0.0.1:8000"


def invite(
    study: shared.StudyFile,
    *,
    number: Annotated[
        int, typer.Option("--number", "-n", metavar="N", min=1, max=1000, help="So many new readers.")
    ] = 1,
    again: Annotated[
        str | None,
        typer.Option(
            "--again", metavar="READER", help="Another link for a reader who is there.", show_default=False
        ),
    ] = None,
    revoke: Annotated[
        str | None,
        typer.Option(
            "--revoke",
            metavar="READER",
            help="Make a reader's links useless and end the sessions; the answers stay.",
            show_default=False,
        ),
    ] = None,
    show: Annotated[
        bool,
        typer.Option("--list", metavar="", help="Show who was invited and how far they are; invite nobody."),
    ] = False,
    address: shared.Address = DEFAULT_ADDRESS,
    db: shared.Database = None,
    json: options.Json = False,
) -> None:
    """Make links for readers: one each, for all of their visits, on any device.

    A link is shown once; the database keeps its hash alone. Write down who got which reader's id: the study does not.
    """
    if sum((again is not None, revoke is not None, show)) > 1:
        raise PlanError("--again, --revoke and --list do not go together.")
    desk = shared.open_study(study, db)
    try:
        if show:
            _show(desk, json=json)
        elif revoke is not None:
            if desk.store.number_of(revoke) is None:
                raise InputError(f"there is no reader {revoke!r}.", hint="--list shows who there is.")
            n = desk.store.revoke(revoke)
            say(f"{n} links of {revoke} were revoked and all sessions ended. The answers stay.")
        else:
            if again is not None and desk.store.number_of(again) is None:
                raise InputError(f"there is no reader {again!r}.", hint="--list shows who there is.")
            _invite(desk, 1 if again is not None else number, again, address, json=json)
    finally:
        desk.store.close()


def _invite(desk: "Desk", number: int, again: str | None, address: str, *, json: bool) -> None:
    made = [
        desk.store.invite(valid_days=desk.study.invitations.valid_days, participant=again)
        for _ in range(number)
    ]
    rows = [
        {
            "reader": each.participant,
            "link": f"{address.rstrip('/')}/join/{each.token}",
            "until": f"{each.expires_at:%Y-%m-%d}",
        }
        for each in made
    ]
    if json:
        print_json(rows)
        return
    for row in rows:  # a table would cut the links
        typer.echo(f"{row['reader']}\t{row['link']}\t{row['until']}")
    say("Links are shown this once. Whoever has one can answer as that reader.")


def _show(desk: "Desk", *, json: bool) -> None:
    rows = [
        {
            "reader": row.participant.id,
            "link": row.participant.invitation,
            "page": row.page,
            "answered": row.n_answered,
            "lost": row.n_lost,
            "failed summaries": row.n_failed,
            "last seen": ""
            if row.participant.last_at is None
            else f"{row.participant.last_at:%Y-%m-%d %H:%M}",
        }
        for row in desk.overview()
    ]
    if json:
        print_json(rows)
        return
    print_rows(rows, ("reader", "link", "page", "answered", "lost", "failed summaries", "last seen"))
