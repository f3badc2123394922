"""Agreement of metrics with human pairwise choices."""
