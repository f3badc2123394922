"""Scores of own functions after a run that was stopped: kept where a version says what they are, else made again."""

import pytest

import gameproof
from gameproof.engine import kept_batches
from gameproof.metrics.base import as_metric

DATA = "planted,tasks=4"  # 48 texts
CHECKS = ["repeat_text", "null_answer"]


class Slow:
    """Scores slowly enough to be worth keeping, and is stopped at a text."""

    def __init__(self, stop_at=None):
        self.n, self.stop_at = 0, stop_at

    def __call__(self, item):
        self.n += 1
        if self.n == self.stop_at:
            raise KeyboardInterrupt
        return float(len(item.candidate))


@pytest.fixture(autouse=True)
def all_batches_are_slow(monkeypatch):
    monkeypatch.setattr(kept_batches, "SLOW_S", 0.0)


def audit(function, folder, version, **options):
    metric = as_metric(function, name="slow", version=version)
    return gameproof.audit(DATA, [metric, "length"], perturbations=CHECKS, out=folder, **options)


def effects(result):
    return [(row.check, row.effect, row.n) for metric in result.metrics for row in metric.checks]


def whole_run(tmp_path, version="1"):
    function = Slow()
    return audit(function, tmp_path / "whole", version), function.n


def test_a_function_with_a_version_goes_on_where_it_was_stopped(tmp_path):
    whole, n_whole = whole_run(tmp_path)
    stopped = Slow(stop_at=80)
    with pytest.raises(KeyboardInterrupt):
        audit(stopped, tmp_path / "run", "1")
    resumed = Slow()
    result = audit(resumed, tmp_path / "run", "1")

    # 48 originals are batches of 32 and 16, then comes one of 32: 79 texts were scored, 48 of them in whole batches.
    assert resumed.n == n_whole - 48
    assert effects(result) == effects(whole)
    assert not (tmp_path / "run" / "parts").exists()


@pytest.mark.parametrize(("version", "options"), [(None, {}), ("2", {}), ("1", {"force": True})])
def test_no_version_another_version_and_force_score_all_anew(tmp_path, version, options):
    _, n_whole = whole_run(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        audit(Slow(stop_at=80), tmp_path / "run", None if version is None else "1")
    again = Slow()
    audit(again, tmp_path / "run", version, **options)
    assert again.n == n_whole


def test_a_finished_run_says_why_a_function_without_a_version_is_scored_again(tmp_path):
    first = audit(Slow(), tmp_path / "run", None)
    again = audit(Slow(), tmp_path / "run", None)
    said = "scored anew, since a function without a version may have changed"
    assert said not in str(first.run["notes"])
    assert said in str(again.run["notes"])


def test_fast_batches_leave_no_files(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_batches, "SLOW_S", 60.0)
    with pytest.raises(KeyboardInterrupt):
        audit(Slow(stop_at=80), tmp_path / "run", "1")
    assert not (tmp_path / "run" / "parts").exists()


def test_a_list_function_sees_its_texts_together(tmp_path):
    seen = []

    def lengths(items):
        seen.append(len(items))
        return [float(len(item.candidate)) for item in items]

    metric = as_metric(lengths, name="lengths", version="1", batch=True)
    gameproof.audit(DATA, [metric], perturbations=CHECKS, out=tmp_path / "run")
    assert seen[0] == 48
