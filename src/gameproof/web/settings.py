"""How a study's page is served: its public address, its administrator's secret, its limits."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from gameproof.errors import PlanError
from gameproof.web.limits import LIMITS, Rate

__all__ = ["MIN_SECRET", "Settings"]

MIN_SECRET = 16  # characters of the administrator's secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of one server.

    `address` is what readers type: ``https://study.example.org``, with a path where a proxy serves the page below one.
    Cookies are marked Secure, and browsers are told to stay with https, where it begins with https.
    """

    address: str = "http://127.0.0.1:8000"
    admin_secret: str | None = None  # None: there is no admin page
    limits: Mapping[str, Rate] = field(default_factory=lambda: LIMITS)

    def __post_init__(self) -> None:
        """Refuse what cannot be served.

        Raises:
            PlanError: The address is none of a page, or the secret can be guessed.
        """
        parts = urlsplit(self.address)
        if parts.scheme not in {"http", "https"} or not parts.netloc or parts.query or parts.fragment:
            raise PlanError(
                f"the page's address is {self.address!r}: expected http://HOST or https://HOST, with a path if need be."
            )
        if self.admin_secret is not None and len(self.admin_secret) < MIN_SECRET:
            raise PlanError(
                f"the administrator's secret is too short: expected {MIN_SECRET} characters or more."
            )

    @property
    def is_https(self) -> bool:
        """Whether readers come by https."""
        return self.address.startswith("https:")

    @property
    def prefix(self) -> str:
        """The path that every address of the page begins with; empty for a page at the root of its host.

        Example:
            >>> Settings(address="https://lab.example/study/").prefix
            '/study'
        """
        return urlsplit(self.address).path.rstrip("/")

    def url(self, path: str) -> str:
        """Return a path within the page as a path on its host."""
        return f"{self.prefix}{path}"

    def link(self, token: str) -> str:
        """Return the whole address of an invitation."""
        return f"{self.address.rstrip('/')}/join/{token}"
