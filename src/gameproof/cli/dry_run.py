"""Print what a command would ask of language models, counted before anything is spent."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from gameproof.cli.estimated_cost import estimate_cost, tell_cost
from gameproof.cli.printing import print_json, print_rows, stdout_console

if TYPE_CHECKING:
    from gameproof.audits.dry_run import DryRun

__all__ = ["dry_run_record", "print_dry_run", "show_dry_run"]

OF_AUDITS = frozenset({"n_variants", "checks"})


def show_dry_run(
    found: "DryRun",
    work: str,
    *,
    json: bool,
    prices: Mapping[str, float | None],
    variants: bool = False,
) -> None:
    """Print the calls of a command; nothing was asked.

    Args:
        found: The counts.
        work: What is done with the texts, such as "12 texts make 24 scores".
        json: Whether to print everything as JSON.
        prices: ``price_in`` and ``price_out`` in US dollars for a million tokens; None where the cost is not asked for.
        variants: Whether it is told how many variants of each kind there will be.
    """
    if json:
        print_json(dry_run_record(found, prices=prices, variants=variants))
    else:
        print_dry_run(found, work, prices=prices, variants=variants)


def dry_run_record(
    found: "DryRun", *, prices: Mapping[str, float | None], variants: bool = False
) -> dict[str, object]:
    """Return the counts as values of JSON, with ``cost_usd`` where prices are given; arguments as in `show_dry_run`."""
    cost = estimate_cost(found.tokens_in, found.tokens_out, **prices)
    record: dict[str, object] = {
        key: value for key, value in asdict(found).items() if variants or key not in OF_AUDITS
    }
    return record if cost is None else {**record, "cost_usd": cost}


def print_dry_run(
    found: "DryRun", work: str, *, prices: Mapping[str, float | None], variants: bool = False
) -> None:
    """Print the counts as tables and sentences; arguments as in `show_dry_run`."""
    if variants:
        print_rows(found.checks, ("perturbation", "variants", "failed", "note"))
    _print_calls(found, work)
    told = tell_cost(found.tokens_in, found.tokens_out, **prices)
    if told is not None:
        stdout_console().print(told)


def _print_calls(found: "DryRun", work: str) -> None:
    """Print calls and tokens by what they are for, what keeps them from being exact, and their sum."""
    if found.stages:
        print_rows(found.stages, ("stage", "calls", "stored", "tokens_in", "tokens_out"))
    console = stdout_console()
    for note in (*found.data_notes, *found.notes):
        console.print(note, markup=False)
    own = ", unless a function of your own makes some"
    unknown = own if found.n_scores and not (found.calls or found.stored) else ""
    left = "scored" if found.n_scores else "written"
    console.print(
        f"{found.data}: {work}; {found.describe_calls()}{unknown}. Nothing was {left}.", markup=False
    )
