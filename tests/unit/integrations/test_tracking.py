"""Audits logged to MLflow and Weights & Biases, by modules that keep what they are given."""

import sys
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

import gameproof
from gameproof.errors import InputError, SpecError
from gameproof.integrations.tracking import log_to_mlflow, log_to_wandb, numbers_of, words_of

CHECKS = ["repeat_text", "sentence_deletion"]
METRICS = ["length", "TV+fvar+statement+overlap"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Audit once, and return the result with its folder."""
    out = tmp_path_factory.mktemp("run") / "a"
    return gameproof.audit("planted,tasks=1", METRICS, perturbations=CHECKS, out=out)


class MLflow:
    """Keeps what is logged, as names of MLflow's functions have it."""

    def __init__(self):
        self.logged = {"artifacts": []}
        self.active = None
        self.log_params = lambda entries: self.logged.update(params=entries)
        self.log_metrics = lambda entries: self.logged.update(metrics=entries)
        self.set_tags = lambda entries: self.logged.update(tags=entries)
        self.log_artifact = lambda file, **_: self.logged["artifacts"].append(file)
        self.set_tracking_uri = lambda uri: self.logged.update(uri=uri)
        self.set_experiment = lambda name: self.logged.update(experiment=name)
        self.active_run = lambda: self.active

    @contextmanager
    def start_run(self, run_name):
        self.logged["run_name"] = run_name
        yield


@pytest.fixture
def mlflow(monkeypatch):
    module = MLflow()
    monkeypatch.setitem(sys.modules, "mlflow", module)
    return module


def test_numbers_have_no_entry_where_there_is_none(run):
    numbers = numbers_of(run)
    (check,) = [row for row in run.metrics[0].checks if row.check == "repeat_text"]
    assert numbers["length/effect/repeat_text"] == check.effect
    assert numbers["length/calls"] == 0.0
    unmeasured = [name for name in numbers if "rephrase" in name]
    assert unmeasured == []
    assert all(value == value for value in numbers.values())  # noqa: PLR0124 - no NaN
    assert words_of(run)["length/trusted"] == run.metrics[0].card.trusted.value


def test_mlflow_gets_names_it_takes_and_the_files_of_the_run(run, mlflow):
    log_to_mlflow(tracking_uri="file:x", experiment="e", run_name="r")(run)
    logged = mlflow.logged
    assert (logged["uri"], logged["experiment"], logged["run_name"]) == ("file:x", "e", "r")
    assert "TV_fvar_statement_overlap/rho" in logged["metrics"]
    assert len(logged["metrics"]) == len(numbers_of(run))
    assert logged["tags"]["length/signature"] == run.metrics[0].signature
    assert logged["params"]["gameproof.n_items"] == "12"
    assert [file.rpartition("/")[2] for file in logged["artifacts"]] == ["report.html", "result.json"]


def test_mlflow_logs_into_the_run_that_is_active(run, mlflow):
    mlflow.active = object()
    log_to_mlflow(run_name="unused")(run)
    assert "run_name" not in mlflow.logged


def test_mlflow_names_that_would_meet_are_refused(mlflow):
    result = gameproof.audit(
        "planted,tasks=1",
        [
            gameproof.as_metric(lambda item: len(item.candidate), name=name, version="1")
            for name in ("a+b", "a=b")
        ],
        perturbations=CHECKS,
    )
    with pytest.raises(SpecError, match="two metrics would be called a_b"):
        log_to_mlflow()(result)
    assert mlflow.logged["artifacts"] == []


class Run:
    """Keeps what is logged, as a run of W&B does."""

    def __init__(self):
        self.config, self.summary, self.logged, self.finished = {}, {}, {}, False
        self.log = self.logged.update

    def finish(self):
        self.finished = True


@pytest.fixture
def wandb(monkeypatch):
    own = Run()
    module = SimpleNamespace(
        run=None,
        own=own,
        init=lambda **options: vars(own).update(options=options) or own,
        Table=lambda columns, data: [dict(zip(columns, row, strict=True)) for row in data],
        Html=lambda text, **_: text,
    )
    monkeypatch.setitem(sys.modules, "wandb", module)
    return module


def test_wandb_gets_summary_table_and_report(run, wandb):
    log_to_wandb(project="p", name="n", mode="offline")(run)
    own = wandb.own
    assert own.options == {"project": "p", "name": "n", "mode": "offline"}
    assert own.finished
    assert own.summary == {**numbers_of(run), **words_of(run)}
    assert own.config["gameproof"]["signatures"]["length"] == run.metrics[0].signature
    table = own.logged["gameproof/checks"]
    assert {(row["metric"], row["check"]) for row in table} == {
        (metric, check) for metric in METRICS for check in CHECKS
    }
    assert "</html>" in own.logged["gameproof/report"]


def test_wandb_leaves_the_active_run_open(run, wandb):
    wandb.run = Run()
    log_to_wandb()(run)
    assert wandb.run.summary
    assert not wandb.run.finished
    assert not wandb.own.summary


def test_the_audit_calls_back_when_all_is_written(tmp_path):
    seen = []

    def on_result(result):
        seen.append((result, (tmp_path / "run" / "result.json").exists()))

    result = gameproof.audit(
        "planted,tasks=1", "length", perturbations=CHECKS, out=tmp_path / "run", on_result=on_result
    )
    assert seen == [(result, True)]


@pytest.mark.parametrize(("make", "package"), [(log_to_mlflow, "mlflow"), (log_to_wandb, "wandb")])
def test_what_is_not_installed_is_named_before_the_audit(make, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=f"pip install {package}"):
        make()
