"""The public names of gameproof and their signatures, as text.

Read from the source, not from objects: numpy, typing and each Python print the same annotation in another way.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from textwrap import shorten

__all__ = ["MODULES", "render_surface"]

SOURCES = Path(__file__).resolve().parents[2] / "src"

# A name is public when it is in `__all__` of one of these, and a member when it has no leading underscore.
MODULES = (
    "gameproof",
    "gameproof.agreement.result",
    "gameproof.aio",
    "gameproof.attacks.result",
    "gameproof.audits.ready",
    "gameproof.audits.result",
    "gameproof.audits.run_difference_result",
    "gameproof.audits.sweep_result",
    "gameproof.datasets.catalogue",
    "gameproof.errors",
    "gameproof.integrations.aligned",
    "gameproof.integrations.deepeval_metric",
    "gameproof.integrations.evaluate_module",
    "gameproof.integrations.inspect_scorer",
    "gameproof.integrations.lm_eval_results",
    "gameproof.integrations.ragas_metric",
    "gameproof.integrations.tracking",
    "gameproof.llm.client",
    "gameproof.metrics.adapters",
    "gameproof.records",
    "gameproof.rewards",
    "gameproof.stats.results",
    "gameproof.text",
)


def render_surface() -> str:
    """Return one line a public name, and one indented line a member of a class."""
    return "".join(f"{line}\n" for module in MODULES for line in _module_lines(module))


def _module_lines(module: str) -> Iterator[str]:
    for name in sorted(_exported(module)):
        if name == "__version__":  # its value changes with every release
            yield f"{module}.{name}"
            continue
        node, home = _definition(module, name)
        yield f"{module}.{name}{_described(node)}"
        # The members of a class stand where it is at home, or here where its home is not public.
        if isinstance(node, ast.ClassDef) and (home == module or home not in MODULES):
            yield from _members(node)


def _exported(module: str) -> list[str]:
    node = _names(module)["__all__"]
    assert isinstance(node, ast.Assign)
    return ast.literal_eval(node.value)


def _definition(module: str, name: str) -> tuple[ast.stmt, str]:
    """Return the statement that defines a name, and the module it is in."""
    node = _names(module)[name]
    if isinstance(node, ast.ImportFrom):
        here = next(alias.name for alias in node.names if name in {alias.asname, alias.name})
        return _definition(str(node.module), here)
    if isinstance(node, ast.Assign) and ast.unparse(node.value) == f"_synchronous(aio.{name})":
        return _definition("gameproof.aio", name)
    return node, module


@cache
def _names(module: str) -> dict[str, ast.stmt]:
    path = SOURCES.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    tree = ast.parse(path.read_text("utf-8"))
    for_checkers = [node for part in tree.body if isinstance(part, ast.If) for node in part.body]
    return {name: node for node in (*for_checkers, *tree.body) for name in _bound(node)}


def _bound(node: ast.stmt) -> list[str]:
    """Return the names that a statement gives a value."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return [node.name]
    if isinstance(node, ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [
        part.id for target in targets if target for part in ast.walk(target) if isinstance(part, ast.Name)
    ]


def _described(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return f"({ast.unparse(node.args)}){returns}"
    if isinstance(node, ast.ClassDef):
        bases = [ast.unparse(base) for base in node.bases] + [ast.unparse(word) for word in node.keywords]
        return f": class({', '.join(bases)})"
    return f": {_value(node)}"


def _value(node: ast.stmt) -> str:
    """Return the annotation and the value of a name; of a long table its beginning."""
    value = getattr(node, "value", None)
    shown = f"= {shorten(ast.unparse(value), 100)}" if value else ""
    return f"{ast.unparse(node.annotation)} {shown}".rstrip() if isinstance(node, ast.AnnAssign) else shown


def _members(node: ast.ClassDef) -> Iterator[str]:
    for part in node.body:
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            if part.name.startswith("_") and part.name != "__init__":
                continue
            marks = "".join(f"@{ast.unparse(mark)} " for mark in part.decorator_list)
            is_async = "async " if isinstance(part, ast.AsyncFunctionDef) else ""
            yield f"    {marks}{is_async}{part.name}{_described(part)}"
        elif isinstance(part, ast.AnnAssign) and not ast.unparse(part.target).startswith("_"):
            yield f"    {ast.unparse(part.target)}: {_value(part)}"
        elif isinstance(part, ast.Assign) and not ast.unparse(part.targets[0]).startswith("_"):
            yield f"    {ast.unparse(part.targets[0])} {_value(part)}"
