"""A real browser for pages from disk: Debian's chromium, without network."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 120_000


def require_browser() -> str:
    """Return the path of chromium; skip the test where it or playwright is missing, and fail in CI."""
    found = shutil.which("chromium")
    try:
        import playwright.sync_api  # noqa: F401, PLC0415 - only looked for
    except ImportError:
        found = None
    if found is not None:
        return found
    message = "needs chromium (apt-get install chromium) and playwright"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


@contextmanager
def open_browser() -> Iterator[Any]:
    """Start chromium and close it again."""
    chromium = require_browser()
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - optional

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=list(ARGUMENTS), timeout=PATIENCE_MS)
        try:
            yield browser
        finally:
            browser.close()
