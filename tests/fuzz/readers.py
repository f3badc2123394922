"""Every reader of what strangers write, as a function of bytes that may only return or raise an error for the user."""

from collections.abc import Mapping

from tests.fuzz.of_answers import OF_ANSWERS
from tests.fuzz.of_data import OF_DATA
from tests.fuzz.of_settings import OF_SETTINGS
from tests.fuzz.of_stored import OF_STORED
from tests.fuzz.reader import Reader

__all__ = ["READERS", "Reader"]

READERS: Mapping[str, Reader] = {**OF_DATA, **OF_ANSWERS, **OF_SETTINGS, **OF_STORED}
