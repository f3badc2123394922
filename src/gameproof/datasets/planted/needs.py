"""How planted readers say what they need: the one sentence of a persona that planted models understand."""

import re
from dataclasses import dataclass

__all__ = ["Needs", "read_needs", "write_needs"]

_NEEDS = re.compile(
    r"above all: (?P<first>[a-z, ]+?)(?:; also: (?P<second>[a-z, ]+?))?(?:\.|$)", re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """Kinds of facts by how much they matter to a reader."""

    essential: tuple[str, ...]
    useful: tuple[str, ...] = ()

    def grade(self, key: str) -> int:
        """Return 3 for what is essential, 1 for what is useful, 0 for the rest."""
        return 3 if key in self.essential else int(key in self.useful)


def write_needs(needs: Needs) -> str:
    """Put needs into words.

    Example:
        >>> write_needs(Needs(essential=("weight", "price"), useful=("runtime",)))
        'above all: weight, price; also: runtime.'
    """
    also = f"; also: {', '.join(needs.useful)}" if needs.useful else ""
    return f"above all: {', '.join(needs.essential)}{also}."


def read_needs(described: str) -> Needs | None:
    r"""Read needs out of the description of a reader; None where it holds none.

    Example:
        >>> read_needs("role: a planner\nneeds: above all: weight, price; also: runtime.").useful
        ('runtime',)
    """
    found = _NEEDS.search(described)
    if found is None:
        return None
    return Needs(essential=_keys(found["first"]), useful=_keys(found["second"] or ""))


def _keys(text: str) -> tuple[str, ...]:
    return tuple(key.strip() for key in text.split(",") if key.strip())
