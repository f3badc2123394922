"""Ctrl-C at each stage of an audit: clear words, the shells' exit code, and nothing lost when it is run again."""

import json

from tests.support.hostile import several

METRICS = ("-m", "length", "-m", "rougeL", "-m", "TV+fvar+statement+overlap,neg=1")
CHECKS = ("--perturbation", "sentence_deletion", "--perturbation", "repeat_text")
COMMAND = ("audit", "planted,tasks=2", *METRICS, *CHECKS, "--quiet")
STOPPED = 130  # 128 + SIGINT

# Lets a function of the audit be interrupted by the signal itself when it is called, and restores it.
SETUP = """
import importlib, signal
real = {}
def interrupt(place):
    module, name = place.split(":")
    owner = importlib.import_module(module)
    real[place] = getattr(owner, name)
    def stopped(*args, **kwargs):
        signal.raise_signal(signal.SIGINT)
        return real[place](*args, **kwargs)
    setattr(owner, name, stopped)
def restore(place):
    module, name = place.split(":")
    setattr(importlib.import_module(module), name, real[place])
"""
STAGES = {
    "perturb": "gameproof.audits.run:make_all_variants",
    "perturb, its files written": "gameproof.audits.run:write_variants",
    "score": "gameproof.audits.run:score_table",
    "score, its files being written": "gameproof.engine.score_files:score_rows",
    "check": "gameproof.audits.run:check_metric",
    "report": "gameproof.aio.reporting:render_page",
}


def found(folder):
    """Return what an audit found, without where it is and the seconds it took."""
    result = json.loads((folder / "result.json").read_text("utf-8"))
    result["run"].pop("folder")
    for metric in result["metrics"]:
        metric["summary"].pop("seconds")
    return result


def stages(folder):
    return set(json.loads((folder / "manifest.json").read_text("utf-8"))["stages"])


def test_ctrl_c_at_any_stage_and_then_the_same_command_give_the_result_of_a_run_without_it(tmp_path):
    steps = [("", [*COMMAND, "-o", "whole"])]
    for number, place in enumerate(STAGES.values()):
        command = [*COMMAND, "-o", f"run{number}"]
        steps += [(f"interrupt({place!r})", command), (f"restore({place!r})", command)]
    whole, *stopped_and_resumed = several(*steps, cwd=tmp_path, setup=SETUP)

    assert whole[0] in {0, 3, 4}
    for number, stage in enumerate(STAGES):
        stopped, resumed = stopped_and_resumed[2 * number : 2 * number + 2]
        assert (stage, stopped[0]) == (stage, STOPPED)
        assert "Stopped." in stopped[2]
        assert "Traceback" not in stopped[2]
        assert (stage, resumed[0]) == (stage, whole[0])
        folder = tmp_path / f"run{number}"
        for name in ("items.jsonl", "variants.jsonl", "scores.jsonl"):
            before, after = ((place / name).read_bytes() for place in (tmp_path / "whole", folder))
            assert (stage, name, after == before) == (stage, name, True)
        assert found(folder) == found(tmp_path / "whole")
        assert (folder / "report.html").read_text("utf-8").rstrip().endswith("</html>")
        assert not list(folder.glob(".*.part"))
        assert stages(folder) == stages(tmp_path / "whole")
