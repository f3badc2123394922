"""f-divergences, estimators and the notation of mutual-information metrics."""
