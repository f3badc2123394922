"""Two runs of the same texts, made by real audits of a small planted world."""

import json

import pytest

import gameproof
from gameproof.audits.result import CardMark
from gameproof.audits.run_difference import _change
from gameproof.errors import PlanError, RunFolderError
from gameproof.stats.results import Verdict

DATA = "planted,tasks=24"


def length(item):
    return float(len(item.candidate.split()))


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for name, metrics in {
        "before": ["rougeL", "TV+fvar+statement+overlap"],
        "same": ["rougeL", "TV+fvar+statement+overlap"],
        "after": ["rougeL,stem=true", "TV+fvar+statement+overlap,neg=2"],
        "other": ["chrf", "length", "bleu"],
    }.items():
        gameproof.audit(DATA, metrics, out=folder / name, suite="strategic")
    gameproof.audit(DATA, ["rougeL"], out=folder / "reseeded", seed=5, suite="strategic")
    gameproof.audit("planted,tasks=24,seed=9", ["rougeL"], out=folder / "elsewhere", suite="strategic")
    return folder


def test_a_run_is_as_another_one_like_it(runs):
    difference = gameproof.compare(runs / "before", runs / "same")

    assert difference.exit_code == 0
    assert [metric.n_changed for metric in difference.metrics] == [0, 0]
    assert {check.change for metric in difference.metrics for check in metric.checks} == {"same"}
    differences = [check.difference for metric in difference.metrics for check in metric.checks if check.n]
    assert differences
    assert set(differences) == {0.0}
    assert "No verdict changed" in str(difference)


def test_effects_differ_by_what_both_runs_report(runs):
    difference = gameproof.compare(runs / "before", runs / "after", pairs=[("rougeL", "rougeL,stem=true")])
    rouge, cell = difference.metrics

    assert (rouge.metric_after, cell.metric_after) == ("rougeL,stem=true", "TV+fvar+statement+overlap,neg=2")
    for metric in (rouge, cell):
        paired = [
            check for check in metric.checks if check.difference is not None and check.state_after is None
        ]
        assert len(paired) >= 8
        for check in paired:
            assert check.n > 0
            if check.low is not None:
                assert check.low <= check.difference <= check.high
    deletion = next(check for check in rouge.checks if check.check == "sentence_deletion")
    # the jackknife's correction is small where a metric has no negatives
    assert deletion.difference == pytest.approx(deletion.effect_after - deletion.effect_before, abs=0.02)


def test_correlations_are_compared_on_the_same_resamples(runs):
    difference = gameproof.compare(runs / "before", runs / "after", pairs=[("rougeL", "rougeL,stem=true")])
    rows = {(row.dimension, row.level): row for row in difference.metrics[1].correlations}

    mean = rows["mean", "within_task"]
    assert mean.difference == pytest.approx(mean.after - mean.before)
    assert mean.low <= mean.difference <= mean.high


def test_variants_of_another_seed_are_not_paired_with_ours(runs):
    difference = gameproof.compare(runs / "before", runs / "reseeded")
    checks = {check.check: check for check in difference.metrics[0].checks}

    assert checks["flip_case"].n == difference.n_shared  # a rule without chance makes the same texts
    assert checks["random_replacement"].n < difference.n_shared
    assert "seed differs: 0 before, 5 after" in difference.notes
    assert difference.only_before == ("TV+fvar+statement+overlap",)
    assert difference.exit_code == 4


def test_a_metric_that_is_gamed_now_is_told_by_the_exit_code(tmp_path):
    def shared(item):
        words = item.candidate.lower().split()
        known = set(" ".join(item.references).lower().split())
        return sum(word in known for word in words) / len(words) if words else 0.0

    for name, metric in (("a", shared), ("b", length)):
        gameproof.audit(
            DATA,
            [gameproof.as_metric(metric, name="mine", version=name)],
            out=tmp_path / name,
            perturbations=["meaningless_elongation", "sentence_deletion"],
        )
    difference = gameproof.compare(tmp_path / "a", tmp_path / "b", out=tmp_path / "page.html")

    (metric,) = difference.metrics
    changed = {check.check: (check.verdict_before, check.verdict_after) for check in metric.changed_checks}
    assert changed["meaningless_elongation"][1] is Verdict.FAIL
    assert difference.exit_code == 3
    assert ("mine", "resistant") in {(name, item.name) for name, item in difference.worse}
    assert "mine" in (tmp_path / "page.html").read_text(encoding="utf-8")
    resistant = next(item for item in metric.properties if item.name == "resistant")
    assert resistant.after is CardMark.NO


def test_runs_without_a_common_metric_are_refused_by_name(runs):
    with pytest.raises(
        PlanError, match=r"share no metric: the first has rougeL, TV.*; the second chrf, length, bleu"
    ):
        gameproof.compare(runs / "before", runs / "other")


def test_runs_of_other_texts_are_refused(runs):
    with pytest.raises(PlanError, match=r"share no text"):
        gameproof.compare(runs / "before", runs / "elsewhere")


def test_a_pair_that_is_not_there_is_refused(runs):
    with pytest.raises(PlanError, match=r"the second run has no metric 'rouge7'"):
        gameproof.compare(runs / "before", runs / "after", pairs=[("rougeL", "rouge7")])


def test_a_folder_without_a_run_is_refused(runs, tmp_path):
    with pytest.raises(RunFolderError, match="has no run"):
        gameproof.compare(runs / "before", tmp_path)


def test_a_page_of_no_known_format_is_refused_before_anything_is_read(tmp_path):
    with pytest.raises(PlanError, match=r"none of \.html, \.md, \.json"):
        gameproof.compare(tmp_path, tmp_path, out="x.pdf")


@pytest.mark.parametrize("ending", ["html", "md", "json"])
def test_the_page_is_written_in_every_format(runs, tmp_path, ending):
    gameproof.compare(runs / "before", runs / "same", out=tmp_path / f"page.{ending}")
    text = (tmp_path / f"page.{ending}").read_text(encoding="utf-8")

    if ending == "json":
        assert json.loads(text)["schema"] == "gameproof.compare/1"
    assert "rougeL" in text


def test_texts_of_one_run_alone_and_other_ratings_are_noted(tmp_path):
    rows = [
        {"task_id": f"t{n}", "candidate_id": f"s{m}", "candidate": f"Fog number {n} came {'again ' * m}.",
         "references": [f"Fog number {n} came."], "ratings": {"overall": n + m}}
        for n in range(8) for m in range(2)
    ]  # fmt: skip
    changed = [{**rows[0], "ratings": {"overall": 9}}, *rows[1:-1]]
    for name, data in (("a", rows), ("b", changed)):
        gameproof.audit(data, ["length"], out=tmp_path / name, perturbations=["repeat_text"])
    notes = gameproof.compare(tmp_path / "a", tmp_path / "b").notes
    assert "1 of 16 texts of the first run are not in the other one: left out of differences" in notes
    assert "1 texts have other ratings in the second run: correlations are compared on those ratings" in notes
    assert not any("of the second run are not" in note for note in notes)


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (Verdict.PASS, Verdict.FAIL, "worse"),
        (Verdict.FAIL, Verdict.INCONCLUSIVE, "better"),
        (Verdict.INCONCLUSIVE, Verdict.INSENSITIVE, "same"),  # neither shows anything
        (Verdict.FAIL, Verdict.WRONG_WAY, "same"),
        (Verdict.PASS, None, "unclear"),
        (None, Verdict.PASS, "unclear"),
    ],
)
def test_which_change_of_a_verdict_is_a_loss(before, after, change):
    assert _change(before, after) == change


@pytest.fixture(scope="module")
def differing(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pairs")
    for name, other in (("before", "rougeL"), ("chrf", "chrf"), ("stem", "rougeL,stem=true")):
        gameproof.audit(
            "planted,tasks=1", ["length", other], perturbations=["repeat_text"], out=folder / name
        )
    return folder


def test_metrics_of_no_kind_are_not_paired_in_silence(differing):
    difference = gameproof.compare(differing / "before", differing / "chrf")

    assert [(one.metric, one.metric_after) for one in difference.metrics] == [("length", "length")]
    assert (difference.only_before, difference.only_after) == (("rougeL",), ("chrf",))
    text = str(difference)
    assert "in both runs: length" in text
    assert "only in the first run, not compared: rougeL" in text
    assert "--pair OLD::NEW" in text


def test_metrics_of_a_kind_are_paired_and_said_to_be(differing):
    difference = gameproof.compare(differing / "before", differing / "stem")

    assert not difference.only_before
    assert "taken for one, before with after: rougeL with rougeL,stem=true" in str(difference)
