"""The planted oracle as metrics of readers ask it: what a reader needs of a source, and what is of use to a reader."""

from collections.abc import Callable

from gameproof.datasets.planted.needs import Needs, read_needs
from gameproof.datasets.planted.reading import read_statement
from gameproof.text import sentences

__all__ = ["NO_NEEDS", "list_requirements", "of_use"]

NO_NEEDS = "the planted oracle does not understand what this reader needs"

# (kind of error, more names) -> a number in [0, 1) that decides, the same for ever.
Chance = Callable[..., float]


def list_requirements(
    described: str, source: str, chance: Chance, *, missed: float, added: float
) -> list[dict[str, object]] | None:
    """List the sentences of a source that a reader needs, with their importance; None where no needs are readable.

    Args:
        described: The reader, as a prompt describes it.
        source: The source.
        chance: Decides where it errs.
        missed: Share of needed sentences that it misses.
        added: For so many of the needed sentences it adds one that is not needed, of any importance: a fact, or one of
            the general sentences of the topic, while the source has any left.
    """
    needs = read_needs(described)
    if needs is None:
        return None
    stated = {sentence: read_statement(sentence) for sentence in sentences(source)}
    grades = {
        sentence: 0 if reading.general else needs.grade(reading.key)
        for sentence, reading in stated.items()
        if reading
    }
    needed = [sentence for sentence in grades if grades[sentence]]
    others = [sentence for sentence in grades if not grades[sentence]]
    found: dict[str, int] = {
        sentence: grades[sentence] for sentence in needed if chance("missed", described, sentence) >= missed
    }
    for sentence in needed:
        if others and chance("added", described, sentence) < added:
            extra = others.pop(int(chance("which", described, sentence) * len(others)))
            found[extra] = 1 + int(3 * chance("grade", described, sentence))
    ordered = sorted(found.items(), key=lambda entry: -entry[1])
    return [{"text": text, "importance": importance} for text, importance in ordered]


def of_use(described: str, statement: str) -> bool | None:
    """Say whether a statement is of use to a reader; None where no needs are readable."""
    needs: Needs | None = read_needs(described)
    if needs is None:
        return None
    reading = read_statement(statement)
    return reading is not None and not reading.general and needs.grade(reading.key) > 0
