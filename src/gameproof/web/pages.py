"""Turn values into HTML: templates, texts of a language, and summaries cut into text and citations."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import Any

import jinja2
from starlette.responses import HTMLResponse

from gameproof.study.citations import Citation, split_citations
from gameproof.study.model import Study, Text
from gameproof.web.settings import Settings
from gameproof.web.texts import FROM_RIGHT, TEXTS, say

__all__ = ["STATIC", "Renderer", "StaticFile", "paragraphs", "read_static", "safe_link", "summary_paragraphs"]

# Everything that is served as a file: nothing else can be asked for.
STATIC: Mapping[str, str] = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_GAP = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticFile:
    """A file of the package."""

    body: bytes
    kind: str
    digest: str  # in its address, so that browsers may keep it


@cache
def read_static() -> Mapping[str, StaticFile]:
    """Return the files that are served."""
    folder = files("gameproof.web").joinpath("static")
    found: dict[str, StaticFile] = {}
    for name, kind in STATIC.items():
        body = folder.joinpath(name).read_bytes()
        found[name] = StaticFile(body=body, kind=kind, digest=hashlib.sha256(body).hexdigest()[:12])
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Renderer:
    """Renders the templates of one study."""

    study: Study
    environment: jinja2.Environment
    shared: Mapping[str, Any]  # what every template may use; Any: values of templates

    @classmethod
    def of(cls, study: Study, settings: Settings) -> "Renderer":
        """Prepare the templates; everything that is not marked safe is escaped, and nothing is."""
        environment = jinja2.Environment(
            loader=jinja2.PackageLoader("gameproof.web"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

        def static(name: str) -> str:
            return settings.url(f"/static/{name}?v={read_static()[name].digest}")

        shared = {
            "static": static,
            "url": settings.url,
            "study": study,
            "paragraphs": paragraphs,
            "summary_paragraphs": summary_paragraphs,
            "safe_link": safe_link,
        }
        return cls(study=study, environment=environment, shared=shared)

    def language(self, wanted: str | None) -> str:
        """Return a language of the study: the wanted one, or its first."""
        return wanted if wanted in self.study.languages else self.study.languages[0]

    def page(
        self,
        template: str,
        *,
        language: str | None,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        **values: Any,  # Any: of templates
    ) -> HTMLResponse:
        """Render a template as a response."""
        chosen = self.language(language)
        main = chosen.partition("-")[0]

        def own(said: Text | None) -> str:
            return "" if said is None else said.say(chosen)

        text = self.environment.get_template(template).render(
            language=chosen,
            # The page's own words may lack a language that the study has: then they are marked as English.
            page_language=chosen if main in TEXTS or chosen in TEXTS else "en",
            direction="rtl" if main in FROM_RIGHT else "ltr",
            t=partial(say, chosen),
            own=own,
            **self.shared,
            **values,
        )
        return HTMLResponse(text, status_code=status, headers=None if headers is None else dict(headers))


def paragraphs(text: str) -> list[str]:
    r"""Cut a text at its empty lines.

    Example:
        >>> paragraphs("One.\n\nTwo.")
        ['One.', 'Two.']
    """
    return [part for part in _GAP.split(text.strip()) if part]


def summary_paragraphs(text: str, n_documents: int) -> list[Sequence[str | Citation]]:
    r"""Cut a summary into paragraphs, and each into text and citations.

    Example:
        >>> summary_paragraphs("It rained [1].\n\nThen [7].", 1)
        [('It rained [', Citation(number=1), '].'), ('Then [7].',)]
    """
    return [split_citations(part, n_documents) for part in paragraphs(text)]


def safe_link(url: str | None) -> str | None:
    """Return an address that may become a link: http and https, and no other scheme.

    Example:
        >>> safe_link("javascript:alert(1)") is None, safe_link("https://doi.org/10/x")
        (True, 'https://doi.org/10/x')
    """
    plain = (url or "").strip()
    return plain if re.match(r"https?://[^\s<>\"]+$", plain) else None
