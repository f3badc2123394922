"""Paths as people write them."""

import os
from pathlib import Path

__all__ = ["from_home"]


def from_home(path: str | Path) -> Path:
    """Return a path with ``~`` and ``~NAME`` read as home folders; where nobody has that name it stays as it is.

    Such a path is then one of the many where there is no file, which whoever opens it says.

    Example:
        >>> from_home("~no-such-user/model").as_posix()
        '~no-such-user/model'
    """
    return Path(os.path.expanduser(path))  # noqa: PTH111 - that of Path raises where there is no such user
