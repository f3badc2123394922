"""Downloads from a server on this machine: ranges, broken connections, damage, redirects, proxies."""

import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gameproof.aio.fetching import get
from gameproof.datasets.download import MANIFEST, download
from gameproof.datasets.loaders.base import Download
from gameproof.errors import InputError, PlanError

CONTENT = bytes(range(256)) * 4096  # 1 MiB
DIGEST = hashlib.sha256(CONTENT).hexdigest()


@dataclass
class Server:
    """What the server on this machine has, does, and was asked."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    breaks_after: dict[str, list[int]] = field(
        default_factory=dict[str, list[int]]
    )  # bytes of each next reply
    status: dict[str, int] = field(default_factory=dict[str, int])
    leads_to: dict[str, str] = field(default_factory=dict[str, str])
    pages: set[str] = field(default_factory=set[str])
    tags: bool = True
    ranges: list[str | None] = field(default_factory=list[str | None])


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            name = self.path.removeprefix("/")
            server.ranges.append(self.headers.get("Range"))
            if name in server.leads_to:
                self.send_response(302)
                self.send_header("Location", server.leads_to[name])
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            if name in server.status or name not in server.files:
                self.send_error(server.status.get(name, 404))
                return
            self._send(name, server.files[name])

        def _send(self, name: str, content: bytes) -> None:
            tag = f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}"'
            start, asked = 0, self.headers.get("Range")
            if asked and self.headers.get("If-Range") == tag:
                start = int(asked.removeprefix("bytes=").split("-")[0])
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            if server.tags:
                self.send_header("ETag", tag)
            self.send_header("Content-Type", "text/html" if name in server.pages else "application/json")
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            breaks = server.breaks_after.get(name)
            self.wfile.write(content[start : start + breaks.pop(0)] if breaks else content[start:])
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            pass

    return Handler


@pytest.fixture
def server() -> Iterator[Server]:
    told = Server(files={"data.json": CONTENT})
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(told))
    told.address = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    yield told
    http.shutdown()
    http.server_close()
    thread.join()


def _file(server: Server, name: str = "data.json", sha256: str | None = None) -> Download:
    return Download(url=f"{server.address}/{name}", name=name, sha256=sha256)


def test_a_digest_that_is_not_known_is_recorded_and_compared_from_then_on(
    server: Server, tmp_path: Path
) -> None:
    (first,) = download([_file(server)], tmp_path)
    assert (first.state, first.sha256, first.n_bytes) == ("downloaded", DIGEST, len(CONTENT))
    assert "no digest known" in first.checked
    assert json.loads((tmp_path / MANIFEST).read_text())["data.json"]["sha256"] == DIGEST
    (again,) = download([_file(server)], tmp_path)
    assert (again.state, len(server.ranges)) == ("was here", 1)
    assert {path.name for path in tmp_path.iterdir()} == {"data.json", MANIFEST}


def test_a_connection_that_breaks_is_taken_up_where_it_ended(server: Server, tmp_path: Path) -> None:
    server.breaks_after["data.json"] = [300_000, 500_000]
    (found,) = download([_file(server, sha256=DIGEST)], tmp_path, pause_s=0)
    assert found.path.read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=300000-", "bytes=800000-"]


def test_a_download_that_gave_up_goes_on_in_the_next_run(server: Server, tmp_path: Path) -> None:
    server.breaks_after["data.json"] = [200_000, 1, 1, 1]
    with pytest.raises(InputError, match="ended after 200,003 of 1,048,576 bytes") as caught:
        download([_file(server)], tmp_path, pause_s=0)
    assert "200,003 bytes are kept" in str(caught.value.hint)
    assert not (tmp_path / "data.json").exists()
    (found,) = download([_file(server)], tmp_path, pause_s=0)
    assert found.path.read_bytes() == CONTENT
    assert server.ranges[-1] == "bytes=200003-"


def test_a_file_that_changed_meanwhile_is_begun_anew(server: Server, tmp_path: Path) -> None:
    server.breaks_after["data.json"] = [200_000, 1, 1, 1]
    with pytest.raises(InputError):
        download([_file(server)], tmp_path, pause_s=0)
    server.files["data.json"] = CONTENT[::-1]
    (found,) = download([_file(server)], tmp_path, pause_s=0)
    assert found.path.read_bytes() == CONTENT[::-1]


def test_without_a_mark_of_its_version_a_part_is_begun_anew(server: Server, tmp_path: Path) -> None:
    server.tags = False
    server.breaks_after["data.json"] = [200_000]
    (found,) = download([_file(server)], tmp_path, pause_s=0)
    assert found.path.read_bytes() == CONTENT
    assert server.ranges == [None, None]


def test_a_damaged_file_is_refused_and_not_kept(server: Server, tmp_path: Path) -> None:
    server.files["data.json"] = b"x" + CONTENT[1:]
    with pytest.raises(
        InputError, match=f"is not the file that was expected: its SHA-256 is .*, expected {DIGEST}"
    ):
        download([_file(server, sha256=DIGEST)], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_changed_here_is_told_and_replaced_only_by_force(
    server: Server, tmp_path: Path
) -> None:
    download([_file(server)], tmp_path)
    (tmp_path / "data.json").write_bytes(b"mine")
    with pytest.raises(InputError, match="is there, but is not the file that was downloaded") as caught:
        download([_file(server)], tmp_path)
    assert "--force" in str(caught.value.hint)
    (found,) = download([_file(server)], tmp_path, force=True)
    assert found.path.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("status", "said"), [(404, "there is no such file any more"), (403, "refused"), (401, "login")]
)
def test_what_cannot_be_had_says_why(server: Server, tmp_path: Path, status: int, said: str) -> None:
    server.status["data.json"] = status
    with pytest.raises(
        InputError, match=f"{server.address}/data.json cannot be had: .*{said}.*HTTP {status}"
    ):
        download([_file(server)], tmp_path, pause_s=0)
    assert len(server.ranges) == 1  # asking again would not help


def test_a_server_in_trouble_is_asked_again(server: Server, tmp_path: Path) -> None:
    server.status["data.json"] = 503
    with pytest.raises(InputError, match="the server answers 503"):
        download([_file(server)], tmp_path, pause_s=0)
    assert len(server.ranges) == 4


def test_redirects_are_followed_and_named_where_they_end_badly(server: Server, tmp_path: Path) -> None:
    server.leads_to = {"old.json": "/data.json", "gone.json": "/nowhere.json"}
    (found,) = download([_file(server, "old.json")], tmp_path)
    assert found.path.read_bytes() == CONTENT
    with pytest.raises(InputError, match=f"where it leads to {server.address}/nowhere.json"):
        download([_file(server, "gone.json")], tmp_path)


def test_a_web_page_is_not_taken_for_the_file(server: Server, tmp_path: Path) -> None:
    server.pages.add("data.json")
    with pytest.raises(InputError, match="answers with a web page"):
        download([_file(server)], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_proxy_is_named_without_its_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://me:secret@127.0.0.1:9")  # nobody listens on the discard port
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(InputError) as caught:
        download([Download(url="http://data.example/x.json", name="x.json")], tmp_path, pause_s=0)
    assert "through the proxy http://127.0.0.1:9 (HTTP_PROXY)" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_only_web_addresses_are_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a web address"):
        download([Download(url="file:///etc/hostname", name="x")], tmp_path)


def test_a_folder_that_cannot_be_written_is_told(server: Server, tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("a file")
    with pytest.raises(Exception, match="a part of the path is a file"):
        download([_file(server)], tmp_path / "folder")


def test_a_data_set_is_had_from_a_mirror_and_read_by_its_loader(server: Server, tmp_path: Path) -> None:
    from gameproof import _bridge  # noqa: PLC0415 - only here
    from gameproof.datasets.opening import DataOptions, open_dataset  # noqa: PLC0415

    public = Path(__file__).resolve().parents[2] / "data" / "public"
    for name in (
        "Natural",
        "Adversarial/Neighbor",
        "Adversarial/GPTInst",
        "Adversarial/GPTOut",
        "Adversarial/Manual",
    ):
        content = (public / "llmbar" / "Natural" / "dataset.json").read_bytes()
        server.files[f"{name}/dataset.json"] = content
    found = _bridge.run(get("llmbar", out=tmp_path / "llmbar", mirror=server.address))
    assert len(found) == 5
    assert len(open_dataset(f"llmbar:{tmp_path / 'llmbar'}", DataOptions()).items) == 10


def test_a_private_set_says_whom_to_ask() -> None:
    from gameproof import _bridge  # noqa: PLC0415 - only here

    with pytest.raises(PlanError) as caught:
        _bridge.run(get("peer_grading_wh"))
    assert "ask the authors of Wu and Hartline (2024)" in str(caught.value.hint)
    with pytest.raises(PlanError, match="'sumeval' is unknown"):
        _bridge.run(get("sumeval"))
