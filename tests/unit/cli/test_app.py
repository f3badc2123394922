import json
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.fake_results import fake_result
from typer.testing import CliRunner

from gameproof import __version__, aio
from gameproof.cli.app import app, main
from gameproof.cli.printing import print_rows
from gameproof.errors import DataError, GameproofError, RowProblem
from gameproof.reports.result_json import parse_result

COMMANDS = ("demo", "audit", "score", "perturb", "check", "report", "power", "list")
EXIT_OF = {"length": 3, "rougeL": 4, "TV+fvar+statement+overlap": 0}


def run(*args, **options):
    return CliRunner().invoke(app, list(args), catch_exceptions=True, **options)


def test_a_summary_makes_its_folder_and_one_that_cannot_be_made_is_no_bug(tmp_path):
    data = tmp_path / "items.jsonl"
    data.write_text('{"candidate": "one"}\n{"candidate": "two words"}\n', encoding="utf-8")
    summary = tmp_path / "new" / "summary.json"
    assert run("score", str(data), "-m", "length", "--summary", str(summary)).exit_code == 0
    assert json.loads(summary.read_text(encoding="utf-8"))["metrics"][0]["n"] == 2
    done = run("score", str(data), "-m", "length", "--summary", str(data / "summary.json"))
    assert done.exit_code == 2
    assert "a part of the path is a file" in done.stderr


def write_report(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.html").touch()


@pytest.fixture
def audited(monkeypatch, tmp_path):
    """Stand in for the audit: remembers what it was asked and returns the fake result."""
    calls = []

    async def audit(data, metrics, **options):
        calls.append({"data": data, "metrics": metrics, **options})
        write_report(Path(options["out"]))
        names = list(metrics)
        result = fake_result()
        return replace(
            result,
            run={**result.run, "gate": None if options.get("gate") == "all" else options.get("gate")},
            metrics=tuple(m for m in result.metrics if m.metric in names),
        )

    monkeypatch.setattr(aio, "audit", audit)
    monkeypatch.chdir(tmp_path)
    return calls


@pytest.mark.usefixtures("audited")
@pytest.mark.parametrize(("metric", "code"), EXIT_OF.items())
def test_the_exit_code_of_an_audit_is_its_verdict(metric, code):
    done = run("audit", "items.jsonl", "-m", metric)

    assert done.exit_code == code
    assert f"Exit code {code}" in done.stdout


@pytest.mark.usefixtures("audited")
def test_the_gate_alone_decides_where_it_names_a_metric():
    metrics = ["-m", "length", "-m", "TV+fvar+statement+overlap"]

    assert run("audit", "items.jsonl", *metrics).exit_code == 3
    assert run("audit", "items.jsonl", *metrics, "--gate").exit_code == 3
    assert run("audit", "items.jsonl", *metrics, "--gate", "TV+fvar+statement+overlap").exit_code == 0


def test_a_gate_that_is_not_audited_is_refused_before_the_data_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("audit", "items.jsonl", "-m", "length", "--gate", "bleu")

    assert (done.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert "--gate 'bleu' is not one of the audited metrics: length" in done.stderr


@pytest.mark.usefixtures("audited")
def test_data_that_the_gate_swallowed_is_explained():
    done = run("audit", "-m", "length", "--gate", "items.jsonl")

    assert done.exit_code == 2
    assert "DATA is missing" in done.stderr
    assert "--gate=METRIC" in done.stderr


@pytest.mark.usefixtures("audited")
def test_the_human_table_is_data_and_goes_to_standard_output():
    done = run("audit", "items.jsonl", "-m", "length", "--verbose")

    assert "✗ fail" in done.stdout
    assert "Report: gameproof-runs/items/report.html" in done.stdout
    assert done.stderr == ""


@pytest.mark.usefixtures("audited")
def test_json_is_all_there_is_on_standard_output():
    done = run("audit", "items.jsonl", "-m", "length", "--json")

    assert parse_result(json.loads(done.stdout)).metrics[0].metric == "length"
    assert "Exit code 3" in done.stderr


def test_options_reach_the_audit(audited):
    run(
        "audit", "items.csv", "-m", "rougeL", "--suite", "strategic", "--margin", ".5sent", "--map", "candidate=output",
        "--group-by", "topic", "--sample", "50", "--limit", "90", "--seed", "7", "--domain", "answers",
        "--variants", "v.jsonl", "--perturbation", "rephrase", "--perturbation", "tag_text", "-o", "run", "--force",
        "--skip", "flip_case", "--reference", "title", "--reference", "source",
    )  # fmt: skip

    call = audited[0]
    progress = call.pop("progress")
    assert hasattr(progress, "advance")
    assert call.pop("llm").usages() == ()
    assert call == {
        "data": "items.csv",
        "metrics": ("rougeL",),
        "out": "run",
        "suite": "strategic",
        "margin": ".5sent",
        "rename": {"candidate": "output"},
        "reference": ("title", "source"),
        "group_by": "topic",
        "sample": 50,
        "limit": 90,
        "seed": 7,
        "domain": "answers",
        "variants": "v.jsonl",
        "perturbations": ("rephrase", "tag_text"),
        "skip": ("flip_case",),
        "rewriter": None,
        "verify": "overlap",
        "engine": "local",
        "workers": None,
        "parts": None,
        "force": True,
        "overwrite": False,
        "gate": None,
    }


def test_a_plan_gives_the_options_and_the_command_line_wins(audited, tmp_path):
    (tmp_path / "audit.toml").write_text('data = "planted"\nmetrics = ["length"]\nseed = 3\nmargin = 0.2\n')

    done = run("audit", "--plan", "audit.toml", "--seed", "5")

    assert done.exit_code == 3
    assert (audited[0]["data"], audited[0]["seed"], audited[0]["margin"]) == ("planted", 5, "0.2")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["audit"], "DATA is missing"),
        (["audit", "a.jsonl"], "no metric is named"),
        (["audit", "a.jsonl", "-m", "rougeL", "--margin", "big"], "margin: found 'big'"),
        (["audit", "a.jsonl", "-m", "rougeL", "--map", "candidate"], "NEW=OLD"),
        (["audit", "--plan", "missing.toml"], "cannot be read"),
        (["score", "a.jsonl"], "no metric is named"),
        (["score", "a.jsonl", "-m", "rougeL", "--json", "-o", "b.jsonl"], "choose one"),
        (["power", "a.jsonl"], "no metric is named"),
        (["score", "missing.jsonl", "-m", "rougeL"], "missing.jsonl"),
        (["score", "missing.jsonl", "-m", "rogueL"], "did you mean rougeL"),
        (["perturb", "planted", "--perturbation", "deletion"], "perturbation 'deletion' is unknown"),
        (["check", "no-run"], "no-run"),
        (["report", "no-run"], "no-run"),
        (["data", "check", "missing.jsonl"], "missing.jsonl"),
        (["audit", "a.jsonl", "--sample", "0"], "--sample"),
        (["list", "colours"], "colours"),
        (["adit"], "adit"),
    ],
)
def test_a_users_mistake_is_exit_code_2_and_plain_words_on_standard_error(
    args, message, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)

    done = run(*args)

    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.output
    assert done.stdout == ""


def test_all_bad_rows_are_told_at_once(monkeypatch):
    problems = [
        RowProblem(where=f"a.jsonl:{n}", field="candidate", found="nothing", allowed="text")
        for n in range(12)
    ]

    async def audit(*_, **__):
        raise DataError(problems, hint="Mend the file.")

    monkeypatch.setattr(aio, "audit", audit)

    done = run("audit", "a.jsonl", "-m", "length")

    assert done.exit_code == 2
    assert "12 problems in the data" in done.stderr
    assert "and 2 more" in done.stderr
    assert "Mend the file." in done.stderr


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (GameproofError("broken"), 1)])
def test_other_ends_have_their_own_exit_codes(monkeypatch, error, code):
    async def audit(*_, **__):
        raise error

    monkeypatch.setattr(aio, "audit", audit)

    done = run("audit", "a.jsonl", "-m", "length")

    assert done.exit_code == code
    assert "Traceback" not in done.output


@pytest.mark.parametrize("debug", ["", "1"])
def test_a_bug_is_one_line_and_a_traceback_only_on_demand(monkeypatch, capsys, debug):
    async def audit(*_, **__):
        raise ZeroDivisionError("by\x1bzero")

    monkeypatch.setattr(aio, "audit", audit)
    monkeypatch.setattr(sys, "argv", ["gameproof", "audit", "a.jsonl", "-m", "length"])
    monkeypatch.setenv("GAMEPROOF_DEBUG", debug)

    with pytest.raises(SystemExit) as caught:
        main()

    error = capsys.readouterr().err
    assert caught.value.code == 1
    assert "met a bug: ZeroDivisionError: by<U+001B>zero" in error
    assert ("Traceback" in error) == bool(debug)


def test_the_demo_explains_itself_and_ends_well(audited):
    done = run("demo")

    assert done.exit_code == 0
    assert "planted" in done.stderr
    assert "Exit code 3" in done.stdout  # what an audit would have returned
    assert "ends with exit code 0" in done.stderr
    assert audited[0]["data"].name == "planted"
    assert len(audited[0]["metrics"]) == 5


def test_the_version_is_printed():
    assert run("--version").stdout == f"{__version__}\n"


@pytest.mark.parametrize("kind", ["metrics", "perturbations", "divergences", "cells"])
def test_a_catalogue_is_shown_as_a_table_and_as_json(kind):
    table, rows = run("list", kind), run("list", kind, "--json")

    names = [next(iter(row.values())) for row in json.loads(rows.stdout)]
    assert table.exit_code == rows.exit_code == 0
    assert all(name in table.stdout for name in names)


def test_large_numbers_are_grouped_for_people(capsys):
    print_rows([{"calls": 1360013, "mean": 0.25}], ("calls", "mean"))

    assert "1,360,013" in capsys.readouterr().out


def test_every_metric_is_listed_with_needs_cost_and_source_in_80_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("list", "metrics").stdout.splitlines()

    assert max(map(len, lines)) <= 80
    place = lines.index("bertscore")
    assert lines[place + 3] == (
        "    needs references · a model on this machine: pip install gameproof[local]"
    )
    assert lines[place + 6].startswith("    T. Zhang et al.")
    assert "    needs llm, persona, query, source · asks a language model" in lines


def test_no_option_of_a_catalogue_is_cut_off():
    assert "\u2026" not in run("list", "metrics").stdout


def test_embedded_data_sets_are_listed():
    assert "planted" in run("data", "list").stdout
    assert json.loads(run("data", "list", "--json").stdout)[0]["name"] == "planted"


@pytest.mark.parametrize("listing", ["list cells --json", "list cells", "list perturbations"])
def test_output_that_nobody_reads_is_no_error(listing):
    command = f"{sys.executable} -m gameproof {listing}; echo $? >&2"

    done = subprocess.run(
        ["/bin/sh", "-c", f"({command}) | head -c 1 >/dev/null"], capture_output=True, text=True, check=True
    )

    assert done.stderr.split()[-1] in {"141", "0"}


def test_help_loads_neither_numbers_nor_models():
    code = (
        "import sys\nfrom gameproof.cli.app import app\n"
        "try:\n    app(['audit', '--help'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    for heavy in ("numpy", "scipy", "jinja2", "sacrebleu", "rapidfuzz", "torch"):
        assert f"'{heavy}'" not in done.stderr


@pytest.mark.parametrize(
    "command", [(), *((name,) for name in COMMANDS), ("data",), ("data", "check"), ("data", "list")]
)
def test_every_command_has_help(command):
    done = run(*command, "--help")

    assert done.exit_code == 0
    assert "Usage:" in done.stdout


def test_the_command_is_installed_under_its_name():
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))

    assert project["project"]["scripts"] == {"gameproof": "gameproof.cli.app:main"}


def test_a_dry_run_gives_the_reason_that_the_audit_gives(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"candidate": "It rained. It snowed.", "domain": "summaries"}\n', encoding="utf-8")

    done = run("audit", str(path), "-m", "length", "--dry-run", "--json")
    notes = {row["perturbation"]: row["note"] for row in json.loads(done.stdout)["checks"]}

    assert notes["opinion_flip"] == "only for reviews"
    assert notes["copied_source"] == "no text has a source"
    assert notes["rephrase"] == "needs a language model"
    assert "no model calls, unless" in run("audit", str(path), "-m", "length", "--dry-run").stdout
