"""Agreement of metrics with people's choices between two texts."""
