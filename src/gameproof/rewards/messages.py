"""Read the text of prompts and completions: plain, or messages of a chat."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

from gameproof.errors import InputError

__all__ = ["completion_text", "key_of", "prompt_key", "shown"]

SHOWN = 80  # characters of a prompt in an error
HINT = 'A text, or messages as [{"role": "user", "content": "..."}].'


def prompt_key(prompt: object) -> str:
    """Return the text by which a prompt is found again: the same for every way of writing its messages.

    Contents of a message may be a text or a list of parts, as trainers rewrite them for models that see images.

    Raises:
        InputError: It is neither a text nor messages.

    Example:
        >>> parts = [{"role": "user", "content": [{"type": "text", "text": "Sum up."}]}]
        >>> prompt_key(parts) == prompt_key([{"role": "user", "content": "Sum up."}])
        True
    """
    if isinstance(prompt, str):
        return prompt
    return json.dumps([[role, text] for role, text in _messages(prompt, "prompt")], ensure_ascii=False)


def key_of(value: object) -> str:
    """Return the text by which any value of a column is found again: a prompt, a number, an id."""
    listed = getattr(value, "tolist", None)  # arrays, and numbers of numpy
    plain = listed() if callable(listed) else value
    if isinstance(plain, str | list | tuple):
        return prompt_key(cast("object", plain))
    return str(plain)


def completion_text(completion: object) -> str:
    """Return what the model has said: the text, or the last message of a chat that is the assistant's.

    Raises:
        InputError: It is neither a text nor messages.

    Example:
        >>> completion_text([{"role": "assistant", "content": "It rained."}])
        'It rained.'
    """
    if isinstance(completion, str):
        return completion
    said = [text for role, text in _messages(completion, "completion") if role == "assistant"]
    return said[-1] if said else ""


def shown(key: str) -> str:
    """Return the beginning of a prompt, for an error."""
    return repr(key if len(key) <= SHOWN else key[:SHOWN] + "...")


def _messages(value: object, what: str) -> list[tuple[str, str]]:
    """Return (role, text) of each message."""
    if not isinstance(value, Sequence):  # a single message is none either
        raise InputError(f"{what}: found {type(value).__name__}; a text or messages are needed.", hint=HINT)
    found: list[tuple[str, str]] = []
    for message in cast("Sequence[object]", value):
        fields = _fields(message)
        if fields is None:
            raise InputError(f"{what}: found {type(message).__name__} in the place of a message.", hint=HINT)
        found.append((str(fields.get("role", "")), _content(fields.get("content"))))
    return found


def _fields(message: object) -> Mapping[str, object] | None:
    """Return the fields of a message: a mapping, or an object that has them as attributes."""
    if isinstance(message, Mapping):
        return cast("Mapping[str, object]", message)
    if hasattr(message, "role") and hasattr(message, "content"):
        role = str(getattr(message, "role", ""))
        return {"role": role, "content": getattr(message, "content", None)}
    return None


def _content(content: object) -> str:
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, Sequence):
        fields = [
            part if isinstance(part, str) else _part(part) for part in cast("Sequence[object]", content)
        ]
        return "".join(fields)
    return str(content)


def _part(part: object) -> str:
    """Return the text of a part; images and the like have none."""
    is_mapping = isinstance(part, Mapping)
    text = cast("Mapping[str, object]", part).get("text") if is_mapping else getattr(part, "text", "")
    return text if isinstance(text, str) else ""
