"""Run the command line where things are not as they should be."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["IN_ONE_PROCESS", "gameproof", "several"]

CLEAN = {
    key: value
    for key, value in os.environ.items()
    if not key.startswith(("LC_", "LANG", "PYTHONUTF8", "PYTHONIO"))
}


def gameproof(
    *command: str, cwd: Path, before: str = "", then: str = "", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own.

    Args:
        command: What stands after ``gameproof``.
        cwd: Where.
        before: Python that makes things as they should not be.
        then: What stands after the command in a shell, as ``| head -1``.
        environment: More variables.
    """
    code = f"{before}\nimport sys\nfrom gameproof.cli.app import main\nmain()"
    arguments: Sequence[str] | str = [sys.executable, "-c", code, *command]
    if then:
        arguments = ["bash", "-c", f'"$0" "$@" {then}', *arguments]
    return subprocess.run(
        arguments,
        cwd=cwd,
        capture_output=True,
        check=False,
        timeout=600,
        env={**CLEAN, "NO_COLOR": "1", **environment},
    )


# Runs several commands, each [what to do before, the command], and prints what came of each: a process takes its time to start.
IN_ONE_PROCESS = """
import contextlib, io, json, sys
from gameproof.cli.app import main
done = []
for before, command in json.loads(sys.argv[1]):
    exec(before, globals())
    sys.argv[1:] = command
    out, talk, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(talk):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    done.append([code, out.getvalue(), talk.getvalue()])
print("DONE" + json.dumps(done))
"""


def several(
    *steps: tuple[str, Sequence[str]],
    cwd: Path,
    setup: str = "",
    inside: Sequence[str] = (),
    **environment: str,
) -> list[tuple[int, str, str]]:
    """Run several commands in one process; return the exit code, the output and the talk of each.

    Args:
        steps: Python to run before, and the command.
        cwd: Where.
        setup: Python to run before all.
        inside: A command that runs the one that follows it.
        environment: More variables.
    """
    done = subprocess.run(
        [*inside, sys.executable, "-c", setup + IN_ONE_PROCESS, json.dumps(steps)],
        cwd=cwd, capture_output=True, text=True, check=False, timeout=900, env={**CLEAN, "NO_COLOR": "1", **environment},
    )  # fmt: skip
    assert "DONE" in done.stdout, done.stderr
    return [tuple(each) for each in json.loads(done.stdout.rpartition("DONE")[2])]
