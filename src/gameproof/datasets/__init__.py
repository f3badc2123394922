"""Data sets that come with the package, and loaders of public formats."""
