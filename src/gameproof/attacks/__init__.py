"""Adaptive adversaries and Goodhart curves."""
