"""Perturbations: how a text is degraded, dressed up or graded."""
