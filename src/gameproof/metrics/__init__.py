"""Metrics: what scores a candidate, and the table of them."""
