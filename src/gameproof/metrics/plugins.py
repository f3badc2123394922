"""Metrics that come from outside: a Python object by its address, or an installed package's entry point."""

import importlib
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gameproof.errors import SpecError
from gameproof.metrics.base import STRANGERS_FAILURES, Metric, as_metric, failure_reason
from gameproof.metrics.guest import welcome

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "ENTRY_POINT_GROUP",
    "load_address",
    "metric_from_address",
    "metric_from_object",
    "metric_from_package",
]

ENTRY_POINT_GROUP = "gameproof.metrics"
UNPINNED = "unpinned"
RUNS_AS_A_PROGRAM = 'it ends the process: what it does as a program belongs under if __name__ == "__main__"'
WHAT_IS_ALLOWED = "a function of an Item, or a metric made by as_metric or from_pair"


def metric_from_address(address: str, options: Mapping[str, str]) -> Metric:
    """Load ``module:name`` and make it a metric.

    A plain function receives an `Item` and returns a number; whatever else a function takes, wrap it with
    `as_metric` or `from_pair` in the module and name the result. Modules of the working folder are found.

    Args:
        address: The module and the name in it, with a colon between.
        options: ``version`` at most, for a plain function.
    """
    return metric_from_object(load_address(address), name=address, version=_version(options))


def metric_from_package(name: str, options: Mapping[str, str]) -> Metric:
    """Load ``distribution/metric`` from what installed packages offer; the package's version is recorded."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - 30 ms that most runs can do without

    offered = {
        f"{point.dist.name}/{point.name}": point
        for point in entry_points(group=ENTRY_POINT_GROUP)
        if point.dist is not None
    }
    point = offered.get(name)
    if point is None:
        known = f"offers it; allowed: {', '.join(sorted(offered))}" if offered else "offers any metric"
        raise SpecError(f"no installed package {known}")
    return _load_entry_point(point, name, _version(options))


def metric_from_object(thing: object, *, name: str | None = None, version: str | None = None) -> Metric:
    """Make a metric of a Python object: a metric stays what it is, a function receives an `Item`.

    Raises:
        SpecError: It is neither.
    """
    if isinstance(thing, type):
        raise SpecError(f"found the class {thing.__name__}; allowed: {WHAT_IS_ALLOWED}")
    if isinstance(thing, Metric):
        if version is not None:
            raise SpecError("version: found one for a metric that has its own; allowed: none")
        return welcome(thing)
    if not callable(thing):
        raise SpecError(f"found {type(thing).__name__}; allowed: {WHAT_IS_ALLOWED}")
    return as_metric(thing, name=name, version=None if version == UNPINNED else version)


def _version(options: Mapping[str, str]) -> str | None:
    unknown = [key for key in options if key != "version"]
    if unknown:
        raise SpecError(f"{unknown[0]}: found an option of a metric from outside; allowed: version")
    return options.get("version")


def load_address(address: str) -> object:
    """Return the Python object at ``module:name``; modules of the working folder are found.

    Raises:
        SpecError: There is none, or its module fails.
    """
    module_name, _, path = address.partition(":")
    if not module_name or not path:
        raise SpecError("found half an address; allowed: module:function")
    folder = os.getcwd()  # noqa: PTH109 - sys.path holds texts
    if folder not in sys.path:
        sys.path.append(folder)  # at the end, so that a file here never hides an installed package
    try:
        thing: object = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise SpecError(f"the module {module_name} cannot be imported: {error}") from error
        raise SpecError(f"there is no module {module_name}, neither installed nor in {folder}") from error
    except STRANGERS_FAILURES as error:
        raise SpecError(f"the module {module_name} cannot be imported: {_said(error)}") from error
    where = getattr(thing, "__file__", None) or module_name
    for part in path.split("."):
        try:
            thing = getattr(thing, part)
        except AttributeError as error:
            raise SpecError(f"{where} has no {part!r}") from error
    return thing


def _said(error: BaseException) -> str:
    """Say what a module did when it was imported."""
    ends = isinstance(error, SystemExit)
    return failure_reason(error) + (f"; {RUNS_AS_A_PROGRAM}" if ends else "")


def _load_entry_point(point: "EntryPoint", name: str, version: str | None) -> Metric:
    distribution = name.partition("/")[0]
    installed = point.dist.version if point.dist is not None else None
    if version not in {None, installed}:
        raise SpecError(f"version: found {version!r}; allowed: {installed}, which is installed")
    try:
        thing: object = point.load()
    except STRANGERS_FAILURES as error:
        raise SpecError(
            f"the package {distribution} offers it but fails to load it: {_said(error)}"
        ) from error
    try:
        if isinstance(thing, Metric):
            return welcome(thing)
        return metric_from_object(thing, name=name, version=installed)
    except SpecError as error:
        raise SpecError(f"the package {distribution} offers {point.value!r}: {error.message}") from error
