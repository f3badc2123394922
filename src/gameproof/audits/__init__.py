"""The audit: perturb, score, check, and the verdicts."""
