"""The command ``attack``."""

import json

from typer.testing import CliRunner

from gameproof.cli.app import app


def run(*args):
    return CliRunner().invoke(app, list(args))


def test_an_attack_prints_what_it_showed_and_writes_everything(tmp_path):
    done = run(
        "attack", "planted,tasks=7", "-m", "length", "--budget", "4", "--universal", "0", "-o", str(tmp_path)
    )
    assert done.exit_code == 3, done.stderr
    assert "Gamed: with 4 scored proposals a text" in done.stdout
    record = json.loads((tmp_path / "attack.json").read_text(encoding="utf-8"))
    assert record["schema"] == "gameproof.attack/1"
    assert record["metrics"][0]["quality"] == "planted-reader"
    assert record["metrics"][0]["verdict"] == "gamed"
    page = (tmp_path / "attack.html").read_text(encoding="utf-8")
    assert "<mark>" in page
    assert "# Attacks" in (tmp_path / "attack.md").read_text(encoding="utf-8")


def test_an_attack_on_other_data_is_not_replaced(tmp_path):
    short = ("-m", "length", "--budget", "1", "--universal", "0", "-o", str(tmp_path), "--quiet")
    assert run("attack", "planted,tasks=2,systems=1", *short).exit_code in {3, 4}
    before = (tmp_path / "attack.json").read_bytes()

    done = run("attack", "planted,tasks=3,systems=1", *short)

    assert done.exit_code == 2
    said = " ".join(done.stderr.split())
    assert "holds an attack on planted,systems=1,tasks=2, and planted,systems=1,tasks=3 is other data" in said
    assert "another folder with -o" in said
    assert (tmp_path / "attack.json").read_bytes() == before


def test_a_dry_run_counts_and_scores_nothing():
    done = run(
        "attack",
        "planted,tasks=2",
        "-m",
        "length",
        "--budget",
        "4",
        "--universal",
        "100",
        "--dry-run",
        "--json",
    )
    assert done.exit_code == 0, done.stderr
    rows = json.loads(done.stdout)
    # 2 tasks of 3 domains with 4 systems: 24 texts; each is scored once and in 4 proposals, and 100 scores learn
    assert rows[0]["search"] == 24 * 5 + 100


def test_hostile_texts_are_shown_and_not_run(tmp_path):
    rows = [
        {
            "task_id": f"t{task}",
            "system": system,
            "candidate": f"<script>alert({task})</script> said {system} {'twice ' * task}\u202e.",
            "references": ["a reference"],
        }
        for task in range(4)
        for system in ("a", "b")
    ]
    data = tmp_path / "items.jsonl"
    data.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    done = run(
        "attack", str(data), "-m", "length", "--budget", "4", "--universal", "0", "-o", str(tmp_path / "run")
    )
    assert done.exit_code in {3, 4}, done.stderr
    page = (tmp_path / "run" / "attack.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "\u202e" not in page


def test_bad_wishes_are_one_clear_error():
    assert "no metric is named" in run("attack", "planted,tasks=2").stderr
    assert (
        "allowed: best_of_n, greedy"
        in run("attack", "planted,tasks=2", "-m", "length", "--strategy", "x").stderr
    )
    unknown = run("attack", "planted,tasks=2", "-m", "length", "--move", "fly")
    assert unknown.exit_code == 2
    assert "fly unknown" in unknown.stderr


def test_a_dry_run_counts_a_metric_that_is_named_twice_twice_as_the_attack_does():
    done = run("attack", "planted,tasks=2", "-m", "rougeL", "-m", "rougeL", "--dry-run", "--json")
    assert done.exit_code == 0, done.stderr
    first, second = json.loads(done.stdout)
    assert first == second
