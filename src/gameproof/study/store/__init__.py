"""Keep a study's events: append only, each key once, in SQLite or PostgreSQL."""

from gameproof.study.store.opening import is_database, open_store
from gameproof.study.store.store import Invited, Participant, Store

__all__ = ["Invited", "Participant", "Store", "is_database", "open_store"]
