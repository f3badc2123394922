"""Tell whether a text metric can be trusted as a target, and supply metrics that can."""

from gameproof._version import __version__

__all__ = ["__version__"]
