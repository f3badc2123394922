"""The sweep: which cells it has, what it says of them, what it leaves behind."""

import json

import numpy as np
import pytest

import gameproof
from gameproof.audits.sweep_cells import read_setting, read_settings, sweep_cells
from gameproof.audits.sweep_contrast import examine_contrast
from gameproof.errors import PlanError, RunFolderError, SpecError
from gameproof.metrics.negatives import Negatives
from gameproof.records import Contrast
from gameproof.stats.dimensions import rank
from gameproof.stats.levels import Clusters


def texts(*predictors, **options):
    return [cell.text for cell in sweep_cells(predictors, **options)]


def test_a_sweep_has_every_cell_of_a_predictor_and_both_direct_forms():
    found = texts("overlap")
    # 2 representations x 6 divergences x (direct, f-variational), and a joint form for all but KL, where it is
    # the monotone one.
    assert len(found) == 2 * (6 + 6 + 5)
    assert "CHI2+direct+report+overlap,form=joint" in found
    assert "KL+direct+report+overlap,form=joint" not in found
    assert texts() == found


def test_ratios_without_bounds_have_no_monotone_form_of_reverse_kl():
    assert [text for text in texts("nli", nli="folder") if text.startswith("RKL+direct+report")] == [
        "RKL+direct+report+nli,form=joint,llm=transformers:folder"
    ]


def test_an_oracle_is_asked_one_kind_of_question_unless_more_critics_are_named():
    assert "TV+fvar+statement+oracle,critic=bins" in texts("oracle")
    assert "TV+fvar+statement+oracle" not in texts("oracle")
    assert "TV+fvar+statement+oracle" in texts("oracle", critics=("binary",))


def test_the_papers_cells_are_twelve():
    # Table 2 of paper 1: KL and TV, direct and f-variational, by token autoregression and by an oracle on reports
    # and on statements.
    assert sorted(texts(papers=True)) == sorted(
        [
            "KL+direct+token+autoreg",
            "KL+fvar+token+autoreg",
            "TV+direct+token+autoreg,form=joint",
            "TV+fvar+token+autoreg",
            *(
                text
                for representation in ("report", "statement")
                for text in (
                    f"KL+direct+{representation}+oracle",
                    f"KL+fvar+{representation}+oracle",
                    f"TV+direct+{representation}+oracle,form=joint",
                    f"TV+fvar+{representation}+oracle",
                )
            ),
        ]
    )


def test_an_option_is_set_where_it_is_taken():
    found = texts("overlap", settings={"agg": "mean_critic"})
    assert "KL+fvar+statement+overlap,agg=mean_critic" in found
    assert "KL+direct+statement+overlap" in found
    assert "KL+fvar+report+overlap" in found


def test_an_ablation_adds_each_cell_that_it_changes():
    cells = sweep_cells(("overlap",), ablate=("agg", "sum"))
    pairs = {cell.text: cell.ablates for cell in cells if cell.ablates}
    assert pairs["KL+direct+statement+overlap,agg=sum"] == "KL+direct+statement+overlap"
    assert len(pairs) == 17  # a report is one unit: nothing is added up


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"predictors": ("judge",)}, "predictor 'judge' is unknown"),
        ({"predictors": ("overlap",), "critics": ("hard",)}, "critic 'hard' is unknown"),
        ({"predictors": ("overlap",), "settings": {"samples": "3"}}, "no cell of this sweep takes samples=3"),
        ({"predictors": ("overlap",), "ablate": ("refs", "mean")}, "refs=mean changes no cell"),
        ({"predictors": ("overlap",), "nli": "folder"}, "none are swept"),
    ],
)
def test_what_no_cell_can_do_is_refused(options, said):
    with pytest.raises(PlanError, match=said):
        sweep_cells(**options)


@pytest.mark.parametrize("text", ["neg", "neg=", "=4", "colour=red", "seed=3"])
def test_a_setting_is_an_option_and_a_value(text):
    with pytest.raises(PlanError):
        read_setting(text)


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep") / "run"
    return gameproof.sweep("planted,tasks=12", ablate="refs=first", out=folder), folder


def test_every_cell_has_a_row_with_intervals(swept):
    result, _ = swept
    row = result["TV+fvar+statement+overlap"]
    assert row.n == result.run["n_items"]
    mean = [cell for cell in row.correlations if cell.dimension == "mean"]
    assert [cell.level for cell in mean] == ["within_task", "pooled"]
    assert all(cell.low < cell.rho < cell.high for cell in mean)
    assert result["TV+direct+statement+overlap"].contrast is None


def test_a_sweep_and_an_audit_correlate_alike(swept):
    result, _ = swept
    (audited,) = gameproof.audit(
        "planted,tasks=12", "KL+fvar+report+overlap", perturbations=["sentence_deletion"]
    ).metrics
    expected = {(row.dimension, row.level): (row.rho, row.low, row.high) for row in audited.correlation}
    for cell in result["KL+fvar+report+overlap"].correlations:
        assert (cell.rho, cell.low, cell.high) == expected[cell.dimension, cell.level]


def test_the_difference_is_the_score_minus_the_support(swept):
    result, _ = swept
    contrast = result["TV+fvar+report+overlap"].contrast
    whole = {(cell.dimension, cell.level): cell.rho for cell in result["TV+fvar+report+overlap"].correlations}
    support = {(cell.dimension, cell.level): cell.rho for cell in contrast.support}
    for cell in contrast.difference:
        key = cell.dimension, cell.level
        assert cell.rho == pytest.approx(whole[key] - support[key])


def test_the_folder_holds_the_result_as_json_csv_and_markdown(swept):
    result, folder = swept
    record = json.loads((folder / "sweep.json").read_text())
    assert record["schema"] == "gameproof.sweep/1"
    assert len(record["rows"]) == len(result.rows)
    lines = (folder / "sweep.csv").read_text().splitlines()
    assert lines[0].startswith("metric,divergence,estimator")
    assert any("contrast_difference" in line for line in lines)
    assert any("ablation_difference" in line for line in lines)
    assert "## Ablation" in (folder / "sweep.md").read_text()


def test_running_again_scores_nothing_anew(swept, monkeypatch):
    result, folder = swept

    async def refuse(*_args, **_kwargs):
        raise AssertionError("scored again")

    monkeypatch.setattr("gameproof.audits.run.score_table", refuse)
    again = gameproof.sweep("planted,tasks=12", ablate="refs=first", out=folder)
    assert again.to_record() == result.to_record()


def test_a_sweep_folder_is_no_audit(swept):
    _, folder = swept
    with pytest.raises(RunFolderError, match="sweep"):
        gameproof.check(folder)


def test_a_cell_that_needs_a_model_says_so():
    with pytest.raises(SpecError, match="none is given"):
        gameproof.sweep("planted,tasks=6", "oracle")


# What makes a contrast useless, made to order: 40 tasks of 6 candidates; q is quality, g a generic trait.


def examine(matched, mismatched, rating, *, duplicates=0, per_task=6):
    tasks = np.arange(240) // per_task
    clusters = Clusters(tasks=tasks)
    scores = matched - mismatched
    ratings = {"quality": rating}
    return examine_contrast(
        Contrast(
            matched=matched,
            negatives=mismatched[:, None],
            negative_tasks=np.zeros((240, 1), dtype=np.int64),
            tasks=("t",),
        ),
        {level: rank(scores, ratings, clusters, level) for level in ("within_task", "pooled")},
        ratings,
        clusters,
        has_score=scores,
        negatives=Negatives(
            tasks={}, n_pairs=100, n_near_duplicates=duplicates, n_groups=1, n_fallback=0, n_short=0
        ),
        seed=0,
    )


@pytest.fixture
def traits():
    rng = np.random.default_rng(1)
    return rng.normal(size=240), rng.normal(size=240), rng.normal(size=240)


def test_a_contrast_that_removes_a_trait_the_ratings_do_not_pay_for_helps(traits):
    quality, generic, noise = traits
    found = examine(quality + 2 * generic, 2 * generic + 0.1 * noise, quality)
    assert (found.verdict, found.reason) == ("helps", "")


def test_few_tasks_show_neither_that_a_contrast_helps_nor_that_it_hurts(traits):
    """The same texts in 5 tasks: an interval over so few resampled tasks is as narrow as it is worthless."""
    quality, generic, noise = traits
    found = examine(quality + 2 * generic, 2 * generic + 0.1 * noise, quality, per_task=48)
    assert found.verdict == "undecided"
    assert found.reason == "5 tasks show nothing either way: a verdict takes 20"


def test_a_contrast_that_takes_quality_away_hurts_and_says_why(traits):
    quality, generic, noise = traits
    found = examine(quality + generic, quality + noise, quality)
    assert found.verdict == "hurts"
    assert "follows the ratings by itself" in found.reason


def test_a_contrast_with_nothing_to_subtract_says_so(traits):
    quality, generic, noise = traits
    found = examine(quality + generic, 0.001 * noise, quality)
    assert "there is little to subtract" in found.reason


def test_a_contrast_with_near_duplicates_says_so(traits):
    quality, generic, noise = traits
    found = examine(quality + generic, quality + noise, quality, duplicates=30)
    assert found.reason.startswith("30% of the negatives nearly repeat")


def test_a_contrast_that_subtracts_too_much_says_so(traits):
    quality, generic, noise = traits
    found = examine(quality + generic, 4 * generic + 4 * noise, quality)
    assert found.verdict == "hurts"
    assert "too much is subtracted" in found.reason


def test_one_option_with_two_values_is_refused_and_the_same_value_twice_is_not():
    assert read_settings(["neg=2", "refs=first", "neg=2"]) == {"neg": "2", "refs": "first"}
    with pytest.raises(PlanError, match=r"neg is set twice: '2' and '3'"):
        read_settings(["neg=2", "neg=3"])
