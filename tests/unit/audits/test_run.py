"""The audit as a whole: stages, folders, and the same numbers from every door."""

import json

import pytest

import gameproof
from gameproof.errors import PlanError, RunFolderError
from gameproof.metrics.base import as_metric
from gameproof.records import Item
from gameproof.reports.result_json import render_json

DATA = "planted,tasks=4,systems=2,seed=5"
FEW = ("sentence_deletion", "meaningless_elongation", "one_sentence_deletion")


def numbers(result):
    """Return a result as JSON, without what names the folder and the time it took."""
    record = render_json(result)
    record["run"].pop("folder")
    for metric in record["metrics"]:
        metric["summary"].pop("seconds")
    return record


class Counted:
    def __init__(self) -> None:
        self.n_calls = 0

    def __call__(self, item: Item) -> float:
        self.n_calls += 1
        return float(len(item.candidate))


@pytest.fixture
def counted():
    function = Counted()
    return function, as_metric(function, name="counted", version="1")


def test_memory_and_folder_give_the_same_numbers(tmp_path) -> None:
    metrics = ["length", "TV+fvar+statement+overlap,neg=2"]
    in_memory = gameproof.audit(DATA, metrics, perturbations=FEW)
    in_folder = gameproof.audit(DATA, metrics, perturbations=FEW, out=tmp_path / "run")
    assert numbers(in_memory) == numbers(in_folder)


def test_a_second_run_scores_nothing_again(tmp_path, counted) -> None:
    function, metric = counted
    first = gameproof.audit(DATA, metric, perturbations=FEW, out=tmp_path / "run")
    n_calls = function.n_calls
    second = gameproof.audit(DATA, metric, perturbations=FEW, out=tmp_path / "run")
    assert function.n_calls == n_calls
    assert numbers(first) == numbers(second)


def test_a_second_metric_leaves_the_first_ones_scores_alone(tmp_path, counted) -> None:
    function, metric = counted
    gameproof.audit(DATA, metric, perturbations=FEW, out=tmp_path / "run")
    n_calls = function.n_calls
    both = gameproof.audit(DATA, [metric, "length"], perturbations=FEW, out=tmp_path / "run")
    assert function.n_calls == n_calls
    assert [result.metric for result in both.metrics] == ["counted", "length"]


def test_changed_data_force_and_unversioned_functions_are_scored_anew(tmp_path, counted) -> None:
    function, metric = counted
    gameproof.audit(DATA, metric, perturbations=FEW, out=tmp_path / "run")
    n_calls = function.n_calls
    other = DATA.replace("seed=5", "seed=6")
    gameproof.audit(other, metric, perturbations=FEW, out=tmp_path / "run", overwrite=True)
    assert function.n_calls > n_calls
    n_calls = function.n_calls
    gameproof.audit(other, metric, perturbations=FEW, out=tmp_path / "run", force=True)
    assert function.n_calls > n_calls
    unpinned = as_metric(Counted(), name="loose")
    for _ in range(2):
        n_before = unpinned.function.n_calls
        gameproof.audit(DATA, unpinned, perturbations=FEW, out=tmp_path / "loose")
        assert unpinned.function.n_calls > n_before


def test_a_damaged_scores_file_is_made_again(tmp_path, counted) -> None:
    function, metric = counted
    first = gameproof.audit(DATA, metric, perturbations=FEW, out=tmp_path / "run")
    (tmp_path / "run" / "scores.jsonl").write_text("{}\n")
    n_calls = function.n_calls
    assert numbers(gameproof.audit(DATA, metric, perturbations=FEW, out=tmp_path / "run")) == numbers(first)
    assert function.n_calls > n_calls


def test_check_with_the_runs_own_margin_repeats_its_result(tmp_path) -> None:
    metrics = ["rougeL", "TV+fvar+statement+overlap,neg=2"]
    audited = gameproof.audit(DATA, metrics, perturbations=FEW, out=tmp_path / "run")
    assert numbers(gameproof.check(tmp_path / "run")) == numbers(audited)
    other = gameproof.check(tmp_path / "run", margin=".5sent")
    assert other.run["margin"] == ".5sent"


@pytest.mark.parametrize("name", ["items.jsonl", "scores.jsonl", "contrasts.npz"])
@pytest.mark.parametrize("how", ["lost", "changed"])
def test_check_refuses_a_run_whose_texts_or_scores_are_not_those_of_the_run(tmp_path, name, how) -> None:
    # Without contrasts.npz the same scores would be tested as if no reference were shared between tasks.
    gameproof.audit(DATA, ["TV+fvar+statement+overlap,neg=2"], perturbations=FEW, out=tmp_path / "run")
    path = tmp_path / "run" / name
    if how == "lost":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(RunFolderError, match=rf"{name} is gone, or not as the run has written it"):
        gameproof.check(tmp_path / "run")


def test_report_writes_a_page_markdown_or_a_table(tmp_path) -> None:
    gameproof.audit(DATA, "length", perturbations=FEW, out=tmp_path / "run")
    page = gameproof.report(tmp_path / "run")
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "length" in gameproof.report(tmp_path / "run", out=tmp_path / "a.md").read_text(encoding="utf-8")
    assert "sentence_deletion" in gameproof.report(tmp_path / "run", out=tmp_path / "a.csv").read_text(
        "utf-8"
    )


@pytest.mark.parametrize("name", ["page.pdf", "tables.docx", "-"])
def test_a_report_of_an_unknown_kind_is_refused_and_not_written_as_a_page(
    tmp_path, monkeypatch, name
) -> None:
    gameproof.audit(DATA, "length", perturbations=FEW, out=tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PlanError, match="none of"):
        gameproof.report("run", out=name)
    assert not (tmp_path / name).exists()


def test_check_of_a_folder_without_a_run_says_what_to_give(tmp_path) -> None:
    with pytest.raises(RunFolderError, match="does not exist"):
        gameproof.check(tmp_path / "nothing")


def test_variants_made_elsewhere_replace_made_ones(tmp_path) -> None:
    gameproof.perturb(DATA, out=tmp_path / "variants.jsonl", perturbations=["meaningless_elongation"])
    rows = [json.loads(line) for line in (tmp_path / "variants.jsonl").read_text("utf-8").splitlines()]
    for row in rows:
        row["text"] = "word " * 500
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    result = gameproof.audit(
        DATA, "length", perturbations=["meaningless_elongation"], variants=tmp_path / "own.jsonl"
    )
    scores = gameproof.score(DATA, "length")["length"].values
    (row,) = result.metrics[0].checks
    # By hand: every variant has 500 words, so the mean change is 500 minus the mean length.
    assert row.effect_original == pytest.approx((500 - scores.mean()) / scores.std(ddof=1))


def test_variants_of_other_data_are_refused(tmp_path) -> None:
    gameproof.perturb(
        "planted,tasks=1,seed=9", out=tmp_path / "variants.jsonl", perturbations=["meaningless_elongation"]
    )
    strangers = (tmp_path / "variants.jsonl").read_text("utf-8").replace('"item": "', '"item": "x')
    (tmp_path / "variants.jsonl").write_text(strangers, encoding="utf-8")
    with pytest.raises(PlanError, match="no variant"):
        gameproof.audit(DATA, "length", variants=tmp_path / "variants.jsonl")


def test_variants_of_a_misspelt_perturbation_are_not_passed_over_in_silence(tmp_path) -> None:
    gameproof.perturb(DATA, out=tmp_path / "variants.jsonl", perturbations=["tag_text", "flip_case"])
    text = (tmp_path / "variants.jsonl").read_text("utf-8")
    (tmp_path / "one.jsonl").write_text(text.replace("flip_case", "filp_case"), encoding="utf-8")
    result = gameproof.audit(DATA, "length", perturbations=["tag_text"], variants=tmp_path / "one.jsonl")
    assert any("'filp_case' left out" in note and "flip_case?" in note for note in result.run["notes"])
    none = text.replace("flip_case", "filp_case").replace("tag_text", "my_rewrite")
    (tmp_path / "none.jsonl").write_text(none, encoding="utf-8")
    with pytest.raises(PlanError, match="known perturbation"):
        gameproof.audit(DATA, "length", variants=tmp_path / "none.jsonl")


@pytest.mark.parametrize(("data", "noted"), [(DATA, True), ("planted,tasks=7,systems=2", False)])
def test_an_audit_of_fewer_than_twenty_tasks_says_that_nothing_can_pass(data, noted) -> None:
    # 4 tasks in each of 3 domains are 12, 7 are 21
    result = gameproof.audit(data, "length", perturbations=["tag_text"])
    assert any("no check can pass" in note for note in result.run["notes"]) is noted


def test_without_references_and_ratings_an_audit_says_what_could_not_be_measured() -> None:
    items = [
        Item(id=f"i{n}", task_id=f"t{n}", candidate=f"Sentence {n} is here. It has a second one, {n}.")
        for n in range(24)
    ]
    result = gameproof.audit(items, ["length", "rougeL"], perturbations=FEW)
    length, rouge = result.metrics
    assert length.card.statistical == "not_measured"
    assert rouge.summary["n"] == 0
    assert all(row.state == "not_measured" for row in rouge.checks)
    assert "no reference" in rouge.alarms[0]
