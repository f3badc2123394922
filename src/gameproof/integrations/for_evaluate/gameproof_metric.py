# ruff: noqa: INP001 - a script, copied by evaluate, not a package
"""A script that `evaluate.load` reads; it copies this file elsewhere, so all the rest is imported."""

from gameproof.integrations.evaluate_module import module_class

GameproofMetric = module_class()
