"""The templates of pages: everything is escaped unless it was drawn by the library."""

import base64
import functools
import hashlib

import jinja2
from markupsafe import Markup

from gameproof.reports.words import (
    check_title,
    format_effect,
    format_interval,
    format_number,
    format_pvalue,
)

__all__ = ["page_environment", "policy_for", "styles"]

STYLES = ("base.css", "tables.css", "figures.css", "narrow.css", "print.css")


@functools.cache
def page_environment() -> jinja2.Environment:
    """Return the templates, with the words of reports as filters."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("gameproof.reports"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        effect=format_effect,
        number=format_number,
        pvalue=format_pvalue,
        title_of=check_title,
    )
    environment.globals["interval"] = format_interval  # pyright: ignore[reportArgumentType] - jinja2 types its own only
    return environment


@functools.cache
def styles() -> Markup:
    """Return the style sheet: files of the package, in the order in which they win."""
    loader = jinja2.PackageLoader("gameproof.reports", "templates/styles")
    environment = page_environment()
    return Markup("\n".join(loader.get_source(environment, name)[0].strip() for name in STYLES))  # noqa: S704 - the package's own


@functools.cache
def policy_for(style: str) -> str:
    """Return a policy under which a page can load and run nothing, and have no style but this one."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
