"""Secrets of links and cookies: drawn at random, known to the store by their hash alone."""

import hashlib
import secrets

__all__ = ["MAX_TOKEN", "draw_id", "draw_token", "hash_token"]

TOKEN_BYTES = 32
ID_BYTES = 6
MAX_TOKEN = 200  # characters of anything that claims to be a token


def draw_token() -> str:
    """Draw a secret of 256 bits, safe in an address."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def draw_id() -> str:
    """Draw a participant's id: random, so that it says nothing about when or who."""
    return f"reader-{secrets.token_hex(ID_BYTES)}"


def hash_token(token: str) -> str:
    """Return what is stored. A secret of 256 bits needs no salt and no slow hash: it cannot be guessed.

    Example:
        >>> len(hash_token("abc"))
        64
    """
    return hashlib.sha256(token[:MAX_TOKEN].encode("utf-8", "replace")).hexdigest()
