"""Make all variants of a run, in this process or in several."""

from collections.abc import Sequence

from gameproof.engine.distributed import Distributed
from gameproof.engine.progress import Progress, Silent
from gameproof.perturbations.apply import make_variants
from gameproof.perturbations.base import Perturbation
from gameproof.records import Item, Variant

__all__ = ["make_all_variants"]


async def make_all_variants(
    items: Sequence[Item],
    perturbations: Sequence[Perturbation],
    *,
    seed: int,
    given: Sequence[Variant],
    crew: Distributed | None = None,
    progress: Progress | None = None,
) -> list[Variant]:
    """Make every variant of every item, in the order of `make_variants`.

    Args:
        items: The originals.
        perturbations: Rows of the catalogue.
        seed: Start of all random streams.
        given: Variants made elsewhere.
        crew: The workers; None for this process.
        progress: Told about every variant.
    """
    if crew is not None:
        return await crew.variants(items, perturbations, given=given)
    told = progress or Silent()
    told.start("perturb", None)
    made: list[Variant] = []
    for variant in make_variants(items, perturbations, seed=seed, given=given):
        made.append(variant)
        told.advance(1)
    told.done()
    return made
