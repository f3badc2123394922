"""`gameproof check --gate`: one metric alone decides the exit code, as it did in the audit."""

from typer.testing import CliRunner

from gameproof.cli.app import app


def run(*args):
    return CliRunner().invoke(app, list(map(str, args)))


def test_the_gate_of_an_audit_can_be_named_again(tmp_path):
    folder = tmp_path / "run"
    checks = ("--perturbation", "null_answer", "--perturbation", "repeat_text")
    audited = ("audit", "planted,tasks=3", "-m", "length", "-m", "rougeL", *checks, "-o", folder, "--quiet")
    assert run(*audited, "--gate", "rougeL").exit_code == 4  # nine tasks: nothing is shown of rougeL
    assert run("check", folder, "--gate", "rougeL", "--quiet").exit_code == 4
    assert run("check", folder, "--quiet").exit_code == 3  # length is gamed, and decides with the others
    refused = run("check", folder, "--gate", "bleu")
    assert refused.exit_code == 2
    assert "not one of the metrics of this run: length, rougeL" in " ".join(refused.stderr.split())
