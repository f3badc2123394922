"""The asynchronous verbs: the only implementation. `gameproof.audit` and the others run these."""
