"""The reader study."""
