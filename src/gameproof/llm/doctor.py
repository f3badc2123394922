"""Say what works on this machine: extras, the store of calls, and a model's endpoint."""

import os
import re
from collections.abc import Mapping
from contextlib import closing
from importlib import metadata
from pathlib import Path

from gameproof.errors import StoreError
from gameproof.llm.connect import NO_CACHE, connect, store_path
from gameproof.llm.limits import Limits
from gameproof.llm.selftest import Finding
from gameproof.llm.store import CallStore

__all__ = ["examine"]

PACKAGE = "gameproof"
NOT_FOR_USERS = frozenset({"dev"})
REQUIREMENT = re.compile(r"""(?P<name>[\w.-]+).*;.*extra\s*==\s*["'](?P<extra>[\w-]+)["']""")
PATIENCE = Limits(attempt_s=60.0, deadline_s=120.0, attempts=2, throttled_attempts=4)


async def examine(
    llm: str | None = None, *, cache: str | Path | None = None, environment: Mapping[str, str] | None = None
) -> tuple[Finding, ...]:
    """Try everything that a run may need.

    Args:
        llm: A model as --llm names it; without one no endpoint is asked.
        cache: The store of calls, as --cache names it.
        environment: Instead of the process's own.

    Raises:
        EndpointError: The model does not answer at all.
    """
    known = os.environ if environment is None else environment
    findings = [*_extras(), _store(cache, known)]
    if llm is None:
        return tuple(findings)
    model = await connect(llm, cache=NO_CACHE, limits=PATIENCE, environment=known)
    try:
        findings.append(Finding(probe="endpoint", works=True, detail=model.provider.place))
        findings.extend(await model.probe())
    finally:
        await model.close()
    return tuple(findings)


def _extras() -> list[Finding]:
    packages: dict[str, list[str]] = {}
    for requirement in metadata.requires(PACKAGE) or []:
        found = REQUIREMENT.fullmatch(requirement)
        if found is not None and found["extra"] not in NOT_FOR_USERS:
            packages.setdefault(found["extra"], []).append(found["name"])
    return [_extra(extra, names) for extra, names in sorted(packages.items())]


def _extra(extra: str, names: list[str]) -> Finding:
    versions = {name: _version(name) for name in names}
    missing = [name for name, version in versions.items() if version is None]
    if missing:
        detail = f'without {", ".join(missing)}: pip install "{PACKAGE}[{extra}]"'
    else:
        detail = ", ".join(f"{name} {version}" for name, version in versions.items())
    return Finding(probe=f"extra {extra}", works=not missing, detail=detail)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _store(cache: str | Path | None, environment: Mapping[str, str]) -> Finding:
    path = store_path(cache, environment)
    if path is None:
        return Finding(probe="cache", works=True, detail="off: finished calls are not kept")
    if not path.exists():
        return Finding(probe="cache", works=True, detail=f"{path} will be made by the first run with --llm")
    try:
        with closing(CallStore(path)) as store:
            n_calls = sum(int(str(row["calls"])) for row in store.statistics())
    except StoreError as error:
        return Finding(probe="cache", works=False, detail=error.message)
    return Finding(probe="cache", works=True, detail=f"{n_calls:,} finished calls in {path}")
