"""Predictors: how strongly a candidate supports a unit of a reference."""
