"""Tables and plain text in Markdown."""

from collections.abc import Sequence

__all__ = ["markdown_table", "safe_markdown"]


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; a bar inside a cell does not end it."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def safe_markdown(text: str) -> str:
    """Keep strangers' text from becoming markup."""
    return "".join(f"\\{character}" if character in "\\`*_[]<>#" else character for character in text)
