"""The mathematics of f-mutual information: divergences, estimators, the spec grammar, exact worlds."""
