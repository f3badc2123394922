"""Run the examples of docs/howto/in-other-tools.md that need a host: python -m tests.hosts.inside.page DeepEval."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "howto" / "in-other-tools.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"# (\w+\.(?:py|jsonl))\n")
NOT_RUN = "# not run here"


def sections():
    """Return title -> text; what stands before the first title is the pool's."""
    parts = re.split(r"^## (.+)$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def main(title):
    """Write the files of the page, and run the blocks of one section in their order."""
    found = sections()
    folder = Path(tempfile.mkdtemp())
    (folder / "examples").symlink_to(ROOT / "examples")
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    names = {}
    for language, code in [*BLOCK.findall(found["The pool"]), *BLOCK.findall(found[title])]:
        file = FILE.match(code)
        if file:
            text = code[file.end() :] if language == "jsonl" else code
            (folder / file[1]).write_text(text, encoding="utf-8")
        elif language == "python":
            print(f">>> {code.splitlines()[-1]}")
            exec(compile(code, str(PAGE), "exec"), names)  # noqa: S102 - our own page
        elif language == "sh":
            for line in code.splitlines():
                if NOT_RUN not in line:
                    done = subprocess.run(
                        ["/bin/sh", "-c", line], check=False, capture_output=True, text=True
                    )
                    print(f"$ {line}\n{done.stdout[-1800:]}\nexit code {done.returncode}")
                    if done.returncode:
                        print(done.stderr[-800:])


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in sections():
        sys.exit(f"usage: python -m tests.hosts.inside.page TITLE, TITLE one of {', '.join(sections())}")
    main(sys.argv[1])
