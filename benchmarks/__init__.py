"""Speed against peers in the same run, as ratios."""
