"""A released prompt never changes: another wording is another version."""

import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROMPTS = ROOT / "src" / "gameproof" / "prompts"
LOCK = Path(__file__).with_name("prompts.lock")


def test_every_prompt_is_as_its_lock_says():
    # To lock a new file, add its line: `sha256sum <role>/<name>.v<N>.md`, sorted by path.
    found = {
        path.relative_to(PROMPTS).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in PROMPTS.rglob("*.md")
    }
    locked = dict(reversed(line.split()) for line in LOCK.read_text(encoding="utf-8").splitlines())
    assert found == locked
