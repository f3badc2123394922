"""How many tokens a model in a folder takes at once."""

from typing import Any

__all__ = ["NO_LIMIT", "limit_of"]

NO_LIMIT = 1_000_000  # tokenizers without a limit say 10^30
# Their positions begin behind the one of padding.
OFFSET_POSITIONS = frozenset({"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "longformer", "mpnet"})


def limit_of(tokenizer: Any, model: Any) -> int:  # Any: of an optional package without types
    """Return how many tokens a model takes: what its tokenizer says, and never more than it has positions."""
    config = model.config
    positions = getattr(config, "max_position_embeddings", None) or NO_LIMIT
    if config.model_type in OFFSET_POSITIONS:
        positions -= (config.pad_token_id or 0) + 1
    return int(min(tokenizer.model_max_length, positions, NO_LIMIT))
