"""The command line: puts the commands together."""


def main() -> None:
    """Run the command line."""
