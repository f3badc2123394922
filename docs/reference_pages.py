"""Writes the reference pages from the catalogues, the schemas and the commands themselves.

    python -m docs.reference_pages FOLDER

`docs/conf.py` calls this before every build; nothing of it is kept in the repository, so it cannot go stale.
"""

import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

import gameproof
from gameproof.audits import checks
from gameproof.cli.app import app
from gameproof.reports import words
from gameproof.reports.catalogues import list_catalogue
from gameproof.reports.tables import Table

ROOT = Path(__file__).resolve().parents[1]
SCHEMAS = ROOT / "schemas"

# page -> title, what stands under it, and the catalogue
TABLES: Mapping[str, tuple[str, str, str]] = {
    "metrics": (
        "Metrics",
        "What `gameproof list metrics` shows. The first value of an option is its default: `rougeL,refs=max,stem=true`.",
        "metrics",
    ),
    "perturbations": (
        "Perturbations",
        "What an audit does to every text, and what a good metric should do then. `gameproof list perturbations`.",
        "perturbations",
    ),
    "moves": (
        "Moves of an attack",
        "What `gameproof attack` may do to a text in one step. `gameproof list moves`.",
        "moves",
    ),
    "divergences": (
        "Divergences",
        "The first part of a cell. r is the density ratio of a pair. `gameproof list divergences`.",
        "divergences",
    ),
    "cells": (
        "Cells of the design space",
        "DIVERGENCE+ESTIMATOR+REPRESENTATION+PREDICTOR: all the legal ones. `gameproof list cells`.",
        "cells",
    ),
    "presets": ("Presets", "Published metrics by name. `gameproof list presets`.", "presets"),
    "options": (
        "Options of cells",
        "Written after a cell as `,key=value`. `gameproof list options`.",
        "options",
    ),
    "data": (
        "Data sets",
        "What `gameproof data list` shows; [their formats](../data-sets.md). Only the planted ones come with gameproof.",
        "datasets",
    ),
    "published": (
        "Published tables",
        "Tables of the two papers whose values come with gameproof. `gameproof list published --table NAME`.",
        "published",
    ),
}
EXIT_CODES = (
    ("0", "Fine. Of an audit: every metric (or the one of `--gate`) is trusted."),
    ("1", "A bug of gameproof. Please report it, with what `GAMEPROOF_DEBUG=1` prints before it."),
    (
        "2",
        "Something given cannot be used: a file, a name, an option, an endpoint. The message says what is allowed.",
    ),
    ("3", "A verdict failed: a property was measured, and the metric does not have it."),
    (
        "4",
        "Inconclusive or incomplete: the data cannot decide, too little could be measured, or a model failed.",
    ),
    ("130", "Stopped by Ctrl-C. What is done is kept; the same command goes on."),
    ("141", "Whoever read the output has left (`| head`)."),
)


def write_pages(folder: Path) -> tuple[str, ...]:
    """Write every generated page into a folder; return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = dict(_pages())
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text("utf-8") != text:  # Sphinx reads again what is newer
            path.write_text(text, encoding="utf-8")
    return tuple(pages)


def _pages() -> Iterator[tuple[str, str]]:
    for name, (title, intro, catalogue) in TABLES.items():
        yield name, _catalogue_page(title, intro, list_catalogue(catalogue))
    yield "checks", _checks_page()
    yield "exit-codes", _page("Exit codes", "", _table(("code", "meaning"), EXIT_CODES))
    yield "formats", _formats_page()
    yield "command-line", _command_line_page()
    yield "python", _python_page()


def _page(title: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", *(part for part in parts if part)]) + "\n"


def _catalogue_page(title: str, intro: str, table: Table) -> str:
    """Write a catalogue: few short columns as a table, more as an entry for each row."""
    if table.title == "cells":  # the options page says which options apply where
        rows = [(_code(row["cell"]), row["known as"]) for row in table.records()]
        return _page(title, intro, _table(("cell", "known as"), rows))
    if len(table.columns) <= 3:
        return _page(title, intro, _table(table.columns, [[_code(row[0]), *row[1:]] for row in table.rows]))
    return _page(title, intro, *(_entry(table.columns, row) for row in table.rows))


def _entry(columns: Sequence[str], row: Sequence[object]) -> str:
    facts = dict(zip(columns[1:], row[1:], strict=True))
    summary = facts.pop("summary", None)
    lines = [f"## {_code(row[0])}", ""]
    if summary:
        text = _cell(summary)
        lines += [f"{text[0].upper()}{text[1:]}.", ""]
    lines += [f"- {name}: {_fact(name, value)}" for name, value in facts.items() if value not in {"", None}]
    return "\n".join(lines)


def _fact(name: str, value: object) -> str:
    text = str(value)
    if name == "options":
        return " ".join(f"`{part}`" for part in text.split())
    if name in {"f(t)", "direct score", "values", "default"}:
        return f"`{text}`"
    shown = f"{value:.4g}" if isinstance(value, float) else text.removeprefix(f"{name} ")
    return _cell(shown).replace("\\|", "|")


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [columns, ["---"] * len(columns), *([_cell(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _code(value: object) -> str:
    return f"`{str(value).replace('|', chr(92) + '|')}`" if "`" not in str(value) else str(value)


def _cell(value: object) -> str:
    """Write a value so that Markdown leaves it as it is, but for code between backquotes."""
    text = "" if value is None else " ".join(str(value).split())
    parts = text.split("`")
    for place in range(0, len(parts), 2):
        for character in "*_<>[]":
            parts[place] = parts[place].replace(character, f"\\{character}")
    return "`".join(parts).replace("\\|", "|").replace("|", "\\|")


def _checks_page() -> str:
    thresholds = (
        ("level of every one-sided question, after Holm's correction", f"{checks.ALPHA:g}"),
        ("default margin (`--margin`), in standard deviations of scores", str(checks.DEFAULT_MARGIN)),
        ("margin of what should stay level", f"{checks.STABLE_MARGIN:g}"),
        ("fewest tasks before anything passes", str(checks.MIN_TASKS)),
        ("largest share of missing pairs before nothing is decided", f"{checks.MAX_MISSING:g}"),
        (
            "fewest applicable checks that must have run before a metric is trusted",
            f"{checks.MIN_RUN_SHARE:.0%}",
        ),
        ("smallest within-task correlation of a metric that follows ratings", f"{checks.MIN_RHO:g}"),
        ("the loss that a metric must see before its passes mean anything", _code(checks.GATE)),
        ("power at which the smallest detectable effect is told", f"{checks.POWER:.0%}"),
    )
    perturbations = [
        [
            _code(row["name"]),
            row["family"],
            row["expect"],
            row["domains"],
            row["made by"].removeprefix("made by "),
        ]
        for row in list_catalogue("perturbations").records()
        if isinstance(row["made by"], str)
    ]
    return _page(
        "Checks, verdicts and thresholds",
        "A check is one perturbation held against what a good metric should do. Every threshold stands in one file, "
        "`audits/checks.py`, from which this page is written.",
        "## Thresholds",
        _table(("what", "value"), thresholds),
        "## Which checks there are",
        _table(("check", "family", "the score", "applies to", "made by"), perturbations),
        "## The card",
        _table(("property", "question"), [(each.name, each.question) for each in words.PROPERTIES]),
        _table(("answer", "meaning"), [(str(word), word.meaning) for word in words.MARKS.values()]),
        "## Verdicts of a check",
        _table(("verdict", "meaning"), [(str(word), word.meaning) for word in words.VERDICTS.values()]),
        "## Notes beside a verdict",
        _table(("note", "meaning"), [_said(word) for word in words.NOTES.values()]),
        "## States instead of a number",
        _table(("state", "meaning"), [_said(word) for word in words.STATES.values()]),
    )


def _said(word: Any) -> tuple[str, str]:  # Any: entries of two kinds of legend
    return str(getattr(word, "term", word)), str(word.meaning)


def _formats_page() -> str:
    parts: list[str] = []
    for path in sorted(SCHEMAS.glob("*.json")):
        schema = json.loads(path.read_text("utf-8"))
        parts += [f"## {schema['title']}", f"{schema.get('description', '')} Schema: `schemas/{path.name}`."]
        parts.append(_fields(schema))
        for name, part in schema.get("$defs", {}).items():
            if "properties" in part:
                parts += [
                    f"### {path.stem.split('.')[0]}: {name}",
                    part.get("description", ""),
                    _fields(part),
                ]
    return _page(
        "File formats",
        "Every file has a version of its own; a JSON Schema for each is in `schemas/`. Other fields may be added "
        "within a version, and none of these is taken away.",
        *parts,
    )


def _fields(schema: Mapping[str, Any]) -> str:  # Any: JSON
    required = set(schema.get("required", ()))
    return _table(
        ("field", "type", "always there", "what it is"),
        [
            (_code(name), _type(field), "yes" if name in required else "", field.get("description", ""))
            for name, field in schema.get("properties", {}).items()
        ],
    )


def _type(field: Mapping[str, Any]) -> str:  # Any: JSON
    if "$ref" in field:
        return str(field["$ref"]).rsplit("/", 1)[-1]
    if "const" in field:
        return json.dumps(field["const"])
    if "enum" in field:
        return " or ".join(json.dumps(value) for value in field["enum"])
    if options := field.get("anyOf") or field.get("oneOf"):
        return " or ".join(dict.fromkeys(_type(option) for option in options))
    kinds = field.get("type", "any")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    inner = f" of {_type(field['items'])}" if isinstance(field.get("items"), Mapping) else ""
    return " or ".join(f"{kind}{inner}" if kind == "array" else str(kind) for kind in kinds)


def _command_line_page() -> str:
    group = typer.main.get_command(app)
    parts = [part for name, command in _commands(group, "gameproof") for part in _command(name, command)]
    return _page("Command line", "What `gameproof COMMAND --help` says. " + EXIT_CODES_LINK, *parts)


EXIT_CODES_LINK = "[Exit codes](exit-codes.md)."


# Any: typer brings its own copies of click's classes, which differ between its versions.
def _commands(group: Any, name: str) -> Iterator[tuple[str, Any]]:
    for word, command in group.commands.items():
        full = f"{name} {word}"
        yield full, command
        if hasattr(command, "commands"):
            yield from _commands(command, full)


def _command(name: str, command: Any) -> Iterator[str]:  # Any: as above
    depth = "##" if len(name.split()) == 2 else "###"
    yield f"{depth} {name}"
    for paragraph in inspect.cleandoc(command.help or "").replace("\f", "").split("\n\n"):
        yield _cell(paragraph)
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
    if arguments or options:
        shown = [name, *(["[OPTIONS]"] if options else []), *(_metavar(each) for each in arguments)]
        yield f"```\n{' '.join(shown)}\n```"
    rows = [
        (_written(each), each.help or "", _default(each))
        for each in (*arguments, *options)
        if each.name != "help"
    ]
    if rows:
        yield _table(("option", "what it does", "default"), rows)


def _written(each: Any) -> str:  # Any: as above
    if each.param_type_name == "argument":
        return _code(_metavar(each))
    shown = ", ".join(_code(option) for option in (*each.opts, *each.secondary_opts))
    return shown if each.is_flag else f"{shown} {_code(_metavar(each))}"


def _metavar(each: Any) -> str:  # Any: as above
    name = each.metavar or str(each.name).upper()
    return f"{name}..." if each.nargs == -1 and not name.endswith("...") else name


def _default(each: Any) -> str:  # Any: as above
    shown = getattr(each, "show_default", None)
    if isinstance(shown, str):
        return shown
    default = each.default
    return "" if default is None or default is False or callable(default) or default == [] else str(default)


KIND_TITLES: Mapping[str, str] = {"function": "Verbs and makers", "class": "Values", "exception": "Errors"}


def _python_page() -> str:
    kinds: dict[str, list[str]] = {kind: [] for kind in KIND_TITLES}
    for name in gameproof.__all__:
        value = getattr(gameproof, name)
        if inspect.isclass(value):
            kinds["exception" if issubclass(value, Exception) else "class"].append(name)
        elif isinstance(value, Callable):
            kinds["function"].append(name)
    parts: list[str] = []
    for kind, names in kinds.items():
        parts.append(f"## {KIND_TITLES[kind]}")
        members = "\n   :members:" if kind == "class" else ""
        parts += [f"```{{eval-rst}}\n.. auto{kind}:: gameproof.{name}{members}\n```" for name in names]
    return _page(
        "Python",
        "Everything public: what `import gameproof` offers. Each verb has an asynchronous twin of the same name in "
        "`gameproof.aio`, for servers.",
        *parts,
    )


if __name__ == "__main__":
    print("\n".join(write_pages(Path(sys.argv[1]))))
