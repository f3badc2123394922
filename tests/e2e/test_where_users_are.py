"""Public cases 59 and 63: a notebook, a server on uvloop, pytest-asyncio, and beside other people's packages."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROWS = [{"task_id": f"t{n}", "candidate": f"Rain {n} fell.", "references": [f"Rain {n}."]} for n in range(4)]
PIP = ["-m", "pip", "--disable-pip-version-check", "--quiet"]
GUESTS = [
    "ipykernel",
    "nbclient",
    "nbformat",
    "uvloop",
    "uvicorn",
    "starlette",
    "httpx",
    "pytest",
    "pytest-asyncio",
]
EXPECTED = [0.8] * 4  # F1 of two words of three and both words of the reference: 2 * (2/3) / (2/3 + 1)


@pytest.fixture(scope="module")
def python(tmp_path_factory) -> str:
    """Return the interpreter of an environment that has gameproof and what its users run it in."""
    folder = tmp_path_factory.mktemp("guests")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    command = [str(folder / "bin" / "python"), *PIP, "install", *GUESTS, str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return command[0]


def output(python: str, code: str, cwd: Path) -> str:
    path = cwd / "script.py"
    path.write_text(code)
    done = subprocess.run([python, str(path)], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()[-1]


def test_case_59_in_a_notebook(python: str, tmp_path: Path) -> None:
    code = f"""
import json, nbformat, nbclient
cells = ["import gameproof, json", "print(json.dumps(gameproof.score({ROWS!r}, 'rougeL').scores[0].values.tolist()))",
         "print(json.dumps((await gameproof.aio.score({ROWS!r}, 'rougeL')).scores[0].values.tolist()))"]
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
book.cells[0].source += "\\nimport gameproof.aio"
nbclient.NotebookClient(book, kernel_name="python3", timeout=120).execute()
print(json.dumps([json.loads(cell.outputs[0].text) for cell in book.cells[1:]]))
"""
    subprocess.run([python, "-m", "ipykernel", "install", "--sys-prefix"], check=True, capture_output=True)
    for scores in json.loads(output(python, code, tmp_path)):
        assert scores == pytest.approx(EXPECTED)


def test_case_59_in_a_server_on_uvloop(python: str, tmp_path: Path) -> None:
    code = f"""
import json, threading, time, httpx, uvicorn, uvloop, asyncio, gameproof
from gameproof import aio
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

async def score(request):
    loop = type(asyncio.get_running_loop()).__module__
    here = gameproof.score({ROWS!r}, "rougeL").scores[0].values.tolist()
    awaited = (await aio.score({ROWS!r}, "rougeL")).scores[0].values.tolist()
    return JSONResponse([loop, here, awaited])

server = uvicorn.Server(uvicorn.Config(Starlette(routes=[Route("/", score)]), port=0, loop="uvloop", log_level="error"))
threading.Thread(target=server.run, daemon=True).start()
while not server.started:
    time.sleep(0.01)
port = server.servers[0].sockets[0].getsockname()[1]
print(json.dumps([httpx.get(f"http://127.0.0.1:{{port}}/", timeout=60).json() for _ in range(2)]))
"""
    for loop, here, awaited in json.loads(output(python, code, tmp_path)):
        assert loop.startswith("uvloop")
        assert here == pytest.approx(EXPECTED)
        assert awaited == pytest.approx(EXPECTED)


def test_case_59_in_pytest_asyncio(python: str, tmp_path: Path) -> None:
    (tmp_path / "test_scores.py").write_text(
        f"""
import gameproof, pytest
from gameproof import aio

@pytest.mark.asyncio
async def test_scores():
    here = gameproof.score({ROWS!r}, "rougeL").scores[0].values.tolist()
    assert here == (await aio.score({ROWS!r}, "rougeL")).scores[0].values.tolist() == pytest.approx({EXPECTED!r})
"""
    )
    scope = ["-o", "asyncio_default_fixture_loop_scope=function"]  # unset, the plugin itself warns
    command = [
        python,
        "-m",
        "pytest",
        "-q",
        "-W",
        "error",
        "-p",
        "no:cacheprovider",
        *scope,
        "test_scores.py",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_case_63_pip_finds_versions_beside_other_packages(python: str, tmp_path: Path) -> None:
    others = ["opentelemetry-api==1.40.*", "opentelemetry-sdk==1.40.*", "protobuf>=6,<7", "langchain"]
    report = tmp_path / "report.json"
    command = [
        python,
        *PIP,
        "install",
        "--dry-run",
        "--ignore-installed",
        "--report",
        str(report),
        *others,
        str(ROOT),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    chosen = {entry["metadata"]["name"].lower() for entry in json.loads(report.read_text())["install"]}
    assert {"gameproof", "protobuf", "langchain", "opentelemetry-api"} <= chosen
    assert "torch" not in chosen  # public case 64
