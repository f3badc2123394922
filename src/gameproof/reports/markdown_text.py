"""Tables and plain text in Markdown."""

from collections.abc import Sequence

__all__ = ["code", "markdown_table", "safe_markdown"]


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; a bar inside a cell does not end it."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_one_line(cell) for cell in line)} |" for line in lines)


def _one_line(cell: str) -> str:
    return " ".join(cell.split("\n")).replace("|", "\\|")


def code(text: str) -> str:
    """Return a name as code; backticks in it, and line ends, do not end it.

    Example:
        >>> code("rougeL"), code("a`b")
        ('`rougeL`', '``a`b``')
    """
    text = " ".join(text.split("\n"))
    fence = "`"
    while fence in text:
        fence += "`"
    edge = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{edge}{text}{edge}{fence}"


def safe_markdown(text: str) -> str:
    """Keep strangers' text from becoming markup."""
    return "".join(f"\\{character}" if character in "\\`*_[]<>#" else character for character in text)
