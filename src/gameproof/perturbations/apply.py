"""Make the variants of items."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from gameproof.perturbations.base import Context, Failure, Perturbation, Pool, Rule
from gameproof.perturbations.pool import Originals
from gameproof.records import Item, Variant
from gameproof.seeds import rng_for

__all__ = ["EMPTY", "UNCHANGED", "applies", "make_variants"]

EMPTY = "empty"  # there is no text to perturb
UNCHANGED = "unchanged"  # the text came back as it was

GivenVariants = Mapping[tuple[str, str], Sequence[Variant]]  # item id, perturbation -> its levels


def applies(perturbation: Perturbation, item: Item) -> bool:
    """Say whether a perturbation makes sense for an item: its domain fits and it has what is needed.

    An item whose domain is not known gets only perturbations that fit every domain.
    """
    if perturbation.domains is not None and item.domain not in perturbation.domains:
        return False
    return all(getattr(item, need, None) for need in perturbation.needs)


def make_variants(
    items: Sequence[Item],
    perturbations: Sequence[Perturbation],
    *,
    seed: int,
    given: Sequence[Variant] = (),
    pool: Pool | None = None,
    given_names: AbstractSet[str] | None = None,
) -> Iterator[Variant]:
    """Make every variant of every item, item by item, in the order of the perturbations and their levels.

    A text that cannot be made is a variant with a reason. Nothing comes of a perturbation that does not
    apply to an item, or that no rule can make and nobody gave. The draws of one variant depend on the seed,
    the perturbation, the item and the texts it may draw from; on nothing else.

    Args:
        items: The originals; what is taken from other tasks comes from them too.
        perturbations: Rows of the catalogue.
        seed: Start of all random streams.
        given: Variants made elsewhere. Where a perturbation has any, none of its variants is made here.
        pool: All originals of the run, where the items are a part of them.
        given_names: The perturbations of all variants that were made elsewhere, where those given are a part of them.
    """
    pool = Originals(items) if pool is None else pool
    given_names = {variant.name for variant in given} if given_names is None else given_names
    by_item = _by_item(given)
    for item in items:
        for perturbation in perturbations:
            if perturbation.name in given_names:
                for variant in by_item.get((item.id, perturbation.name), ()):
                    yield _checked(variant, item, perturbation)
            elif perturbation.make is not None and applies(perturbation, item):
                yield from _make(item, perturbation, perturbation.make, pool, seed)


def _by_item(given: Sequence[Variant]) -> GivenVariants:
    found: dict[tuple[str, str], list[Variant]] = {}
    for variant in given:
        found.setdefault((variant.item_id, variant.name), []).append(variant)
    return found


def _make(item: Item, perturbation: Perturbation, rule: Rule, pool: Pool, seed: int) -> Iterator[Variant]:
    levels = perturbation.levels or (None,)
    if not item.candidate.strip():
        yield from (_failed(item, perturbation, level, EMPTY) for level in levels)
        return
    rng = rng_for(seed, "perturb", perturbation.draws_of or perturbation.name, item.id)
    start = rng.bit_generator.state
    for level in levels:
        # Every level starts the same stream again, so that a level repeats the draws of the level below.
        rng.bit_generator.state = start
        result = rule(item.candidate, Context(item=item, pool=pool, level=level), rng)
        if isinstance(result, Failure):
            yield _failed(item, perturbation, level, result.reason)
        elif result is not None:
            made = Variant(item_id=item.id, name=perturbation.name, level=level, text=result)
            yield _checked(made, item, perturbation)


def _checked(variant: Variant, item: Item, perturbation: Perturbation) -> Variant:
    """Refuse a text that is the original again: counted as a change, it would hide every effect.

    A ladder that builds the text up ends in the text itself, and that is meant.
    """
    if variant.text is None or perturbation.expect == "increase":
        return variant
    if not variant.text.strip():
        return _failed(item, perturbation, variant.level, EMPTY)
    if variant.text.strip() == item.candidate.strip():
        return _failed(item, perturbation, variant.level, UNCHANGED)
    return variant


def _failed(item: Item, perturbation: Perturbation, level: int | None, reason: str) -> Variant:
    return Variant(item_id=item.id, name=perturbation.name, level=level, reason=reason)
