"""Choose the checks of a run: a suite or names, without those that make no sense for the data."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from gameproof.errors import PlanError
from gameproof.perturbations.base import Perturbation
from gameproof.perturbations.catalogue import SUITES, select
from gameproof.records import Dataset

__all__ = ["choose_checks"]


def choose_checks(
    dataset: Dataset,
    suite: Literal["all", "strategic", "satisfaction"] = "all",
    names: Sequence[str] | None = None,
    skip: Sequence[str] | None = None,
) -> tuple[tuple[Perturbation, ...], Dataset]:
    """Return the perturbations of a run, and the data with a note on what was left out.

    Args:
        dataset: A public data set brings checks that its paper does not apply to it.
        suite: All of one suite, or of both.
        names: Exactly these, whatever the suite and the data; the name of a suite stands for what it has for the data.
        skip: Without these.

    Raises:
        SpecError: A name is unknown.
        PlanError: Nothing is left.
    """
    chosen = select(suite, names)
    asked = {row.name for row in select(names=skip)} if skip else frozenset[str]()
    named = None if names is None else frozenset(names)
    unfit = dataset.skip if named is None or named & SUITES else frozenset[str]()
    unfit -= named or frozenset()
    kept = tuple(row for row in chosen if row.name not in asked | unfit)
    if chosen and not kept:
        raise PlanError(
            "no check is left: everything that was chosen is left out.", hint="Name fewer with --skip."
        )
    notes = [
        f"checks left out, {why}: {', '.join(left)}"
        for why, names_left in (("as asked", asked), ("which do not apply to this data set", unfit - asked))
        if (left := [row.name for row in chosen if row.name in names_left])
    ]
    return kept, replace(dataset, notes=(*dataset.notes, *notes))
