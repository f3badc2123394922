"""One module per way to reach a language model. Nothing here knows of stores, limits or metrics."""
