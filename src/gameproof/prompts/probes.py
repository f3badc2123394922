"""What an oracle is asked about a text itself: statements that it confirms or not, like any other."""

__all__ = ["CONCRETE", "FAVOURABLE", "POSSIBLY", "UNFAVOURABLE"]

FAVOURABLE = "On the whole this text speaks in favour of what it is about."
UNFAVOURABLE = "On the whole this text speaks against what it is about."
CONCRETE = "This text makes at least one claim about its subject that can be right or wrong."

POSSIBLY = "It is at least possible that "  # before a statement: a text that hedges it bears it out too
