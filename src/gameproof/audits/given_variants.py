"""Join variants that were made elsewhere to a data set."""

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from gameproof import files
from gameproof.errors import PlanError
from gameproof.perturbations.catalogue import PERTURBATIONS
from gameproof.records import Dataset, Variant

__all__ = ["with_variants"]


def with_variants(dataset: Dataset, path: str | Path | None) -> Dataset:
    """Let the variants of a file replace those of the data set that have the same name.

    Rows that nothing can be done with are left out, and a note of the data set counts them.

    Raises:
        PlanError: No row of the file can be used.
    """
    if path is None:
        return dataset
    given = files.read_variants(path)
    _refuse_useless(dataset, given, path)
    known = {item.id for item in dataset.items}
    used = [variant for variant in given if variant.item_id in known and variant.name in PERTURBATIONS]
    names = {variant.name for variant in used}
    kept = [variant for variant in dataset.variants if variant.name not in names]
    strangers = {variant.item_id for variant in given} - known
    notes = list(dataset.notes)
    if strangers:
        whose = "an item that is" if len(strangers) == 1 else f"{len(strangers):,} items that are"
        notes.append(f"variants of {whose} not in the data were left out")
    notes.extend(_notes_on_names(given))
    return replace(dataset, variants=(*kept, *used), notes=tuple(notes))


def _refuse_useless(dataset: Dataset, given: Sequence[Variant], path: str | Path) -> None:
    if not given:
        raise PlanError(
            f"{path} holds no variants.", hint="`gameproof perturb` shows what such a file looks like."
        )
    known = {item.id for item in dataset.items}
    if not any(variant.item_id in known for variant in given):
        first = min(variant.item_id for variant in given)
        raise PlanError(
            f"no variant in {path} belongs to an item of {dataset.name}; the first is of {first!r}.",
            hint="`gameproof perturb` writes variants of the same data; the ids must be the same.",
        )
    if not any(variant.name in PERTURBATIONS for variant in given):
        raise PlanError(
            f"no variant in {path} is of a known perturbation: {'; '.join(_notes_on_names(given))}.",
            hint="`gameproof list perturbations` shows their names.",
        )


def _notes_on_names(given: Sequence[Variant]) -> Iterator[str]:
    """Name what no perturbation is called, with the name that may be meant."""
    unknown = Counter(variant.name for variant in given if variant.name not in PERTURBATIONS)
    for name, count in unknown.items():
        close = difflib.get_close_matches(name, PERTURBATIONS, n=1)
        meant = f"; did you mean {close[0]}?" if close else ""
        rows = "1 variant" if count == 1 else f"{count:,} variants"
        yield f"{rows} of {name!r} left out, which is no perturbation{meant}"
