"""Sentences and words of any script."""
