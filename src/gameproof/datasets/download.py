"""Download public files: resumed where they broke off, checked, and there as a whole or not at all."""

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import cast
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import Request, build_opener, getproxies, proxy_bypass

from gameproof._version import __version__
from gameproof.datasets.loaders.base import Download
from gameproof.errors import InputError
from gameproof.files.atomic import AtomicFile, writing_errors
from gameproof.json_text import parse_json

__all__ = ["MANIFEST", "Fetched", "download"]

MANIFEST = "gameproof-data.json"  # what was downloaded into a folder, with digests
CHUNK = 1 << 18
ATTEMPTS = 4  # of one file; each goes on where the last one broke off
PAUSE_S = 1.0  # before the second attempt, doubled before each further one
TIMEOUT_S = 30.0  # without a byte
SCHEMES = frozenset({"http", "https"})
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
REASONS: Mapping[int, str] = {
    401: "it asks for a login",
    403: "access is refused",
    404: "there is no such file any more",
    410: "the file was taken away",
}

Told = Callable[[str, int, int | None], None]  # name, bytes so far, bytes in all where known


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A file that is here now."""

    path: Path
    url: str
    n_bytes: int
    sha256: str
    state: str  # "downloaded", or "was here"
    checked: str  # what its digest was compared with


class _Passing(Exception):  # noqa: N818 - it never leaves this file
    """It may work on another attempt."""


def download(
    wanted: Sequence[Download],
    folder: Path,
    *,
    mirror: str | None = None,
    force: bool = False,
    pause_s: float = PAUSE_S,
    told: Told | None = None,
) -> list[Fetched]:
    """Download files into a folder.

    A file that is there, with the digest that the folder's manifest has, is not downloaded again. A digest that is
    not known beforehand is recorded on the first download and compared from then on.

    Args:
        wanted: Files with their addresses.
        folder: Where they go; made if it is missing.
        mirror: Another address; the files lie there under their names.
        force: Download also what is there.
        pause_s: Seconds before the second attempt.
        told: Called with the name, the bytes so far and the bytes in all.

    Raises:
        InputError: A file cannot be had, is cut short, or is not the file that was expected.
        RunFolderError: A file cannot be written.
    """
    manifest = _read_manifest(folder)
    found: list[Fetched] = []
    for file in wanted:
        url = f"{mirror.rstrip('/')}/{file.name}" if mirror else file.url
        if urlsplit(url).scheme not in SCHEMES:
            raise InputError(f"{url} is not a web address: it begins with neither https:// nor http://.")
        target = folder / file.name
        expected = file.sha256 or _recorded(manifest, file.name)
        here = None if force else _is_here(target, expected, url)
        if here is None:
            here = _fetch(url, target, expected, pause_s=pause_s, told=told or _silent)
            if file.sha256 is None and expected is None:
                manifest[file.name] = {"url": url, "sha256": here.sha256, "bytes": here.n_bytes}
                _write_manifest(folder, manifest)
        found.append(here)
    return found


def _fetch(url: str, target: Path, expected: str | None, *, pause_s: float, told: Told) -> Fetched:
    part = target.with_name(f"{target.name}.part")
    with writing_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    problem: Exception | None = None
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(pause_s * 2 ** (attempt - 1))
        try:
            _receive(url, part, told)
        except _Passing as error:
            problem = error
            continue
        return _accept(url, part, target, expected)
    kept = part.stat().st_size if part.exists() else 0
    hint = f"{kept:,} bytes are kept: run it again to go on from there." if kept else _proxy_hint(url)
    raise InputError(f"{url} could not be downloaded: {problem}.", hint=hint)


def _receive(url: str, part: Path, told: Told) -> None:
    """Append what is missing to the file under its temporary name."""
    start = part.stat().st_size if part.exists() else 0
    mark = _read_mark(part) if start else None
    headers = {"User-Agent": f"gameproof/{__version__}", "Accept-Encoding": "identity"}
    if start and mark:
        headers |= {"Range": f"bytes={start}-", "If-Range": mark}
    try:
        with _open(url, headers) as reply:
            resumed = reply.status == 206 and _starts_at(reply, start)
            total = _total(reply, start if resumed else 0)
            _refuse_page(url, reply)
            _write_mark(part, reply.headers.get("ETag") or reply.headers.get("Last-Modified"))
            _append(reply, part, start if resumed else 0, total, told)
    except HTTPError as error:
        error.close()
        if error.code == 416:  # nothing is left of it, or it has become shorter
            part.unlink(missing_ok=True)
            raise _Passing("the part that was kept does not fit the file any more") from error
        if error.code in PASSING:
            raise _Passing(f"the server answers {error.code}, {error.reason}") from error
        reason = REASONS.get(error.code, str(error.reason))
        place = "" if error.url in {None, url} else f", where it leads to {error.url}"
        raise InputError(
            f"{url} cannot be had{place}: {reason} (HTTP {error.code}).",
            hint="`gameproof data list NAME` says where else a person gets it; --mirror ADDRESS names another place.",
        ) from error
    except URLError as error:
        raise _Passing(f"{urlsplit(url).hostname} cannot be reached ({error.reason})") from error
    except (HTTPException, OSError) as error:
        raise _Passing(
            f"the connection broke ({' '.join(str(error).split()) or type(error).__name__})"
        ) from error


def _open(url: str, headers: Mapping[str, str]) -> HTTPResponse:
    request = Request(url, headers=dict(headers))  # noqa: S310 - its scheme was checked; redirects stay with HTTP
    return cast("HTTPResponse", build_opener().open(request, timeout=TIMEOUT_S))


def _append(reply: HTTPResponse, part: Path, start: int, total: int | None, told: Told) -> None:
    size = start
    with writing_errors(part), part.open("r+b" if start else "wb") as file:
        file.seek(start)
        file.truncate()
        while True:
            try:
                chunk = reply.read(CHUNK)
            except (HTTPException, OSError) as error:
                raise _Passing(f"the connection broke after {size:,} bytes") from error
            if not chunk:
                break
            file.write(chunk)
            size += len(chunk)
            told(part.name.removesuffix(".part"), size, total)
        file.flush()
        os.fsync(file.fileno())
    if total is not None and size < total:
        raise _Passing(f"the connection ended after {size:,} of {total:,} bytes")


def _accept(url: str, part: Path, target: Path, expected: str | None) -> Fetched:
    found, size = _digest(part), part.stat().st_size
    if expected is not None and found != expected:
        part.unlink()
        _mark_of(part).unlink(missing_ok=True)
        raise InputError(
            f"{url} is not the file that was expected: its SHA-256 is {found}, expected {expected}. It was not kept.",
            hint="The file has changed, or was damaged on its way. Run it again; if it stays so, compare the sources.",
        )
    with writing_errors(target):
        part.replace(target)
    _mark_of(part).unlink(missing_ok=True)
    checked = (
        "no digest known; recorded for the next time"
        if expected is None
        else "the digest is the expected one"
    )
    return Fetched(path=target, url=url, n_bytes=size, sha256=found, state="downloaded", checked=checked)


def _is_here(target: Path, expected: str | None, url: str) -> Fetched | None:
    if not target.is_file() or expected is None:
        return None
    found = _digest(target)
    if found != expected:
        raise InputError(
            f"{target} is there, but is not the file that was downloaded: its SHA-256 is {found}, expected {expected}.",
            hint="--force downloads it again; what is there now is lost.",
        )
    return Fetched(
        path=target,
        url=url,
        n_bytes=target.stat().st_size,
        sha256=found,
        state="was here",
        checked="the digest is the expected one",
    )


def _starts_at(reply: HTTPResponse, start: int) -> bool:
    """Say whether a part of a file begins where the last one ended."""
    return str(reply.headers.get("Content-Range", "")).startswith(f"bytes {start}-")


def _total(reply: HTTPResponse, start: int) -> int | None:
    length = reply.headers.get("Content-Length")
    return start + int(length) if length is not None and length.isdecimal() else None


def _refuse_page(url: str, reply: HTTPResponse) -> None:
    """Refuse a page for people, such as a login, in the place of a file."""
    if str(reply.headers.get("Content-Type", "")).startswith("text/html"):
        led = f" (it leads to {reply.url})" if reply.url != url else ""
        raise InputError(
            f"{url} answers with a web page, not with the file{led}.",
            hint=_proxy_hint(url) or "Open it in a browser.",
        )


def _proxy_hint(url: str) -> str | None:
    """Name the proxy that a request goes through, without its password."""
    parts = urlsplit(url)
    proxy = getproxies().get(parts.scheme)
    if proxy is None or (parts.hostname and proxy_bypass(parts.hostname)):
        return "No proxy is set; if this machine needs one, set HTTPS_PROXY. --mirror ADDRESS names another place."
    shown = urlsplit(proxy)
    place = urlunsplit((shown.scheme, shown.netloc.rpartition("@")[2], "", "", "")) if shown.netloc else proxy
    return f"It was asked through the proxy {place} ({parts.scheme.upper()}_PROXY)."


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _mark_of(part: Path) -> Path:
    return part.with_name(f"{part.name}.mark")


def _read_mark(part: Path) -> str | None:
    """Return what the server called the version that the part belongs to."""
    with suppress(OSError, UnicodeDecodeError):
        return _mark_of(part).read_text(encoding="utf-8").strip() or None
    return None


def _write_mark(part: Path, mark: str | None) -> None:
    with writing_errors(part):
        if mark is None:
            _mark_of(part).unlink(missing_ok=True)
        else:
            _mark_of(part).write_text(mark, encoding="utf-8")


def _recorded(manifest: Mapping[str, object], name: str) -> str | None:
    entry = manifest.get(name)
    digest = cast("Mapping[str, object]", entry).get("sha256") if isinstance(entry, dict) else None
    return digest if isinstance(digest, str) else None


def _read_manifest(folder: Path) -> dict[str, object]:
    path = folder / MANIFEST
    if not path.exists():
        return {}
    try:
        record = parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path} cannot be read: {error}.", hint="Remove it; digests are recorded anew."
        ) from error
    return cast("dict[str, object]", record) if isinstance(record, dict) else {}


def _write_manifest(folder: Path, manifest: Mapping[str, object]) -> None:
    path = folder / MANIFEST
    text = json.dumps(manifest, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    with AtomicFile(path) as file, writing_errors(path):
        file.data.write(text.encode())


def _silent(_name: str, _size: int, _total: int | None) -> None:
    """Say nothing."""
