"""Metrics as training rewards."""
