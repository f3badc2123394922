"""Inference on arrays: correlation, paired effects, verdict arithmetic, power."""
