"""A training set small enough to see through: a town for each prompt, and a fact about it."""

TOWNS = ("Aden", "Bern", "Cork", "Dili", "Enna", "Faro", "Gent", "Hull")


def fact(town: str) -> str:
    return f"The old bridge of {town} is shut. A ferry runs from {town} at dawn."


def train() -> list[dict]:
    return [{"prompt": f"What is new in {town}?", "references": [fact(town)]} for town in TOWNS]
