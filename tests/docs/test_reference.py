"""Nothing of the catalogues is missing from the reference: its pages are written from them."""

from pathlib import Path

import pytest
import typer
from docs.reference_pages import TABLES, write_pages

import gameproof
from gameproof.cli.app import app
from gameproof.reports.catalogues import CATALOGUES, list_catalogue

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    return {name: (folder / f"{name}.md").read_text("utf-8") for name in write_pages(folder)}


def test_every_catalogue_has_a_page():
    assert {catalogue for _, _, catalogue in TABLES.values()} == set(CATALOGUES)


@pytest.mark.parametrize("page", TABLES)
def test_every_row_of_a_catalogue_is_on_its_page(pages, page):
    rows = list_catalogue(TABLES[page][2]).rows
    assert rows
    assert [row[0] for row in rows if f"`{row[0]}`" not in pages[page]] == []


def test_every_command_and_option_is_there(pages):
    text = pages["command-line"]
    groups = [("gameproof", typer.main.get_command(app))]
    missing = []
    for name, group in groups:
        for word, command in group.commands.items():
            full = f"{name} {word}"
            if f"# {full}\n" not in text:
                missing.append(full)
            section = text.partition(f"# {full}\n")[2].partition("\n#")[0]
            missing += [
                f"{full} {option}"
                for each in command.params
                for option in each.opts
                if option.startswith("--") and option != "--help" and f"`{option}`" not in section
            ]
            if hasattr(command, "commands"):
                groups.append((full, command))
    assert missing == []


def test_every_public_name_is_there(pages):
    missing = [name for name in gameproof.__all__ if f":: gameproof.{name}\n" not in pages["python"]]
    assert missing == ["__version__"]


def test_every_field_of_every_schema_is_there(pages):
    for path in (ROOT / "schemas").glob("*.json"):
        assert f"`schemas/{path.name}`" in pages["formats"]


def test_every_threshold_is_that_of_the_checks(pages):
    assert "| fewest tasks before anything passes | 20 |" in pages["checks"]  # methods 6.1


def test_the_site_has_every_generated_page(pages):
    index = (ROOT / "docs" / "reference" / "index.md").read_text("utf-8")
    assert [name for name in pages if f"generated/{name}\n" not in index] == []


def test_no_row_breaks_its_table(pages):
    for text in pages.values():
        width = 0
        for line in text.splitlines():
            cells = line.replace("\\|", "").count("|") if line.startswith("| ") else 0
            assert not (width and cells) or cells == width, line
            width = cells
