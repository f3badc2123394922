"""Running metrics over items, on one machine or many."""
