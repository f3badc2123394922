"""The small grid of designs that `optimise` searches: cells, and the options that are varied."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from gameproof.errors import PlanError
from gameproof.fmi.cells import CELLS, OPTIONS, REPRESENTATIONS_OF, Cell, choices_of, one_of
from gameproof.fmi.spec import PINS, Spec, parse

__all__ = ["DIVERGENCES", "VARIED", "design_grid", "read_choices"]

# Bounded divergences and KL: the unbounded others are KL's with heavier tails, and double the grid.
DIVERGENCES = ("TV", "KL", "H2", "JS")
VARIED: Mapping[str, tuple[str, ...]] = {
    "agg": ("mean", "mean_critic"),
    "weights": ("equal", "rarity"),
    "neg": ("4", "all"),
}
MAX_DESIGNS = 400


def design_grid(
    predictors: Sequence[str] = ("overlap",),
    *,
    divergences: Sequence[str] = DIVERGENCES,
    varied: Mapping[str, Sequence[str]] | None = None,
) -> list[Spec]:
    """List the designs: every cell with every legal choice of the varied options.

    Args:
        predictors: Of `REPRESENTATIONS_OF`.
        divergences: Of the six.
        varied: Option -> values; an option or value that a cell does not take leaves it as it is.

    Raises:
        PlanError: A name is unknown, no cell takes an option, or there are more than 400 designs.

    Example:
        >>> len(design_grid(divergences=["TV"], varied={"neg": ("4", "8")}))
        6
    """
    known = tuple(dict.fromkeys(cell.divergence for cell in CELLS))
    for kind, names, legal in (
        ("predictor", predictors, tuple(REPRESENTATIONS_OF)),
        ("divergence", divergences, known),
    ):
        if strange := [name for name in names if name not in legal]:
            raise PlanError(f"{kind} {strange[0]!r} is unknown: expected {one_of(legal)}.")
    chosen = {**VARIED} if varied is None else varied
    cells = [cell for cell in CELLS if cell.predictor in predictors and cell.divergence in divergences]
    _refuse_useless(cells, chosen)
    specs = {str(spec): spec for cell in cells for spec in _versions(cell, chosen)}
    if len(specs) > MAX_DESIGNS:
        raise PlanError(
            f"{len(specs):,} designs are more than {MAX_DESIGNS}: the best of many is the luckiest of many.",
            hint="Vary fewer options, or name fewer divergences and predictors.",
        )
    return list(specs.values())


def read_choices(text: str) -> tuple[str, tuple[str, ...]]:
    """Read ``KEY=VALUE,VALUE``.

    Raises:
        PlanError: It is none, or the key is no option of a cell.

    Example:
        >>> read_choices("neg=4,all")
        ('neg', ('4', 'all'))
    """
    key, equals, values = text.partition("=")
    found = tuple(value.strip() for value in values.split(",") if value.strip())
    if not equals or not found:
        raise PlanError(f"{text!r} varies nothing: expected KEY=VALUE,VALUE, for example neg=4,all.")
    if key not in OPTIONS or key in PINS:
        legal = [name for name in OPTIONS if name not in PINS]
        raise PlanError(f"{key!r} is no option of a cell: expected {one_of(legal)}.")
    return key, found


def _refuse_useless(cells: Sequence[Cell], varied: Mapping[str, Sequence[str]]) -> None:
    for key, values in varied.items():
        choices = [choices_of(cell).get(key) for cell in cells]
        for value in values:
            if not any(choice is not None and choice.read(value) is not None for choice in choices):
                legal = next((str(choice) for choice in choices if choice is not None), None)
                takes = f"expected {legal}" if legal else "none of these cells takes the option"
                raise PlanError(f"{key}={value} is legal in none of these cells: {takes}.")


def _versions(cell: Cell, varied: Mapping[str, Sequence[str]]) -> Iterator[Spec]:
    """Yield a cell with every combination of the varied values that it takes."""
    choices = choices_of(cell)
    if any(choice.required for choice in choices.values()):
        return  # reverse KL without bounds: it has no monotone form, and the joint one is not worth searching
    legal = {
        key: kept
        for key, values in varied.items()
        if key in choices and (kept := [value for value in values if choices[key].read(value) is not None])
    }
    for combination in product(*legal.values()):
        pairs = [f"{key}={value}" for key, value in zip(legal, combination, strict=True)]
        yield parse(",".join([str(cell), *pairs]))
