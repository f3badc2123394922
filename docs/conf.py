"""Settings of the documentation: Sphinx, MyST, furo. `make docs` builds it; warnings are errors."""

import sys
from pathlib import Path

from pygments.lexers.python import PythonLexer

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from docs.reference_pages import write_pages  # noqa: E402 - the repository has to be on the path

import gameproof  # noqa: E402

write_pages(HERE / "reference" / "generated")

project = "gameproof"
author = "the gameproof authors"
version = release = gameproof.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
source_suffix = {".md": "markdown"}
smartquotes = False  # what stands in quotes is to be typed
nitpicky = True
# Types in signatures have no pages of their own; links between pages are checked all the same.
nitpick_ignore_regex = [(r"py:.*", r".*")]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
python_display_short_literal_types = True
maximum_signature_line_length = 80
add_module_names = False

html_theme = "furo"
html_title = "gameproof"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

# Pages of the repository that lie outside of this folder, and the pages of the site that include them.
INCLUDED = {
    "../../benchmarks/README.md": "/benchmarks.md",
    "../../tests/hosts/README.md": "/hosts.md",
    "../../CONTRIBUTING.md": "/contributing.md",
    "../../CHANGELOG.md": "/reference/changelog.md",
}


def _lead_to_the_site(_app: object, _name: str, source: list[str]) -> None:
    for outside, page in INCLUDED.items():
        source[0] = source[0].replace(f"]({outside}", f"]({page}")


def setup(app) -> None:  # noqa: ANN001 - Sphinx
    """Teach Sphinx what only these pages have."""
    app.add_lexer("jsonl", PythonLexer)  # JSON, and a comment with the name of the file
    app.connect("source-read", _lead_to_the_site)
