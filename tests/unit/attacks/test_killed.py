"""An attack that is killed goes on where it was, and ends as if nothing had happened."""

import signal
import subprocess
import sys

PROGRAM = """
import asyncio, os, signal, sys
import gameproof
from gameproof.metrics.base import as_metric
from gameproof.text import words

folder, strategy, left = sys.argv[1], sys.argv[2], int(sys.argv[3])
asked = 0

def length(item):
    global asked, left
    asked += 1
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return float(len(words(item.candidate)))

def capitals(item):
    length(item)
    return float(sum(letter.isupper() for letter in item.candidate))

metrics = [as_metric(length, name="words", version="1"), as_metric(capitals, name="capitals", version="1")]
gameproof.attack(
    "planted,tasks=2,systems=1", metrics, quality="length,unit=sentences", strategy=strategy, budget=20,
    universal_budget=0, out=folder,
)
print(asked)
"""


def _run(folder, strategy, left=0):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), strategy, str(left)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_killed_in_the_middle_it_ends_as_an_attack_that_was_not(tmp_path):
    strategy = "bandit"  # texts share what was learned of moves, and that must survive as well
    whole = _run(tmp_path / "whole", strategy)
    assert whole.returncode == 0, whole.stderr
    n_asked = int(whole.stdout)
    # Once in the first metric's search, once in the second's, always inside a round.
    for share in (0.25, 0.7):
        killed = _run(tmp_path / "killed", strategy, int(share * n_asked))
        assert killed.returncode == -signal.SIGKILL
    resumed = _run(tmp_path / "killed", strategy)
    assert resumed.returncode == 0, resumed.stderr
    for name in ("attack.json", "attack.md", "attack.html"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    # What the rounds before the stop scored is not scored again: neither search was started anew.
    assert int(resumed.stdout) < n_asked - 6 * 20
