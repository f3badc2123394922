"""The words of the page."""

import re
from pathlib import Path
from string import Formatter

import gameproof.web
from gameproof.web.texts import TEXTS

FOLDER = Path(gameproof.web.__file__).parent


def names(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_a_language_fills_in_what_the_english_texts_fill_in():
    english = TEXTS["en"]
    for row in TEXTS.values():
        assert set(row) <= set(english)
        assert all(names(text) == names(english[key]) for key, text in row.items())


def test_every_text_of_a_template_is_in_the_table():
    used = set()
    for file in [*FOLDER.glob("templates/*.html"), *FOLDER.glob("*.py")]:
        used |= set(re.findall(r"""["']((?:[a-z]+\.)[a-z0-9_]+)["']""", file.read_text(encoding="utf-8")))
    prefixes = {key.partition(".")[0] for key in TEXTS["en"] if "." in key}
    wanted = {
        key for key in used if key.partition(".")[0] in prefixes and not key.endswith(("html", "_", "css"))
    }
    assert wanted <= set(TEXTS["en"])
